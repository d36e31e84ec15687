"""Sets of positions as maximal runs: the Boolean operations on one row, in time of its runs.

Convention: a set is a tuple of intervals ``(start, stop)`` that hold ``start`` and leave out
``stop``, in order, neither empty nor touching; hence equal sets are equal tuples.
"""

from bisect import bisect_left
from collections.abc import Iterable

from attnproof.symbolic.masks.rows import RowRuns


def unite(intervals: Iterable[tuple[int, int]]) -> RowRuns:
    """The union of intervals in any order; they may overlap, touch or be empty.

    >>> unite([(4, 6), (0, 2), (2, 3), (5, 9), (7, 7)])
    ((0, 3), (4, 9))
    """
    runs: list[tuple[int, int]] = []
    last = -1
    for start, stop in sorted(intervals):
        if start > last:
            if stop > start:
                runs.append((start, stop))
                last = stop
        elif stop > last:
            runs[-1] = (runs[-1][0], stop)
            last = stop
    return tuple(runs)


def union(a: RowRuns, b: RowRuns) -> RowRuns:
    """The positions of either set.

    >>> union(((0, 2), (6, 8)), ((2, 4),))
    ((0, 4), (6, 8))
    """
    if not a:
        return b
    if not b:
        return a
    if len(a) == 1 == len(b):
        first, second = (a[0], b[0]) if a[0] <= b[0] else (b[0], a[0])
        if second[0] > first[1]:
            return first, second
        return (first,) if second[1] <= first[1] else ((first[0], second[1]),)
    return unite(a + b)


def intersection(a: RowRuns, b: RowRuns) -> RowRuns:
    """The positions of both sets.

    >>> intersection(((0, 4), (6, 8)), ((2, 7),))
    ((2, 4), (6, 7))
    """
    if len(a) == 1 == len(b):
        start, stop = max(a[0][0], b[0][0]), min(a[0][1], b[0][1])
        return ((start, stop),) if start < stop else ()
    runs = []
    i = j = 0
    while i < len(a) and j < len(b):
        start, stop = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if start < stop:
            runs.append((start, stop))
        if a[i][1] <= b[j][1]:
            i += 1
        else:
            j += 1
    return tuple(runs)


def difference(a: RowRuns, b: RowRuns) -> RowRuns:
    """The positions of ``a`` that ``b`` leaves out.

    >>> difference(((0, 4), (6, 8)), ((1, 2), (3, 7)))
    ((0, 1), (2, 3), (7, 8))
    """
    if not a or not b:
        return a
    runs = []
    j = 0
    for start, stop in a:
        while j < len(b) and b[j][1] <= start:
            j += 1
        i = j
        while i < len(b) and b[i][0] < stop:
            if b[i][0] > start:
                runs.append((start, b[i][0]))
            start = b[i][1]
            i += 1
        if start < stop:
            runs.append((start, stop))
    return tuple(runs)


def contains(a: RowRuns, position: int) -> bool:
    """Whether the position is in the set.

    >>> contains(((0, 2), (5, 7)), 5), contains(((0, 2), (5, 7)), 2)
    (True, False)
    """
    if len(a) == 1:
        return a[0][0] <= position < a[0][1]
    i = bisect_left(a, (position + 1,)) - 1
    return i >= 0 and position < a[i][1]


def moved(a: RowRuns, by: int, n: int) -> RowRuns:
    """The set with ``by`` added to every position, those outside ``0 .. n - 1`` dropped.

    >>> moved(((0, 2), (4, 6)), -1, 4)
    ((0, 1), (3, 4))
    """
    if not by and (not a or a[-1][1] <= n):
        return a
    inside = ((max(start + by, 0), min(stop + by, n)) for start, stop in a)
    return tuple((start, stop) for start, stop in inside if start < stop)
