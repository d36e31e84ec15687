"""Kinds of parameters: what a value may be, in words, and the value read from what was given.

Numbers may come from numpy or torch; a float is never taken for an integer.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """``read`` returns the value, or raises ValueError; ``words`` says what is wanted.

    ``axes`` counts the axes of the array that a value is, one value for each token or pair: an
    array of one axis more holds a value for each batch element. None where there is no such array.
    """

    words: str
    read: Callable[[Any], Any]
    axes: int | None = None

    def elements(self, given: Any) -> list[Any] | None:
        """The values of the batch elements; None for a value that is not one of a batch.

        >>> integers().elements([[0, 0, 1], [0, 1, 1]]), integers().elements([0, 0, 1])
        ([[0, 0, 1], [0, 1, 1]], None)
        """
        if self.axes is None or axis_count(given) != self.axes + 1:
            return None
        return list(_plain(given))


def axis_count(given: Any) -> int:
    """How many axes an array has, or how deep lists are nested.

    >>> axis_count(3), axis_count([]), axis_count([[], [1]])
    (0, 1, 2)
    """
    if hasattr(given, "ndim"):
        return int(given.ndim)
    if not isinstance(given, (list, tuple)):
        return 0
    return 1 + max(map(axis_count, given), default=0)


def at_least(least: int) -> Kind:
    """An integer not below ``least``."""

    def read(given: Any) -> int:
        value = _integer(given)
        if value < least:
            raise ValueError(given)
        return value

    return Kind(f"an integer of at least {least}", read)


def choice(*options: str) -> Kind:
    """One of some words."""

    def read(given: Any) -> str:
        if given not in options:
            raise ValueError(given)
        return str(given)

    return Kind(" or ".join(f'"{option}"' for option in options), read)


def integers(least: int | None = None) -> Kind:
    """A list of integers, none below ``least``."""

    def read(given: Any) -> tuple[int, ...]:
        values = _integers(given)
        if least is not None and min(values, default=least) < least:
            raise ValueError(given)
        return values

    bound = "" if least is None else f" of at least {least}"
    return Kind(f"a list of integers{bound}", read, axes=1)


def one_or_many(least: int) -> Kind:
    """An integer, or a list of them."""
    one, many = at_least(least), integers(least)

    def read(given: Any) -> int | tuple[int, ...]:
        plain = _plain(given)
        kind = many if isinstance(plain, (list, tuple)) else one
        value: int | tuple[int, ...] = kind.read(plain)
        return value

    return Kind(f"an integer of at least {least}, or a list of them", read)


def _read_flag(given: Any) -> bool:
    value = _plain(given)
    if not isinstance(value, bool):
        raise ValueError(given)
    return value


def _read_permutation(given: Any) -> tuple[int, ...]:
    values = _integers(given)
    first, last = min(values, default=0), max(values, default=-1)
    if first not in (0, 1) or last - first + 1 != len(values) or len(set(values)) < len(values):
        raise ValueError(given)
    return tuple(x - first for x in values) if first else values


def _read_pairs(given: Any) -> tuple[tuple[int, int], ...]:
    pairs = [tuple(_integer(x) for x in _sequence(pair)) for pair in _sequence(given)]
    if any(len(pair) != 2 or not 0 <= pair[0] < pair[1] for pair in pairs):
        raise ValueError(given)
    return tuple((pair[0], pair[1]) for pair in sorted(pairs))


def _read_table(given: Any) -> tuple[tuple[bool, ...], ...]:
    rows = tuple(_read_row(row) for row in _sequence(given))
    if any(len(row) != len(rows) for row in rows):
        raise ValueError(given)
    return rows


def _read_row(given: Any) -> tuple[bool, ...]:
    row = _sequence(given)
    if any(x not in (0, 1) for x in row):
        raise ValueError(given)
    return tuple(bool(x) for x in row)


def _read_laid_out(given: Any) -> tuple[bool, ...]:
    rows = _sequence(given)
    if all(isinstance(row, (list, tuple)) for row in rows):
        return tuple(x for row in rows for x in _read_row(row))
    return _read_row(rows)


flag = Kind("true or false", _read_flag)
permutation = Kind("a permutation of 0..n-1 or of 1..n, as a list", _read_permutation, axes=1)
pairs = Kind("a list of pairs [start, stop] with 0 <= start < stop", _read_pairs)
table = Kind("a square array of 0 and 1", _read_table, axes=2)
bits = Kind("a list of 0 and 1", _read_row, axes=1)
laid_out = Kind("a list of 0 and 1, or its rows", _read_laid_out)


def _plain(given: Any) -> Any:
    return given.tolist() if hasattr(given, "tolist") else given


def _integer(given: Any) -> int:
    value = _plain(given)
    if isinstance(value, bool):
        raise ValueError(given)
    try:
        return operator.index(value)
    except TypeError:
        raise ValueError(given) from None


def _integers(given: Any) -> tuple[int, ...]:
    values = tuple(_sequence(given))
    return values if set(map(type, values)) <= {int} else tuple(map(_integer, values))


def _sequence(given: Any) -> list[Any] | tuple[Any, ...]:
    value = _plain(given)
    if not isinstance(value, (list, tuple)):
        raise ValueError(given)
    return value
