"""Certificates of more positions than fit in bits: found in runs, written in pieces, checked."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from attnproof.certificate import Certificate, check_file
from attnproof.proofs.checker import check_statement, limits
from attnproof.proofs.emit import emit, state
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import Equal, Evidence, Leak, Safe
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.compare import Comparison
from attnproof.symbolic.order.properties import (
    Causal,
    Documents,
    Forbidden,
    NextToken,
    Property,
)
from attnproof.symbolic.order.run_flow import RunFlow
from attnproof.symbolic.order.run_judge import judge_runs
from attnproof.symbolic.order.structure import judge_structure
from attnproof.symbolic.setting import Setting
from tests.proofs.forms import held_as

N = limits.MOST_BITS + 1000
DOCUMENT = 700

Row = list[tuple[int, int]]
MASKS: dict[str, Callable[[int], Row]] = {
    "causal": lambda q: [(0, q + 1)],
    "window": lambda q: [(max(0, q - 127), q + 1)],
    "sinks and window": lambda q: [(0, 4), (q - 127, q + 1)] if q > 131 else [(0, q + 1)],
    "documents": lambda q: [(q // DOCUMENT * DOCUMENT, q + 1)],
    "prefix": lambda q: [(0, max(N // 4, q + 1))],
    "blocks": lambda q: [(0, min(N, (q // 32 + 1) * 32))],
    "both ways": lambda q: [(max(0, q - 60), min(N, q + 61))],
    "own": lambda q: [(q, q + 1)],
    "cross": lambda q: [(q, q + 1)] if q < N - 4 else [(0, N - 5), (q, q + 1)],
    "later": lambda q: [(q, N)],
    "global": lambda q: (
        [(0, N)] if q < 2 else [(0, q + 10)] if q < 12 else [(0, 2), (q - 9, min(N, q + 10))]
    ),
}


def setting(name: str) -> Setting:
    """One layer of the mask with this name."""
    rows = Runs.from_rows(map(MASKS[name], range(N)), N)
    return Setting((Mask.of(rows, name=name),), origin={"source": name, "n": N})


def checked(evidence: Evidence, folder: Path) -> list[str]:
    """What the checker has against the certificate, read from its file."""
    Certificate.of([evidence]).save(folder / "cert.json")
    return [result.reason for result in check_file(folder / "cert.json")]


@pytest.mark.parametrize("name", [name for name in MASKS if name != "cross"])
def test_flows(name: str, tmp_path: Path) -> None:
    """Classes, covers, depth and the rest, in one file that the checker accepts."""
    evidence = RunFlow(setting(name)).facts()
    assert checked(evidence, tmp_path) == [""]
    if name == "window":
        predicate = state(evidence).predicate
        assert predicate["classes"] == "positions"
        assert predicate["covers"] == {"1": [[1, N]]}


IDS = tuple(q // DOCUMENT for q in range(N))
ASKED: list[tuple[str, Property, type]] = [
    ("causal", Causal(N), Safe),
    ("sinks and window", Causal(N), Safe),
    ("prefix", Causal(N), Leak),
    ("causal", NextToken(N), Safe),
    ("blocks", NextToken(N), Leak),
    ("cross", NextToken(N), Safe),
    ("documents", Documents(IDS), Safe),
    ("window", Documents(IDS), Leak),
    ("window", Forbidden.from_pairs([(3, 9), (9, N - 1)], N), Safe),
    ("window", Forbidden.from_pairs([(N - 1, 0)], N), Leak),
]


@pytest.mark.parametrize(
    ("name", "wanted", "kind"), [pytest.param(*one, id=f"{one[1].name} {one[0]}") for one in ASKED]
)
def test_properties(name: str, wanted: Property, kind: type, tmp_path: Path) -> None:
    """Each holds or leaks, and the checker accepts what shows it; allowed pairs are not listed."""
    evidence = judge_runs(RunFlow(setting(name)), wanted).evidence
    assert isinstance(evidence, Safe | Leak)
    assert type(evidence) is kind
    assert checked(evidence, tmp_path) == [""]
    if isinstance(evidence, Safe):
        assert (evidence.relation == "allowed") == (wanted.invariant is not None)


FEW = 40


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({}, ""),
        ({"convergence": 12}, "convergence is wrong"),
        ({"height": FEW - 1}, "height is wrong"),
        ({"transitive": True}, "transitive is wrong"),
        ({"covers": {"1": [[1, FEW - 1]]}}, "not what is below a class"),
        ({"covers": {"1": [[1, FEW]], "2": [[9, 10]]}}, "a cover is not a direct one"),
        ({"covers": {"1": [[0, FEW]]}}, "too early ones"),
        ({"covers": {"01": [[1, FEW]]}}, "no positive number"),
        ({"covers": {"-1": [[1, FEW]]}}, "no distance"),
        ({"covers": {"1": [[1, 2], [2, FEW]]}}, "not maximal"),
        ({"covers": {"1": [[1, FEW]], "3": []}}, "has no readers"),
        ({"covers": {"1": [[1, FEW + 1]]}}, "in range"),
        ({"covers": [[0, 1]]}, "covers is not an object"),
        ({"classes": "position"}, "classes is not a list"),
        ({"classes": [[p] for p in range(FEW)]}, "written as such"),
        ({"classes": [[p] for p in range(FEW - 1)]}, "a position is in no class"),
        ({"relation": [[[0, q + 1 + (q == 9)]] for q in range(FEW)]}, "more than the flow"),
        ({"relation": [[[q == 9, q + 1]] for q in range(FEW)]}, "no pair of integers"),
        ({"relation": [[[int(q == 9), q + 1]] for q in range(FEW)]}, "is not closed"),
        ({"relation": [[[0, q + (q != 9)]] for q in range(FEW)]}, "contain every layer"),
    ],
    ids=lambda case: str(case)[:40],
)
def test_refused(edit: dict[str, object], reason: str) -> None:
    """The compact forms have one spelling, and say what is so; here of few positions."""
    with held_as("runs"):
        window = Runs.from_rows((((max(0, q - 3), q + 1),) for q in range(FEW)), FEW)
        statement: Any = emit(RunFlow(Setting((Mask.of(window),))).facts())
        statement["predicate"] |= edit
        found = check_statement(statement)
    assert reason in found.reason
    assert found.valid == (not edit)


def test_two_windows_have_one_flow(tmp_path: Path) -> None:
    """Windows of 128 keys and of 64, with sinks or without: other pairs, the same flow."""
    a, b = setting("window"), setting("sinks and window")
    relation = RunFlow(a).closure.rows
    assert checked(Equal(a, b, "flow", relation), tmp_path) == [""]
    assert checked(Equal(a, b, "edges"), tmp_path) == ["the pairs differ"]
    assert checked(Equal(a, setting("documents"), "flow", relation), tmp_path) == [
        "the relation contains more than the flow"
    ]


@pytest.mark.parametrize("asked", ["reflexive", "transitive", "antisymmetric", "depth=9"])
@pytest.mark.parametrize("name", ["documents", "both ways", "later"])
def test_structure(name: str, asked: str, tmp_path: Path) -> None:
    """Structural properties that hold, and the counterexamples of those that fail."""
    evidence = judge_structure(RunFlow(setting(name)), asked).evidence
    assert evidence is not None
    assert checked(evidence, tmp_path) == [""]


@pytest.mark.parametrize("other", ["causal", "documents", "prefix"])
def test_comparison(other: str, tmp_path: Path) -> None:
    """What one mask has and the other has not, as given and in the flow."""
    both = Comparison(RunFlow(setting("window")), RunFlow(setting(other)))
    assert [checked(one, tmp_path) for one in both.evidence()] == [[""], [""]]


def test_what_would_not_be_followed_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flow whose layers the checker does not follow to the limit is refused when it is written;
    the message says what to ask instead."""
    evidence = RunFlow(setting("global")).facts()
    monkeypatch.setattr(limits, "MOST_STEPS", N)
    with pytest.raises(ShapeError, match=r"settles after 2 layers.*certify a property instead"):
        emit(evidence)


def test_an_interrupt_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that stood there stays, and no part of the new one."""
    (tmp_path / "cert.json").write_text("before")
    certificate = Certificate.of([Safe(setting("causal"), Causal(N), "allowed")])
    (statement,) = certificate.statements
    layers: Any = statement.predicate["layers"]

    class Interrupted:
        """Rows that are never written to the end."""

        keys = N

        def __len__(self) -> int:
            return N

        def runs(self) -> Iterator[Row]:
            yield from (MASKS["causal"](q) for q in range(N // 2))
            raise KeyboardInterrupt

        row = row_runs = reads = bits = count = runs

    monkeypatch.setitem(layers[0], "rows", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        certificate.save(tmp_path / "cert.json")
    assert [path.name for path in tmp_path.iterdir()] == ["cert.json"]
    assert (tmp_path / "cert.json").read_text() == "before"


def test_a_certificate_checks_itself(tmp_path: Path) -> None:
    """What is claimed in memory, what stands in the file and what is read again are the same."""
    certificate = Certificate.of([Safe(setting("window"), Causal(N), "allowed")])
    certificate.save(tmp_path / "cert.json")
    assert (tmp_path / "cert.json").read_text() == certificate.text
    assert Certificate.load(tmp_path / "cert.json") == certificate
    assert [result.valid for result in certificate.check()] == [True]
    assert json.loads(certificate.text)["predicate"]["relation"] == "allowed"
