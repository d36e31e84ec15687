"""Calls that are forked are calls: the same streams and exit codes as from a standing start."""

import pytest

from tests.contract.conftest import Run


@pytest.mark.parametrize(
    "args",
    [
        ("verify", "two_layers.txt", "--forbid", "forbid.json"),
        ("verify", "causal.npy", "--causal", "--json"),
        ("verify", "-", "--causal"),
        ("verify", "mods.py:open_future", "--n", "6", "--causal"),
        ("verify", "missing.npy"),
    ],
)
def test_forked_and_started_are_one(run: Run, started: Run, args: tuple[str, ...]) -> None:
    """A leak, a document, standard input, a rule under torch, and a file that is missing."""
    stdin = b"" if "-" in args else None
    assert run(*args, stdin=stdin) == started(*args, stdin=stdin)
