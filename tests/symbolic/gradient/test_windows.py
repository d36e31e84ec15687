"""The window of slow QK rates: tables, bounds that enclosures confirm, and its end."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, exp

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient import enclosure
from attnproof.symbolic.gradient.balls import ball, spanned, working
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.orbit import Orbit
from attnproof.symbolic.gradient.symbols import variables
from attnproof.symbolic.gradient.windows import window

#: Reference values computed independently: kind, η_QK, α₀, β₀, and α and β at log t = 20, 40.
SLOW = [
    ("CACO", 1e-6, 0, 0, (83.73270905533977, 181.88420168204), (0.0032708067, 0.01541431997)),
    ("CAFO", 1e-4, 0.05, 0, (110.24697169989963, 212.47258956909), (0.005139879, 0.0099032144)),
    ("FACO", 1e-4, 0, 1e-6, (83.90548434766616, 183.89840318331), (2.36391197e-6, 6.2345708e-5)),
    ("FAFO", 1e-4, 0.05, 1e-6, (110.6598550103554, 214.0818052867), (1.0136085e-6, 1.02650016e-6)),
]


def slow(kind: str, rate: Any, **more: Any) -> Circuits:
    return Circuits(Parametrisation[kind], Data(3, 1, 4, 1), eta_qk=rate, **more)


@pytest.mark.parametrize("row", SLOW, ids=lambda row: row[0])
def test_tables_of_the_window(row: tuple[Any, ...]) -> None:
    """α and β of an independent computation are those of the window, as far as β has moved."""
    kind, rate, alpha0, beta0, alphas, betas = row
    found, t = window(slow(kind, rate), alpha0, beta0), variables().time
    for log_time, alpha, beta in zip((20, 40), alphas, betas, strict=True):
        moved = 3 * beta + 0.005
        assert float(found.alpha.subs(t, exp(log_time))) == pytest.approx(alpha, rel=moved)
        assert float(found.beta.subs(t, exp(log_time))) == pytest.approx(beta, rel=2 * moved)
        assert float(found.score(alpha)) == pytest.approx(beta, rel=moved)


@given(
    st.sampled_from(Parametrisation),
    st.fractions(Fraction(1, 50), Fraction(1, 2), max_denominator=50),
    st.fractions(Fraction(1, 50), 3, max_denominator=50),
    st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_bounds_hold(kind: Parametrisation, start: Fraction, more: Fraction, uneven: bool) -> None:
    """Where β <= β₀ + drift, the enclosed β lies between the bounds, out of balance too."""
    imbalance = Rational(1, 2) if uneven and kind.factorised_value else 0
    circuits = slow(kind.value, Rational(1, 20), imbalance_ov=imbalance)
    first, last = (Rational(x.numerator, x.denominator) for x in (start, start + more))
    beta = enclosure.at_alpha(circuits, last, first, first).beta
    drift = float(beta.upper) - float(first) + 1e-9
    bounds = window(circuits, first, first).bounds(last, drift)
    with working("this test", 128):
        low, high = (ball("bound", bound) for bound in bounds)
        assert low < spanned(beta)
        assert spanned(beta) < high


def test_an_unbalanced_product_interpolates() -> None:
    """With a great imbalance the score of a product moves straight, with none exponentially."""
    one = window(slow("FACO", 1e-3, imbalance_qk=1000), 0, 0.01)
    same = window(slow("CACO", 1.0), 0, 0.01)
    assert float(one.score(1)) == pytest.approx(float(same.score(1)), rel=1e-6)
    less, none = (window(slow("FACO", 1e-3, imbalance_qk=x), 0, 0.01) for x in (1e-9, 0))
    assert float(less.score(9)) == pytest.approx(float(none.score(9)), rel=1e-6)


@pytest.mark.parametrize("row", SLOW, ids=lambda row: row[0])
def test_the_end_of_the_window(row: tuple[Any, ...]) -> None:
    """At the end for a small drift the flow has about moved so far, half way it has moved less."""
    kind, _, alpha0, beta0, *_ = row
    circuits = slow(kind, 1e-6)
    end = float(window(circuits, alpha0, beta0).ends(0.1))
    orbit = Orbit(circuits, alpha0, beta0)
    assert 0.04 < orbit.at_log_time(end).beta - beta0 < 0.11
    assert orbit.at_log_time(end / 2).beta - beta0 < 0.06


def test_what_has_no_window_is_told() -> None:
    """A balanced product that starts at 0 never moves, and negative starts are not covered."""
    with pytest.raises(ParameterError, match="alpha0 is 0, and the window needs a number above 0"):
        window(slow("CAFO", 1), 0, 0)
    with pytest.raises(ParameterError, match="beta0 is 0"):
        window(slow("FACO", 1), 0, 0)
    with pytest.raises(ParameterError, match="alpha0 is -1, and the window needs a number not"):
        window(slow("CACO", 1), -1, 0)


def test_conditions_name_what_is_small_and_what_is_large() -> None:
    """Both conditions are told, in numbers where there are numbers."""
    drift, late = window(slow("CACO", 1), 0, 0).conditions
    assert "relative error below d" in drift
    assert "3.22" in late
