"""Every length with z3 alone: what the checker accepts holds, whoever found the proof."""

import sys
from typing import Any

import pytest

import attnproof as ap
from attnproof.symbolic.formula import k, q
from attnproof.symbolic.lengths import solvers
from attnproof.symbolic.lengths.closure import Closure, closure
from attnproof.symbolic.lengths.problem import Problem

torch = pytest.importorskip("torch", reason="rules are traced with the extra torch")

ids = torch.tensor([0, 0, 1])


def packed(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (ids[q] == ids[k]) & (k <= q)


def lanes(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (((q ^ k) & 3) == 0) & (k <= q)


def of_head(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (k <= q) & (ids[h] * 0 + k <= q)


def lengths_of(report: ap.Report) -> ap.LengthReport:
    assert isinstance(report, ap.LengthReport)
    return report


def reach_of(report: ap.Report) -> Closure:
    found = lengths_of(report).reach
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def without_cvc5(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither found nor imported."""
    monkeypatch.setattr(solvers, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "cvc5", None)


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        (packed, {"causal": True, "documents": "@ids"}),
        ("window", {"symbolic": ["keys"], "causal": True, "properties": ["reflexive"]}),
        ("window", {"params": {"keys": 3}, "forbid": [(9, 0)], "layers": 2}),
        ("prefix_lm", {"symbolic": ["prefix"], "properties": ["depth=1"]}),
        (of_head, {"causal": True, "heads": 2}),
    ],
)
def test_what_the_checker_accepts_holds(source: object, asked: dict[str, Any]) -> None:
    """Verdict, grade and certificate are those of two solvers; the certificate is accepted."""
    report = ap.verify(source, all_n=True, **asked)
    assert (report.verdict, report.grade) == (ap.Verdict.HOLDS, "certified")
    assert len(report.certificate.statements) == len(report.properties)
    assert all(result.valid for result in report.certificate.check())
    assert [name.partition(" ")[0] for name in lengths_of(report).solvers] == ["z3"]


def test_what_only_solvers_prove_is_unknown() -> None:
    """No proof for the checker was found: a second solver is needed, and the message says so."""
    report = ap.verify(lanes, all_n=True, properties=["transitive"])
    assert (report.verdict, report.grade) == (ap.Verdict.UNKNOWN, None)
    assert report.certificate.statements == ()
    assert "no proof for the checker was found" in str(report)
    assert "pip install 'attnproof[prove]'" in str(report)


def test_a_proof_that_the_checker_refuses_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """z3 proves it, and is not believed where its proof is not accepted."""
    monkeypatch.setattr("attnproof.proofs.certify._accepted", lambda _: False)
    report = ap.verify("causal", all_n=True, causal=True)
    assert (report.verdict, report.certificate.statements) == (ap.Verdict.UNKNOWN, ())
    assert ap.closure("causal").formula is None
    assert reach_of(ap.verify("causal", all_n=True)).relation is None


def test_a_closure_holds_where_the_checker_accepts_it() -> None:
    """One solver proves no relation; the front door asks the checker."""
    found = closure(Problem.of((k <= q) & (q - k < 4)))
    assert (found.relation, found.is_exact) == (None, False)
    reach = ap.closure("window", symbolic=["keys"])
    assert (reach.exact, reach.grade) == (True, "certified")
    described = ap.verify("window", all_n=True, symbolic=["keys"])
    assert reach_of(described).is_exact
    assert described.grade == "certified"
