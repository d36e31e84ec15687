"""Rigorous enclosures of states and times, against mpmath with 50 digits, floats and tables."""

import itertools
import json
import sys
from dataclasses import astuple, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import InputError, MissingExtra, ParameterError
from attnproof.symbolic.gradient import enclosure
from attnproof.symbolic.gradient.balls import Enclosure, ball, working
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.orbit import Orbit

VALUES = json.loads((Path(__file__).parent / "flow_values.json").read_text())
DIGITS = 50
Start = tuple[Circuits, Any, Any]


def circuits_of(kind: str, data: Any = (3, 1, 4, 1), **more: Any) -> Circuits:
    return Circuits(Parametrisation[kind], Data(*data), **more)


@st.composite
def starts(draw: st.DrawFn) -> Start:
    """Balanced circuits of all kinds with a start from which both scalars grow."""
    kind = draw(st.sampled_from(Parametrisation))
    common = draw(st.integers(1, 12))
    data = Data(
        draw(st.integers(2, 9)), draw(st.integers(1, 3)), common, draw(st.integers(1, common))
    )
    scale, rate = (draw(st.sampled_from([0.25, 0.5, 1.0, 3.0])) for _ in range(2))
    product = st.fractions(Fraction(1, 1000), 1, max_denominator=1000)
    alpha0 = draw(product if kind.factorised_value else st.just(Fraction(0)))
    beta0 = draw(product if kind.factorised_attention else st.fractions(-1, 1, max_denominator=9))
    return Circuits(kind, data, scale, rate), _sympy(alpha0), _sympy(beta0)


def _sympy(value: Fraction) -> Any:
    from sympy import Rational

    return Rational(value.numerator, value.denominator)


class Mp:
    """The same orbit in mpmath, from Φ and Ψ in closed form; starts with α >= 0 and β > 0."""

    def __init__(self, start: Start) -> None:
        self.circuits, alpha0, beta0 = start
        mpmath.mp.dps = DIGITS
        self.data, self.kind = self.circuits.data, self.circuits.parametrisation

        def number(value: Any) -> Any:
            return mpmath.mpf(str(value.evalf(DIGITS + 5)))

        self.kappa, self.omega, self.mu, self.slope, self.r = map(
            number,
            (
                self.data.odds,
                self.circuits.omega,
                self.circuits.mu_ov,
                self.circuits.slope,
                self.data.distinct,
            ),
        )
        self.alpha0, self.beta0 = (mpmath.mpf(one.p) / one.q for one in (alpha0, beta0))
        self.wrong = int(self.data.classes) - 1

    def phi(self, beta: Any) -> Any:
        if self.kind.factorised_attention:
            return self.omega / 2 * (mpmath.log(beta) + self.kappa * mpmath.ei(beta))
        return beta + self.kappa * mpmath.exp(beta)

    def alpha(self, beta: Any) -> Any:
        rise = (self.phi(beta) - self.phi(self.beta0)) / self.slope
        if self.kind.factorised_value:
            return self.alpha0 + 2 * mpmath.sqrt(self.r) * rise
        return mpmath.sqrt(self.alpha0**2 + 2 * rise)

    def attention(self, beta: Any) -> Any:
        return 1 / (1 + mpmath.exp(-beta) / self.kappa)

    def gain(self, alpha: Any) -> Any:
        return 2 * mpmath.sqrt(self.r) * alpha if self.kind.factorised_value else 1

    def rate(self, alpha: Any, beta: Any) -> Any:
        """dt/dα."""
        s = self.attention(beta)
        return (1 + mpmath.exp(s * alpha) / self.wrong) / (self.mu * self.gain(alpha) * s)

    def time_over_beta(self, beta: Any) -> Any:
        """The time as an integral over β, for α₀ > 0."""

        def slowness(b: Any) -> Any:
            alpha = self.alpha(b)
            steep = 2 * b / self.omega if self.kind.factorised_attention else 1
            turn = (
                self.gain(alpha) * (1 + self.kappa * mpmath.exp(b)) / (self.slope * steep * alpha)
            )
            return self.rate(alpha, b) * turn

        return mpmath.quad(slowness, mpmath.linspace(self.beta0, beta, 7))

    def time_over_alpha(self, alpha: Any) -> Any:
        """The time as an integral over α, by Lambert's function, for one matrix W_QK."""

        def slowness(a: Any) -> Any:
            psi = a / (2 * mpmath.sqrt(self.r)) if self.kind.factorised_value else a * a / 2
            psi0 = (
                self.alpha0 / (2 * mpmath.sqrt(self.r))
                if self.kind.factorised_value
                else self.alpha0**2 / 2
            )
            level = self.phi(self.beta0) + self.slope * (psi - psi0)
            odds = mpmath.lambertw(self.kappa * mpmath.exp(level)).real
            return self.rate(a, mpmath.log(odds / self.kappa))

        return mpmath.quad(slowness, mpmath.linspace(self.alpha0, alpha, 7))


def near(enclosed: Enclosure, value: Any) -> bool:
    """Does it hold the mpmath value, which is wrong by a few units of its last digits?"""
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in astuple(enclosed))
    slack = abs(value) * mpmath.mpf(10) ** (3 - DIGITS)
    return bool(low - slack <= value <= high + slack)


@given(starts(), st.fractions(Fraction(1, 100), 9, max_denominator=100))
@settings(max_examples=8, deadline=None)
def test_the_state_at_a_loss_holds_the_value_of_mpmath(start: Start, step: Fraction) -> None:
    """With the β of mpmath, its loss is enclosed, and so are α, s and the odds there."""
    mp = Mp(start)
    beta = mp.beta0 + mpmath.mpf(step.numerator) / step.denominator
    alpha, s = mp.alpha(beta), mp.attention(beta)
    found = enclosure.at_alpha(start[0], _dyadic(alpha), *start[1:])
    exact = mpmath.findroot(lambda b: mp.alpha(b) - _mp(found.alpha), beta)
    assert near(found.beta, exact)
    assert near(found.attention, mp.attention(exact))
    loss = mpmath.log1p(mp.wrong * mpmath.exp(-s * alpha))
    assume(loss > 1e-290)
    state = enclosure.at_loss(start[0], _dyadic(loss), *start[1:])

    def miss(b: Any) -> Any:
        return mpmath.log1p(mp.wrong * mpmath.exp(-mp.attention(b) * mp.alpha(b))) - _mp(state.loss)

    root = mpmath.findroot(miss, beta)
    assert near(state.beta, root)
    assert near(state.alpha, mp.alpha(root))
    assert near(state.odds, mp.kappa * mpmath.exp(root))


def _dyadic(value: Any) -> Any:
    """A double near an mpmath number, exactly."""
    from sympy import Rational

    return Rational(float(value))


def _mp(value: Enclosure) -> Any:
    middle = (value.lower + value.upper) / 2
    return mpmath.mpf(middle.numerator) / middle.denominator


@pytest.mark.parametrize("kind", ["CACO", "CAFO"])
def test_the_time_from_a_zero_start_holds_the_value_of_mpmath(kind: str) -> None:
    """∫ dt/dα by Lambert's function in mpmath lies in the enclosure, from α₀ = 0 too."""
    from sympy import Integer, Rational

    start = circuits_of(kind), Rational(kind == "CAFO", 2), Integer(0)
    value = Mp(start).time_over_alpha(mpmath.mpf(6))
    assert near(enclosure.time(start[0], 6, *start[1:], bits=100), value)


@pytest.mark.parametrize("kind", ["FACO", "FAFO"])
def test_the_time_of_factorised_attention_holds_the_value_of_mpmath(kind: str) -> None:
    """∫ dt/dβ in mpmath lies in the enclosure of ∫ dt/dα."""
    from sympy import Rational

    start = circuits_of(kind), Rational(1, 2), Rational(1, 20)
    mp = Mp(start)
    beta = mpmath.mpf(4)
    alpha = mp.alpha(beta)
    target = _dyadic(alpha)
    value = mp.time_over_beta(beta)
    value += (mpmath.mpf(target.p) / target.q - alpha) * mp.rate(alpha, beta)
    found = enclosure.time(start[0], target, *start[1:], bits=80)
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in astuple(found))
    assert low - mpmath.mpf(10) ** -29 < value < high + mpmath.mpf(10) ** -29


@given(starts(), st.fractions(Fraction(1, 10), 5, max_denominator=10))
@settings(max_examples=8, deadline=None)
def test_more_bits_give_narrower_enclosures_of_the_same(start: Start, step: Fraction) -> None:
    """Enclosures with 32, 64 and 128 bits meet, and are narrower by about so many bits."""
    alpha = start[1] + _sympy(step)
    times = [enclosure.time(start[0], alpha, *start[1:], bits=bits) for bits in (32, 64)]
    states = [enclosure.at_alpha(start[0], alpha, *start[1:], bits=b).odds for b in (32, 64, 128)]
    for found in (times, states):
        for wide, fine in itertools.pairwise(found):
            assert wide.lower <= fine.upper
            assert fine.lower <= wide.upper
            assert fine.width * 2**20 < wide.width


@given(starts(), st.integers(1, 9), st.booleans())
@settings(max_examples=6, deadline=None)
def test_orbits_in_floats_agree(start: Start, exponent: int, uneven: bool) -> None:
    """The state at a loss and its time agree with the orbit in floats, unbalanced products too."""
    circuits, alpha0, beta0 = start
    kind = circuits.parametrisation
    if uneven:
        lopsided: dict[str, Any] = {
            name: 0.75
            for name, product in (
                ("imbalance_qk", kind.factorised_attention),
                ("imbalance_ov", kind.factorised_value),
            )
            if product
        }
        circuits = replace(circuits, **lopsided)
    loss = 10.0**-exponent
    orbit = Orbit(circuits, float(alpha0), float(beta0)).at_loss(loss)
    found = enclosure.at_loss(circuits, loss, float(alpha0), float(beta0))
    for name in ("alpha", "beta", "attention", "margin"):
        assert float(getattr(found, name)) == pytest.approx(getattr(orbit, name), rel=1e-9)
    if circuits.imbalance_qk == 0:
        clock = enclosure.time(circuits, found.alpha, float(alpha0), float(beta0), bits=40)
        assert float(clock) == pytest.approx(orbit.time, rel=1e-8)


@pytest.mark.parametrize("case", VALUES["at_loss"], ids=lambda case: f"{case['kind']}")
def test_tables_of_attention_at_a_loss(case: dict[str, Any]) -> None:
    """Values computed independently in double precision are met."""
    kind = case["kind"]
    circuits = circuits_of(kind, case["data"], eta_qk=case["rho"], scale=case["scale"])
    start = 0.01 if kind.endswith("FO") else 0
    found = enclosure.at_loss(circuits, case["loss"], start, case["beta0"], bits=64)
    assert float(found.attention) == pytest.approx(case["attention"], rel=1e-10)
    if "alpha" in case:
        assert float(found.alpha) == pytest.approx(case["alpha"], rel=1e-10)


@pytest.mark.parametrize("case", VALUES["at_time"], ids=lambda case: case["kind"])
def test_tables_of_states_at_a_time(case: dict[str, Any]) -> None:
    """At the α that an independent integration of the flow has at t = 100, the time is 100."""
    kind, k = case["kind"], case["times"].index(100)
    circuits = circuits_of(kind, case["data"], eta_qk=case["eta_qk"])
    alpha0 = case["start"] if kind.endswith("FO") else 0
    beta0 = case["start"] if kind.startswith("FA") else 0
    found = enclosure.time(circuits, case["alpha"][k], alpha0, beta0, bits=40)
    assert float(found) == pytest.approx(100, rel=1e-8)


def test_the_score_returns_with_the_value() -> None:
    """From α₀ < 0 one matrix has β₀ again at |α₀|, and a smaller β before."""
    circuits = circuits_of("CACO")
    assert (
        Fraction(3, 10) in enclosure.at_alpha(circuits, 0.75, -0.75, _sympy(Fraction(3, 10))).beta
    )
    assert enclosure.at_alpha(circuits, 0, -0.75, 0.25).beta < Fraction(1, 4)
    assert enclosure.time(circuits, 0.75, -0.75, 0.25) > 0


def test_a_negative_score_of_a_product_stays_negative() -> None:
    """Balanced attention from β₀ < 0 rises to 0 from below, and rests at 0 from 0."""
    circuits = circuits_of("FACO")
    first, second = (enclosure.at_alpha(circuits, a, 0, -0.25).beta for a in (2, 20))
    assert first < second
    assert second < 0
    assert enclosure.at_loss(circuits, 0.01, 0, 0).beta == Enclosure(Fraction(0), Fraction(0))
    assert near(
        enclosure.time(circuits, 2, 0, 0),
        mpmath.quad(lambda a: (1 + mpmath.exp(a / 5) / 2) * 10, [0, 2]),
    )


def test_far_along_an_orbit() -> None:
    """log t = 3000 is no trouble: at an independent α the logarithm of the time is 3000."""
    found = enclosure.time(circuits_of("CACO"), 3000.000571429584, 0, 0, bits=53)
    with working("this test", 53) as flint:
        log_time = flint.arb(flint.fmpq(found.lower.numerator, found.lower.denominator)).log()
        assert abs(float(log_time) - 3000) < 1e-9


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: enclosure.at_loss(circuits_of("CACO"), 2, 0, 0), "starts at 1.09861 and falls"),
        (lambda: enclosure.at_loss(circuits_of("CACO"), 0, 0, 0), "loss is 0; give a number above"),
        (lambda: enclosure.at_loss(circuits_of("CAFO"), 0.1, 0, 0), "give alpha0 above 0"),
        (lambda: enclosure.at_loss(circuits_of("CAFO"), 0.1, -1, 0), "give alpha0 above 0"),
        (lambda: enclosure.time(circuits_of("CACO"), -1, 0, 0), "goes up from 0"),
        (lambda: enclosure.time(circuits_of("CAFO"), 1, -1, 0), "keeps its sign"),
        (
            lambda: enclosure.time(circuits_of("FACO", imbalance_qk=0.5), 1, 0, 0),
            "imbalance_qk is 0.5, and then Φ has no closed form",
        ),
        (lambda: enclosure.time(circuits_of("CACO"), 1, 0, 0, bits=4), "bits is 4; give 16"),
        (
            lambda: enclosure.at_loss(Circuits(Parametrisation.CACO, Data()), 0.1, 0, 0),
            "give a value to",
        ),
        (lambda: enclosure.at_loss(circuits_of("CACO"), "0.1", 0, 0), "loss is '0.1'"),
    ],
)
def test_what_cannot_be_enclosed_is_told(ask: Any, words: str) -> None:
    """Messages say what was given and the way out."""
    with pytest.raises(ParameterError, match=words):
        ask()


def test_without_flint_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing python-flint is told with the extra that has it."""
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(MissingExtra, match="attnproof\\[exact\\]"):
        enclosure.at_loss(circuits_of("CACO"), 0.1, 0, 0)


@given(st.fractions(), st.fractions(min_value=0))
@settings(max_examples=50)
def test_the_text_of_an_enclosure_encloses(lower: Fraction, width: Fraction) -> None:
    """What is printed, middle ± radius, contains both ends, and is at most a tenth wider."""
    found = str(Enclosure(lower, lower + width))
    if width == 0:
        assert Fraction(found) == lower
        return
    middle, radius = map(Fraction, found.split(" ± "))
    assert middle - radius <= lower
    assert lower + width <= middle + radius
    assert radius <= width / 2 * Fraction(6, 5)


def test_expressions_become_balls() -> None:
    """Roots, powers, exp, log, π and e are enclosed; other functions are refused."""
    import sympy

    x = sympy.sqrt(2) * sympy.pi ** sympy.Rational(2, 3) + sympy.exp(-1) * sympy.log(3) - sympy.E
    with working("this test", 64):
        assert abs(float(ball("x", x)) - float(x)) < 1e-14
        with pytest.raises(ParameterError, match="give a number made of"):
            ball("x", sympy.sin(1))


def test_too_few_bits_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An enclosure that does not come about is an error, never a number that is not finite."""
    monkeypatch.setattr(enclosure, "_integral", lambda flint, *_: flint.arb.nan())
    with pytest.raises(InputError, match="128 bits are too few to enclose the time at alpha = 1"):
        enclosure.time(circuits_of("CACO"), 1, 0, 0)
