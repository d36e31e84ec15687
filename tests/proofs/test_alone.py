"""The checker runs alone: the standard library, its own folder, and nothing else."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import attnproof.proofs.checker
from attnproof.proofs.emit import emit
from attnproof.proofs.statement import canonical_json
from attnproof.symbolic.evidence import Safe
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.properties import Causal
from attnproof.symbolic.setting import Setting

FOLDER = Path(attnproof.proofs.checker.__file__).parent
SOURCES = sorted(FOLDER.glob("*.py"))

SETTING = Setting((Mask.from_rows(["1..", "11.", ".11"]),))
TRUE = emit(Safe(SETTING, Causal(3), (0b001, 0b011, 0b111)))
FALSE = emit(Safe(SETTING, Causal(3), (0b001, 0b011, 0b110)))


def run(checker: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """The folder as a program, without site packages, environment or user settings."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(checker), *arguments],
        input=text,
        capture_output=True,
        text=True,
        cwd=checker.parent,
        check=False,
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The checker's folder, under another name, where nothing of ours is near."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(FOLDER, tmp_path / "alone", ignore=ignored))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_imports_only_the_standard_library_and_itself(source: Path) -> None:
    """Absolute imports name modules of the standard library; relative ones stay in the folder."""
    inside = {path.stem for path in SOURCES}
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            roots = {alias.name.partition(".")[0] for alias in node.names}
            assert roots <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level <= 1
            if node.level == 0:
                assert (node.module or "").partition(".")[0] in sys.stdlib_module_names
            elif node.module:
                assert node.module in inside


def test_no_module_hides_one_of_the_standard_library() -> None:
    """Run as a folder, the checker stands first on the path; its names are its own."""
    assert not {source.stem for source in SOURCES} & set(sys.stdlib_module_names)


def test_trusted_code_has_no_assert() -> None:
    """``python -O`` removes no check."""
    asserts = [
        source.name
        for source in SOURCES
        if any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source.read_text())))
    ]
    assert asserts == []


def test_a_copy_of_the_folder_accepts_what_is_proved(copied: Path, tmp_path: Path) -> None:
    """Exit 0 and one line a claim."""
    (tmp_path / "cert.json").write_text(canonical_json([TRUE, TRUE]))
    done = run(copied, str(tmp_path / "cert.json"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "valid    attnproof/safe/v1\n" * 2


def test_a_copy_of_the_folder_rejects_what_is_not(copied: Path, tmp_path: Path) -> None:
    """Exit 1, and why; one bad claim spoils the file."""
    (tmp_path / "cert.json").write_text(canonical_json([TRUE, FALSE]))
    done = run(copied, "--json", str(tmp_path / "cert.json"))
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "valid": False,
        "claims": [
            {
                "predicateType": "attnproof/safe/v1",
                "grade": "certified",
                "valid": True,
                "reason": "",
            },
            {
                "predicateType": "attnproof/safe/v1",
                "grade": "certified",
                "valid": False,
                "reason": "the relation is not closed",
            },
        ],
    }


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1.5}', "7", '"x"', "[[]]"])
def test_what_is_no_certificate_is_told_apart(copied: Path, tmp_path: Path, text: str) -> None:
    """Exit 2, one line on stderr, no traceback."""
    (tmp_path / "cert.json").write_text(text)
    done = run(copied, str(tmp_path / "cert.json"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("checker: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_told_apart(
    copied: Path, tmp_path: Path, content: bytes | None
) -> None:
    """Exit 2 also for a missing file and for one that is no text."""
    if content is not None:
        (tmp_path / "cert.json").write_bytes(content)
    done = run(copied, str(tmp_path / "cert.json"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_text_of_the_file_cannot_touch_the_terminal(copied: Path) -> None:
    """What is quoted from a certificate is printed in ASCII, on one line."""
    odd = TRUE | {"predicateType": "\x1b[2J\ud800\n" + "x" * 9999}
    done = run(copied, "-", text=canonical_json(odd))
    assert done.returncode == 1
    assert done.stdout.startswith(r"INVALID  \x1b[2J\ud800\nxxx")
    assert done.stdout.isascii()
    assert done.stdout.count("\n") == 1


def test_reads_standard_input(copied: Path) -> None:
    """``-`` is standard input."""
    assert run(copied, "-", text=canonical_json(TRUE)).returncode == 0


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    """``python -m attnproof.proofs.checker`` is the same program."""
    (tmp_path / "cert.json").write_text(canonical_json(FALSE))
    done = subprocess.run(
        [sys.executable, "-m", "attnproof.proofs.checker", "cert.json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == "INVALID  attnproof/safe/v1: the relation is not closed\n"
