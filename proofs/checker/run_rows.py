"""Rows as maximal runs in flat arrays, for lengths at which bits do not fit."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

from . import run_order, run_powers, run_search
from .intervals import bits_of, holds, joined
from .layers import levels
from .limits import Steps
from .properties import Property
from .rows import Rows
from .runs import Runs


@dataclass(frozen=True)
class RunRows(Rows):
    """The relation of the runs."""

    runs: Runs

    def __len__(self) -> int:
        return len(self.runs)

    def has(self, q: int, k: int) -> bool:
        return self.runs.has(q, k)

    def bits(self, q: int) -> int:
        return bits_of(self.runs[q])

    def has_empty_row(self) -> bool:
        return any(first == last for first, last in pairwise(self.runs.ptr))

    def placed(self, offset: int, size: int) -> Self:
        after = size - offset - len(self.runs)
        if not offset and not after:
            return self
        ptr = self.runs.ptr
        placed = ptr[:1] * offset + ptr + ptr[-1:] * after
        return type(self)(Runs(placed, self.runs.starts, self.runs.stops))

    def filled(self, keys: int) -> Self:
        if not keys or not self.has_empty_row():
            return self
        return type(self)(Runs.of(row or ((0, keys),) for row in self.runs))

    def with_own(self, positions: Sequence[range]) -> Self:
        if self.runs.is_reflexive:
            return self
        wanted = bytearray(len(self.runs))
        for some in positions:
            wanted[some.start : some.stop] = b"\1" * len(some)
        for q, row in enumerate(self.runs):
            if wanted[q] and holds(row, q):
                wanted[q] = 0
        if not any(wanted):
            return self
        return type(self)(
            Runs.of(
                joined((*row, (q, q + 1))) if wanted[q] else row for q, row in enumerate(self.runs)
            )
        )

    def united(self, other: Self) -> Self:
        pairs = zip(self.runs, other.runs, strict=True)
        return type(self)(Runs.of(a if a == b else joined(a + b) for a, b in pairs))

    def contains(self, other: Self) -> bool:
        return run_order.contains(self.runs, other.runs)

    def avoids(self, wanted: Property) -> bool:
        return all(
            wanted.allows(q, start, stop) for q, row in enumerate(self.runs) for start, stop in row
        )

    @cached_property
    def _leaders(self) -> Sequence[int] | None:
        return run_order.leaders(self.runs)

    def is_closed(self) -> bool:
        return self._leaders is not None

    def is_generated(self, rows: Self) -> bool:
        leaders = self._leaders
        return leaders is not None and run_order.is_generated(self.runs, leaders, rows.runs)

    def is_antisymmetric(self) -> bool:
        return run_search.is_antisymmetric(self.runs)

    def are_equal(self, positions: Sequence[int]) -> bool:
        row = self.runs[positions[0]]
        return all(self.runs[p] == row for p in positions[1:])

    def is_joined(self, q: int, positions: Sequence[int], others: Sequence[int]) -> bool:
        runs = [(p, p + 1) for p in positions]
        for p in others:
            runs += self.runs[p]
        return joined(runs) == self.runs[q]

    def is_antichain(self, positions: Sequence[int]) -> bool:
        if len(positions) < 2:
            return True
        every = sorted(positions)
        return all(
            sum(bisect_left(every, stop) - bisect_left(every, start) for start, stop in row) == 1
            for row in map(self.runs.__getitem__, every)
        )

    def readers(self, held: int) -> int:
        return run_search.readers(self.runs, held)

    def distance(self, source: int, reader: int) -> int | None:
        return run_search.distance(self.runs, source, reader)

    def identity(self) -> Self:
        return type(self)(Runs.of(((q, q + 1),) for q in range(len(self.runs))))

    def product(self, lower: Self, steps: Steps) -> Self:
        return type(self)(run_powers.product(self.runs, lower.runs, steps))

    def power(self, layers: Sequence[Self], depth: int) -> Self | None:
        ends = run_powers.ends_of([layer.runs for layer in layers])
        return None if ends is None else type(self)(run_powers.after(ends, depth).rows())

    def settling(self, layers: Sequence[Self], limit: Callable[[], Self]) -> int:
        runs = [layer.runs for layer in layers]
        ends = run_powers.ends_of(runs)
        if ends is not None:
            return run_powers.settling(ends)
        return run_powers.follow(runs, limit().runs, Steps())

    def closure(self) -> Self:
        held, steps = self, Steps()
        while not held.is_closed():
            held = held.product(held, steps)
        return held

    def is_aperiodic(self) -> bool:
        """The powers come back to one of them; they settle when that is the next one."""
        mark: Rows = self
        marked = level = 0
        for level, held in enumerate(levels([self])):
            if level > marked and held == mark:
                break
            if level & (level - 1) == 0:
                mark, marked = held, level
        return level == marked + 1
