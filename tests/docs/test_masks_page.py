"""The page of named masks is what the registry and the commands say now."""

from pathlib import Path

from attnproof.symbolic.named import registry
from tests.docs.masks_page import page, report
from tests.docs.pictures import DOCS


def test_the_page_is_made_from_the_registry() -> None:
    """``python -m tests.docs.masks_page`` would change no word."""
    assert (DOCS / "masks.md").read_text() == page()


def test_each_mask_has_its_picture(tmp_path: Path) -> None:
    """It would change no picture either, and there is none of a mask that is gone."""
    names = registry.names()
    assert {file.stem for file in (DOCS / "masks").iterdir()} == set(names)
    for name in names:
        report(registry.get(name)).draw(str(tmp_path / "drawn.svg"))
        assert (tmp_path / "drawn.svg").read_bytes() == (DOCS / f"masks/{name}.svg").read_bytes()
