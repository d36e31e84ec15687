"""Row intervals: unions, labels of consecutive groups, and sets that grow by one position.

Convention: an interval ``(start, stop)`` holds ``start`` and leaves out ``stop``.
"""

from bisect import bisect
from collections.abc import Iterable, Iterator

from attnproof.symbolic.masks.rows import RowRuns


def union(intervals: Iterable[tuple[int, int]], size: int) -> RowRuns:
    """The union within ``0..size`` as maximal runs; intervals may overlap, touch or be empty.

    >>> union([(4, 6), (-1, 2), (2, 3), (9, 9)], 5)
    ((0, 3), (4, 5))
    """
    runs: list[tuple[int, int]] = []
    for start, stop in sorted(intervals):
        start, stop = max(start, 0), min(stop, size)
        if start >= stop:
            continue
        if runs and start <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(stop, runs[-1][1]))
        else:
            runs.append((start, stop))
    return tuple(runs)


def singles(positions: Iterable[int], size: int) -> RowRuns:
    """The runs of a set of positions.

    >>> singles([5, 2, 1], 8)
    ((1, 3), (5, 6))
    """
    return union(((x, x + 1) for x in positions), size)


def labels(lengths: Iterable[int]) -> tuple[int, ...]:
    """The number of the group of each position, for groups laid end to end.

    >>> labels([3, 2])
    (0, 0, 0, 1, 1)
    """
    return tuple(group for group, length in enumerate(lengths) for _ in range(length))


def growing(order: Iterable[int]) -> Iterator[RowRuns]:
    """The runs of the first 0, 1, 2, ... members of ``order``.

    >>> list(growing([2, 0, 1]))
    [(), ((2, 3),), ((0, 1), (2, 3)), ((0, 3),)]
    """
    runs: list[tuple[int, int]] = []
    yield ()
    for x in order:
        i = bisect(runs, (x, x))
        left = i > 0 and runs[i - 1][1] == x
        right = i < len(runs) and runs[i][0] == x + 1
        start = runs[i - 1][0] if left else x
        stop = runs[i][1] if right else x + 1
        runs[i - left : i + right] = [(start, stop)]
        yield tuple(runs)
