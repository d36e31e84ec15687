"""A whole mask as one set of integers: pair ``(q, k)`` is ``q * (keys + 1) + k``.

The integer ``q * (keys + 1) + keys`` is no pair, so the runs of two rows never touch, and a Boolean
operation on masks is one on a set of intervals. Convention: ``starts`` and ``stops`` are sorted.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from attnproof.symbolic.masks.runs import Runs, integers, positions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Positions = NDArray[np.int64]
    Line = tuple[Positions, Positions]

#: Run ends that are sorted at once; bounds the memory of an operation.
_CHUNK = 1 << 20


def line_of(rows: Runs, first: int = 0, last: int | None = None) -> "Line":
    """The rows ``first .. last - 1`` as intervals of the line.

    >>> [ends.tolist() for ends in line_of(Runs.from_rows([[(0, 1)], [(0, 2)]], keys=2))]
    [[0, 3], [1, 5]]
    """
    import numpy as np

    last = len(rows) if last is None else last
    ptr, starts, stops = rows.arrays()
    base = np.repeat(np.arange(first, last) * (rows.keys + 1), np.diff(ptr[first : last + 1]))
    here = slice(int(ptr[first]), int(ptr[last]))
    return base + starts[here], base + stops[here]


def rows_of(line: "Line", queries: int, keys: int) -> Runs:
    """The rows of a set of the line; the inverse of :func:`line_of`."""
    import numpy as np

    starts, stops = line
    rows, first = np.divmod(starts, keys + 1)
    ptr = np.append(0, np.cumsum(np.bincount(rows, minlength=queries)))
    return Runs.from_arrays(ptr, first, first + stops - starts, keys)


def merged(starts: "Positions", stops: "Positions") -> "Line":
    """The union of intervals in any order; they may overlap, touch or be empty.

    >>> import numpy as np
    >>> starts, stops = np.array([[4, 0, 2, 7], [6, 2, 3, 7]])
    >>> [ends.tolist() for ends in merged(starts, stops)]
    [[0, 4], [3, 6]]
    """
    import numpy as np

    some = starts < stops
    if not some.all():
        starts, stops = starts[some], stops[some]
    if (starts[1:] < starts[:-1]).any():
        order = np.argsort(starts, kind="stable")
        starts, stops = starts[order], stops[order]
    reached = np.maximum.accumulate(stops)
    begins = np.ones(len(starts) + 1, np.bool_)
    begins[1:-1] = starts[1:] > reached[:-1]
    return starts[begins[:-1]], reached[begins[1:]]


def stacked(
    rows: "Positions", starts: "Positions", stops: "Positions", queries: int, keys: int
) -> Runs:
    """The mask whose row ``rows[i]`` reads the keys ``starts[i] .. stops[i] - 1``, for all ``i``.

    Intervals may come in any order, overlap, touch, be empty or stick out of the keys.
    """
    import numpy as np

    base = rows * (keys + 1)
    line = merged(base + np.maximum(starts, 0), base + np.minimum(stops, keys))
    return rows_of(line, queries, keys)


def in_turn(parts: Iterable[Runs], keys: int) -> Runs:
    """The rows of the first mask, then those of the next; all read the same keys."""
    ptr, starts, stops = array("q", [0]), positions(keys), positions(keys)
    for part in parts:
        ptr.extend(integers(part.arrays()[0][1:] + len(starts)))
        starts.extend(part.starts)
        stops.extend(part.stops)
    return Runs(ptr, starts, stops, keys)


def expanded(first: "Positions", counts: "Positions") -> "Positions":
    """Each number and those after it, ``counts`` in all.

    >>> import numpy as np
    >>> expanded(np.array([5, 0]), np.array([3, 2])).tolist()
    [5, 6, 7, 0, 1]
    """
    import numpy as np

    before = np.cumsum(counts) - counts
    return np.repeat(first - before, counts) + np.arange(int(counts.sum()))


def combined(a: Runs, b: Runs, keep: Collection[int]) -> Runs:
    """The pairs for which ``(in a) + 2 (in b)`` is in ``keep``, of two masks of one shape.

    ``{3}`` is the intersection, ``{1}`` the difference, ``{1, 2}`` what only one has; never 0.

    >>> a, b = Runs.from_rows([[(0, 5)]], 9), Runs.from_rows([[(1, 2), (4, 7)]], 9)
    >>> [list(combined(a, b, keep).runs())[0] for keep in ({3}, {1}, {2})]
    [((1, 2), (4, 5)), ((0, 1), (2, 4)), ((5, 7),)]
    """
    import numpy as np

    parts = [
        _swept(line_of(a, first, last), line_of(b, first, last), keep)
        for first, last in _portions(a, b)
    ]
    starts, stops = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    return rows_of((starts, stops), len(a), a.keys)


def _swept(a: "Line", b: "Line", keep: Collection[int]) -> "Line":
    """One pass over the ends of both sets: where the truth changes, a run starts or stops."""
    import numpy as np

    places = np.concatenate([*a, *b])
    steps = np.repeat(np.array([1, -1, 2, -2], np.int8), [len(ends) for ends in (*a, *b)])
    order = np.argsort(places, kind="stable")
    places, state = places[order], np.cumsum(steps[order], dtype=np.int8)
    settled = np.append(places[1:] != places[:-1], True)[: len(places)]
    places, state = places[settled], state[settled]
    turns = places[np.diff(np.isin(state, list(keep)), prepend=False)]
    return turns[0::2], turns[1::2]


def _portions(a: Runs, b: Runs) -> Iterator[tuple[int, int]]:
    """Consecutive rows, so many that few of their run ends are sorted at once."""
    import numpy as np

    ends = 2 * (a.arrays()[0] + b.arrays()[0])
    cuts = np.searchsorted(ends, np.arange(0, int(ends[-1]) + 1, _CHUNK))
    bounds = sorted({0, *cuts.tolist(), len(a)})
    yield from zip(bounds[:-1] or [0], bounds[1:] or [0], strict=True)
