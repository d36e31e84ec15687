"""``sparsify`` and ``scans``: JSON, exit codes, certificates."""

from pathlib import Path

import pytest

from tests.contract.conftest import Run


def test_sparsify(run: Run, folder: Path) -> None:
    """One mask with the fewest edges, and a certificate that fewer do not suffice: exit 0."""
    asked = ("sparsify", "causal", "--n", "6", "--layers", "2", "--json")
    ran = run(*asked, "--certificate", "sparse.cert.json")
    assert (ran.code, ran.err) == (0, "certificate written: sparse.cert.json\n")
    answer = ran.json
    assert (answer["edges_off_diagonal"], answer["optimal"]) == (8, "proved")
    assert answer["bounds"] == [8, 8]
    assert answer["dense_edges_off_diagonal"] == 15
    assert [len(row) for row in answer["rows"]] == [6] * 6
    assert "layers" not in answer
    assert run("check", "sparse.cert.json", "--mask", "causal").code == 0
    assert run("check", "sparse.cert.json", "--mask", "full").code == 1


def test_sparsify_per_layer(run: Run) -> None:
    """A mask for each layer, their edges added."""
    ran = run("sparsify", "causal.npy", "--layers", "3", "--per-layer", "--json")
    assert ran.code == 0
    assert len(ran.json["layers"]) == 3
    assert (ran.json["edges_off_diagonal"], ran.json["optimal"]) == (3, "proved")
    assert "rows" not in ran.json


def test_sparsify_beyond_the_budget(run: Run, folder: Path) -> None:
    """What is not proved is unknown: exit 3, both bounds, and a certificate of the masks alone."""
    asked = ("sparsify", "causal", "--n", "16", "--layers", "2", "--budget", "1", "--json")
    ran = run(*asked, "--certificate", "bounds.cert.json")
    assert ran.code == 3
    low, high = ran.json["bounds"]
    assert (ran.json["optimal"], high) == ("unknown", ran.json["edges_off_diagonal"])
    assert 26 < low < high == 38
    (claim,) = run("check", "bounds.cert.json", "--json").json["claims"]
    assert (claim["predicateType"], claim["valid"]) == ("attnproof/spans/v1", True)


def test_sparsify_for_people(run: Run) -> None:
    """A line with the numbers, and the mask."""
    ran = run("sparsify", "causal.txt", "--layers", "2")
    assert ran.out.startswith("causal.txt, n = 3: one mask, 2 layers, 2 edges, optimal: proved\n")
    assert "row = query" in ran.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("sparsify", "causal", "--n", "4", "--layers", "0"), "layers is 0; give 1 or more"),
        (("sparsify", "batch.npy", "--layers", "2"), "2 distinct masks in its batch; give one"),
        (("sparsify", "causal", "--n", "9000", "--layers", "2"), "takes at most 8192"),
        (("scans", "full", "--n", "3", "--rule", "gated"), "has no order of their writes"),
        (("scans", "causal", "--n", "3", "--rule", "max"), "choose sum or gated"),
    ],
)
def test_bad_input(run: Run, args: tuple[str, ...], message: str) -> None:
    """One message with the way out: exit 2."""
    ran = run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_scans(run: Run) -> None:
    """The tier, the number, and each scan as writes and reads."""
    ran = run("scans", "butterfly", "--n", "4", "--json", "--certificate", "scans.cert.json")
    assert ran.code == 0
    answer = ran.json
    assert (answer["tier"], answer["scans"], answer["optimal"]) == ("several", 2, "proved")
    assert len(answer["chains"]) == 2
    for chain in answer["chains"]:
        assert len(chain["reads"]) == answer["n"] == 10
        assert max(chain["reads"]) <= len(chain["writes"])
    assert answer["parents"] is None
    assert run("check", "scans.cert.json", "--mask", "butterfly").code == 0


def test_scans_for_people(run: Run) -> None:
    """A line with the numbers, what one recurrence would be, and the writes."""
    ran = run("scans", "causal.txt")
    assert ran.out.splitlines() == [
        "causal.txt, n = 3: in-place, 1 scan",
        "  one pass, each token read at its own time",
        "  scan 1 writes 0, 1",
    ]


@pytest.mark.parametrize("command", ["sparsify", "scans"])
def test_help_states_the_exit_codes(run: Run, command: str) -> None:
    """As for every command."""
    ran = run(command, "--help")
    assert ran.code == 0
    assert "Exit codes" in ran.out
