"""``attnproof equivalent``: answers, exit codes, certificates, and what cannot be used."""

from pathlib import Path
from typing import Any

import pytest

import attnproof as ap
from tests.contract.conftest import Run

HEAD = 'atoms = ["a", "b"]\npos_mode = "none"\n'
LETTERS = "".join(f'[[position]]\natoms = ["{atom}"]\nkind = "tok"\n' for atom in "ab")
QUERY = '[[position]]\natoms = []\nkind = "mask"\n'
HEXAGON = "mask = {rows = [%s]}\natoms = []\npos_mode = 'none'\n" + (
    "[[position]]\natoms = []\n" * 7
)


def ring(joined: set[tuple[int, int]]) -> str:
    """Six positions joined in pairs, and a seventh that reads them all."""
    rows = [
        "".join("#" if (q, k) in joined or (k, q) in joined else "." for k in range(7))
        for q in range(6)
    ]
    return HEXAGON % ", ".join(f"'{row}'" for row in [*rows, "#######"])


FILES = {
    "chain.toml": f'{HEAD}{LETTERS}{QUERY}[mask]\nrows = ["1..", "11.", "111"]\n',
    "antichain.toml": f'{HEAD}{LETTERS}{QUERY}[mask]\nrows = ["1..", ".1.", "111"]\n',
    "prefix.toml": f'{HEAD}{LETTERS}[mask]\nbuilder = "causal"\n',
    "deep.toml": f'depth = 2\n{HEAD}{LETTERS}[mask]\nbuilder = "causal"\n',
    "hexagon.toml": ring({(p, (p + 1) % 6) for p in range(6)}),
    "triangles.toml": ring({(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)}),
    "family.toml": "".join(
        "[[task]]\n" + (HEAD + LETTERS).replace("[[position]]", "[[task.position]]") + mask
        for mask in ("[task.mask]\nrows = ['1.', '.1']\n", "[task.mask]\nbuilder = 'causal'\n")
    ),
    "broken.toml": "atoms = [",
}


FILES["places.toml"] = "".join(
    f"[[task]]\natoms = ['a', 'b']\nposition = [{{atoms = ['a'], pos = {pos}}}, "
    "{atoms = ['b'], pos = 5}]\nmask = {builder = 'causal'}\n"
    for pos in (0, 1)
)


@pytest.fixture(scope="module", autouse=True)
def files(folder: Path) -> None:
    """Small task files."""
    for name, text in FILES.items():
        (folder / name).write_text(text)


def test_what_differs_is_shown(run: Run) -> None:
    """The keys in which two inputs differ, or the inputs that are below one of the two alone."""
    own = run("equivalent", "places.toml:0:0", "places.toml:1:0").out
    assert "  their own inputs differ in pos: a pos 0 tok and a pos 1 tok" in own
    below = run("equivalent", "places.toml:0:1", "places.toml:1:1").out
    assert "differ: a pos 0 tok below the first alone, a pos 1 tok below the second alone" in below


def test_places_in_python(folder: Path) -> None:
    """Two texts, as the command takes them."""
    one, two = (str(folder / f"family.toml:{task}:0") for task in (0, 1))
    assert ap.equivalent(one, two).map == {0: 0}
    wrong: list[tuple[Any, ...]] = [(one,), (one, 0, two), (folder / "family.toml", two)]
    for given in wrong:
        with pytest.raises((ap.InputError, TypeError)):
            ap.equivalent(*given)


def test_equivalent_positions(run: Run, folder: Path) -> None:
    """Exit 0, the map, and a certificate that the checker accepts."""
    path = folder / "nodes.cert.json"
    ran = run("equivalent", "chain.toml:1", "prefix.toml:1", "--json", "--certificate", str(path))
    assert ran.code == 0, ran.err
    answer = ran.json
    assert (answer["equivalent"], answer["mode"]) == (True, "iso")
    assert answer["map"] == {"0": 0, "1": 1}
    assert (answer["round"], answer["grade"]) == (None, "certified")
    checked = run("check", str(path), "--json")
    assert (checked.code, checked.json["claims"][0]["predicateType"]) == (
        0,
        "attnproof/equivalent/v1",
    )


def test_a_task_of_a_family(run: Run) -> None:
    """FILE:TASK:NODE names a position of one task of a family, for the other commands FILE:TASK."""
    ran = run("equivalent", "family.toml:1:1", "prefix.toml:1", "--json")
    assert (ran.code, ran.json["a"]) == (0, "family.toml:1:1")
    assert run("verify", "--task", "family.toml:0").code == 0
    missing = run("verify", "--task", "family.toml:2")
    assert missing.code == 2
    assert "family.toml holds 2 tasks, counted from 0; there is no task 2" in missing.err
    unnamed = run("verify", "--task", "family.toml")
    assert unnamed.code == 2
    assert "name one of them by its index, as in family.toml:0" in unnamed.err


def test_positions_that_are_not(run: Run, folder: Path) -> None:
    """Exit 1, the round, and a certificate."""
    path = folder / "unlike.cert.json"
    ran = run(
        *("equivalent", "chain.toml:2", "antichain.toml:2", "--mode", "wl", "--json"),
        *("--certificate", str(path)),
    )
    assert ran.code == 1, ran.err
    assert (ran.json["equivalent"], ran.json["map"], ran.json["round"]) == (False, None, 2)
    checked = run("check", str(path), "--json")
    assert checked.json["claims"][0]["predicateType"] == "attnproof/inequivalent/v1"
    assert checked.code == 0


def test_a_search_is_named_and_may_end_without_an_answer(run: Run, folder: Path) -> None:
    """A hexagon and two triangles have one colouring: exit 1 after an exhausted search, exit 3
    with a budget that is spent, and then no certificate."""
    ask = ("equivalent", "hexagon.toml:6", "triangles.toml:6")
    ran = run(*ask, "--json")
    assert (ran.code, ran.json["grounds"], ran.json["round"]) == (1, "exhausted search", None)
    assert ran.json["grade"] == "certified"
    ran = run(*ask, "--budget", "10", "--json", "--certificate", "open.cert.json")
    assert (ran.code, ran.json["verdict"], ran.json["equivalent"]) == (3, "unknown", None)
    assert not (folder / "open.cert.json").exists()
    assert run(*ask, "--mode", "wl").code == 0


def test_the_answer_for_people(run: Run) -> None:
    """Two or three lines."""
    ran = run("equivalent", "chain.toml:1", "prefix.toml:1")
    assert ran.out.splitlines() == [
        "chain.toml:1 and prefix.toml:1 (iso): equivalent",
        "  isomorphism: 0 -> 0, 1 -> 1",
        "  certified: the checker accepted the certificate",
    ]
    ran = run("equivalent", "chain.toml:2", "antichain.toml:2", "--mode", "wl")
    assert "  separated after 2 rounds of refinement" in ran.out.splitlines()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("chain.toml:3", "prefix.toml:0"), "node 3 is no position of"),
        (("chain.toml:x", "prefix.toml:0"), "as in task.toml:3"),
        (("chain.toml:1", "deep.toml:1"), "depth is any number in task 0 and 2 in task 1"),
        (("missing.toml:1", "prefix.toml:0"), "missing.toml cannot be read"),
        (("broken.toml:1", "prefix.toml:0"), "broken.toml: not valid TOML"),
        (("chain.toml:1", "prefix.toml:0", "--mode", "equal"), "iso, wl, softmax"),
        (("chain.toml:1", "prefix.toml:0", "--budget", "-1"), "the budget is -1"),
        (("chain.toml:1", "prefix.toml:0", "--certificate", "chain.toml"), "is read, so it is"),
    ],
)
def test_bad_input(run: Run, folder: Path, args: tuple[str, ...], told: str) -> None:
    """Exit 2, one message, nothing on stdout, no file."""
    before = sorted(folder.iterdir())
    ran = run("equivalent", *args, "--json")
    assert (ran.code, ran.out) == (2, ""), ran.out
    assert told in ran.err
    assert sorted(folder.iterdir()) == before


def test_help_states_the_exit_codes(run: Run) -> None:
    """As every command's does."""
    ran = run("equivalent", "--help")
    assert ran.code == 0
    assert "Exit codes" in ran.out
