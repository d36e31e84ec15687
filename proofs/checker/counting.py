"""Clauses that count: how many of some literals are true, within known bounds.

Theorem: let a count lie between ``least`` and ``most``. For the value ``v`` between them take a
variable, its flag, and let it be true exactly when the count is ``v`` or more. Then the clauses
below are true. So whoever has a set of literals within the bounds has a model of the clauses.

Machine-checked: ``Refutation.count_clause``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .envelope import need
from .limits import MOST_CLAUSES


class Formula:
    """Clauses over the variables 1, 2, ...; Invalid when they become too many."""

    def __init__(self) -> None:
        self.variables = 0
        self.clauses: list[list[int]] = []

    def variable(self) -> int:
        """Another variable."""
        self.variables += 1
        need(self.variables <= MOST_CLAUSES, "the formula has too many variables")
        return self.variables

    def add(self, *literals: int) -> None:
        """Another clause: one of the literals is true."""
        self.clauses.append(list(literals))
        need(len(self.clauses) <= MOST_CLAUSES, "the formula has too many clauses")


@dataclass(frozen=True)
class Count:
    """A count of at least ``least``; ``flags[i]`` is true when it is above ``least + i``."""

    least: int
    flags: Sequence[int]

    @property
    def most(self) -> int:
        """What the count cannot exceed."""
        return self.least + len(self.flags)

    def below(self, value: int) -> list[int]:
        """The literals of "the count is less than ``value``", which is at most ``most``."""
        return [-self.flags[value - self.least - 1]] if value > self.least else []


NOTHING = Count(0, ())


def one(literal: int) -> Count:
    """How often a literal is true."""
    return Count(0, (literal,))


def added(formula: Formula, a: Count, b: Count, least: int, most: int) -> Count:
    """The sum of two counts, known to lie between ``least`` and ``most``."""
    least, most = max(least, a.least + b.least), min(most, a.most + b.most)
    if least > most:
        formula.add()
        return Count(least, ())
    found = Count(least, [formula.variable() for _ in range(least, most)])
    for lower, upper in zip(found.flags, found.flags[1:], strict=False):
        formula.add(-upper, lower)
    bound(formula, a, b, found)
    return found


def bound(formula: Formula, a: Count, b: Count, total: Count) -> None:
    """``total`` is at least the sum of ``a`` and ``b``."""
    for x in range(a.least, a.most + 1):
        first = max(b.least, total.least + 1 - x)
        for y in range(first, min(b.most, total.most + 1 - x) + 1):
            reached = [total.flags[x + y - total.least - 1]] if x + y <= total.most else []
            formula.add(*a.below(x), *b.below(y), *reached)
