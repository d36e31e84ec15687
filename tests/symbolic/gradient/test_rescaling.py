"""Rescaling of a product: against the factors stepped, by identities, and what is refused."""

import pytest
import sympy
from sympy import Matrix, Rational, Symbol, diag, eye, symbols

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.gradient.rescaling import (
    balance_identity,
    balanced,
    factor,
    generic,
    rescaled,
    root,
    step_identity,
)

SHAPES = [(1, 1, 1), (2, 1, 3), (3, 2, 2)]


@pytest.mark.parametrize("shape", SHAPES)
def test_product_rule(shape: tuple[int, int, int]) -> None:
    """The velocity of A B is the derivative of the product of the moving factors."""
    left, right, gradient = generic(*shape)
    time, eta, other = symbols("t eta_A eta_B", positive=True)
    moved = (left - time * eta * gradient * right.T) * (right - time * other * left.T * gradient)
    found = rescaled(left, right, gradient, eta_left=eta, eta_right=other)
    assert (moved.diff(time).subs(time, 0) - found).expand() == sympy.zeros(shape[0], shape[2])


@pytest.mark.parametrize("shape", SHAPES)
def test_balance(shape: tuple[int, int, int]) -> None:
    """The flow keeps the balance for unequal rates; descent moves it by the square of a step."""
    eta, other = symbols("eta_A eta_B", positive=True)
    assert balance_identity(*generic(*shape), eta_left=eta, eta_right=other).holds
    assert step_identity(*generic(*shape), eta).holds


def test_balance_needs_its_rates() -> None:
    """With unequal rates the plain difference does move, so the identity can fail."""
    left, right, gradient = generic(2, 1, 2)
    moved = -2 * gradient * right.T
    turned = -3 * left.T * gradient
    plain = moved.T * left + left.T * moved - turned * right.T - right * turned.T
    assert plain.expand() != sympy.zeros(1, 1)


def test_balanced() -> None:
    """A balanced product needs only W: the rescaling by roots is that by factors."""
    left = Matrix([[3, 4], [-4, 3]]) * diag(1, 2) / 5
    right = diag(1, 2) * Matrix([[5, 12], [12, -5]]) / 13
    gradient = Matrix([[1, 2], [3, -1]])
    assert left.T * left == right * right.T
    found = rescaled(left, right, gradient, Rational(1, 3))
    assert balanced(left * right, gradient, Rational(1, 3)) == found


def test_root_of_a_singular_matrix() -> None:
    """The root of a matrix of rank 1 squares to it."""
    square = Matrix([[1, 2], [2, 4]])
    assert root(square) ** 2 == square
    assert root(eye(3)) == eye(3)


def test_factor() -> None:
    """The factor is η_u v² + η_v u² at the conserved λ = u²/η_u - v²/η_v."""
    u, v, eta, other = Rational(3, 2), Rational(2, 5), Rational(7, 3), Rational(1, 4)
    found = factor(u * v, u**2 / eta - v**2 / other, eta_left=eta, eta_right=other)
    assert found == eta * v**2 + other * u**2
    assert factor(Symbol("sigma", real=True)) == 2 * abs(Symbol("sigma", real=True))


def test_shapes() -> None:
    """Factors that do not fit are named with their shapes and what was needed."""
    with pytest.raises(ShapeError) as error:
        rescaled(Matrix([[1, 2]]), Matrix([[1]]), Matrix([[1]]))
    assert str(error.value) == (
        "the factors have shapes (1, 2) and (1, 1) and the gradient (1, 1); "
        "give (m, h), (h, n) and (m, n)"
    )


def test_what_has_no_root_is_told() -> None:
    """Shapes that do not fit, and eigenvalues that are no square roots, are errors at once."""
    with pytest.raises(ShapeError, match=r"^the matrix has shape \(1, 2\); give a square one$"):
        root(Matrix([[1, 2]]))
    with pytest.raises(ShapeError, match="of this 3 x 3 matrix have no closed form by square"):
        balanced(Matrix([[1, 2, 3], [4, 5, 6], [7, 8, 10]]), eye(3))
    with pytest.raises(
        ShapeError, match=r"shape \(1, 2\) and the gradient \(2, 2\); give the same$"
    ):
        balanced(Matrix([[1, 2]]), eye(2))
