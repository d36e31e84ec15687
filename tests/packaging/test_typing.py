"""mypy and pyright see, from outside, the modules that Python sees."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.packaging.conftest import Environment, Project, modules, run

USES = """
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.verdict import Verdict

mask: Mask = Mask.from_rows(["1.", "11"])
size: int = mask.size
verdict: Verdict = Verdict.HOLDS
wrong: str = mask.size
"""
WRONG = 1 + USES.splitlines().index("wrong: str = mask.size")

MYPY = """
[mypy]
strict = true
[mypy-numpy.*,torch.*,transformers.*,scipy.*,networkx.*,sympy.*,z3.*,matplotlib.*,numba.*]
follow_imports = skip
follow_imports_for_stubs = true
ignore_missing_imports = true
"""


def consumer(folder: Path, imported: Sequence[str]) -> Path:
    """A program that uses a few names, with one mistake, and then imports modules."""
    file = folder / "consumer.py"
    file.write_text(USES + "".join(f"import {name}\n" for name in imported))
    return file


def output(*command: str | Path, cwd: Path) -> str:
    """What a type checker prints; it exits with 1 when it finds a mistake."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy(file: Path, environment: Environment) -> list[tuple[int, str]]:
    """Line and text of each error mypy reports."""
    (file.parent / "mypy.ini").write_text(MYPY)
    tool = (sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", "cache")
    where = ("--python-executable", environment.python, file.name)
    lines = output(*tool, "--output", "json", *where, cwd=file.parent).splitlines()
    entries = [json.loads(line) for line in lines if line.startswith("{")]
    return [(entry["line"], entry["message"]) for entry in entries if entry["severity"] == "error"]


def pyright(file: Path, environment: Environment) -> list[tuple[int, str]]:
    """Line and text of each error pyright reports."""
    tool = (sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", environment.python)
    entries = json.loads(output(*tool, file.name, cwd=file.parent))["generalDiagnostics"]
    return [
        (entry["range"]["start"]["line"] + 1, entry["message"])
        for entry in entries
        if entry["severity"] == "error"
    ]


@pytest.mark.parametrize("kind", ["installed", "editable"])
def test_type_checkers_see_every_module(project: Project, kind: str, tmp_path: Path) -> None:
    """Each finds the types of the names: the one mistake, and no other. Installed, it finds every
    module; from an editable install one of each room, for that they are all found by links."""
    every = modules(project.files)
    rooms = [name for name in every if name.count(".") == 1]
    environment, imported = {
        "installed": (project.installed, every),
        "editable": (project.editable, rooms),
    }[kind]
    file = consumer(tmp_path, imported)
    for check in (mypy, pyright):
        errors = check(file, environment)
        assert [line for line, _ in errors] == [WRONG], (check.__name__, errors)
        assert all(word in errors[0][1] for word in ("int", "str"))


@pytest.mark.parametrize("kind", ["installed", "editable"])
def test_python_sees_every_module(project: Project, kind: str) -> None:
    """Each module of the tree can be found as a module of the package."""
    environment = project.installed if kind == "installed" else project.editable
    names = modules(project.files)
    find = f"import importlib.util as u; print([x for x in {names} if not u.find_spec(x)])"
    assert run(environment.python, "-c", find, cwd=environment.folder) == "[]\n"
