"""Closed forms: SymPy finds them right, and their numbers are those of orbits."""

from dataclasses import replace

import mpmath
import pytest
import sympy

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.closed_form import (
    ClosedForm,
    closed_form,
    early,
    late_margin,
    residuals,
    starts,
)
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.orbit import Orbit
from attnproof.symbolic.gradient.symbols import variables

KINDS = tuple(Parametrisation)
ALPHA, BETA, TIME = variables()
SMALL = Data(3, 2, 4, 2)
LAMBDA_Q, LAMBDA_V = sympy.symbols("lambda_Q lambda_V", positive=True)


def begun(kind: Parametrisation) -> tuple[float, float]:
    """A start in binary fractions."""
    return 0.0625 * kind.factorised_value, 0.0625 * kind.factorised_attention


@pytest.mark.parametrize("kind", KINDS)
def test_sympy_finds_it_right(kind: Parametrisation) -> None:
    """All residuals are 0, for all sizes, balanced and unbalanced."""
    uneven = Circuits(
        kind,
        Data(),
        imbalance_qk=LAMBDA_Q if kind.factorised_attention else 0,
        imbalance_ov=LAMBDA_V if kind.factorised_value else 0,
    )
    for flow in (Circuits(kind, Data()), uneven):
        assert set(residuals(closed_form(flow))) == {0}


def test_a_wrong_closed_form_has_a_residual() -> None:
    """Another α, time or branch of the odds is found out."""
    found = closed_form(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)))
    assert found.odds is not None
    doubled = 2 * found.time.function
    wrong: list[ClosedForm] = [
        replace(found, alpha=2 * found.alpha),
        replace(found, time=sympy.Integral(doubled, *found.time.limits)),
        replace(found, odds=2 * found.odds),
    ]
    assert all(set(residuals(one)) != {0} for one in wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_its_numbers_are_those_of_the_orbit(kind: Parametrisation) -> None:
    """α, the odds by Lambert W and both integrals of the time, at a loss of 0.1."""
    flow = Circuits(kind, SMALL)
    alpha0, beta0 = begun(kind)
    at = Orbit(flow, alpha0, beta0).at_loss(0.1)
    found = closed_form(flow)
    begin = {starts().alpha: sympy.Rational(alpha0), starts().beta: sympy.Rational(beta0)}
    value = at.beta if kind.factorised_attention else at.odds
    alpha = found.alpha.subs(begin).subs(found.parameter, value)
    assert float(alpha) == pytest.approx(at.alpha, rel=1e-12)
    clocks = [(found.time, found.parameter, value)]
    if found.odds is not None and found.time_by_alpha is not None:
        odds = found.odds.subs(begin).subs(ALPHA, at.alpha)
        assert float(odds) == pytest.approx(at.odds, rel=1e-12)
        clocks.append((found.time_by_alpha, ALPHA, at.alpha))
    else:
        assert kind.factorised_attention
    for clock, end, stop in clocks:
        filled = clock.subs(begin).subs(end, stop)
        (bound, low, high), integrand = filled.limits[0], filled.function
        function = sympy.lambdify(bound, integrand, modules="mpmath")
        with mpmath.workdps(20):
            time = mpmath.quad(function, [float(low), (float(low) + float(high)) / 2, float(high)])
        assert float(time.real) == pytest.approx(at.time, rel=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_late_margins(kind: Parametrisation) -> None:
    """At log t = 3000 the margin is the stated one: log(c t), or W₋₁ of a number near 0."""
    flow = Circuits(kind, Data(3, 1, 4, 1))
    at = Orbit(flow, *begun(kind)).at_log_time(3000)
    expected = late_margin(flow).subs(TIME, sympy.exp(3000)).evalf(30)
    tolerance = 1e-3 if kind.factorised_value else 1e-8
    assert float(expected) == pytest.approx(at.margin, abs=tolerance)


def test_early_times_from_zero() -> None:
    """From 0 in CACO, with e₀ = (K-1)/K: α ≈ μ_OV s₀ e₀ t, β ≈ μ_QK μ_OV s₀² (1-s₀) e₀² t²/2."""
    flow = Circuits(Parametrisation.CACO, Data())
    K, s = flow.data.classes, flow.data.uniform
    alpha, beta = early(flow, 0, 0)
    rate = flow.mu_ov * s * (K - 1) / K
    assert sympy.simplify(alpha.coeff(TIME, 1) - rate) == 0
    assert beta.coeff(TIME, 1) == 0
    turn = flow.mu_qk * (1 - s) * s * (K - 1) / K * rate / 2
    assert sympy.simplify(beta.coeff(TIME, 2) - turn) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_early_series_start_the_orbit(kind: Parametrisation) -> None:
    """To order 2 at t = 1/256 the series is the orbit up to t³, also from negative starts."""
    for alpha0, beta0 in ((0.5, 0.25), (-0.5, -0.25)):
        flow = Circuits(kind, SMALL)
        series = [float(one.subs(TIME, 1 / 256)) for one in early(flow, alpha0, beta0)]
        at = Orbit(flow, alpha0, beta0).at_time(1 / 256)
        assert (at.alpha, at.beta) == pytest.approx(series, abs=1e-7)


def test_a_wrong_order_is_said() -> None:
    """The order of a series is an integer, 0 or more."""
    with pytest.raises(ParameterError, match=r"^order is -1; give an integer, 0 or more$"):
        early(Circuits(Parametrisation.CACO, SMALL), 0, 0, -1)
