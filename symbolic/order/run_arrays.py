"""All rows of a relation in runs at once: listed, chosen and compared, while they are not too many.

Convention: interval ``i`` is ``starts[i] .. stops[i] - 1`` in row ``owner[i]``.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.runs import Runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Mean number of runs a row beyond which runs no longer pay.
MOST_RUNS = 64
#: So many runs in all are the most for which a closure or a product is taken: 300 MB of work.
MOST_HELD = 1 << 22
#: Fewer rows are treated as so many.
SMALL = 8192


class Fragmented(ShapeError):
    """Rows fall into so many runs, or classes have so many covers, that bit sets are the way."""


def check_fragments(runs: int, rows: int) -> None:
    """Raise :class:`Fragmented` beyond ``MOST_RUNS`` runs a row on average, or ``MOST_HELD``.

    >>> check_fragments(10**6, 10**6)
    """
    most = most_runs(rows)
    if runs > most:
        raise Fragmented(
            f"the rows of {rows} positions fall into more than {most} runs; give at most 65536 "
            "positions, where bit sets are used",
            rows=rows,
            runs=runs,
        )


def most_runs(rows: int) -> int:
    """So many runs in all are allowed; some thousand rows may have any number.

    >>> most_runs(1000), most_runs(10**6)
    (524288, 4194304)
    """
    return min(MOST_RUNS * max(rows, SMALL), MOST_HELD)


def flat(rows: Runs) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
    """Owner, start and stop of every run.

    >>> [ends.tolist() for ends in flat(Runs.from_rows([[(0, 1), (2, 3)], [], [(1, 3)]], 3))]
    [[0, 0, 2], [0, 2, 1], [1, 3, 3]]
    """
    ptr, starts, stops = rows.arrays()
    owner = np.repeat(np.arange(len(rows)), np.diff(ptr))
    return owner, starts.astype(np.int64), stops.astype(np.int64)


def pairs(rows: Runs) -> Iterator[tuple[int, int]]:
    """Every pair (row, position), in order.

    >>> list(pairs(Runs.from_rows([[(0, 2)], [], [(1, 2)]], 2)))
    [(0, 0), (0, 1), (2, 1)]
    """
    for q in np.flatnonzero(np.diff(rows.arrays()[0])).tolist():
        for start, stop in rows.row_runs(q):
            yield from ((q, k) for k in range(start, stop))


def taken(rows: Runs, chosen: "NDArray[np.integer]") -> Runs:
    """The chosen rows, in that order, with repetition.

    >>> list(taken(Runs.from_rows([[(0, 1)], [(0, 2)]], 2), np.array([1, 0, 1])).runs())
    [((0, 2),), ((0, 1),), ((0, 2),)]
    """
    ptr, starts, stops = rows.arrays()
    counts = np.diff(ptr)[chosen]
    to = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(counts, out=to[1:])
    place = np.arange(to[-1]) + np.repeat(ptr[chosen] - to[:-1], counts)
    return Runs.from_arrays(to, starts[place], stops[place], rows.keys)


def identity(n: int) -> Runs:
    """Every position with itself.

    >>> list(identity(2).runs())
    [((0, 1),), ((1, 2),)]
    """
    every = np.arange(n + 1)
    return Runs.from_arrays(every, every[:-1], every[1:], n)


def past(n: int) -> Runs:
    """Every position with itself and all before it.

    >>> list(past(2).runs())
    [((0, 1),), ((0, 2),)]
    """
    every = np.arange(n + 1)
    return Runs.from_arrays(every, np.zeros_like(every[1:]), every[1:], n)


def first_difference(a: Runs, b: Runs) -> int | None:
    """The first row in which two of the same shape differ.

    >>> a, b = Runs.from_rows([[(0, 1)], [(0, 2)]], 2), Runs.from_rows([[(0, 1)], [(1, 2)]], 2)
    >>> first_difference(a, b), first_difference(a, a)
    (1, None)
    """
    rows = []
    ours, theirs = a.arrays(), b.arrays()
    for mine, other in zip(ours, theirs, strict=True):
        common = min(len(mine), len(other))
        differ = np.flatnonzero(mine[:common] != other[:common])
        if len(differ) and mine is ours[0]:
            rows.append(int(differ[0]) - 1)
        elif len(differ):
            rows.append(int(np.searchsorted(ours[0], differ[0], "right")) - 1)
    return min(rows, default=None)


def around(rows: Runs) -> "NDArray[np.int64]":
    """The indices of the runs that hold their own row's position; one a row if it is reflexive.

    >>> around(Runs.from_rows([[(0, 2)], [(0, 1)], [(0, 1), (2, 3)]], 3)).tolist()
    [0, 3]
    """
    owner, starts, stops = flat(rows)
    return np.flatnonzero((starts <= owner) & (owner < stops))


def least_within(
    values: "NDArray[np.int64]", starts: "NDArray[np.int64]", stops: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """The least of ``values[start:stop]`` for each of many non-empty ranges.

    >>> least_within(np.array([3, 1, 2]), np.array([0, 2]), np.array([2, 3])).tolist()
    [1, 2]

    Ranges of length 2^t .. 2^(t+1) - 1 are covered by two of length 2^t, from a table of those.
    """
    found = np.empty(len(starts), values.dtype)
    level = np.frexp(stops - starts)[1] - 1
    for t in range(int(level.max(initial=-1)) + 1):
        if t:
            half = 1 << (t - 1)
            values = np.minimum(values[:-half], values[half:])
        chosen = np.flatnonzero(level == t)
        found[chosen] = np.minimum(values[starts[chosen]], values[stops[chosen] - (1 << t)])
    return found
