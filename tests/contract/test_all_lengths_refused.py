"""``attnproof verify --all-n`` on what is of one length, or says nothing: exit 2, one message."""

from pathlib import Path

import pytest

from tests.contract.conftest import Run
from tests.contract.user_rules import RULES

pytest.importorskip("torch", reason="rules are traced with the extra torch")
pytest.importorskip("cvc5", reason="proofs need two solvers: the extra prove")


@pytest.fixture(scope="session", autouse=True)
def rules(folder: Path) -> None:
    """The file of masks, in the folder where commands run."""
    (folder / "rules.py").write_text(RULES)


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "a length": (("rules.py:packed", "--all-n", "--n", "4"), "n belongs to one length"),
    "a task": (("causal", "--all-n", "--task", "task.toml"), "task belongs to one length"),
    "an array": (("causal.npy", "--all-n"), "causal.npy is of one length"),
    "no mask at all": (("windw", "--all-n"), "'windw' names no mask; did you mean window or"),
    "lengths of documents": (
        ("rules.py:packed", "--all-n", "--documents", "3,3"),
        "--documents @document_id",
    ),
    "no such tensor": (
        ("rules.py:packed", "--all-n", "--documents", "@ids"),
        "the mask reads document_id",
    ),
    "no such fact": (
        ("rules.py:packed", "--all-n", "--assume", "document_id=sorted"),
        "'sorted' is nothing that can be assumed",
    ),
    "a value and a symbol": (
        ("rules.py:window", "--all-n", "--symbolic", "w", "--param", "w=2"),
        "the parameter w is symbolic and has a value",
    ),
    "a parameter that is left out": (("window", "--all-n"), "window needs keys"),
    "symbolic without all n": (
        ("rules.py:window", "--n", "4", "--symbolic", "w"),
        "symbolic is for every length",
    ),
    "a parameter out of range": (
        ("window", "--all-n", "--param", "keys=-3", "--causal"),
        "window: keys is -3; give an integer of at least 1",
    ),
    "a name of the file is no parameter": (
        ("rules.py:three_keys", "--all-n", "--symbolic", "WIDTH"),
        "its parameters: b, h, q, k. It reads WIDTH from its file: write a factory, "
        "def make(WIDTH), that returns the rule",
    ),
    "a file of somebody else": (
        ("causal", "--all-n", "--causal", "--emit-test", "rules.py"),
        "rules.py is there and is not a test that --emit-test wrote, so it is not written over",
    ),
    "a rule of one length": (
        ("rules.py:three_of_nine", "--all-n", "--causal"),
        "rules.py:three_of_nine is for exactly 9 positions, as its attribute n says; leave out all",
    ),
    "no name": (("causal", "--all-n", "--causal", "--emit-test", ""), "name of the file to write"),
    "a predicate that returns nothing": (
        ("rules.py:three_keys", "--all-n", "--forbid", "rules.py:nothing"),
        "nothing returns NoneType; a predicate returns one Boolean for each pair",
    ),
    "no Python file": (
        ("causal", "--all-n", "--causal", "--emit-test", "test.txt"),
        "name one that ends in .py",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_of_one_length_is_refused(run: Run, what: str) -> None:
    """Exit 2 and one message that says what to give."""
    args, message = REFUSED[what]
    ran = run("verify", *args)
    assert (ran.code, ran.out) == (2, ""), ran.out
    assert message in ran.err
    assert ran.err.count("\n") == 1
