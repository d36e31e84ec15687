"""The pictures of the pages are what the package draws now."""

from pathlib import Path

from tests.docs.pictures import DOCS, pictures


def test_pictures_are_drawn_by_the_package(tmp_path: Path) -> None:
    """``python -m tests.docs.pictures`` would change nothing."""
    for name, draw in pictures().items():
        draw(str(tmp_path / name))
        assert (tmp_path / name).read_bytes() == (DOCS / name).read_bytes(), name
