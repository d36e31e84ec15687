"""Rational functions in exact arithmetic, without expanding expressions.

Equality is decided in the field of fractions over the rational numbers, so it is exact.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError

if TYPE_CHECKING:
    from sympy import Expr, Symbol


def vanishes(expression: "Expr") -> bool:
    """Whether a rational function is 0.

    >>> from sympy.abc import x, y
    >>> vanishes(1 / x - 1 / y - (y - x) / (x * y))
    True

    Raises :class:`ParameterError` for an expression that is no rational function.
    """
    from sympy import QQ, default_sort_key, sympify
    from sympy.polys.fields import FracField

    given = sympify(expression)
    symbols = sorted(given.free_symbols, key=default_sort_key)
    if not symbols:
        return bool(given == 0)
    try:
        return not FracField(symbols, QQ).from_expr(given)
    except ValueError:
        raise _not_rational(given) from None


def coefficients(
    vector: "Sequence[Expr]", symbols: "Sequence[Symbol]"
) -> tuple[list[list[Any]], Any]:
    """The coefficients of a vector of polynomials: a row for each power, and their field.

    Everything that is no symbol of the polynomials belongs to the field. Raises
    :class:`ParameterError` for coefficients that are no rational functions.
    """
    from sympy import QQ, Dummy, default_sort_key, sympify
    from sympy.polys.rings import PolyRing

    given = [sympify(one) for one in vector]
    free = set().union(*(one.free_symbols for one in given)) - set(symbols)
    constants = sorted(free, key=default_sort_key)
    field = QQ.frac_field(*constants) if constants else QQ
    ring = PolyRing(list(symbols) or [Dummy()], field)
    try:
        parts = [dict(ring.from_expr(one).terms()) for one in given]
    except ValueError:
        raise _not_rational(*given) from None
    powers = sorted({power for part in parts for power in part})
    return [[part.get(power, field.zero) for part in parts] for power in powers], field


def _not_rational(*expressions: "Expr") -> ParameterError:
    powers = sorted({str(one) for each in expressions for one in _powers(each)})
    return ParameterError(
        f"the numbers of classes and tokens hold {', '.join(powers)}; give integers, symbols or "
        "rational expressions in symbols",
        powers=powers,
    )


def _powers(expression: "Expr") -> "list[Expr]":
    """The parts that are no rational functions."""
    if expression.is_rational_function():
        return []
    inner = [part for one in expression.args for part in _powers(one)]
    return inner or [expression]


def reduced(rows: Sequence[Sequence[Any]], field: Any) -> "tuple[tuple[Expr, ...], ...]":
    """The reduced row echelon form of some rows, without rows of zeros."""
    from sympy import factor
    from sympy.polys.matrices import DomainMatrix

    if not rows:
        return ()
    found, pivots = DomainMatrix(rows, (len(rows), len(rows[0])), field).to_dense().rref()
    kept = found.to_Matrix().tolist()[: len(pivots)]
    return tuple(tuple(factor(value) for value in row) for row in kept)
