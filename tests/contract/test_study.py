"""``study``: what it writes, its messages, several processes, and an interrupt."""

import hashlib
import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.contract.conftest import Run

TINY = """
import os, signal
from attnproof.numeric.studies.study import DataFiles, Study, Table

def points(seed, quick):
    return [seed + k for k in range(2 if quick else 4)]

def run(point):
    return {"n": point, "square": point * point, "seconds": {}}

def tables(records):
    return [Table("squares", ("n", "square"), tuple((r["n"], r["square"]) for r in records))]

def figures(records):
    from matplotlib.figure import Figure
    drawn = Figure()
    drawn.subplots().plot([r["square"] for r in records])
    return {"tiny": drawn}

def stopped(point):
    if point == 1:
        os.kill(os.getppid(), signal.SIGINT)
    return run(point)

def stopped_here(point):
    os.kill(os.getpid(), signal.SIGINT)
    return run(point)

TINY = Study("tiny", "Squares.", points, run, tables, figures)
STOPPED = Study("stopped", "Squares.", points, stopped, tables)
STOPPED_HERE = Study("stopped", "Squares.", points, stopped_here, tables)
RAISES = Study("raises", "Nothing.", points, lambda point: 1 / 0, tables)
READS = Study("reads", "Lines.", points, run, tables, data=DataFiles(
    {"lines": "text"},
    lambda seed, quick, files: [len(line) for line in open(files["lines"])],
))
LACKING = Study("lacking", "Nothing.", points, run, tables, needs=(("no_such_module", "hf"),))
"""


@pytest.fixture(scope="module")
def tiny(folder: Path) -> str:
    """A file with small studies."""
    (folder / "tiny.py").write_text(TINY)
    return "tiny.py"


def test_list(run: Run) -> None:
    """Without a name, every study with its sentence."""
    ran = run("study")
    assert ran.code == 0
    assert re.search("^faults +Leaks put into small models", ran.out, re.MULTILINE)
    assert "faults" in [each["name"] for each in run("study", "--json").json]


def test_files_and_document(run: Run, folder: Path, tiny: str) -> None:
    """Records, tables and figures in a new folder; the same document on stdout."""
    ran = run("study", f"{tiny}:TINY", "--seed", "3", "--quick", "--out", "made", "--json")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        f"study written: {os.path.join('made', 'tiny.json')}",
        f"study written: {os.path.join('made', 'tiny.md')}",
        f"figure written: {os.path.join('made', 'tiny.svg')}",
    ]
    document = json.loads((folder / "made" / "tiny.json").read_text())
    assert document == ran.json
    assert document["seed"] == 3
    assert [each["square"] for each in document["records"]] == [9, 16]
    assert document["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert "| 4 | 16 |" in (folder / "made" / "tiny.md").read_text()
    assert (folder / "made" / "tiny.svg").read_text().startswith("<?xml")


def test_jobs_change_nothing(run: Run, folder: Path, tiny: str) -> None:
    """Two processes give what one gives, under the name of the study where none is named."""
    assert run("study", f"{tiny}:TINY", "--jobs", "2").out == (
        "squares\nn  square\n0       0\n1       1\n2       4\n3       9\n"
    )
    assert (folder / "tiny" / "tiny.json").exists()


def test_data(run: Run, folder: Path, tiny: str) -> None:
    """Points come from the files that are given; the document says which these were."""
    ran = run("study", f"{tiny}:READS", "--data", "lines=causal.txt", "--out", "read", "--json")
    assert [each["n"] for each in ran.json["records"]] == [4, 4, 4]
    held = hashlib.sha256((folder / "causal.txt").read_bytes()).hexdigest()
    assert ran.json["data"] == {"lines": {"file": "causal.txt", "sha256": held}}
    assert run("study", f"{tiny}:READS", "--out", "read", "--json").json["data"] == {}


@pytest.mark.parametrize(("name", "jobs"), [("STOPPED_HERE", "1"), ("STOPPED", "2")])
def test_an_interrupt_writes_nothing(
    run: Run, folder: Path, tiny: str, name: str, jobs: str
) -> None:
    """Exit code 130, and no folder."""
    ran = run("study", f"{tiny}:{name}", "--jobs", jobs)
    assert ran.code == 130
    assert "interrupted; nothing was written" in ran.err
    assert not (folder / "stopped").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("fautls",), "no study named 'fautls'; did you mean faults? or name an object"),
        (("tiny.py:TINY", "--out", "none/new"), "none/new is no folder, nor a new one in a folder"),
        (("tiny.py:TINY", "--out", "causal.txt"), "causal.txt is no folder, nor a new one"),
        (("tiny.py:LACKING",), "needs the extra 'hf': pip install 'attnproof[hf]'"),
        (("tiny.py:RAISES",), "tiny.py:RAISES raised ZeroDivisionError: division by zero"),
        (("tiny.py:NONE",), "has no 'NONE'"),
        (("tiny.py:TINY", "--jobs", "0"), "0 jobs were asked for; give 1 or more"),
        (("tiny.py:TINY", "--seed", "-2"), "the seed is -2; give 0 or more"),
        (("tiny.py:TINY", "--backend", "ray"), "no backend named 'ray'; give loky or dask"),
        (("tiny.py:TINY", "--data", "a=causal.txt"), "the study tiny reads no data; give it none"),
        (("tiny.py:READS", "--data", "a=b"), "reads no data named 'a'; it reads lines"),
        (("tiny.py:READS", "--data", "lines"), "--data is 'lines'; give NAME=FILE, as in squad="),
        (("tiny.py:READS", "--data", "lines=a", "--data", "lines=b"), "gives lines twice; give it"),
        (("real-data", "--data", "squad=none.json"), "none.json does not exist; name a file that"),
    ],
)
def test_messages(run: Run, tiny: str, arguments: tuple[str, ...], says: str) -> None:
    """Exit code 2, and one line that says the way out."""
    ran = run("study", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert len(ran.err.splitlines()) == 1
