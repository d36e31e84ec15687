"""One direction in matrix space, W = θ B, and the speed of θ when W is one matrix or a product.

B has equal singular values √c, each ``rank`` times, when B Bᵀ B = c B, and then |B|² = c·rank. One
matrix moves by θ' = -(η/|B|²) ∂L/∂θ. A product W = (x P Rᵀ)(y R P') with B = √c P P' has
|x P Rᵀ|² = rank·x², so that x' = -(η/rank) ∂L/∂x and likewise for y.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.symmetry import Kind, Orbit, inner, multiply, transpose

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from attnproof.symbolic.gradient.symmetry import Constant


@dataclass(frozen=True, slots=True)
class Ray:
    """The direction B by its value on each orbit, |B|², c and the rank."""

    direction: "tuple[tuple[Orbit, Expr], ...]"
    norm: "Expr"
    square: "Expr"
    rank: "Expr"

    def scaled(self, factor: "Expr") -> "Ray":
        """The direction times a number."""
        return Ray(
            tuple((orbit, factor * value) for orbit, value in self.direction),
            factor**2 * self.norm,
            factor**2 * self.square,
            self.rank,
        )


def ray(direction: "Constant", rows: Sequence[Kind], columns: Sequence[Kind]) -> Ray:
    """The norm and the singular values of a direction, by products of matrices of orbits.

    >>> from sympy import Symbol
    >>> from attnproof.symbolic.gradient.symmetry import matrix_orbits
    >>> K = Symbol("K", integer=True, positive=True)
    >>> classes = [Kind("class", "class", (K,))]
    >>> own, other = matrix_orbits(classes, classes)
    >>> centring = ray({own: 1 - 1 / K, other: -1 / K}, classes, classes)
    >>> centring.square, centring.rank
    (1, K - 1)

    Raises :class:`ValueError` where the singular values other than 0 are not all equal.
    """
    from sympy import cancel, factor

    gram = multiply(direction, transpose(direction), rows, columns, rows)
    cubed = multiply(gram, direction, rows, rows, columns)
    at = next(orbit for orbit, value in direction.items() if cancel(value) != 0)
    square = cancel(cubed[at] / direction[at])
    if any(cancel(cubed[orbit] - square * value) != 0 for orbit, value in direction.items()):
        raise ValueError("the direction has singular values of several sizes")
    norm = inner(direction, direction)
    pairs = tuple((orbit, factor(value)) for orbit, value in direction.items() if value != 0)
    return Ray(pairs, factor(norm), factor(square), factor(cancel(norm / square)))


@dataclass(frozen=True, slots=True)
class FactorFlow:
    """The flow of the two scalars x, y of a product, and what it says of θ = x y/√c.

    ``speed`` is θ' by x, y and the slope g = ∂L/∂θ; ``imbalance`` is x² - y², whose derivative is
    ``drift``; ``rescaling`` is the factor by which the product moves faster than one matrix.
    """

    x: "Symbol"
    y: "Symbol"
    slope: "Symbol"
    x_velocity: "Expr"
    y_velocity: "Expr"
    speed: "Expr"
    imbalance: "Expr"
    drift: "Expr"


def factor_flow(one: Ray, eta: "Expr") -> FactorFlow:
    """The chain rule for θ = x y/√c, where |W_O|² = rank·x² and |W_V|² = rank·y²."""
    from sympy import Symbol, diff, expand, factor, sqrt

    x, y, slope = Symbol("x", real=True), Symbol("y", real=True), Symbol("g", real=True)
    theta = x * y / sqrt(one.square)
    x_velocity = -eta / one.rank * slope * diff(theta, x)
    y_velocity = -eta / one.rank * slope * diff(theta, y)
    speed = diff(theta, x) * x_velocity + diff(theta, y) * y_velocity
    imbalance = x**2 - y**2
    drift = expand(diff(imbalance, x) * x_velocity + diff(imbalance, y) * y_velocity)
    return FactorFlow(x, y, slope, x_velocity, y_velocity, factor(speed), imbalance, drift)


def rescaling(one: Ray, theta: "Expr", imbalance: "Expr", *, product: bool) -> "Expr":
    """By how much θ moves faster than with one matrix: 1, or x² + y² = √(λ² + 4 c θ²).

    For λ = x² - y² the square of x² + y² is λ² + 4 x² y², and x y = √c θ.
    """
    from sympy import Integer, sqrt

    return sqrt(imbalance**2 + 4 * one.square * theta**2) if product else Integer(1)
