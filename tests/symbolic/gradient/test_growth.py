"""Growth laws: the derivation, the table that comes out of it, and the flow at log t = 3000."""

import json
from pathlib import Path
from typing import Any

import pytest
import sympy
from sympy import Eq, Gt, Limit, Symbol, log, oo, sqrt

from attnproof.symbolic.gradient.balance import LIMIT, SIGN, Lemma, balance, symbols
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.growth import growth
from attnproof.symbolic.gradient.symbols import variables
from attnproof.symbolic.verdict import Verdict

LATE = json.loads((Path(__file__).parent / "flow_values.json").read_text())["late"]
KINDS = list(Parametrisation)


def table(kind: str) -> dict[str, Any]:
    """The laws as they were found by hand, in ℓ = log t and with the loss times t."""
    of = symbols()
    ell, root = of.ell, sqrt(of.r)
    laws = {
        "CACO": (
            log(of.c * sympy.exp(ell)),
            of.R / 2 * ell**2,
            2 * log(ell) + log(of.R / (2 * of.kappa)),
            of.w / of.c,
        ),
        "FACO": (
            log(of.c) + ell,
            2 * of.R / of.omega * ell**2 * log(ell),
            2 * log(ell) + log(log(ell)) + log(2 * of.R / (of.omega * of.kappa)),
            of.w / of.c,
        ),
        "CAFO": (
            ell + log(ell) + log(2 * root * of.c) + 2 * root / of.R,
            of.R / (2 * root) * ell,
            log(ell) + log(of.R / (2 * root * of.kappa)),
            of.w / (2 * root * of.c * ell),
        ),
        "FAFO": (
            ell + log(ell) + log(2 * root * of.c),
            of.R / (of.omega * root) * ell * log(ell),
            log(ell) + log(log(ell)) + log(of.R / (of.omega * root * of.kappa)),
            of.w / (2 * root * of.c * ell),
        ),
    }
    return dict(zip(("alpha", "odds", "beta", "loss"), laws[kind], strict=True))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_the_table_comes_out(kind: Parametrisation) -> None:
    """Leading-order balance finds each law that was found by hand, for all constants at once."""
    found = balance(kind, False, False)
    for name, law in table(kind.value).items():
        gap = sympy.expand_log(sympy.expand(getattr(found, name) - law), force=True)
        assert sympy.simplify(gap) == 0, name


@pytest.mark.parametrize("kind", KINDS[:3], ids=lambda kind: kind.value)
def test_every_step_is_checked(kind: Parametrisation) -> None:
    """SymPy takes every limit and finds the value that the step says."""
    steps = balance(kind, False, False).steps
    assert [step.statement for step in steps if step.check() is not Verdict.HOLDS] == []
    assert len(steps) >= 14


def test_imbalance_changes_no_law() -> None:
    """Products out of balance grow as balanced ones do, and the derivation holds for them too."""
    even, uneven = (balance(Parametrisation.FAFO, odd, odd) for odd in (False, True))
    for name in ("alpha", "beta", "odds", "loss", "deficit"):
        assert sympy.simplify(getattr(even, name) - getattr(uneven, name)) == 0
    assert {step.check() for step in uneven.steps} == {Verdict.HOLDS}


def test_a_wrong_step_is_not_believed() -> None:
    """A limit with a wrong value, and an inequality that fails, are unknown."""
    x = Symbol("x", positive=True)
    assert Lemma("wrong", Eq(Limit(log(x) / x, x, oo), 1), LIMIT).check() is Verdict.UNKNOWN
    assert Lemma("wrong", Gt(-x, 0), SIGN).check() is Verdict.UNKNOWN
    assert Lemma("wrong", sympy.false, SIGN).check() is Verdict.UNKNOWN
    assert Lemma("right", Gt(x + 1, 0), SIGN).check() is Verdict.HOLDS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_the_flow_comes_nearer_to_the_laws(kind: Parametrisation) -> None:
    """Enclosed at α = 300 and at α = 3000, the flow is nearer to all four laws at the latter."""
    laws = growth(Circuits(kind, Data(3, 1, 4, 1)))
    start = 0.05 * kind.factorised_value, 0.05 * kind.factorised_attention
    assert laws.confirm(*start, bits=53) is Verdict.HOLDS
    assert laws.confirm(*start, near=300, far=100, bits=53) is Verdict.FAILS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_the_next_term_of_the_value(kind: Parametrisation) -> None:
    """Where α - z vanishes, α less its law is near the correction; in CAFO there is none."""
    laws = growth(Circuits(kind, Data(3, 1, 4, 1)))
    if laws.correction is None:
        assert kind is Parametrisation.CAFO
        assert laws.deficit == sympy.Rational(12, 7)
        return
    start = 0.05 * kind.factorised_value, 0.05 * kind.factorised_attention
    apart = laws.distances(3000, *start, bits=53)
    term = float(laws.correction.subs(log(variables().time), float(apart["log_time"])))
    tolerance = 0.35 if kind.factorised_attention else 0.001
    assert float(apart["alpha"]) == pytest.approx(term, rel=tolerance)


@pytest.mark.parametrize("row", LATE, ids=lambda row: f"{row['kind']}-{row['log_time']:g}")
def test_odds_of_an_independent_computation(row: dict[str, Any]) -> None:
    """At log t = 1000 and 3000 tabulated odds are near the law, as near as the enclosed flow."""
    kind = Parametrisation(row["kind"])
    laws = growth(Circuits(kind, Data(*row["data"])))
    start = row["start"] * kind.factorised_value, row["start"] * kind.factorised_attention
    law = float(laws.odds.subs(log(variables().time), row["log_time"]))
    alpha = round(float(laws.alpha.subs(log(variables().time), row["log_time"])), 3)
    apart = laws.distances(alpha, *start, bits=53)
    assert row["odds"] / law - 1 == pytest.approx(float(apart["odds"]), abs=1e-4)


def test_growth_knows_no_rate_of_attention_but_in_the_odds() -> None:
    """For symbols, α and the loss of one matrix W_OV are free of η_QK, the odds proportional."""
    rate = Symbol("eta", positive=True)
    laws = growth(Circuits(Parametrisation.CACO, Data(), eta_qk=rate))
    assert rate not in laws.alpha.free_symbols | laws.loss.free_symbols
    assert sympy.simplify(laws.odds.diff(rate) * rate - laws.odds) == 0
    assert laws.leading["alpha"] == log(variables().time)
    assert laws.check() is Verdict.HOLDS


def test_conditions_are_told() -> None:
    """Only balanced products need a start above 0."""
    assert growth(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1))).conditions == ()
    assert len(growth(Circuits(Parametrisation.FAFO, Data(3, 1, 4, 1))).conditions) == 2
