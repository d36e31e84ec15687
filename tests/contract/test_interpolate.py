"""``interpolate``: JSON, exit codes, files, and what is refused."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import torch

import attnproof as ap
from attnproof.errors import InfeasibleData
from attnproof.symbolic.interpolation.net import loads
from tests.contract.conftest import Run

DATA: dict[str, Any] = {
    "good": [
        {"input": [["1/2", "3"], ["0", "1"]], "output": [["7", "-1/3"]]},
        {"input": [[0, 1], [0.5, 5], [3, 3]], "output": [[1, 1], [2, "0.5"]]},
    ],
    "conflict": [
        {"input": [["1/2", "3"], ["0", "1"]], "output": [["7", "-1/3"]]},
        {"input": [["0", 1], [0.5, 3]], "output": [[1, 1]]},
    ],
    "longer": [{"input": [[1, 1]], "output": [[1, 1], [2, 2]]}],
    "repeated": [{"input": [[1, 1], [1, "2/2"]], "output": [[1, 1]]}],
    "line": [{"input": [[1]], "output": [[2]]}],
    "orders": [
        {"input": [[1, 0], [0, 1]], "output": [[1, 0], [0, 1]]},
        {"input": [[0, 1], [1, 0]], "output": [[1, 1]]},
    ],
    "begun alike": [
        {"input": [[1, 0], [0, 1]], "output": [[1, 0]]},
        {"input": [[1, 0], [1, 1]], "output": [["1/2", 1]]},
    ],
    "single tokens": [
        {"input": [[0, 0]], "output": [[1, 2]]},
        {"input": [[1, 1]], "output": [[2, 2]]},
    ],
    "three heads": [
        {"input": [[k, 0, 0], [k + 1, 1, 0]], "output": [[k, 1, k]]} for k in (0, 1, 5, 7)
    ],
}
KEYS = {
    "exact", "blocks", "bound", "claimed_blocks", "width", "parameters", "tau_star",
    "depends_on_tau", "radius", "tau_capped",
}  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def data(folder: Path) -> Path:
    """Each data set in a file."""
    for name, pairs in DATA.items():
        (folder / f"{name}.pairs.json").write_text(json.dumps({"pairs": pairs}))
    (folder / "broken.pairs.json").write_text('{"pairs": [')
    return folder


@pytest.mark.parametrize(
    ("options", "star", "depends"),
    [
        (("--stable", "--moves", "1"), "infinity", False),
        (("--mode", "leader"), "0", True),
        (("--mode", "phased", "--robust"), "rational", True),
        (("--mode", "softmax1", "--tau", "1/3"), None, True),
    ],
)
def test_interpolate(run: Run, options: tuple[str, ...], star: str | None, depends: bool) -> None:
    """Exit 0, exact, within the bound; the temperature as the contract writes it."""
    ran = run("interpolate", "good.pairs.json", *options, "--json")
    assert (ran.code, ran.err) == (0, "")
    answer = ran.json
    assert set(answer) >= KEYS
    assert answer["exact"] is True
    assert answer["depends_on_tau"] is depends
    assert answer["width"] <= 4
    assert answer["blocks"] <= answer["bound"] <= answer["claimed_blocks"]
    assert (answer["radius"] is not None) == ("--stable" in options)
    if star == "rational":
        assert "/" in answer["tau_star"]
    else:
        assert answer["tau_star"] == star


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("orders", {"mask": "causal"}, {"mode": None, "mask": "causal", "tau_star": "0"}),
        ("orders", {"mask": "causal", "balance": True}, {"mask": "causal", "heads": 1}),
        ("three heads", {"heads": 2}, {"mode": "leader", "mask": None}),
        ("good", {"balance": True}, {"mode": "uniform", "tau_star": "infinity"}),
    ],
)
def test_masks_heads_and_norms(name: str, options: dict[str, Any], expected: Any) -> None:
    """Exact within the bound, with a certificate; a norm is given before and after."""
    net = ap.interpolate({"pairs": DATA[name]}, **options)
    answer: Any = net.to_json()
    assert set(answer) >= KEYS | {"mask", "heads", "balanced"}
    assert {key: answer[key] for key in expected} == expected
    assert answer["exact"] is True
    assert answer["blocks"] <= answer["bound"]
    assert (answer["claimed_blocks"] is None) == ("mask" in options or "heads" in options)
    if "balance" in options:
        before, after = map(Fraction, answer["balanced"])
        assert after < before
    assert all(result.valid for result in net.certificate.check())


def test_a_plateau_allows_a_temperature_under_a_mask() -> None:
    """Robust causal nets and nets of several heads have one, as the checker confirms."""
    orders = ap.interpolate({"pairs": DATA["orders"]}, mask="causal", robust=True)
    several = ap.interpolate({"pairs": DATA["three heads"]}, heads=2, robust=True)
    for net in (orders, several):
        assert net.tau_star not in (None, "0", "infinity")
        assert [result.valid for result in net.certificate.check()] == [True, True]
    one, none = Fraction(1), Fraction(0)
    assert orders.apply([[0, 1], [1, 0]]) == ((one, one), (one, one))
    assert orders.as_set([[1, 0], [0, 1]]) == {(one, none), (none, one)}


def test_a_search_that_ended_is_no_infinity() -> None:
    """Single tokens are read alike at every temperature: the search ends at its greatest, and the
    answer says so; where weights show it, the answer is infinity, and no search ended."""
    data = {"pairs": DATA["single tokens"]}
    capped = ap.interpolate(data, mode="phased", robust=True)
    assert (capped.tau_star, capped.tau_capped) == (str(2**40), True)
    assert f"every temperature up to {2**40}, where the search ended" in str(capped)
    uniform = ap.interpolate(data)
    assert (uniform.to_json()["tau_star"], uniform.to_json()["tau_capped"]) == ("infinity", False)
    assert "softmax at every temperature\n" in f"{uniform}\n"
    found = ap.interpolate({"pairs": DATA["good"]}, mode="leader", robust=True)
    assert not found.tau_capped
    assert not ap.interpolate(data, mode="softmax1", tau=1).tau_capped


def test_balance_changes_neither_outputs_nor_what_is_certified() -> None:
    """The radius, the temperature and the outputs for tokens of no pair are the same."""
    options: list[dict[str, Any]] = [{}, {"mode": "leader"}]
    for option in options:
        plain, even = (
            ap.interpolate({"pairs": DATA["good"]}, robust=True, balance=balance, **option)
            for balance in (False, True)
        )
        assert (plain.radius, plain.tau_star) == (even.radius, even.tau_star)
        foreign = [[3, "1/7"], [-5, 2], [0, 1]]
        assert plain.apply(foreign) == even.apply(foreign)
        assert plain.construction.net != even.construction.net


def test_a_run_is_drawn(run: Run, folder: Path) -> None:
    """The figure of the exact run, under a mask too, as .svg and .png."""
    options = "--mask", "causal", "--balance", "--draw", "run.svg", "--json"
    ran = run("interpolate", "orders.pairs.json", *options)
    assert (ran.code, ran.json["picture"], ran.json["mask"]) == (0, "run.svg", "causal")
    assert "picture written: run.svg" in ran.err
    assert (folder / "run.svg").read_text().startswith("<svg")
    ap.interpolate(folder / "orders.pairs.json", mask="causal").draw(folder / "run.png")
    assert (folder / "run.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "good",
            {"mask": "causal", "mode": "leader", "heads": 2},
            "mode and heads were asked for with a causal mask",
        ),
        ("good", {"mask": "causal", "stable": True, "tau": 1}, "leave stable and tau out"),
        ("good", {"heads": 2}, "2 heads need 3 coordinates and tokens have 2"),
        ("line", {"heads": 1}, "1 head needs 2 coordinates and tokens have 1; choose the mode uni"),
        ("good", {"mask": "full"}, "the mask is 'full'; give causal, or none"),
        ("good", {"heads": 0}, "0 heads were asked for; give at least 1"),
        (
            "good",
            {"heads": 2, "mode": "uniform"},
            "a query for a leader, so choose the mode leader",
        ),
        (
            "good",
            {"heads": 1, "pad_to_claim": True},
            "pad_to_claim was asked for with several head",
        ),
    ],
)
def test_options_that_have_no_construction_together(
    name: str, options: dict[str, Any], message: str
) -> None:
    """What was given, and the way out."""
    with pytest.raises(ap.InputError, match=message):
        ap.interpolate({"pairs": DATA[name]}, **options)


def test_what_is_not_drawn(tmp_path: Path) -> None:
    """Tokens outside the plane, irrational positions, another suffix; no file is left."""
    good = {"pairs": DATA["good"]}
    for net, name, message in (
        (ap.interpolate({"pairs": DATA["line"]}), "x.svg", "draw data with 2 coordinates"),
        (ap.interpolate(good, mode="softmax1", tau=1), "x.svg", "irrational positions"),
        (ap.interpolate(good), "x.gif", "x.gif cannot hold a run of a net; end the name in .svg"),
    ):
        with pytest.raises(ap.InputError, match=message):
            net.written(picture=str(tmp_path / name), net=str(tmp_path / "net.json"))
    assert not list(tmp_path.iterdir())


def test_infeasible_under_a_mask(run: Run, folder: Path) -> None:
    """Exit 1; the obstruction is named in prose and in JSON, and the checker agrees."""
    arguments = "interpolate", "begun alike.pairs.json", "--mask", "causal"
    told = run(*arguments)
    assert told.code == 1
    assert told.out.startswith("infeasible: no causal net does pair 0: its prefix of length 1")
    ran = run(*arguments, "--json", "--certificate", "begun.cert")
    assert ran.code == 1
    assert (ran.json["exact"], ran.json["infeasible"], ran.json["at"]) == (False, "prefix", [0])
    assert ran.json["obstruction"] == {"pair": 0, "length": 1, "sharing": [0, 1], "common": []}
    assert ap.check(folder / "begun.cert").valid


def test_what_a_mask_makes_infeasible() -> None:
    """Without it the data is done; a longer output has the reason that needs no mask."""
    assert ap.interpolate({"pairs": DATA["begun alike"]}).exact
    with pytest.raises(InfeasibleData) as caught:
        ap.interpolate({"pairs": DATA["longer"]}, mask="causal")
    assert caught.value.because == "longer-output"


def test_an_obstruction_counts_pairs_as_they_were_given() -> None:
    """A pair that stands twice does not shift the numbers of those after it."""
    first, second = DATA["begun alike"]
    other = {"input": [[5, 5]], "output": [[5, 5]]}
    with pytest.raises(InfeasibleData) as caught:
        ap.interpolate([other, other, first, second], mask="causal")
    assert (caught.value.evidence.at, caught.value.evidence.sharing) == ((2,), (2, 3))


def test_files_are_written_and_valid(run: Run, folder: Path) -> None:
    """The net is canonical and can be read; the certificate is valid for the checker."""
    ran = run(
        *("interpolate", "good.pairs.json", "--mode", "leader", "--robust"),
        *("--out", "net.json", "--certificate", "net.cert.json"),
    )
    assert ran.code == 0
    assert "net written: net.json" in ran.err
    text = (folder / "net.json").read_text()
    assert loads(text).text + "\n" == text
    checked = run("check", "net.cert.json", "--json")
    assert checked.code == 0
    other = run("check", "net.cert.json", "--mask", "causal")
    assert other.code == 1
    assert "attnproof/interpolates/v1 does not speak of a mask" in other.out + other.err
    kinds = [claim["predicateType"] for claim in checked.json["claims"]]
    assert kinds == ["attnproof/interpolates/v1", "attnproof/interpolates-softmax/v1"]


@pytest.mark.parametrize(
    ("name", "because", "at"),
    [("conflict", "conflicting-targets", [0, 1]), ("longer", "longer-output", [0])],
)
def test_infeasible(run: Run, name: str, because: str, at: list[int]) -> None:
    """Exit 1, which pairs show it, and a certificate of it."""
    path = f"{name}.cert.json"
    ran = run("interpolate", f"{name}.pairs.json", "--json", "--certificate", path)
    assert ran.code == 1
    assert (ran.json["exact"], ran.json["infeasible"], ran.json["at"]) == (False, because, at)
    assert run("check", path).out == "valid    attnproof/infeasible/v1\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["repeated.pairs.json"], "the input of pair 0 holds the token (1, 1) twice"),
        (["broken.pairs.json"], "is not JSON; give"),
        (["missing.json"], "cannot be read"),
        (["mask.json"], "the keys are rows; give"),
        (["line.pairs.json", "--mode", "leader"], "choose the mode uniform"),
        (["good.pairs.json", "--mode", "best"], "choose one of uniform, leader, phased, softmax1"),
        (["good.pairs.json", "--mode", "softmax1", "--tau", "hot"], "the temperature is 'hot'"),
        (["good.pairs.json", "--mode", "softmax1"], "softmax1 needs one, tau (--tau 1/10)"),
        (["good.pairs.json", "--draw", "x.dot"], "x.dot cannot hold a run of a net"),
        (["good.pairs.json", "--out", "good.pairs.json"], "is read, so it is not written over"),
        (["good.pairs.json", "--out", "no/such/x.json"], "cannot be written"),
    ],
)
def test_what_is_refused(run: Run, folder: Path, arguments: list[str], message: str) -> None:
    """Exit 2 and one message, nothing on stdout and no file."""
    ran = run("interpolate", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("attnproof: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not list(folder.glob("x.*"))


def test_python() -> None:
    """The same from Python: exact outputs, a certificate, a torch module."""
    net = ap.interpolate({"pairs": DATA["good"]}, mode="leader", robust=True)
    assert net.exact
    assert {str(x) for token in net.as_set([["1/2", 3], [0, 1]]) for x in token} == {"7", "-1/3"}
    assert all(result.valid for result in net.certificate.check())
    (output,) = net.to_torch()(torch.tensor([[0.5, 3.0]])).tolist()
    assert len(output) == 2
    with pytest.raises(InfeasibleData, match="pair 0 wants 2 tokens of 1"):
        ap.interpolate({"pairs": DATA["longer"]})


def test_softmax_outputs_that_are_irrational() -> None:
    """A foreign input has no exact output where softmax is genuine; the message says what has."""
    net = ap.interpolate({"pairs": DATA["good"]}, mode="softmax1", tau="1/3")
    assert len(net.as_set([[0, 1], [0.5, 5], [3, 3]])) == 2
    with pytest.raises(ap.InputError, match="the output is not rational here"):
        net.apply([[0, 1], [-3, 2]])
