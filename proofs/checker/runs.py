"""Many rows of maximal runs in flat arrays: 12 bytes a row of one run.

Convention: the runs of row ``q`` are ``starts[i] .. stops[i] - 1`` for ``ptr[q] <= i < ptr[q+1]``;
they are maximal and in order.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, islice, pairwise
from operator import le, lt

from .envelope import Invalid, need
from .intervals import Intervals, holds

_CHUNK = 1 << 10


@dataclass(frozen=True)
class Runs:
    """The rows; equal rows are equal values."""

    ptr: "array[int]"
    starts: "array[int]"
    stops: "array[int]"

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, q: int) -> Intervals:
        """Row ``q``."""
        first, last = self.ptr[q], self.ptr[q + 1]
        if last - first == 1:
            return ((self.starts[first], self.stops[first]),)
        return tuple(zip(self.starts[first:last], self.stops[first:last], strict=True))

    def __iter__(self) -> Iterator[Intervals]:
        pairs = zip(self.starts, self.stops, strict=True)
        for first, last in pairwise(self.ptr):
            yield (next(pairs),) if last - first == 1 else tuple(islice(pairs, last - first))

    def has(self, q: int, k: int) -> bool:
        """Is ``k`` in row ``q``?"""
        first = self.ptr[q]
        i = bisect_right(self.starts, k, first, self.ptr[q + 1]) - 1
        return i >= first and k < self.stops[i]

    def weight(self, q: int) -> int:
        """How many positions row ``q`` holds."""
        first, last = self.ptr[q], self.ptr[q + 1]
        if last - first == 1:
            return self.stops[first] - self.starts[first]
        return sum(self.stops[first:last]) - sum(self.starts[first:last])

    @property
    def stop(self) -> int:
        """A bound of every position."""
        return max(self.stops, default=0)

    @cached_property
    def is_single(self) -> bool:
        """Has every row exactly one run?"""
        return self.ptr == array("i", range(len(self.ptr)))

    @cached_property
    def is_reflexive(self) -> bool:
        """Is every position in its own row? Mostly it is in the last run."""
        every = range(len(self))
        last = [i - 1 for i in self.ptr[1:]]
        if all(map(lt, self.ptr, self.ptr[1:])) and (
            all(map(le, map(self.starts.__getitem__, last), every))
            and all(map(lt, every, map(self.stops.__getitem__, last)))
        ):
            return True
        return all(holds(row, q) for q, row in enumerate(self))

    def texts(self) -> Iterator[str]:
        """The canonical JSON of the rows, without the outer brackets, in pieces."""
        rows = iter(self)
        separator = ""
        while some := tuple(islice(rows, _CHUNK)):
            lines = (",".join([f"[{start},{stop}]" for start, stop in row]) for row in some)
            yield separator + "[" + "],[".join(lines) + "]"
            separator = ","

    @staticmethod
    def of(rows: Iterable[Iterable[tuple[int, int]]]) -> "Runs":
        """Rows of maximal runs, one after the other."""
        ptr, starts, stops = array("i", [0]), array("i"), array("i")
        for row in rows:
            for start, stop in row:
                starts.append(start)
                stops.append(stop)
            ptr.append(len(starts))
        return Runs(ptr, starts, stops)

    @staticmethod
    def read(rows: list[object], where: str) -> "Runs":
        """Rows that are lists of maximal runs ``[start, stop]``, in order."""
        need(all(type(row) is list for row in rows), f"{where} is not a list of lists")
        runs: list[list[int]] = list(chain.from_iterable(rows))  # type: ignore[arg-type]
        pairs = set(map(type, runs)) <= {list} and set(map(len, runs)) <= {2}
        need(pairs, f"{where} holds a run that is no pair")
        kinds = set(map(type, chain.from_iterable(runs)))
        need(kinds <= {int}, f"{where} holds a run that is no pair of integers")
        try:
            ends = array("i", chain.from_iterable(runs))
            ptr = array("i", accumulate(map(len, rows), initial=0))  # type: ignore[arg-type]
        except OverflowError:
            raise Invalid(f"{where} holds runs that are out of range") from None
        found = Runs(ptr, ends[::2], ends[1::2])
        need(
            found._are_maximal(),
            f"{where} holds runs that are not maximal, in order and in range",
        )
        return found

    def _are_maximal(self) -> bool:
        if min(self.starts, default=0) < 0 or not all(map(lt, self.starts, self.stops)):
            return False
        return self.is_single or all(
            all(map(lt, self.stops[first : last - 1], self.starts[first + 1 : last]))
            for first, last in pairwise(self.ptr)
            if last > first + 1
        )
