"""Without an extra: one line that names it, and everything else goes on working."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

EXTRAS = {
    "torch",
    "transformers",
    "safetensors",
    "cvc5",
    "pysat",
    "flint",
    "matplotlib",
    "numba",
    "joblib",
}

COMMANDS = """
import json, sys
blocked, commands = map(json.loads, sys.argv[1:])
for name in blocked:
    sys.modules[name] = None
from attnproof.cli.main import main
for arguments in commands:
    sys.argv = ["attnproof", *arguments]
    try:
        code = main()
    except SystemExit as stop:
        code = stop.code
    if code:
        sys.exit(code)
"""


def run(blocked: set[str], *commands: Sequence[str], cwd: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of commands, up to the first that fails, in one process where
    some modules are not installed."""
    done = subprocess.run(
        (sys.executable, "-c", COMMANDS, json.dumps(sorted(blocked)), json.dumps(commands)),
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A causal mask of four tokens in every form that needs an extra, and in some that do not."""
    causal = np.tri(4, dtype=bool)
    np.save(tmp_path / "mask.npy", causal)
    torch.save(torch.from_numpy(causal), tmp_path / "mask.pt")
    save_file({"mask": causal}, tmp_path / "mask.safetensors")
    (tmp_path / "mask.txt").write_text("1...\n11..\n111.\n1111\n")
    (tmp_path / "rule.py").write_text("def rule(b, h, q, k):\n    return q >= k\n")
    (tmp_path / "squares.py").write_text(
        "from attnproof.numeric.studies.study import Study\n"
        "STUDY = Study('squares', 'Squares.', lambda s, q: [1, 2], lambda n: {}, lambda r: [])\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("extra", "module", "arguments"),
    [
        ("torch", "torch", ["verify", "mask.pt", "--causal"]),
        ("hf", "safetensors", ["verify", "mask.safetensors", "--causal"]),
        ("torch", "joblib", ["study", "squares.py:STUDY", "--jobs", "2"]),
        ("plot", "matplotlib", ["draw", "mask.txt", "--out", "mask.png"]),
        ("plot", "matplotlib", ["verify", "mask.txt", "--causal", "--draw", "mask.png"]),
    ],
)
def test_missing_extra_is_one_line(
    files: Path, extra: str, module: str, arguments: Sequence[str]
) -> None:
    """Without the module the command says what to install, and writes nothing."""
    code, printed, said = run({module}, arguments, cwd=files)
    assert (code, printed) == (2, "")
    assert len(said.splitlines()) == 1
    assert said.startswith("attnproof: ")
    assert f"pip install 'attnproof[{extra}]'" in said
    assert not (files / "mask.png").exists()


def test_core_needs_no_extra(files: Path) -> None:
    """Arrays, text, rules and names are verified, compared and drawn with the core alone."""
    commands = [
        ["verify", "mask.npy", "--causal"],
        ["verify", "mask.txt", "--causal", "--draw", "mask.svg"],
        ["verify", "rule.py:rule", "--n", "4", "--causal"],
        ["verify", "window", "--n", "8", "--param", "keys=3", "--causal", "--json"],
        ["compare", "mask.npy", "rule.py:rule", "--n", "4"],
        ["draw", "mask.txt", "--out", "mask.tex"],
        ["masks"],
    ]
    code, _, said = run(EXTRAS, *commands, cwd=files)
    assert code == 0, said


def test_certificate_of_the_core_is_checked_without_any_library(files: Path) -> None:
    """A certificate is checked where not even numpy is installed."""
    made = ["verify", "mask.npy", "--causal", "--certificate", "mask.cert.json"]
    assert run(set(), made, cwd=files)[0] == 0
    libraries = EXTRAS | {"numpy", "scipy", "sympy", "networkx", "z3"}
    code, printed, said = run(libraries, ["check", "mask.cert.json"], cwd=files)
    assert code == 0, said
    assert "valid" in printed
