"""The score b* beyond which factorised attention is sharper than one matrix, at equal loss.

∫ (1 - ω/(2β)) (1 + κ e^β) dβ from β₀ to b* is 0, and b* = β₀ where β₀ >= ω/2: balanced factors
move slower than one matrix while β < ω/2, and faster after. b* knows neither learning rates nor the
value circuit.
"""

from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.ball_curve import BallCurve
from attnproof.symbolic.gradient.balls import BITS, Ball, Enclosure, enclosure, working
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation, exact
from attnproof.symbolic.gradient.enclosure import narrowed

if TYPE_CHECKING:
    from sympy import Expr

#: Digits of the search that gives a float.
_DIGITS = 30


def crossover(circuits: Circuits, beta0: Any, *, bits: int = BITS) -> Enclosure:
    """b* of balanced factorised attention against one matrix, from the same β₀ > 0, enclosed.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> circuits = Circuits(Parametrisation.FACO, Data(3, 1, 4, 1))
    >>> round(float(crossover(circuits, 0.01)), 12)
    1.651889966144
    >>> crossover(circuits, 1).width
    Fraction(0, 1)

    Reads K, r, M, Q and the scale of ``circuits`` and nothing else of it. Law: grows as β₀ falls
    below ω/2. Raises :class:`ParameterError` for β₀ <= 0, where balanced factors never leave the
    sign, and :class:`MissingExtra` without python-flint. Source: ours.
    """
    _positive(beta0)
    with working("the crossover, enclosed", bits):
        one, two = (BallCurve(kind, 0, beta0) for kind in _both(circuits))
        start, turn = one.beta0, one.omega / 2
        if start >= turn:
            return enclosure(start)

        def ahead(b: Ball) -> Ball:
            return one.rise(b) - two.rise(b.log())

        def slope(b: Ball) -> Ball:
            return (1 - turn / b) * (1 + one.kappa * b.exp())

        high = turn.upper() + 1
        while not ahead(high) > 0:
            high = 2 * high
        low = start.union(turn).upper()
        if not ahead(low) < 0:
            return enclosure(start.union(high))
        return enclosure(narrowed(ahead, slope, low, high))


def crossover_float(circuits: Circuits, beta0: Any) -> float:
    """b* in double precision, from mpmath; no enclosure.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> round(crossover_float(Circuits(Parametrisation.FACO, Data(3, 1, 4, 1)), 0.01), 12)
    1.651889966144

    Raises :class:`ParameterError` for β₀ <= 0.
    """
    import mpmath

    start = _positive(beta0)
    with mpmath.workdps(_DIGITS):
        b0 = mpmath.mpf(str(start.evalf(_DIGITS)))
        omega = mpmath.mpf(str(circuits.omega.evalf(_DIGITS)))
        kappa = mpmath.mpf(str(circuits.data.odds.evalf(_DIGITS)))
        if b0 >= omega / 2:
            return float(b0)

        def ahead(b: Any) -> Any:
            one = b - b0 + kappa * (mpmath.exp(b) - mpmath.exp(b0))
            two = mpmath.log(b / b0) + kappa * (mpmath.ei(b) - mpmath.ei(b0))
            return (one - omega / 2 * two) / (1 + kappa * mpmath.exp(b))

        high = omega / 2 + 1
        while ahead(high) <= 0:
            high *= 2
        return float(mpmath.findroot(ahead, (omega / 2, high), solver="anderson"))


def _both(circuits: Circuits) -> tuple[Circuits, Circuits]:
    kinds = Parametrisation.CACO, Parametrisation.FACO
    one, two = (Circuits(kind, circuits.data, circuits.scale) for kind in kinds)
    return one, two


def _positive(beta0: Any) -> "Expr":
    start = exact("beta0", beta0)
    if not start.is_positive:
        raise ParameterError(
            f"beta0 is {beta0}, and a balanced product keeps the sign of its start; give a "
            "number above 0",
            beta0=beta0,
        )
    return start
