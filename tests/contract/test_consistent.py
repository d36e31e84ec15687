"""``attnproof consistent``: where the task is named, answers, exit codes, and bad programs."""

from pathlib import Path

import pytest

from tests.contract.conftest import Run

TASK = """atoms = ["x1", "x2", "x3"]
[[position]]
atoms = ["x1"]
pos = 1
[[position]]
atoms = ["x2"]
pos = 2
[[label]]
position = 0
atom = "x2"
[[label]]
position = 1
atom = "x3"
[mask]
builder = "causal"
"""
FIRST = """[[call]]
[[call.position]]
atoms = ["x1"]
pos = 1
[call.mask]
rows = ["1"]
[call.emit]
0 = "x2"
"""
SECOND = """[[call]]
[[call.position]]
atoms = ["x1"]
pos = 1
[[call.position]]
atoms = ["x2"]
pos = 2
[call.mask]
rows = ["%s", "11"]
[call.reuse]
0 = [0, 0]
[[call.emit]]
position = 1
atom = "x3"
"""
GIVEN = 'given = ["x1"]\n'
CALLS = FIRST + SECOND % "1."
INLINE = 'task = {atoms = ["x1"], position = [{atoms = ["x1"]}], mask = {rows = ["1"]}}\n'
FAMILY = '[family]\nbuilder = "autoregressive"\nn = 3\n'
JSON = (
    '{"family": {"builder": "autoregressive", "n": 3}, "given": ["x1"], "calls": [{"positions": '
    '[{"atoms": ["x1"], "pos": 1}], "mask": {"rows": ["1"]}, "emit": {"0": "x2"}, "reuse": []}]}'
)
FILES = {
    "decoded.toml": TASK,
    "named.toml": f'task = "decoded.toml"\n{GIVEN}{CALLS}',
    "whole.toml": f"{GIVEN}{TASK}{CALLS}",
    "family.toml": f"{GIVEN}{FAMILY}{CALLS}",
    "program.json": JSON,
    "bare.toml": GIVEN + CALLS,
    "stale.toml": f'task = "decoded.toml"\n{GIVEN}{FIRST}{SECOND % "11"}',
    "silent.toml": f'task = "decoded.toml"\n{GIVEN}{FIRST}',
    "unknown.toml": f'task = "decoded.toml"\n{CALLS}',
    "twice.toml": f'task = "decoded.toml"\n{FAMILY}{CALLS}',
    "empty.toml": 'task = "decoded.toml"\n',
    "gone.toml": f'task = "nowhere.toml"\n{CALLS}',
    "typo.toml": 'task = "decoded.toml"\n' + CALLS.replace("[call.reuse]", "[call.reuses]"),
    "early.toml": 'task = "decoded.toml"\n' + CALLS.replace("[0, 0]", "[1, 0]"),
    "far.toml": 'task = "decoded.toml"\n' + CALLS.replace("[0, 0]", "[0, 4]"),
    "pair.toml": 'task = "decoded.toml"\n' + CALLS.replace("[0, 0]", "[0]"),
    "index.toml": 'task = "decoded.toml"\n' + CALLS.replace('0 = "x2"', 'first = "x2"'),
    "atom.toml": 'task = "decoded.toml"\n' + CALLS.replace('0 = "x2"', '0 = "x9"'),
    "size.toml": 'task = "decoded.toml"\n' + CALLS.replace('rows = ["1"]', 'rows = ["11", "11"]'),
    "inline.toml": INLINE + CALLS,
    "broken_program.toml": "[[call]",
    "tasks.toml": "".join(
        "[[task]]\n" + TASK.replace("[[", "[[task.").replace("[mask]", "[task.mask]")
        for _ in range(2)
    ),
    "one_of.toml": f'task = "tasks.toml:1"\n{GIVEN}{CALLS}',
    "which.toml": f'task = "tasks.toml"\n{GIVEN}{CALLS}',
    "zero.toml": f'task = "decoded.toml"\n{GIVEN}' + CALLS.replace("pos = 1", "pos = 0"),
}


@pytest.fixture(scope="module", autouse=True)
def files(folder: Path) -> None:
    """Small program files."""
    for name, text in FILES.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize("file", ["named.toml", "whole.toml", "family.toml", "one_of.toml"])
def test_a_consistent_program(run: Run, file: str) -> None:
    """Exit 0, four verdicts, wherever the task stands."""
    ran = run("consistent", file, "--json")
    assert ran.code == 0, ran.err
    answer = ran.json
    assert [answer[name] for name in ("C1", "C2", "C3", "C4")] == ["holds"] * 4
    assert (answer["findings"], answer["verdict"], answer["calls"]) == ([], "holds", 2)


def test_a_state_that_is_stale(run: Run, folder: Path) -> None:
    """Exit 1; the finding names the call, the position and what it was taken from; the certificate
    says which positions are equivalent and which are not."""
    path = folder / "program.cert.json"
    ran = run("consistent", "stale.toml", "--json", "--certificate", str(path))
    assert ran.code == 1, ran.err
    assert (ran.json["C1"], ran.json["C2"], ran.json["C3"]) == ("fails", "fails", "holds")
    found = next(one for one in ran.json["findings"] if one["property"] == "C2")
    assert (found["kind"], found["severity"]) == ("stale_state", "error")
    assert (found["call"], found["position"], found["reused"]) == (1, 0, [0, 0])
    checked = run("check", str(path), "--json")
    assert checked.code == 0
    kinds = {claim["predicateType"] for claim in checked.json["claims"]}
    assert kinds == {"attnproof/equivalent/v1", "attnproof/inequivalent/v1"}


def test_what_is_optional_and_what_is_given(run: Run) -> None:
    """C4 alone leaves exit 0; an atom that nobody gave is exit 1."""
    ran = run("consistent", "silent.toml", "--json")
    assert (ran.code, ran.json["C4"], ran.json["verdict"]) == (0, "fails", "holds")
    assert [one["severity"] for one in ran.json["findings"]] == ["note"]
    ran = run("consistent", "program.json", "--json")
    assert (ran.code, ran.json["C4"]) == (0, "fails")
    ran = run("consistent", "unknown.toml", "--json")
    assert (ran.code, ran.json["C3"], ran.json["C1"]) == (1, "fails", "holds")


def test_the_answer_for_people(run: Run) -> None:
    """A line a condition, findings below it."""
    ran = run("consistent", "bare.toml", "--task", "decoded.toml")
    assert ran.out.splitlines() == [
        "bare.toml, 2 calls (iso): holds",
        "  C1 emitted atoms are trained: holds",
        "  C2 reused states are right: holds",
        "  C3 atoms are available: holds",
        "  C4 labels are used: holds",
    ]


def test_what_differs_is_shown(run: Run) -> None:
    """Both sides of a difference; labels that nobody emits are no failure."""
    zero = run("consistent", "zero.toml").out
    assert "differ in pos: here x1 pos 0 tok, in training x1 pos 1 tok" in zero
    stale = run("consistent", "stale.toml").out
    assert "instead of 1: here it reads x1 x2, in call 0 x1" in stale
    silent = run("consistent", "silent.toml").out.splitlines()
    assert silent[4] == "  C4 (optional): 1 label not used"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("bare.toml",), 'bare.toml names no task; write task = "task.toml" in it'),
        (("twice.toml",), "the file names its task twice, by task and family; keep one of"),
        (("which.toml",), "tasks.toml: this file holds a family of tasks; name one of them by its"),
        (
            ("one_of.toml", "--certificate", "tasks.toml"),
            "tasks.toml is read, so it is not written",
        ),
        (("empty.toml",), "the program has no call; give one [[call]] or more"),
        (("gone.toml",), "nowhere.toml cannot be read"),
        (("typo.toml",), "call[1] has the unknown key 'reuses'; did you mean 'reuse'?"),
        (("early.toml",), "takes position 0 from call 1; give an earlier call, 0 to 0"),
        (("far.toml",), "call[1].reuse names position 4 of call 0; give one from 0 to 0"),
        (("pair.toml",), "call[1].reuse.0 is [0]; it must be [call, position]"),
        (("index.toml",), "call[0].emit has the key 'first'; a key is the index"),
        (("atom.toml",), "call[0].emit names 'x9', which is no atom of the task"),
        (("size.toml",), "call[0]: mask.rows has 2 rows of 2 keys; the task has 1 position"),
        (("inline.toml",), "call[1]: position[1].atoms holds 'x2', which is neither in atoms nor"),
        (("broken_program.toml",), "broken_program.toml: not valid TOML"),
        (("nothing.toml",), "nothing.toml cannot be read"),
        (("named.toml", "--mode", "equal"), "iso, wl, softmax"),
        (("named.toml", "--budget", "-1"), "the budget is -1"),
        (("named.toml", "--certificate", "named.toml"), "is read, so it is not written over"),
        (("named.toml", "--certificate", "decoded.toml"), "is read, so it is not written over"),
    ],
)
def test_bad_input(run: Run, folder: Path, args: tuple[str, ...], told: str) -> None:
    """Exit 2, one message, nothing on stdout, no file."""
    before = sorted(folder.iterdir())
    ran = run("consistent", *args, "--json")
    assert (ran.code, ran.out) == (2, ""), ran.out
    assert told in ran.err
    assert sorted(folder.iterdir()) == before
