"""Rows that are made as they are asked for: a mask of very many runs is read once, never held.

Convention: ``make(first, stop)`` gives the rows ``first .. stop - 1`` as runs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from attnproof.symbolic.masks.line import in_turn
from attnproof.symbolic.masks.rows import RowRuns, bits_of
from attnproof.symbolic.masks.runs import Runs, check_bits


@dataclass(frozen=True, eq=False)
class Made:
    """Rows in portions of ``step``; nothing but the rule is kept.

    >>> causal = Made(lambda first, stop: Runs.from_rows(
    ...     (((0, q + 1),) for q in range(first, stop)), 5), queries=5, keys=5, step=2)
    >>> causal.row_runs(3), causal.reads(1, 2), causal.count()
    (((0, 4),), False, 15)

    Law: the rows do not depend on the portions in which they are made.
    """

    make: Callable[[int, int], Runs]
    queries: int
    keys: int
    step: int

    def __len__(self) -> int:
        return self.queries

    def row(self, q: int) -> int:
        return bits_of(self.row_runs(q))

    def row_runs(self, q: int) -> RowRuns:
        """Row ``q`` as maximal runs."""
        return self.make(q, q + 1).row_runs(0)

    def reads(self, q: int, k: int) -> bool:
        """Whether query ``q`` reads key ``k``."""
        return self.make(q, q + 1).reads(0, k)

    def bits(self) -> tuple[int, ...]:
        """Every row as a bit set; raises :class:`ShapeError` where these are gigabytes."""
        check_bits(len(self), self.keys)
        return tuple(map(bits_of, self.runs()))

    def parts(self) -> Iterator[Runs]:
        """All rows, some at a time."""
        for first in range(0, self.queries, self.step):
            yield self.make(first, min(first + self.step, self.queries))

    def runs(self) -> Iterator[RowRuns]:
        for part in self.parts():
            yield from part.runs()

    def count(self) -> int:
        return sum(part.count() for part in self.parts())

    def as_runs(self) -> Runs:
        """The same rows, held."""
        return in_turn(self.parts(), self.keys)
