"""``attnproof verify``: options, JSON and exit codes of the interface."""

from pathlib import Path

import pytest

from tests.contract.conftest import Run

TOP = {
    "schema",
    "source",
    "n",
    "scope",
    "encoding",
    "residual",
    "verdict",
    "properties",
    "verdicts",
    "flow",
    "findings",
    "findings_total",
    "evidence",
    "certificate",
}
FLOW = {
    "transitive",
    "antisymmetric",
    "depth",
    "classes",
    "covers",
    "height",
    "width",
    "edges",
    "edges_off_diagonal",
    "empty_rows",
}


def test_description_without_a_property(run: Run) -> None:
    """Without a property the flow is described: verdict null, exit 0, all keys there."""
    ran = run("verify", "causal", "--n", "8", "--json")
    assert ran.code == 0
    assert ran.err == ""
    report = ran.json
    assert set(report) >= TOP
    assert set(report["flow"]) == FLOW
    assert report["schema"] == "attnproof/report/v1"
    assert (report["n"], report["scope"], report["verdict"]) == (8, "n=8", None)
    assert report["flow"] == {
        "transitive": True,
        "antisymmetric": True,
        "depth": 1,
        "classes": 8,
        "covers": 7,
        "height": 8,
        "width": 1,
        "edges": 36,
        "edges_off_diagonal": 28,
        "empty_rows": [],
    }


def test_a_property_that_holds(run: Run) -> None:
    """Holds: exit 0, certified, with the invariant in words."""
    ran = run("verify", "causal", "--n", "8", "--causal", "--json")
    assert ran.code == 0
    assert ran.json["verdicts"] == {"causal": "holds"}
    assert ran.json["evidence"] == {"grade": "certified", "invariant": "k <= q", "solvers": []}
    assert ran.json["certificate"] is None


def test_a_leak_through_two_layers(run: Run) -> None:
    """A leak: exit 1, least depth, shortest path from source to reader, replayed."""
    ran = run("verify", "two_layers.txt", "--forbid", "forbid.json", "--json")
    assert ran.code == 1
    report = ran.json
    assert report["verdict"] == "fails"
    assert report["findings_total"] == 4
    first = report["findings"][0]
    assert {key: first[key] for key in ("kind", "severity", "property", "reader", "source")} == {
        "kind": "leak",
        "severity": "error",
        "property": "forbid",
        "reader": 2,
        "source": 6,
    }
    assert (first["depth"], first["path"]) == (2, [6, 4, 2])
    assert report["evidence"]["grade"] == "replayed"
    found = [(f["depth"], f["reader"], f["source"]) for f in report["findings"]]
    assert found == sorted(found)


def test_the_leak_reads_as_a_sentence(run: Run) -> None:
    """For people the leak is one line, and the picture says what rows are."""
    ran = run("verify", "two_layers.txt", "--forbid", "forbid.json")
    assert "token 6 reaches query 2 in 2 layers: 6 -> 4 -> 2" in ran.out
    assert "row = query" in ran.out
    assert "\x1b" not in ran.out


def test_layers_counts_exactly(run: Run) -> None:
    """One layer of that mask is safe, two are not."""
    one = run("verify", "two_layers.txt", "--forbid", "forbid.json", "--layers", "1", "--json")
    two = run("verify", "two_layers.txt", "--forbid", "forbid.json", "--layers", "2", "--json")
    assert (one.code, two.code) == (0, 1)
    assert one.json["flow"] == two.json["flow"]


def test_per_layer_is_a_schedule(run: Run) -> None:
    """With --per-layer the path tells where a token is and after which layer."""
    ran = run("verify", "causal.txt", "look_ahead.txt", "--per-layer", "--causal", "--json")
    assert ran.code == 1
    assert ran.json["findings"][0]["path"] == [[1, 0], [0, 2]]
    assert ran.json["findings"][0]["depth"] == 2


@pytest.mark.parametrize(
    ("option", "code"),
    [
        (("--next-token",), 0),
        (("--causal",), 0),
        (("--documents", "2,2"), 1),
        (("--documents", "ids.npy"), 1),
        (("--documents", "4"), 0),
        (("--property", "reflexive"), 0),
        (("--property", "transitive"), 0),
        (("--property", "antisymmetric"), 0),
        (("--property", "no-empty-rows"), 0),
        (("--property", "depth=1"), 0),
        (("--property", "depth=0"), 1),
        (("--forbid", "mods.py:later"), 0),
        (("--equals", "causal"), 0),
        (("--equals", "full"), 1),
    ],
)
def test_every_property(run: Run, option: tuple[str, ...], code: int) -> None:
    """Each property has its exit code, and its name among the verdicts."""
    ran = run("verify", "causal", "--n", "4", *option, "--json")
    assert ran.code == code, ran.out + ran.err
    assert list(ran.json["verdicts"].values()) == ["fails" if code else "holds"]
    assert ran.json["properties"] == list(ran.json["verdicts"])


def test_several_properties_give_the_worst(run: Run) -> None:
    """The verdict is the worst of all; each keeps its own."""
    ran = run("verify", "causal", "--n", "4", "--causal", "--documents", "2,2", "--json")
    assert ran.code == 1
    assert ran.json["verdicts"] == {"causal": "holds", "documents": "fails"}
    assert ran.json["verdict"] == "fails"


def test_task_with_its_own_mask_and_with_another(run: Run) -> None:
    """A task brings its mask; a SOURCE beside it replaces it, and must fit in size."""
    assert run("verify", "--task", "task.toml").code == 0
    ran = run("verify", "full", "--n", "2", "--task", "task.toml", "--json")
    assert ran.code == 1
    assert ran.json["findings"][0]["property"] == "task"
    assert ran.json["findings"][0]["atom"] == "x2"
    ran = run("verify", "causal", "--n", "3", "--task", "task.toml")
    assert ran.code == 2
    assert "the task has 2 positions, the mask 3" in ran.err


def test_max_findings(run: Run) -> None:
    """The list is cut, the total is not."""
    ran = run("verify", "full", "--n", "30", "--causal", "--max-findings", "7", "--json")
    assert len(ran.json["findings"]) == 7
    assert ran.json["findings_total"] == 435
    assert len(run("verify", "full", "--n", "30", "--causal", "--json").json["findings"]) == 100


def test_batch(run: Run) -> None:
    """Each distinct mask of a batch is verified; the report describes the worst."""
    ran = run("verify", "batch.npy", "--causal", "--json")
    assert ran.code == 1
    assert ran.json["masks"] == [
        {"batch": [0], "verdict": "holds", "findings_total": 0},
        {"batch": [1], "verdict": "fails", "findings_total": 6},
    ]
    assert run("verify", "batch.npy", "--batch", "0", "--causal").code == 0


def test_no_residual_and_empty_rows(run: Run) -> None:
    """--no-residual is reported; a row that reads nothing is a note, NaN an error."""
    ran = run("verify", "block.npy", "--json")
    assert ran.code == 0
    assert ran.json["flow"]["empty_rows"] == [3]
    assert ran.json["findings"][0]["kind"] == "empty_row"
    assert ran.json["findings"][0]["severity"] == "note"
    assert run("verify", "block.npy", "--empty-row", "nan").code == 1
    assert run("verify", "block.npy", "--encoding", "block", "--causal").code == 0
    ran = run("verify", "causal.npy", "--no-residual", "--json")
    assert ran.json["residual"] is False


def test_rectangular(run: Run) -> None:
    """A rectangular mask needs --q-offset and is lifted to all its positions."""
    assert run("verify", "rectangular.npy").code == 2
    ran = run("verify", "rectangular.npy", "--q-offset", "2", "--causal", "--json")
    assert (ran.code, ran.json["n"]) == (0, 4)
    assert ran.json["flow"]["empty_rows"] == []


@pytest.mark.parametrize(
    ("source", "more"),
    [
        ("causal.npy", ()),
        ("masks.npz:good", ()),
        ("causal.txt", ()),
        ("mask.json", ()),
        ("additive.npy", ()),
        ("mods.py:causal", ("--n", "4")),
        ("mods.py:branchy", ("--n", "4")),
        ("mods.py:window", ("--n", "4", "--param", "keys=9")),
        ("window", ("--n", "4", "--param", "keys=9")),
    ],
)
def test_every_form_of_source(run: Run, source: str, more: tuple[str, ...]) -> None:
    """The same causal mask in every form gives the same verdict and flow."""
    ran = run("verify", source, *more, "--causal", "--equals", "causal", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["verdict"] == "holds"


def test_standard_input(run: Run, folder: Path) -> None:
    """``-`` reads .npy from stdin."""
    ran = run("verify", "-", "--causal", stdin=(folder / "causal.npy").read_bytes())
    assert ran.code == 0


def test_outputs(run: Run, folder: Path) -> None:
    """A certificate and a picture are written whole; the report names the certificate."""
    ran = run(
        *("verify", "two_layers.txt", "--forbid", "forbid.json", "--json"),
        *("--certificate", "leak.cert.json", "--draw", "leak.svg"),
    )
    assert ran.code == 1
    assert ran.json["certificate"] == "leak.cert.json"
    assert (folder / "leak.svg").read_text().startswith("<svg")
    assert run("check", "leak.cert.json", "--mask", "two_layers.txt").code == 0


def test_width_on_demand(run: Run) -> None:
    """--width computes the width even where it is not computed by itself."""
    source = ("verify", "two_stream", "--n", "700", "--json")
    assert run(*source).json["flow"]["width"] is None
    assert run(*source, "--width").json["flow"]["width"] == 700


def test_a_task_whose_mask_is_given_apart(run: Run, folder: Path) -> None:
    """A task file may leave out the mask that a SOURCE replaces, and only then."""
    (folder / "unmasked.toml").write_text(
        "atoms = ['x1', 'x2']\nposition = [{atoms = ['x1']}, {atoms = ['x2']}]\n"
        "label = [{position = 0, atom = 'x2'}]\n"
    )
    assert run("verify", "causal", "--n", "2", "--task", "unmasked.toml").code == 0
    assert run("verify", "full", "--n", "2", "--task", "unmasked.toml").code == 1
    alone = run("verify", "--task", "unmasked.toml")
    assert alone.code == 2
    assert "mask is missing; write [mask] with rows or a builder" in alone.err
