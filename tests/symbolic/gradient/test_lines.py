"""The senses of \"the parameters move along a line\", and schedules that keep or bend it."""

from fractions import Fraction

import pytest
import sympy

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient import matrices
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.closed_form import starts
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.integrals import psi
from attnproof.symbolic.gradient.lines import Sense, line, lines
from attnproof.symbolic.gradient.orbit import Orbit
from attnproof.symbolic.gradient.schedules import common, ratio
from attnproof.symbolic.gradient.symbols import variables

KINDS = tuple(Parametrisation)
ALPHA, BETA, TIME = variables()
SMALL = Data(3, 2, 4, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_every_sense_holds_and_is_stated(kind: Parametrisation) -> None:
    """Each line has a statement, hypotheses and a check that SymPy passes."""
    found = lines(Circuits(kind, Data()))
    assert len(found) == 3 + (kind is Parametrisation.CACO)
    for one in found:
        assert one.statement.endswith(".")
        assert one.hypotheses
        assert one.holds(), one


@pytest.mark.parametrize("kind", KINDS)
def test_orbits_lie_on_the_line_of_the_integrals(kind: Parametrisation) -> None:
    """The equation of sense (ii) holds at points of an orbit."""
    alpha0, beta0 = 0.125 * kind.factorised_value, 0.125 * kind.factorised_attention
    flow = Circuits(kind, SMALL)
    equation = line(flow, Sense.INTEGRAL).equation
    assert equation is not None
    orbit = Orbit(flow, alpha0, beta0)
    for time in (1, 30, 1000):
        at = orbit.at_time(time)
        here = {ALPHA: at.alpha, BETA: at.beta, starts().alpha: alpha0, starts().beta: beta0}
        assert float((equation.lhs - equation.rhs).subs(here)) == pytest.approx(0, abs=1e-10)


def test_the_plane_itself_has_no_line() -> None:
    """In CACO and in late CAFO, β is no affine function of α."""
    for kind in (Parametrisation.CACO, Parametrisation.CAFO):
        orbit = Orbit(Circuits(kind, SMALL), 0.125, 0)
        points = [orbit.at_alpha(alpha) for alpha in (0.125, 4.125, 8.125)]
        first, second = (points[i + 1].beta - points[i].beta for i in (0, 1))
        assert abs(second - first) > 0.1


def test_early_lines_are_tangents() -> None:
    """In CAFO the error of the early line is quadratic in the change of α: a true line."""
    flow = Circuits(Parametrisation.CAFO, SMALL)
    slope = line(flow, Sense.EARLY).slope
    assert slope is not None
    number = float(slope.subs(starts().beta, 0) * psi(flow).subs(ALPHA, 1))
    orbit = Orbit(flow, 0.5, 0)
    errors = [orbit.at_alpha(0.5 + h).beta - number * h for h in (0.02, 0.01)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.02)


def test_sign_descent_is_a_line_step_by_step() -> None:
    """Sign descent on all weights, with gradients in exact fractions of e, has β = ρ(α - 2h)."""
    sizes, rho, step = matrices.Sizes(3, 1, 2, 1), Fraction(3, 2), Fraction(1, 100)
    values, scores = sympy.zeros(3, 5), sympy.zeros(5, 5)
    symbols = matrices.point()
    for count in range(1, 5):
        alpha = values[0, 0] - values[1, 0]
        beta = scores[0, 3] - scores[3, 3]
        around = {symbols.ratio: sympy.exp(beta), symbols.wrong: sympy.Rational(1, 2)}
        ov, qk = (one.subs(around) for one in matrices.descents(sizes, values))
        values += sympy.Rational(step) * ov.applyfunc(sympy.sign)
        scores += sympy.Rational(rho * step) * qk.applyfunc(
            lambda entry: sympy.sign(sympy.simplify(entry))
        )
        alpha, beta = values[0, 0] - values[1, 0], scores[0, 3] - scores[3, 3]
        assert alpha == 2 * count * sympy.Rational(step)
        assert beta == sympy.Rational(rho) * (alpha - 2 * sympy.Rational(step))
        assert values[:, 3:] == sympy.zeros(3, 2)


def test_signs_are_for_single_matrices() -> None:
    """The sense of signs is an error elsewhere, which says so."""
    with pytest.raises(ParameterError) as caught:
        line(Circuits(Parametrisation.FACO, SMALL), Sense.SIGN)
    assert str(caught.value) == (
        "FACO has a product of two matrices; signs of gradients give a line in CACO"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_schedules(kind: Parametrisation) -> None:
    """For any h and ρ, a common schedule keeps the orbit and a moving ratio has Φ' = R(t) Ψ'."""
    flow = Circuits(kind, SMALL)
    assert common(flow).holds()
    bent = ratio(flow)
    assert bent.holds()
    assert bent.clock is None
    ordinary = ratio(flow, sympy.Integer(1))
    assert ordinary.residuals == (0, 0) or ordinary.holds()


def test_a_common_schedule_reclocks_a_march() -> None:
    """Small steps with rates times 1/(1+t) are at t where the flow is at log(1+t)."""
    from attnproof.symbolic.gradient.ode import lambdified, velocity

    flow = Circuits(Parametrisation.FAFO, SMALL)
    rates = lambdified(velocity(flow), "math")
    state, steps, end = [0.5, 0.5], 2000, 20.0
    h = end / steps
    for i in range(steps):
        first = rates(*state)
        middle = [state[j] + h / 2 * first[j] / (1 + i * h) for j in (0, 1)]
        second = rates(*middle)
        state = [state[j] + h * second[j] / (1 + (i + 0.5) * h) for j in (0, 1)]
    clock = common(flow, 1 / (1 + TIME)).clock
    assert clock is not None
    at = Orbit(flow, 0.5, 0.5).at_time(float(clock.doit().subs(TIME, end)))
    assert (at.alpha, at.beta) == pytest.approx(state, abs=1e-5)


def test_a_ratio_between_two_bounds_stays_between_their_orbits() -> None:
    """With ρ(t) in [1/2, 2] the attention at a loss lies between those of the constant ratios."""
    from attnproof.symbolic.gradient.ode import attention, lambdified, loss, velocity

    slow, fast = (Circuits(Parametrisation.CACO, SMALL, eta_qk=one) for one in (0.5, 2))
    rates = [lambdified(velocity(one), "math") for one in (slow, fast)]
    level, read = (lambdified(one(slow), "math") for one in (loss, attention))
    alpha, beta, h, i = 0.0, 0.0, 0.05, 0
    while level(alpha, beta) > 0.05:
        da, db = rates[i // 40 % 2](alpha, beta)
        alpha, beta, i = alpha + h * da, beta + h * db, i + 1
    reached = level(alpha, beta)
    low, high = (Orbit(one).at_loss(reached).attention for one in (slow, fast))
    assert low < read(alpha, beta) < high
