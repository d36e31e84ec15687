"""What the gradient flow conserves: I = Φ(β) - R Ψ(α), for products and for single matrices.

dβ/dα = R (P_QK/P_OV) α (1-s) is separable, and 1/(1-s) = 1 + κ e^β, so that
Φ = ∫ (1 + κ e^β)/P_QK dβ and Ψ = ∫ α/P_OV dα.
"""

from collections.abc import Callable
from math import isfinite, nan
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.ode import in_quadrant, lambdified, velocity
from attnproof.symbolic.gradient.symbols import variables

if TYPE_CHECKING:
    from sympy import Expr


def phi(circuits: Circuits) -> "Expr":
    """Φ(β): β + κ e^β for one matrix, ±(ω/2)(log|β| + κ Ei β) with the sign of β for a balanced
    product; for an unbalanced one the part without a closed form stays an ``Integral``.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> phi(Circuits(Parametrisation.CACO, Data()))
    beta + r*exp(beta)/M

    Law: increasing in β on each side of 0, with derivative 1/((1-s) P_QK). Source: ours.
    """
    from sympy import Abs, Ei, Integral, Symbol, asinh, exp, log, sign, sqrt

    beta, kappa = variables().beta, circuits.data.odds
    if not circuits.parametrisation.factorised_attention:
        return beta + kappa * exp(beta)
    half, uneven = circuits.omega / 2, circuits.imbalance_qk
    if uneven == 0:
        return sign(beta) * half * (log(Abs(beta)) + kappa * Ei(beta))
    b = Symbol("b", real=True)
    gain = sqrt(uneven**2 + 4 * b**2 / circuits.omega**2)
    return half * asinh(beta / (half * Abs(uneven))) + kappa * Integral(exp(b) / gain, (b, 0, beta))


def psi(circuits: Circuits) -> "Expr":
    """Ψ(α): α²/2 for one matrix, √(λ² + 4rα²)/(4r) for a product, |α|/(2√r) where it is balanced.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> psi(Circuits(Parametrisation.CAFO, Data()))
    Abs(alpha)/(2*sqrt(r))

    Law: even in α, with derivative α/P_OV. Source: ours.
    """
    from sympy import Abs, sqrt

    alpha, r = variables().alpha, circuits.data.distinct
    if not circuits.parametrisation.factorised_value:
        return alpha**2 / 2
    if circuits.imbalance_ov == 0:
        return Abs(alpha) / (2 * sqrt(r))
    return sqrt(circuits.imbalance_ov**2 + 4 * r * alpha**2) / (4 * r)


def first_integral(circuits: Circuits) -> "Expr":
    """I = Φ(β) - R Ψ(α), constant along every orbit.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> first_integral(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)))
    -7*alpha**2/12 + beta + exp(beta)/4

    Source: ours; the orbit depends on the learning rates through η_QK/η_OV alone.
    """
    return phi(circuits) - circuits.slope * psi(circuits)


def along(
    expression: "Expr", circuits: Circuits, alpha_sign: int = 1, beta_sign: int = 1
) -> "Expr":
    """The rate of change along the flow, ∂_α α' + ∂_β β', where α and β have these signs."""
    alpha, beta, _ = variables()
    here, *rates = (
        in_quadrant(one, alpha_sign, beta_sign) for one in (expression, *velocity(circuits))
    )
    return here.diff(alpha) * rates[0] + here.diff(beta) * rates[1]


def drift(circuits: Circuits) -> tuple["Expr", ...]:
    """The rate of change of the first integral, simplified, in the quadrants of (α, β) that the
    formulas tell apart: all are 0.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> drift(Circuits(Parametrisation.CACO, Data()))
    (0,)
    >>> drift(Circuits(Parametrisation.FAFO, Data()))
    (0, 0, 0, 0)
    """
    kind = circuits.parametrisation
    signs_ov = (1, -1) if kind.factorised_value and circuits.imbalance_ov == 0 else (1,)
    signs_qk = (1, -1) if kind.factorised_attention and circuits.imbalance_qk == 0 else (1,)
    found = first_integral(circuits)
    return tuple(_simplified(along(found, circuits, a, b)) for a in signs_ov for b in signs_qk)


def conserved(circuits: Circuits) -> bool:
    """SymPy finds that the first integral does not change along the flow."""
    return all(rate == 0 for rate in drift(circuits))


def line_coordinates(circuits: Circuits) -> Callable[[float, float], tuple[float, float]]:
    """Φ(β) and Ψ(α) as floats, given α and β; NaN where they are not finite.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> line_coordinates(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)))(2.0, 0.0)
    (0.25, 2.0)
    """
    both = lambdified((phi(circuits), psi(circuits)), "mpmath")

    def found(alpha: float, beta: float) -> tuple[float, float]:
        first, second = (float(each) for each in both(alpha, beta))
        return (first if isfinite(first) else nan), second

    return found


def _simplified(expression: "Expr") -> "Expr":
    """Simplified, also under roots, where positive factors are taken out."""
    from sympy import Pow, Rational, factor, simplify

    half = Rational(1, 2)
    found = simplify(expression)
    factored = found.replace(
        lambda one: isinstance(one, Pow) and abs(one.exp) == half,
        lambda one: Pow(factor(one.base), one.exp),
    )
    return found if factored == found else simplify(factored)
