"""Studies: the registry, the same records from the same seed, and what a report holds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from attnproof.ask.study import check_folder, save, study
from attnproof.errors import FileError, InputError, MissingExtra
from attnproof.numeric.studies.registry import STUDIES, listed, study_of
from attnproof.symbolic.progress import listening


@pytest.fixture
def squares(tmp_path: Path) -> str:
    """A study in a file of its own."""
    file = tmp_path / "squares.py"
    file.write_text(
        "from attnproof.numeric.studies.study import Study, Table\n"
        "STUDY = Study('squares', 'Squares.', lambda seed, quick: [seed, seed + 1],\n"
        "              lambda n: {'n': n, 'seconds': {}},\n"
        "              lambda records: [Table('t', ('n',), tuple((r['n'],) for r in records))])\n"
        "LACKING = Study('lacking', 'x', lambda s, q: [], print, lambda r: [],\n"
        "                needs=(('no_such_module', 'torch'),))\n"
        "NUMBER = 1\n"
    )
    return f"{file}:STUDY"


def test_the_registry() -> None:
    """Each study has the name under which it is found."""
    assert [each.name for each in listed()] == list(STUDIES)


def test_listing_imports_nothing_heavy() -> None:
    """Studies are listed without torch, transformers and matplotlib."""
    code = (
        "import sys; from attnproof.numeric.studies.registry import listed; listed(); "
        "print([m for m in ('torch', 'transformers', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_records_come_from_the_seed(squares: str) -> None:
    """The same seed gives the same records, another one others, each point in its order."""
    assert study(squares, seed=3).records == study(squares, seed=3).records
    assert [each["n"] for each in study(squares, seed=4).records] == [4, 5]


def test_progress_is_told(squares: str) -> None:
    """One tick before the first point and one after each."""
    heard: list[tuple[int, int]] = []
    with listening(lambda done, total: heard.append((done, total))):
        study(squares)
    assert heard == [(0, 2), (1, 2), (2, 2)]


def test_what_is_written(squares: str, tmp_path: Path) -> None:
    """Records with the seed and the versions, and the tables as a page, in a new folder."""
    report = study(squares, seed=7)
    names = save(report, str(tmp_path / "out"))
    assert [Path(name).name for name in names] == ["squares.json", "squares.md"]
    document = json.loads((tmp_path / "out" / "squares.json").read_text())
    assert document == report.to_json()
    assert (document["study"], document["seed"], document["quick"]) == ("squares", 7, False)
    assert list(document["versions"]) == [
        "attnproof", "python", "numpy", "torch", "transformers", "sympy", "mpmath", "python-flint",
        "z3-solver", "cvc5",
    ]  # fmt: skip
    assert "| 7 |" in (tmp_path / "out" / "squares.md").read_text()


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("fault", InputError, "there is no study named 'fault'; did you mean faults? or name an"),
        ("wages", InputError, "no study named 'wages'; known are "),
        ("{file}:NUMBER", InputError, "is no study (its type is int); give a value of "),
        ("{file}:LACKING", MissingExtra, "the study lacking needs the extra 'torch': pip install"),
    ],
)
def test_messages(squares: str, name: str, error: type[Exception], says: str) -> None:
    """A name that is not known, an object that is no study, an extra that is missing."""
    asked = name.format(file=squares.removesuffix(":STUDY"))
    with pytest.raises(error) as caught:
        study_of(asked)
    assert says in str(caught.value)


def test_seed_and_jobs(squares: str) -> None:
    """A negative seed and no job at all are refused."""
    with pytest.raises(InputError, match="the seed is -1; give 0 or more"):
        study(squares, seed=-1)
    with pytest.raises(InputError, match="0 jobs were asked for; give 1 or more"):
        study(squares, jobs=0)


def test_folders(tmp_path: Path) -> None:
    """A folder that exists, or a new one in one that does; nothing is made before the run."""
    check_folder(str(tmp_path))
    check_folder(str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").write_text("")
    for name in ("file", "none/new"):
        with pytest.raises(FileError, match="is no folder, nor a new one in a folder that exists"):
            check_folder(str(tmp_path / name))
