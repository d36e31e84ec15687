"""Boolean operations on all rows at once, for rows as runs in numpy arrays.

Convention: interval ``i`` is ``starts[i] .. stops[i] - 1`` in row ``owner[i]``. An end at position
``p`` of row ``q`` has the key ``q * (keys + 1) + p``, so that sorted keys stand row by row.
"""

from collections.abc import Collection
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
_ROWS = 1 << 18


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


def united(
    owner: "NDArray[np.int64]",
    starts: "NDArray[np.int64]",
    stops: "NDArray[np.int64]",
    count: int,
    keys: int,
) -> Runs:
    """The rows that hold the given intervals, which may overlap, touch, be empty, in any order.

    >>> a = np.array([1, 0, 1]), np.array([2, 0, 0]), np.array([4, 1, 2])
    >>> list(united(*a, count=2, keys=4).runs())
    [((0, 1),), ((0, 4),)]
    """
    full = starts < stops
    if not full.all():
        owner, starts, stops = owner[full], starts[full], stops[full]
    base = owner * (keys + 1)
    at = base + starts
    if (at[1:] < at[:-1]).any():
        order = np.argsort(at, kind="stable")
        at, base, stops, owner = at[order], base[order], stops[order], owner[order]
    reached = np.maximum.accumulate(base + stops)
    begins = np.ones(len(at), np.bool_)
    begins[1:] = at[1:] > reached[:-1]
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(at))[: len(first)] - 1
    base = base[first]
    return _rows(owner[first], at[first] - base, reached[last] - base, count, keys)


def combined(a: Runs, b: Runs, keep: Collection[int]) -> Runs:
    """Row by row the positions ``p`` for which ``(p in a) + 2 (p in b)`` is in ``keep``.

    ``{3}`` is the intersection, ``{1}`` the difference, ``{1, 2}`` what only one has.

    >>> a, b = Runs.from_rows([[(0, 5)]], 9), Runs.from_rows([[(1, 2), (4, 7)]], 9)
    >>> [list(combined(a, b, keep).runs())[0] for keep in ({3}, {1}, {2})]
    [((1, 2), (4, 5)), ((0, 1), (2, 4)), ((5, 7),)]
    """
    parts = [
        _combined(part(a, first, first + _ROWS), part(b, first, first + _ROWS), keep)
        for first in range(0, max(len(a), 1), _ROWS)
    ]
    return parts[0] if len(parts) == 1 else stacked(parts, a.keys)


def _combined(a: Runs, b: Runs, keep: Collection[int]) -> Runs:
    width = a.keys + 1
    ends, steps = [], []
    for rows, weight in ((a, 1), (b, 2)):
        owner, starts, stops = flat(rows)
        owner *= width
        ends += [owner + starts, owner + stops]
        steps += [np.full(len(owner), weight, np.int8), np.full(len(owner), -weight, np.int8)]
    at, step = np.concatenate(ends), np.concatenate(steps)
    order = np.argsort(at, kind="stable")
    at, held = at[order], np.cumsum(step[order], dtype=np.int8)
    final = np.ones(len(at), np.bool_)
    final[:-1] = at[1:] != at[:-1]
    at, wanted = at[final], np.isin(held[final], list(keep))
    before = np.zeros(len(at), np.bool_)
    before[1:] = wanted[:-1]
    starts, stops = at[wanted & ~before], at[before & ~wanted]
    return _rows(starts // width, starts % width, stops % width, len(a), a.keys)


def _rows(
    owner: "NDArray[np.int64]",
    starts: "NDArray[np.int64]",
    stops: "NDArray[np.int64]",
    count: int,
    keys: int,
) -> Runs:
    ptr = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=ptr[1:])
    return Runs.from_arrays(ptr, starts, stops, keys)


def part(rows: Runs, first: int, stop: int) -> Runs:
    """Rows ``first .. stop - 1``.

    >>> list(part(Runs.from_rows([[(0, 1)], [(0, 2)], []], 2), 1, 9).runs())
    [((0, 2),), ()]
    """
    return rows.part(first, stop)


def stacked(parts: list[Runs], keys: int) -> Runs:
    """The rows of several, one after the other."""
    arrays = [rows.arrays() for rows in parts]
    counts = np.concatenate([np.diff(ptr) for ptr, _, _ in arrays])
    return Runs.from_arrays(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([starts for _, starts, _ in arrays]),
        np.concatenate([stops for _, _, stops in arrays]),
        keys,
    )


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
