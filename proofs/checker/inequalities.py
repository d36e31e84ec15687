"""Inequalities between integers: polynomials ``p <= 0`` without a common divisor.

A literal holds the polynomial without its constant, divided by its content, and the constant
rounded up, as is right for integers.
"""

from collections.abc import Iterable, Mapping
from math import gcd
from typing import Any, NamedTuple

#: Products of atoms, each a sorted tuple of their numbers, with coefficients; () is the constant.
Form = tuple[tuple[tuple[int, ...], int], ...]
ZERO: Form = ()


class Literal(NamedTuple):
    """``form + constant <= 0``; the form has no constant and no common divisor."""

    form: Form
    constant: int


#: A literal, or ``("and" | "or", parts)``.
Normal = Any


def form_of(coefficients: Mapping[tuple[int, ...], int]) -> Form:
    """Sorted, without zeros."""
    return tuple(sorted((key, c) for key, c in coefficients.items() if c))


def plus(a: Form, b: Form, times: int = 1) -> Form:
    """``a + times * b``."""
    return total([(a, 1), (b, times)])


def total(parts: Iterable[tuple[Form, int]]) -> Form:
    """The sum of polynomials, each so many times."""
    found: dict[tuple[int, ...], int] = {}
    for form, times in parts:
        for key, c in form:
            found[key] = found.get(key, 0) + times * c
    return form_of(found)


def words(form: Form) -> int:
    """How many times 64 bits the largest coefficient needs."""
    return 1 + max((c.bit_length() for _, c in form), default=0) // 64


def literal(form: Form) -> Literal:
    """The literal ``form <= 0``.

    >>> literal((((), 3), ((7,), 2)))
    Literal(form=(((7,), 1),), constant=2)
    """
    constant = dict(form).get((), 0)
    rest = tuple((key, c) for key, c in form if key)
    if not rest:
        return Literal(ZERO, int(constant > 0))
    content = gcd(*(c for _, c in rest))
    return Literal(tuple((key, c // content) for key, c in rest), -(-constant // content))


def whole(given: Literal) -> Form:
    """The polynomial of a literal, constant included."""
    return plus(given.form, (((), given.constant),))


def negated(given: Normal) -> Normal:
    """The opposite, over the integers: not ``p <= 0`` is ``1 - p <= 0``."""
    if isinstance(given, Literal):
        if not given.form:
            return Literal(ZERO, 1 - given.constant)
        form = tuple((key, -c) for key, c in given.form)
        return Literal(form, 1 - given.constant)
    op, parts = given
    return ("or" if op == "and" else "and", tuple(map(negated, parts)))
