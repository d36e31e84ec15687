"""States and times on an orbit of the gradient flow, enclosed rigorously: no float enters.

A state at a loss is a root of an increasing function, by a change of sign and Newton's method on
intervals. The time at α is t = ∫ (1 + e^z/(K-1))/(μ_OV P_OV(α) s) dα along the orbit, z = s α: the
integrand is analytic near the reals, and Arb bounds the error of its quadrature.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.gradient.ball_curve import BallCurve
from attnproof.symbolic.gradient.balls import BITS, Ball, Enclosure, ball, enclosure, working
from attnproof.symbolic.gradient.circuits import exact

if TYPE_CHECKING:
    from attnproof.symbolic.gradient.circuits import Circuits

_WHAT = "a rigorous enclosure"
_STEPS = 600
#: Where an integral ends; the enclosure is then wide, and right.
_EVALUATIONS = 50_000


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A state of the flow: α, β, attention s, odds s/(1-s), margin z = s α and loss."""

    alpha: Enclosure
    beta: Enclosure
    attention: Enclosure
    odds: Enclosure
    margin: Enclosure
    loss: Enclosure


def at_loss(
    circuits: "Circuits", loss: Any, alpha0: Any, beta0: Any, *, bits: int = BITS
) -> Enclosed:
    """The state in which the loss, which falls all along the flow, has the given value.

    >>> from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> circuits = Circuits(Parametrisation.CACO, Data(5, 1, 15, 1), eta_qk=0.15)
    >>> found = at_loss(circuits, 0.001, 0, 0).attention
    >>> round(float(found), 12), found.width < 1e-30
    (0.810588167837, True)

    All parametrisations, balanced or not, and all signs of the start. Raises
    :class:`ParameterError` for a loss that the flow does not reach, or that is not below that of
    the start, and :class:`MissingExtra` without python-flint. Source: ours.
    """
    wanted = exact("loss", loss)
    with working(_WHAT, bits) as flint:
        curve = BallCurve(circuits, alpha0, beta0)
        target = ball("loss", wanted)
        if not target > 0:
            raise ParameterError(f"loss is {loss}; give a number above 0", loss=loss)
        margin = ((curve.classes - 1) / target.expm1()).log()
        start = curve.alpha0 * curve.attention(curve.beta0)
        if not margin > start:
            reached = float((1 + (curve.classes - 1) * (-start).exp()).log())
            raise ParameterError(
                f"loss is {loss}, and the flow starts at {reached:.6g} and falls; give less",
                loss=loss,
            )
        if curve.sign_ov <= 0 and curve.balanced_ov and not (curve.sign_ov and margin < 0):
            raise ParameterError(
                f"loss is {loss}: from alpha0 = {alpha0} a balanced product falls to log K at "
                "most; give alpha0 above 0",
                alpha0=alpha0,
                loss=loss,
            )
        x = curve.x0 if curve.still else _root(curve, margin)
        beta = curve.beta(x)
        return _state(flint, curve, margin / curve.attention(beta), beta, margin)


def at_alpha(
    circuits: "Circuits", alpha: Any, alpha0: Any, beta0: Any, *, bits: int = BITS
) -> Enclosed:
    """The state in which the OV scalar has the given value.

    >>> from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> circuits = Circuits(Parametrisation.CACO, Data(3, 1, 4, 1))
    >>> round(float(at_alpha(circuits, 100, 0, 0).beta), 12)
    10.055955796868

    Raises :class:`ParameterError` for an α that the flow has not on its way, and where
    factorised attention is not balanced; :class:`MissingExtra` without python-flint.
    """
    wanted = exact("alpha", alpha)
    with working(_WHAT, bits) as flint:
        curve = BallCurve(circuits, alpha0, beta0)
        target = ball("alpha", wanted)
        _on_the_way(curve, target, alpha)
        beta = curve.at(target)
        return _state(flint, curve, target, beta, target * curve.attention(beta))


def time(
    circuits: "Circuits", alpha: Any, alpha0: Any, beta0: Any, *, bits: int = BITS
) -> Enclosure:
    """The time at which the OV scalar has the given value, a number or an :class:`Enclosure`.

    >>> from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> found = time(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)), 1, 0, 0)
    >>> round(float(found), 12), found.width < 1e-30
    (13.951471963639, True)

    A start at α₀ = 0 is none that is special: α is the variable of the integral. Raises as
    :func:`at_alpha`, and :class:`InputError` where the bits do not suffice. Law: the enclosures
    for several ``bits`` meet. Source: ours.
    """
    given = (alpha.lower, alpha.upper) if isinstance(alpha, Enclosure) else (alpha,)
    ends = [exact("alpha", end) for end in given]
    with working(_WHAT, bits) as flint:
        curve = BallCurve(circuits, alpha0, beta0)
        total, before, found = flint.arb(0), curve.alpha0, []
        for end in ends:
            target = ball("alpha", end)
            _on_the_way(curve, target, alpha)
            total = total + _integral(flint, curve, before, target)
            if not total.is_finite():
                raise InputError(
                    f"{bits} bits are too few to enclose the time at alpha = {alpha}; give more",
                    bits=bits,
                    alpha=alpha,
                )
            found.append(enclosure(total))
            before = target
    return Enclosure(found[0].lower, found[-1].upper)


def _integral(flint: Any, curve: BallCurve, low: Ball, high: Ball) -> Ball:
    def integrand(alpha: Ball, analytic: bool) -> Ball:
        if not analytic:
            alpha = alpha.real
        spread = 1 + (-curve.at(alpha)).exp() / curve.kappa
        margin = (alpha / spread).exp() / (curve.classes - 1)
        return flint.acb((1 + margin) * spread / (curve.mu * curve.gain(alpha)))

    ends = flint.acb(low), flint.acb(high)
    return flint.acb.integral(integrand, *ends, use_heap=True, eval_limit=_EVALUATIONS).real


def _root(curve: BallCurve, margin: Ball) -> Ball:
    """The x at which s α is the margin; what vanishes there increases in x."""

    def miss(x: Ball) -> Ball:
        return curve.rise(x) - curve.height(margin / curve.attention(curve.beta(x)))

    def steepness(x: Ball) -> Ball:
        tail = (-curve.beta(x)).exp() / curve.kappa
        falling = curve.psi_slope(margin * (1 + tail)) * margin * tail * curve.beta_slope(x)
        return curve.rise_slope(x) + curve.ratio * falling

    return narrowed(miss, steepness, *curve.bracket(miss, curve.x0.mid()))


def narrowed(function: Any, derivative: Any, low: Ball, high: Ball) -> Ball:
    """A ball around the root of an increasing function, which changes its sign in the bracket.

    Newton's method on intervals, m - f(m)/f'([low, high]), and bisection where that is no help;
    ends where neither narrows.
    """
    for _ in range(_STEPS):
        middle = ((low + high) / 2).mid()
        value, slope = function(middle), derivative(low.union(high))
        nearer = middle - value / slope if slope > 0 else value * value.nan()
        if nearer.is_finite():
            lower, upper = max(low, nearer.lower()), min(high, nearer.upper())
        else:
            lower, upper = low, high
        if (upper - lower) * 2 > high - low:
            if value > 0:
                upper = min(upper, middle)
            elif value < 0:
                lower = max(lower, middle)
            else:
                return lower.union(upper)
        if not upper - lower < high - low:
            return lower.union(upper)
        low, high = lower, upper
    return low.union(high)


def _on_the_way(curve: BallCurve, target: Ball, alpha: Any) -> None:
    curve.closed()
    kept = curve.sign_ov * target > 0 if curve.balanced_ov else True
    if not target >= curve.alpha0 or not kept:
        raise ParameterError(
            f"alpha is {alpha}, and the flow goes up from {float(curve.alpha0):g}"
            + ("" if kept else " and a balanced product keeps its sign")
            + "; give a value on its way",
            alpha=alpha,
        )


def _state(flint: Any, curve: BallCurve, alpha: Ball, beta: Ball, margin: Ball) -> Enclosed:
    odds = curve.kappa * beta.exp()
    loss = ((curve.classes - 1) * (-margin).exp()).log1p()
    shares = alpha, beta, curve.attention(beta), odds, margin, loss
    for share in shares:
        if not flint.arb(share).is_finite():
            raise InputError("the bits are too few to enclose this state; give more")
    return Enclosed(*(enclosure(share) for share in shares))
