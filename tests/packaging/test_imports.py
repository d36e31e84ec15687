"""What a command loads: heavy libraries only where they are needed."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

HEAVY = {"numpy", "torch", "z3", "sympy", "networkx", "scipy", "matplotlib", "numba", "cvc5"}

COMMAND = """
import json, sys
sys.argv = ["attnproof", *sys.argv[1:]]
try:
    from attnproof.cli.main import main
    code = main()
except SystemExit as stop:
    code = stop.code
print(json.dumps([code or 0, sorted(sys.modules)]), file=sys.stderr)
"""


def loaded(*arguments: str, cwd: Path) -> set[str]:
    """The top-level modules that are loaded after a command that succeeds."""
    done = subprocess.run(
        (sys.executable, "-c", COMMAND, *arguments),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stdout + done.stderr
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("arguments", [["--help"], ["verify", "--help"], ["check", "--help"]])
def test_help_loads_nothing_heavy(arguments: Sequence[str], tmp_path: Path) -> None:
    """Help is text: it needs no library that computes."""
    assert loaded(*arguments, cwd=tmp_path) & HEAVY == set()


def test_import_loads_nothing_heavy(tmp_path: Path) -> None:
    """``import attnproof`` alone loads nothing that computes."""
    statement = "import attnproof, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        (sys.executable, "-c", statement), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert set(json.loads(done.stdout)) & HEAVY == set()


def test_verifying_an_array_needs_numpy_alone(tmp_path: Path) -> None:
    """A mask of one size is bit sets: no tensors, no solver, no computer algebra, no graphs."""
    np.save(tmp_path / "mask.npy", np.tri(6, dtype=bool))
    found = loaded("verify", "mask.npy", "--causal", cwd=tmp_path)
    assert found & HEAVY == {"numpy"}


def test_verifying_text_with_a_certificate_needs_nothing(tmp_path: Path) -> None:
    """A mask written as text is verified, certified and checked without any of them."""
    (tmp_path / "mask.txt").write_text("1..\n11.\n111\n")
    verified = loaded(
        "verify", "mask.txt", "--causal", "--certificate", "mask.cert.json", cwd=tmp_path
    )
    assert verified & HEAVY == set()
    assert loaded("check", "mask.cert.json", cwd=tmp_path) & HEAVY == set()
