"""The row protocol: what every representation of a mask can say about its rows.

Row ``q`` is the set of keys that query ``q`` reads. Two forms are exchanged: a Python integer
whose bit ``k`` is ``mask[q, k]``, and runs, the maximal intervals ``(start, stop)`` of ones.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

RowRuns = tuple[tuple[int, int], ...]


@runtime_checkable
class Rows(Protocol):
    """Rows of a mask with ``len(rows)`` queries and ``rows.keys`` keys."""

    @property
    def keys(self) -> int:
        """How many keys there are."""
        ...

    def __len__(self) -> int:
        """How many queries there are."""
        ...

    def row(self, q: int) -> int:
        """Row ``q`` as a bit set."""
        ...

    def row_runs(self, q: int) -> RowRuns:
        """Row ``q`` as maximal runs."""
        ...

    def reads(self, q: int, k: int) -> bool:
        """Whether query ``q`` reads key ``k``."""
        ...

    def bits(self) -> tuple[int, ...]:
        """Every row as a bit set."""
        ...

    def runs(self) -> Iterator[RowRuns]:
        """Every row as maximal runs, in order."""
        ...

    def count(self) -> int:
        """How many pairs (query, key) are read."""
        ...


def runs_of(row: int) -> RowRuns:
    """The maximal runs of ones in a bit set.

    >>> runs_of(0b1101110)
    ((1, 4), (5, 7))
    """
    if not row:
        return ()
    start = (row & -row).bit_length() - 1
    body = row >> start
    if not body & (body + 1):
        return ((start, start + body.bit_length()),)
    return tuple(m.span() for m in re.finditer("1+", f"{row:b}"[::-1]))


def bits_of(runs: Iterable[tuple[int, int]]) -> int:
    """The bit set of some intervals; the inverse of :func:`runs_of`.

    >>> bin(bits_of([(1, 4), (5, 7)]))
    '0b1101110'
    """
    row = 0
    for start, stop in runs:
        row |= (1 << stop) - (1 << start)
    return row


def members(row: int) -> Iterator[int]:
    """The elements of a bit set, smallest first.

    >>> list(members(0b1101))
    [0, 2, 3]
    """
    for start, stop in runs_of(row):
        yield from range(start, stop)
