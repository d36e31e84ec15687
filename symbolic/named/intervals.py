"""Row intervals: unions, labels of consecutive groups, and sets that grow by one position.

Convention: an interval ``(start, stop)`` holds ``start`` and leaves out ``stop``.
"""

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.masks.line import in_turn, stacked
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.masks.run_sets import unite
from attnproof.symbolic.masks.runs import Runs

if TYPE_CHECKING:
    from attnproof.symbolic.masks.line import Positions

#: Rows that are put together at once; bounds the memory.
_ROWS = 1 << 16
#: Intervals of many rows: a start and a stop for each, arrays or numbers.
Intervals = Sequence[tuple[Any, Any]]


def union(intervals: Iterable[tuple[int, int]], size: int) -> RowRuns:
    """The union within ``0..size`` as maximal runs; intervals may overlap, touch or be empty.

    >>> union([(4, 6), (-1, 2), (2, 3), (9, 9)], 5)
    ((0, 3), (4, 5))
    """
    return unite((max(start, 0), min(stop, size)) for start, stop in intervals)


def side_by_side(q: "Positions", intervals: Intervals, size: int) -> Runs:
    """The rows ``q = 0, 1, ...`` as the union of a few intervals each, within ``0..size``.

    >>> import numpy as np
    >>> q = np.arange(3)
    >>> list(side_by_side(q, [(0, 1), (q, q + 1)], 3).runs())
    [((0, 1),), ((0, 2),), ((0, 1), (2, 3))]
    """
    return in_turn(
        (
            _stacked(q[first : first + _ROWS], _portion(intervals, first), size)
            for first in range(0, len(q), _ROWS)
        ),
        size,
    )


def _portion(intervals: Intervals, first: int) -> Intervals:
    import numpy as np

    def here(end: Any) -> Any:
        return end[first : first + _ROWS] if np.ndim(end) else end

    return [(here(start), here(stop)) for start, stop in intervals]


def _stacked(q: "Positions", intervals: Intervals, size: int) -> Runs:
    import numpy as np

    ends = np.empty((2, len(q), len(intervals)), np.int64)
    for i, (start, stop) in enumerate(intervals):
        ends[0, :, i], ends[1, :, i] = start, stop
    starts, stops = ends.reshape(2, -1)
    rows = np.repeat(np.arange(len(q)), len(intervals))
    return stacked(rows, starts, stops, len(q), size)


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


def groups(lengths: Iterable[int]) -> "tuple[Positions, Positions]":
    """Where the group of each position starts and stops, for groups laid end to end.

    >>> [ends.tolist() for ends in groups([3, 2])]
    [[0, 0, 0, 3, 3], [3, 3, 3, 5, 5]]
    """
    import numpy as np

    sizes = np.fromiter(lengths, np.int64)
    stops = np.cumsum(sizes)
    return np.repeat(stops - sizes, sizes), np.repeat(stops, sizes)


def repeated(values: Sequence[int], lengths: Sequence[int]) -> "Positions":
    """The value of the group of each position, for groups laid end to end.

    >>> repeated([7, 9], [3, 2]).tolist()
    [7, 7, 7, 9, 9]
    """
    import numpy as np

    return np.repeat(np.array(values, np.int64), lengths)


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
