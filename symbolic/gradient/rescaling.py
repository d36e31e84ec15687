"""A product of matrices moves as one matrix under a preconditioner that depends on the state.

With W = A B, loss gradient G by W and rates for the factors, A' = -η_A G Bᵀ and B' = -η_B Aᵀ G, so
W' = -(η_B A Aᵀ G + η_A G Bᵀ B). The balance Aᵀ A/η_A - B Bᵀ/η_B does not move; where it is 0 and
the rates are equal, A Aᵀ = (W Wᵀ)^½ and Bᵀ B = (Wᵀ W)^½.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.gradient.circuits import exact

if TYPE_CHECKING:
    from sympy import Expr, Matrix


@dataclass(frozen=True, slots=True)
class Identity:
    """Two matrices that are equal for all entries; ``holds`` decides it exactly."""

    name: str
    left: "Matrix"
    right: "Matrix"

    @property
    def holds(self) -> bool:
        """Whether the difference is 0 after expansion into powers of the entries."""
        difference = self.left - self.right
        return all(value.expand() == 0 for value in difference)

    def _repr_latex_(self) -> str:
        from sympy import latex

        return f"$${latex(self.left)} = {latex(self.right)}$$"


def rescaled(
    left: "Matrix",
    right: "Matrix",
    gradient: "Matrix",
    eta: Any = 1,
    *,
    eta_left: Any = None,
    eta_right: Any = None,
) -> "Matrix":
    """W' for W = left·right, from the gradient of the loss by W; shapes (m, h), (h, n), (m, n).

    >>> from sympy import Matrix
    >>> rescaled(Matrix([[2]]), Matrix([[3]]), Matrix([[1]]))
    Matrix([[-13]])

    ``eta_left`` and ``eta_right`` are rates of one factor alone, ``eta`` where they are left out.
    Raises :class:`ShapeError` for shapes that do not fit. Source: ours.
    """
    _fits(left, right, gradient)
    rates = _rates(eta, eta_left, eta_right)
    return -(rates[1] * left * left.T * gradient + rates[0] * gradient * right.T * right)


def balanced(weights: "Matrix", gradient: "Matrix", eta: Any = 1) -> "Matrix":
    """W' of a balanced product, by W alone: -η ((W Wᵀ)^½ G + G (Wᵀ W)^½).

    >>> from sympy import Matrix, eye
    >>> balanced(Matrix([[4, 0], [0, 9]]), eye(2)).tolist()
    [[-8, 0], [0, -18]]

    Raises :class:`ShapeError` for a gradient of another shape, and as :func:`root`.
    """
    rate = exact("eta", eta)
    if gradient.shape != weights.shape:
        raise ShapeError(
            f"the weights have shape {weights.shape} and the gradient {gradient.shape}; give the "
            "same",
            weights=weights.shape,
            gradient=gradient.shape,
        )
    return -rate * (root(weights * weights.T) * gradient + gradient * root(weights.T * weights))


def root(square: "Matrix") -> "Matrix":
    """The positive root of a positive semidefinite matrix, as a polynomial in it.

    >>> from sympy import Matrix
    >>> root(Matrix([[5, 4], [4, 5]])).tolist()
    [[2, 1], [1, 2]]

    Raises :class:`ShapeError` for a matrix that is not square, and where an eigenvalue has no
    closed form by square roots.
    """
    from sympy import Pow, eye, simplify, sqrt, zeros

    size = square.rows
    if square.cols != size:
        raise ShapeError(f"the matrix has shape {square.shape}; give a square one")
    found = square.eigenvals()
    powers = set().union(*(one.atoms(Pow) for one in found))
    deep = any(one.exp.is_Rational and one.exp.q > 2 for one in powers)
    if deep or sum(found.values()) != size:
        raise ShapeError(
            f"the eigenvalues of this {size} x {size} matrix have no closed form by square roots"
        )
    total = zeros(size, size)
    for one in found:
        projector = eye(size)
        for other in found:
            if other != one:
                projector = projector * (square - other * eye(size)) / (one - other)
        total += sqrt(one) * projector
    return total.applyfunc(simplify)


def factor(sigma: Any, imbalance: Any = 0, *, eta_left: Any = 1, eta_right: Any = 1) -> "Expr":
    """By how much a singular value σ = u v moves faster than with one matrix and rate 1.

    η_u v² + η_v u² for u' = -η_u v g and v' = -η_v u g. By the conserved λ = u²/η_u - v²/η_v it is
    η_u η_v √(λ² + 4 σ²/(η_u η_v)), which for rates 1 is √(λ² + 4 σ²), and 2 |σ| where balanced.

    >>> from sympy import Symbol
    >>> factor(Symbol("sigma", positive=True))
    2*sigma
    >>> factor(Symbol("sigma"), Symbol("lambda"))
    sqrt(lambda**2 + 4*sigma**2)
    """
    from sympy import sqrt, sympify

    both = exact("eta_left", eta_left) * exact("eta_right", eta_right)
    return both * sqrt(sympify(imbalance) ** 2 + 4 * sympify(sigma) ** 2 / both)


def balance_identity(
    left: "Matrix",
    right: "Matrix",
    gradient: "Matrix",
    *,
    eta_left: Any = 1,
    eta_right: Any = 1,
) -> Identity:
    """The flow keeps AᵀA/η_A - BBᵀ/η_B: its derivative, and zero.

    With A = W_O and B = W_V this is W_OᵀW_O - W_V W_Vᵀ; with A = W_Kᵀ and B = W_Q it is
    W_K W_Kᵀ - W_Q W_Qᵀ. Symbols as entries make it an identity for all matrices of the size.

    >>> balance_identity(*generic(2, 1, 2)).holds
    True
    """
    from sympy import zeros

    _fits(left, right, gradient)
    rates = _rates(1, eta_left, eta_right)
    moved = -rates[0] * gradient * right.T
    turned = -rates[1] * left.T * gradient
    derivative = (moved.T * left + left.T * moved) / rates[0]
    derivative -= (turned * right.T + right * turned.T) / rates[1]
    return Identity("flow of the balance", derivative.expand(), zeros(left.cols, left.cols))


def step_identity(left: "Matrix", right: "Matrix", gradient: "Matrix", eta: Any = 1) -> Identity:
    """A step of gradient descent moves AᵀA - BBᵀ by η² (B GᵀG Bᵀ - Aᵀ G Gᵀ A), exactly.

    >>> from sympy import Symbol
    >>> step_identity(*generic(2, 1, 2), Symbol("eta")).holds
    True
    """
    _fits(left, right, gradient)
    rate = exact("eta", eta)
    stepped = left - rate * gradient * right.T
    turned = right - rate * left.T * gradient
    change = stepped.T * stepped - turned * turned.T - (left.T * left - right * right.T)
    second = right * gradient.T * gradient * right.T - left.T * gradient * gradient.T * left
    return Identity("one step of descent", change, rate**2 * second)


def generic(rows: int, inner: int, columns: int) -> "tuple[Matrix, Matrix, Matrix]":
    """Two factors and a gradient with a symbol for every entry.

    >>> generic(1, 1, 1)
    (Matrix([[a00]]), Matrix([[b00]]), Matrix([[g00]]))
    """
    from sympy import Matrix, Symbol

    def named(letter: str, height: int, width: int) -> "Matrix":
        return Matrix(height, width, lambda i, j: Symbol(f"{letter}{i}{j}", real=True))

    return named("a", rows, inner), named("b", inner, columns), named("g", rows, columns)


def _rates(eta: Any, left: Any, right: Any) -> "tuple[Expr, Expr]":
    return (
        exact("eta_left", eta if left is None else left),
        exact("eta_right", eta if right is None else right),
    )


def _fits(left: "Matrix", right: "Matrix", gradient: "Matrix") -> None:
    if left.cols != right.rows or gradient.shape != (left.rows, right.cols):
        raise ShapeError(
            f"the factors have shapes {left.shape} and {right.shape} and the gradient "
            f"{gradient.shape}; give (m, h), (h, n) and (m, n)",
            left=left.shape,
            right=right.shape,
            gradient=gradient.shape,
        )
