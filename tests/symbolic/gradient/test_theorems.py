"""Theorems T1 to T4: random instances, hypotheses that are not met, and verdicts without flint."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient import sharper, theorem
from attnproof.symbolic.gradient.balls import Enclosure
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.decoupling import decoupling
from attnproof.symbolic.gradient.monotone import monotone, rate
from attnproof.symbolic.gradient.sharper import attention_crossover, collapsed_value
from attnproof.symbolic.gradient.theorem import Compared, decide, less
from attnproof.symbolic.gradient.theorems import conjectures, theorems
from attnproof.symbolic.verdict import Verdict

HOLDS, FAILS, UNKNOWN = Verdict.HOLDS, Verdict.FAILS, Verdict.UNKNOWN
CACO = Circuits(Parametrisation.CACO, Data(5, 1, 15, 1), eta_qk=0.15)
FAFO = Circuits(Parametrisation.FAFO, Data(5, 1, 15, 1), eta_qk=0.15)


@st.composite
def settings_of(draw: st.DrawFn) -> tuple[Circuits, float, float, float]:
    """Circuits of all kinds, some out of balance, a loss, and a start that meets T1."""
    kind = draw(st.sampled_from(Parametrisation))
    common = draw(st.integers(2, 20))
    data = Data(
        draw(st.integers(2, 12)),
        draw(st.integers(1, 4)),
        common,
        draw(st.sampled_from([1, common])),
    )
    uneven = draw(st.booleans())
    imbalances = {
        name: draw(st.sampled_from([-2.0, -0.25, 0.5]))
        for name, product in (
            ("imbalance_qk", kind.factorised_attention),
            ("imbalance_ov", kind.factorised_value),
        )
        if product and uneven
    }
    circuits = Circuits(
        kind,
        data,
        draw(st.sampled_from([0.5, 1.0, 2.0])),
        draw(st.sampled_from([0.01, 0.5, 20.0])),
        **imbalances,
    )
    alpha0 = draw(st.floats(1e-3, 0.1)) if kind.factorised_value else 0.0
    beta0 = draw(st.floats(1e-4, 1))
    return circuits, 10 ** -draw(st.floats(1, 6)), alpha0, beta0


@given(
    settings_of(), st.lists(st.sampled_from([0.01, 0.05, 0.2, 1, 5, 20]), min_size=2, unique=True)
)
@settings(max_examples=8, deadline=None)
def test_attention_is_monotone_in_the_ratio(case: Any, ratios: list[float]) -> None:
    """T1 holds, rigorously, in random instances, out of balance too."""
    circuits, loss, alpha0, beta0 = case
    found = monotone().instance(circuits, loss, alpha0, beta0, sorted(ratios), bits=64)
    assert found.verdict is HOLDS
    assert found.rigorous


@given(settings_of(), st.floats(-1, 1.2))
@settings(max_examples=12, deadline=None)
def test_one_value_matrix_is_sharper(case: Any, exponent: float) -> None:
    """T2 holds where z >= 1/√r, and below that holds or is told to be no instance."""
    from math import exp, log1p, sqrt

    circuits, _, _, beta0 = case
    margin, wrong = 10**exponent, int(circuits.data.classes) - 1
    found = collapsed_value().instance(circuits, log1p(wrong * exp(-margin)), beta0, bits=64)
    if margin > 1 / sqrt(int(circuits.data.distinct)):
        assert found.verdict is HOLDS
    else:
        assert found.verdict is HOLDS or "it fails" in found.unmet[0]


@given(settings_of())
@settings(max_examples=12, deadline=None)
def test_factorised_attention_crosses_over(case: Any) -> None:
    """T3 holds, rigorously, in random instances."""
    assert attention_crossover().instance(*case, bits=64).verdict is HOLDS


@pytest.mark.parametrize(
    "kind", [Parametrisation.CACO, Parametrisation.CAFO], ids=lambda kind: kind.value
)
def test_the_loss_is_decoupled(kind: Parametrisation) -> None:
    """T4: at α = 200 the losses for ratios from 0.1 to 10 are the leading law within 5 %."""
    circuits = Circuits(kind, Data(3, 1, 4, 1))
    start = 0.05 * kind.factorised_value, 0.05 * kind.factorised_attention
    found = decoupling().instance(circuits, *start, [0.1, 1, 10], bits=53)
    assert found.verdict is HOLDS
    far = decoupling().instance(circuits, *start, [1], alpha=5, within=1e-6, bits=53)
    assert far.verdict is UNKNOWN
    assert far.unmet == ()


@pytest.mark.parametrize(
    ("kind", "within"), [("CACO", 1e-5), ("CAFO", 1e-4), ("FACO", 0.06), ("FAFO", 0.06)]
)
def test_the_rate_in_the_ratio(kind: str, within: float) -> None:
    """T1': at ρ = 10⁶ the quotient is near its limit, in FA up to about 1/β."""
    circuits = Circuits(Parametrisation[kind], Data(3, 1, 4, 1), eta_qk=10**6)
    start = 0.01 * kind.endswith("FO"), 0.01 * kind.startswith("FA")
    found = rate().instance(circuits, 1e-3, *start, within=within)
    assert found.verdict is HOLDS
    nearer = rate().instance(circuits, 1e-3, *start, within=within / 1000)
    assert nearer.verdict is UNKNOWN


@pytest.mark.parametrize("one", theorems(), ids=lambda one: one.name)
def test_lemmas_are_checked_in_symbols(one: theorem.Theorem) -> None:
    """Each theorem states its hypotheses and its proof, and SymPy confirms its lemmas."""
    assert one.check() is HOLDS
    assert one.lemmas
    assert one.hypotheses
    assert one.proof
    assert one.statement.endswith(".")
    assert one.latex
    assert one.source == "ours"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (monotone().instance(CACO, 0.1, -1, 0, [1, 2]), "alpha0 >= 0 (it is -1)"),
        (monotone().instance(FAFO, 0.1, 0, 0.1, [1, 2]), "alpha0 > 0, for W_O W_V is balanced"),
        (monotone().instance(FAFO, 0.1, 0.1, 0, [1, 2]), "beta0 > 0, for W_K and W_Q"),
        (monotone().instance(CACO, 3, 0, 0, [1, 2]), "falls to this loss from above"),
        (rate().instance(CACO, 0.1, 30, 0, within=0.1), "alpha0 < z"),
        (collapsed_value().instance(CACO, 0.1, 0, alpha0_one=20), "(it fails)"),
        (collapsed_value().instance(CACO, 1.6, 0), "(it fails)"),
        (attention_crossover().instance(CACO, 0.1, 0, 0), "beta0 > 0"),
        (decoupling().instance(FAFO, 0.1, 0, [1]), "beta0 > 0"),
    ],
)
def test_hypotheses_that_are_not_met_are_named(found: theorem.Instance, words: str) -> None:
    """Outside its hypotheses a theorem says nothing, and which one is missing."""
    assert found.verdict is UNKNOWN
    assert any(words in one for one in found.unmet)
    assert words in found.told


def test_a_false_claim_fails_and_an_undecided_one_gets_more_bits() -> None:
    """Instances are decided by their claims; what is undecided is tried again."""
    tried: list[int] = []

    def undecided(bits: int) -> Compared:
        tried.append(bits)
        return Compared((True, None), "near")

    assert decide("T", undecided, 16).verdict is UNKNOWN
    assert tried == [16, 64, 256]
    assert decide("T", lambda _: Compared((True, None, False), "wrong")).verdict is FAILS


def test_a_wrong_crossover_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another b*, T3 fails in an instance: its verdict can be against it."""
    wrong = Enclosure(Fraction(5), Fraction(5))
    monkeypatch.setattr(sharper, "crossover", lambda *_, **__: wrong)
    assert attention_crossover().instance(FAFO, 1e-3, 0.01, 1e-4).verdict is HOLDS
    faster = Circuits(Parametrisation.FAFO, Data(5, 1, 15, 1), eta_qk=1.0)
    assert attention_crossover().instance(faster, 1e-3, 0.01, 1e-4).verdict is FAILS


def test_floats_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without python-flint every instance is unknown, and the comparison of floats is told."""
    for module in (theorem, sharper):
        monkeypatch.setattr(module, "available", lambda: False)
    monkeypatch.setattr("attnproof.symbolic.gradient.decoupling.available", lambda: False)
    instances = (
        monotone().instance(CACO, 1e-3, 0, 0, [0.15, 0.3]),
        rate().instance(CACO, 1e-3, 0, 0, within=0.5),
        collapsed_value().instance(CACO, 1e-3, 0),
        attention_crossover().instance(FAFO, 1e-3, 0.01, 1e-4),
        decoupling().instance(CACO, 0, 0, [1]),
    )
    for found in instances:
        assert found.verdict is UNKNOWN
        assert not found.rigorous
        assert found.unmet == ()
        assert "in floats, which prove nothing (for it): install attnproof[exact]" in found.told
    assert "rho 0.15: s = 0.810588" in instances[0].told


@pytest.mark.parametrize("one", theorems(), ids=lambda one: one.name)
def test_lemmas_show_what_is_checked(one: theorem.Theorem) -> None:
    """No lemma is a bare truth or 0 = 0, and constants of a power law come with their values."""
    for lemma in one.lemmas:
        assert lemma.equation not in (True, False)
        assert (lemma.equation.lhs, lemma.equation.rhs) != (0, 0)
        assert lemma.statement in repr(lemma)
        assert "$" in lemma._repr_latex_()
        if "~ g α^h, with" in lemma.statement:
            assert "g = " in lemma.statement


def test_the_leading_loss_is_defined() -> None:
    """The formula of T4 says what L_∞ is and that it is free of η_QK, not that a limit is 1."""
    shown = decoupling().latex
    assert r"L_\infty(t) = \begin{cases} \frac{r(K-1)}{\eta_{OV}\,t}" in shown
    assert r"\frac{\partial L_\infty}{\partial\eta_{QK}} = 0" in shown
    assert r"\lim" not in shown


def test_no_instance_is_no_evidence() -> None:
    """Without a ratio, or at a loss that is never reached, nothing holds: it is an error."""
    with pytest.raises(ParameterError, match=r"^there are no ratios; give one or more$"):
        decoupling().instance(CACO, 0, 0, [])
    for loss in (0, -0.1):
        with pytest.raises(ParameterError, match=rf"^loss is {loss}; give a number above 0$"):
            rate().instance(CACO, loss, 0, 0, within=0.5)


def test_comparisons_are_certain_or_none() -> None:
    """Overlapping enclosures, and floats within their error, decide nothing."""
    low, high = Enclosure(Fraction(0), Fraction(2)), Enclosure(Fraction(1), Fraction(3))
    assert less(low, high) is None
    assert less(low, Fraction(3)) is True
    assert less(Fraction(2), low) is False
    assert less(1.0, 1.0 - 1e-12) is None
    assert less(1.0, 1.1) is True


def test_mistakes_are_no_missing_hypotheses() -> None:
    """Ratios out of order, and circuits with symbols, are errors."""
    with pytest.raises(ParameterError, match=r"ratios are \[2, 1\]; give two or more"):
        monotone().instance(CACO, 0.1, 0, 0, [2, 1])
    with pytest.raises(ParameterError, match="give a value to"):
        monotone().instance(Circuits(Parametrisation.CACO, Data()), 0.1, 0, 0, [1, 2])


def test_conjectures_are_kept_apart() -> None:
    """What is not proved says what speaks for it, and is no theorem."""
    stated = {theorem.statement for theorem in theorems()}
    assert all(one.evidence and one.statement not in stated for one in conjectures())
