"""The pairs that only one of two relations in runs has."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from attnproof.symbolic.masks.line import combined
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.run_arrays import around, pairs

Side = Literal["a", "b"]


@dataclass(frozen=True, eq=False)
class RunDifference:
    """As ``compare.Difference``, in runs: what only ``a`` has, what only ``b`` has.

    >>> a, b = Runs.from_rows([[(0, 2)], []], 2), Runs.from_rows([[(1, 2)], [(0, 1)]], 2)
    >>> list(RunDifference.between(a, b).pairs())
    [('a', 0, 0), ('b', 1, 0)]
    """

    only_in_a: Runs
    only_in_b: Runs

    @staticmethod
    def between(a: Runs, b: Runs) -> "RunDifference":
        """The pairs of ``a`` that ``b`` lacks, and the other way round."""
        return RunDifference(combined(a, b, {1}), combined(a, b, {2}))

    def count(self, side: Side) -> int:
        """How many pairs only this side has."""
        return (self.only_in_a if side == "a" else self.only_in_b).count()

    def on_diagonal(self) -> bool:
        """Are all the pairs a position with itself?"""
        return all(rows.count() == len(around(rows)) for rows in (self.only_in_a, self.only_in_b))

    def pairs(self) -> Iterator[tuple[Side, int, int]]:
        """(which side has it, reader, source) of every pair, by reader, then source."""
        rows = zip(self.only_in_a.runs(), self.only_in_b.runs(), strict=True)
        for reader, (in_a, in_b) in enumerate(rows):
            sides: list[tuple[int, int, Side]] = [(*run, "a") for run in in_a]
            sides += [(*run, "b") for run in in_b]
            for start, stop, side in sorted(sides):
                yield from ((side, reader, source) for source in range(start, stop))

    def of(self, side: Side) -> Iterator[tuple[int, int]]:
        """(reader, source) of every pair that only this side has, in order."""
        return pairs(self.only_in_a if side == "a" else self.only_in_b)

    def __bool__(self) -> bool:
        return bool(len(self.only_in_a.starts) or len(self.only_in_b.starts))
