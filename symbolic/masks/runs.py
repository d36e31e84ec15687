"""A mask as intervals of keys: exact to a million positions, where bit sets do not fit.

Convention: the runs of row ``q`` are ``starts[i] .. stops[i] - 1`` for ``ptr[q] <= i < ptr[q+1]``;
they are maximal and in order. numpy sees the three arrays without a copy.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.rows import RowRuns, bits_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The most positions for which every row is made a bit set: 2 GB of them.
BIT_LIMIT = 1 << 17


@dataclass(frozen=True, slots=True)
class Runs:
    """Rows as runs in flat arrays: 16 bytes a row of one run.

    >>> causal = Runs.from_rows([[(0, 1)], [(0, 2)], [(0, 3)]], keys=3)
    >>> causal.row_runs(1), causal.reads(1, 2), causal.count()
    (((0, 2),), False, 6)
    >>> causal.stops
    array('i', [1, 2, 3])
    """

    ptr: "array[int]"
    starts: "array[int]"
    stops: "array[int]"
    keys: int

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def row(self, q: int) -> int:
        return bits_of(self.row_runs(q))

    def row_runs(self, q: int) -> RowRuns:
        """Row ``q`` as maximal runs."""
        first, last = self.ptr[q], self.ptr[q + 1]
        if last - first == 1:
            return ((self.starts[first], self.stops[first]),)
        return tuple(zip(self.starts[first:last], self.stops[first:last], strict=True))

    def reads(self, q: int, k: int) -> bool:
        """Whether query ``q`` reads key ``k``."""
        first = self.ptr[q]
        i = bisect_right(self.starts, k, first, self.ptr[q + 1]) - 1
        return i >= first and k < self.stops[i]

    def bits(self) -> tuple[int, ...]:
        """Every row as a bit set; raises :class:`ShapeError` where these are gigabytes."""
        check_bits(len(self), self.keys)
        return tuple(map(bits_of, self.runs()))

    def runs(self) -> Iterator[RowRuns]:
        pairs = zip(self.starts, self.stops, strict=True)
        for first, last in pairwise(self.ptr):
            yield (next(pairs),) if last - first == 1 else tuple(islice(pairs, last - first))

    def count(self) -> int:
        return sum(self.stops) - sum(self.starts)

    def part(self, first: int, stop: int) -> "Runs":
        """The rows ``first .. stop - 1``.

        >>> list(Runs.from_rows([[(0, 1)], [(0, 2)], []], 2).part(1, 9).runs())
        [((0, 2),), ()]
        """
        if first == 0 and stop >= len(self):
            return self
        ptr, starts, stops = self.arrays()
        ptr = ptr[first : stop + 1]
        inside = slice(int(ptr[0]), int(ptr[-1]))
        return Runs.from_arrays(ptr - ptr[0], starts[inside], stops[inside], self.keys)

    @staticmethod
    def from_rows(rows: Iterable[Iterable[tuple[int, int]]], keys: int) -> "Runs":
        """Rows given as maximal runs, one after the other: only their numbers are kept.

        >>> len(Runs.from_rows((((0, q + 1),) for q in range(1000)), keys=1000))
        1000
        """
        ptr, starts, stops = array("q", [0]), positions(keys), positions(keys)
        for runs in rows:
            for start, stop in runs:
                starts.append(start)
                stops.append(stop)
            ptr.append(len(starts))
        return Runs(ptr, starts, stops, keys)

    @staticmethod
    def from_arrays(
        ptr: "NDArray[np.integer]",
        starts: "NDArray[np.integer]",
        stops: "NDArray[np.integer]",
        keys: int,
    ) -> "Runs":
        """Rows given as numpy arrays of maximal runs."""
        return Runs(integers(ptr), positions(keys, starts), positions(keys, stops), keys)

    def arrays(
        self,
    ) -> "tuple[NDArray[np.int64], NDArray[np.signedinteger], NDArray[np.signedinteger]]":
        """``ptr``, ``starts`` and ``stops`` as numpy arrays over the same memory."""
        import numpy as np

        kind = np.dtype(self.starts.typecode)
        return (
            np.frombuffer(self.ptr, np.int64),
            np.frombuffer(self.starts, kind),
            np.frombuffer(self.stops, kind),
        )


def check_bits(queries: int, keys: int) -> None:
    """Raise :class:`ShapeError` where every row as a bit set would fill the memory."""
    most = max(queries, keys)
    if most > BIT_LIMIT:
        raise ShapeError(
            f"{queries}×{keys} is too large for bit sets, which go to {BIT_LIMIT} positions; "
            "read the rows as runs: rows.runs() or rows.row_runs(q)",
            queries=queries,
            keys=keys,
            limit=BIT_LIMIT,
        )


def integers(values: "NDArray[np.integer]") -> "array[int]":
    """A numpy array as a flat array of 64-bit integers."""
    return _filled(array("q"), values)


def positions(keys: int, values: "NDArray[np.integer] | None" = None) -> "array[int]":
    """A flat array for positions among ``keys``, empty or with the values of a numpy array."""
    empty = array("i" if keys < 1 << 31 else "q")
    return empty if values is None else _filled(empty, values)


def _filled(empty: "array[int]", values: "NDArray[np.integer]") -> "array[int]":
    import numpy as np

    empty.frombytes(np.ascontiguousarray(values, np.dtype(empty.typecode)).tobytes())
    return empty
