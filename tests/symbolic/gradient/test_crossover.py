"""The crossover b* against quadrature and root finding in mpmath."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.crossover import crossover, crossover_float
from attnproof.symbolic.gradient.data import Data


@st.composite
def circuits(draw: st.DrawFn) -> Circuits:
    """Balanced circuits of all kinds."""
    common = draw(st.integers(1, 20))
    queries = draw(st.integers(1, common))
    data = Data(draw(st.integers(2, 12)), draw(st.integers(1, 4)), common, queries)
    scale = draw(st.sampled_from([0.5, 1.0, 2.0, 5.0]))
    return Circuits(draw(st.sampled_from(Parametrisation)), data, scale, draw(st.integers(1, 9)))


@given(circuits(), st.fractions(Fraction(1, 10**4), Fraction(1, 2), max_denominator=10**4))
@settings(max_examples=10, deadline=None)
def test_the_integral_changes_its_sign_in_the_enclosure(one: Circuits, beta0: Fraction) -> None:
    """∫ (1 - ω/(2β)) (1 + κ e^β) dβ from β₀, by quadrature, is below 0 before b*, above after."""
    found = crossover(one, float(beta0))
    omega, kappa = (mpmath.mpf(str(x.evalf(40))) for x in (one.omega, one.data.odds))
    start = mpmath.mpf(float(beta0))
    if start >= omega / 2:
        assert found.lower == found.upper == Fraction(float(beta0))
        return
    with mpmath.workdps(30):

        def ahead(b: Any) -> Any:
            return mpmath.quad(
                lambda x: (1 - omega / (2 * x)) * (1 + kappa * mpmath.exp(x)),
                [*mpmath.linspace(start, omega / 2, 5), b],
            )

        low, high = (mpmath.mpf(e.numerator) / e.denominator for e in (found.lower, found.upper))
        middle = (low + high) / 2
        assert high - low < mpmath.mpf(10) ** -25
        # h has slope 0 at ω/2, so a root just above is less sharp
        step = mpmath.mpf(10) ** -6
        assert ahead(middle + step) > 0
        assert middle - step < omega / 2 or ahead(middle - step) < 0
    assert crossover_float(one, float(beta0)) == pytest.approx(float(found), rel=1e-12)


@given(circuits())
@settings(max_examples=10, deadline=None)
def test_only_scale_and_data_matter(one: Circuits) -> None:
    """Rates and the value circuit do not change b*, and a smaller β₀ makes it greater."""
    other = replace(one, parametrisation=Parametrisation.CAFO, eta_qk=17, eta_ov=0.25)
    assert crossover(one, 0.01) == crossover(other, 0.01)
    half = float(one.omega) / 2
    assert crossover(one, half / 3) < crossover(one, half / 9)


@pytest.mark.parametrize("ask", [crossover, crossover_float])
@pytest.mark.parametrize("beta0", [0, -0.5])
def test_a_start_without_a_crossover_is_told(ask: Any, beta0: float) -> None:
    """Balanced factors keep the sign of β₀, so it must be above 0."""
    with pytest.raises(ParameterError, match=f"beta0 is {beta0}, and a balanced product keeps"):
        ask(Circuits(Parametrisation.FACO, Data(3, 1, 4, 1)), beta0)


@pytest.mark.parametrize("scale", [50, 300])
def test_floats_find_a_far_crossover(scale: int) -> None:
    """Where scores are large and e^β is far beyond 1, the float is still that of the enclosure."""
    one = Circuits(Parametrisation.FACO, Data(3, 1, 4, 1), scale)
    assert crossover_float(one, 1e-8) == pytest.approx(float(crossover(one, 1e-8)), rel=1e-12)
