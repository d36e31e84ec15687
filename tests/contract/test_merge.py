"""``attnproof merge``: answers, exit codes, what it writes, and what cannot be used."""

import runpy
from pathlib import Path

import pytest

from tests.contract.conftest import Run

FILES = {
    "block.toml": '[family]\nbuilder = "block"\nm = 3\nb = 2\n',
    "orders.toml": '[family]\nbuilder = "permutation"\nn = 3\norder = "all"\n',
    "conflict.toml": "name = 'asked'\n"
    + "".join(
        "[[task]]\natoms = ['x1', 'x2']\npos_mode = 'none'\nposition = [{atoms = []}]\n"
        f"label = [{{position = 0, atom = '{atom}'}}]\nmask = {{rows = ['1']}}\n"
        for atom in ("x1", "x2")
    ),
    "twins.toml": "[[task]]\natoms = ['s']\npos_mode = 'none'\nname = 'twins'\n"
    "position = [{atoms = ['s']}, {atoms = ['s']}, {atoms = []}]\n"
    "mask = {rows = ['1..', '.1.', '111']}\n",
    "two.toml": "".join(
        f"[[task]]\natoms = ['x', 'y']\nposition = [{{atoms = ['{x}']}}]\nmask = {{rows = ['1']}}\n"
        for x in "xy"
    ),
    "single.toml": "atoms = ['x']\nposition = [{atoms = ['x']}]\nmask = {rows = ['1']}\n",
}


@pytest.fixture(scope="module", autouse=True)
def files(folder: Path) -> None:
    """Small families."""
    for name, text in FILES.items():
        (folder / name).write_text(text)


def test_the_document(run: Run) -> None:
    """Exit 0; every key of the contract."""
    ran = run("merge", "block.toml", "--json")
    assert ran.code == 0, ran.err
    answer = ran.json
    assert (answer["positions"], answer["classes"], answer["covers"]) == (10, 5, 3)
    assert (answer["height"], answer["width"], answer["minimal"]) == (3, 3, "proved")
    assert answer["rows"][0] == "11........"
    assert answer["inputs"][4] == {"atoms": [], "pos": 1, "kind": "mask", "segment": None}
    assert answer["labels"][0] == {"position": 4, "atom": "x1", "head": 0}
    assert answer["maps"] == [[4, 5], [0, 1, 6, 7], [0, 1, 2, 3, 8, 9]]
    assert answer["density"] == {"positions": 0.6, "tokens": 1.0, "context": 0.4}
    assert (answer["findings"], answer["certificate"]) == ([], None)


def test_everything_it_writes(run: Run, folder: Path) -> None:
    """The task reads back, its certificate is accepted, the mask_mod is the same mask."""
    ran = run(
        *("merge", "block.toml", "--emit-mask-mod", "merged_mod.py", "--emit-task", "merged.toml"),
        *("--certificate", "merged.cert.json", "--draw", "merged.svg"),
    )
    assert ran.code == 0, ran.err
    assert ran.out.startswith("block: 10 positions in 5 classes, 3 covers, height 3, width 3")
    assert run("verify", "--task", "merged.toml").code == 0
    checked = run("check", "merged.cert.json", "--json")
    assert checked.code == 0
    (claim,) = checked.json["claims"]
    assert (claim["predicateType"], claim["grade"]) == ("attnproof/merged/v1", "certified")
    assert (folder / "merged.svg").read_text().startswith("<svg")
    assert "def block_two_stream(b, h, q, k):" in (folder / "merged_mod.py").read_text()


def test_findings(run: Run, folder: Path) -> None:
    """Exit 1 for a label conflict, with a certificate of it, and for twins, with the quotient."""
    ran = run("merge", "conflict.toml", "--json", "--certificate", "conflict.cert.json")
    assert (ran.code, ran.json["verdict"]) == (1, "fails")
    (found,) = ran.json["findings"]
    assert (found["kind"], found["atoms"], found["head"]) == ("label_conflict", ["x1", "x2"], 0)
    checked = run("check", "conflict.cert.json", "--json")
    assert checked.code == 0
    assert [one["predicateType"] for one in checked.json["claims"]] == ["attnproof/conflict/v1"]
    twins = run("merge", "twins.toml", "--json")
    assert (twins.code, twins.json["minimal"]) == (1, "unknown")
    assert twins.json["findings"][0]["kind"] == "not_locally_rigid"
    assert twins.json["quotient"]["weights"] == [[1, 0], [2, 1]]


def test_what_is_not_proved_minimal(run: Run) -> None:
    """Exit 3 for the weighted quotient."""
    ran = run("merge", "twins.toml", "--mode", "softmax", "--json")
    assert (ran.code, ran.json["verdict"], ran.json["weights"]) == (3, "unknown", [[1, 0], [2, 1]])


def test_layers(run: Run) -> None:
    """The same diagram in two layers, with fewer keys than the 36 of the dense mask."""
    sparse = run("merge", "block.toml", "--json", "--layers", "2").json
    assert (sparse["classes"], sparse["covers"], sparse["height"]) == (5, 3, 3)
    assert sparse["depth"] == 2
    assert sum(row.count("1") for row in sparse["rows"]) < 36


def test_a_builder_by_name(run: Run) -> None:
    """A name and its parameters stand for a file with a [family]; a name of neither is told."""
    ran = run("merge", "block", "--param", "m=3", "--param", "b=2", "--json")
    assert (ran.code, ran.json["source"], ran.json["positions"]) == (0, "block", 10)
    for arguments, said in (
        (("blok",), "'blok' is no file and no builder; did you mean 'block'?"),
        (("block", "--param", "m=3", "--param", "c=2"), "block has no parameter 'c'; it takes"),
        (("two.toml", "--param", "m=3"), "params are those of a builder, and 'two.toml' is none"),
    ):
        refused = run("merge", *arguments)
        assert refused.code == 2
        assert said in refused.err


def test_several_files(run: Run, folder: Path) -> None:
    """The tasks of all files are one family, and no file of them is written over."""
    ran = run("merge", "two.toml", "single.toml", "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["source"], len(ran.json["maps"])) == ("two.toml, single.toml", 3)
    refused = run("merge", "two.toml", "single.toml", "--emit-task", "single.toml")
    assert refused.code == 2
    assert "single.toml is read, so it is not written over" in refused.err


def test_one_task(run: Run) -> None:
    """The file of one task, and one of several."""
    for given in ("single.toml", "two.toml:1"):
        ran = run("merge", given, "--json")
        assert (ran.code, len(ran.json["maps"])) == (0, 1), ran.err
    refused = run("merge", "two.toml:1", "--emit-task", "two.toml")
    assert "two.toml is read, so it is not written over" in refused.err


def test_what_is_said_of_errors_and_edges(run: Run, folder: Path) -> None:
    """Errors stand above what is minimal, and a mask that is written names them; of a sparse mask
    the edges are counted."""
    ran = run("merge", "conflict.toml", "--emit-mask-mod", "conflict_mod.py")
    assert ran.out.index("error (label_conflict)") < ran.out.index("minimal: proved, but of a task")
    assert "conflict_mod.py is the mask of a task with errors: label_conflict" in ran.err
    text = (folder / "conflict_mod.py").read_text()
    assert text.startswith("# The merged task has errors: label_conflict.\n")
    sparse = run("merge", "block.toml", "--layers", "2")
    edges = run("merge", "block.toml", "--layers", "2", "--json").json["edges_off_diagonal"]
    assert (
        f"  edges: {edges} off the diagonal; as few as so many layers allow is asked of"
        in sparse.out
    )


def test_a_mask_mod_knows_its_length(run: Run, folder: Path) -> None:
    """The file says for how many positions it is: that is the default of --n, and no other length
    is answered; beyond it nothing is read."""
    assert run("merge", "two.toml", "--emit-mask-mod", "two_mod.py").code == 0
    assert run("merge", "block.toml", "--emit-mask-mod", "block_mod.py").code == 0
    for rule, n in (("two_mod.py:merged", 2), ("block_mod.py:block_two_stream", 10)):
        assert run("verify", rule, "--json").json["n"] == n
        refused = run("verify", rule, "--n", str(n - 1))
        assert refused.code == 2
        assert f"is for exactly {n} positions, as its attribute n says" in refused.err
    emitted = runpy.run_path(str(folder / "two_mod.py"))["merged"]
    torch = pytest.importorskip("torch")
    at = torch.arange(4)
    assert emitted(0, 0, at[:, None], at[None, :]).nonzero().tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("missing.toml",), "missing.toml cannot be read"),
        (("two.toml:2",), "two.toml holds 2 tasks, counted from 0; there is no task 2"),
        (("block.toml", "--mode", "hash"), "mode is 'hash'; known: iso, wl, softmax"),
        (("block.toml", "--emit-task", "block.toml"), "is read, so it is not written over"),
        (("block.toml", "--emit-mask-mod", "x.txt"), "'x.txt' is no file for a mask_mod; name one"),
        (("block.toml", "--emit-task", "x.json"), "'x.json' is no file for a task; name one that"),
        (("block.toml", "--draw", "merged.jpg"), "names no kind of picture"),
        (("block.toml", "--certificate", "a", "--emit-task", "a"), "would be written twice"),
    ],
)
def test_what_cannot_be_used(run: Run, arguments: tuple[str, ...], said: str) -> None:
    """Exit 2 and one line, without a traceback."""
    ran = run("merge", *arguments)
    assert ran.code == 2
    assert said in ran.err
