"""Where a rule stands: found in the text of its file, which is not run."""

import sys
from pathlib import Path

import pytest

from attnproof.render.places import Place, place_of, shown

FILE = """raise SystemExit("nobody runs this")
from elsewhere import rule as borrowed


@decorated
def rule(b, h, q, k): ...
class Masks:
    keys = 3

    def window(b, h, q, k): ...


first, second = rule, rule
typed: object = rule
second = typed
if True:
    hidden = 1
"""
LINES = [
    ("rule", 6),
    ("borrowed", 2),
    ("Masks", 7),
    ("Masks.window", 10),
    ("Masks.missing", 7),
    ("first", 13),
    ("second", 15),
    ("typed", 14),
    ("hidden", None),
    ("missing", None),
]


@pytest.mark.parametrize(("name", "line"), LINES)
def test_the_line_that_defines_a_name(tmp_path: Path, name: str, line: int | None) -> None:
    """The last statement that binds it; a part of a class inside the class."""
    (tmp_path / "masks.py").write_text(FILE)
    assert place_of(f"masks.py:{name}", tmp_path) == Place(tmp_path / "masks.py", line)


def test_sources_without_a_place(tmp_path: Path) -> None:
    """Names and files of masks have none; a file that cannot be read has no lines."""
    assert place_of("causal", tmp_path) is None
    assert place_of("masks.npz:key", tmp_path) is None
    assert place_of("no.such.module:rule", tmp_path) is None
    assert place_of("none.py:rule", tmp_path) == Place(tmp_path / "none.py")
    (tmp_path / "broken.py").write_text("def (")
    assert place_of("broken.py:rule", tmp_path) == Place(tmp_path / "broken.py")


def test_an_imported_module_is_its_file(tmp_path: Path) -> None:
    """A name of a module that was imported has the place where it is defined."""
    found = place_of(f"{__name__}:LINES", tmp_path)
    assert found is not None
    assert found.path == Path(__file__)
    assert found.line == Path(__file__).read_text().splitlines().index("LINES = [") + 1
    assert sys.modules[__name__].__file__ == __file__


def test_a_path_outside_every_root_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a repository paths begin at the current folder, and above it they are whole."""
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    assert shown(Path("masks.py")) == "masks.py"
    assert shown(Path("../masks.py")) == (tmp_path / "masks.py").resolve().as_posix()
