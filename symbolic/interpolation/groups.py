"""Groups: intervals of the line whose tokens all go to one target.

Of a sequence with ``m`` targets the ``m - 1`` leftmost tokens are groups of their own and all
others form the last one; targets are taken in lexicographic order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from attnproof.symbolic.interpolation.data import Token
from attnproof.symbolic.interpolation.rationals import dyadic_between
from attnproof.symbolic.interpolation.separate import Positions


@dataclass(frozen=True, slots=True, repr=False)
class Group:
    """Every token in ``[low, high]`` goes to ``target``."""

    low: Fraction
    high: Fraction
    target: Token

    def __repr__(self) -> str:
        return f"[{self.low}, {self.high}] -> ({', '.join(map(str, self.target))})"


def group(positions: Positions, targets: Sequence[Sequence[Token]]) -> tuple[Group, ...]:
    """The groups from left to right; neighbours with one target are one group.

    >>> one, two = (Fraction(1),), (Fraction(2),)
    >>> group([(Fraction(5), Fraction(3), Fraction(9))], [[two, one]])
    ([3, 3] -> (1), [5, 9] -> (2))
    """
    found = []
    for sequence, wanted in zip(positions, targets, strict=True):
        ordered, last = sorted(sequence), len(wanted) - 1
        for k, target in enumerate(sorted(wanted)):
            found.append(Group(ordered[k], ordered[-1] if k == last else ordered[k], target))
    return joined(sorted(found, key=lambda one: one.low))


def joined(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Groups from left to right, neighbours with one target as one.

    >>> one, five = (Fraction(1),), Fraction(5)
    >>> joined([Group(Fraction(3), Fraction(3), one), Group(five, five, one)])
    ([3, 5] -> (1),)
    """
    found: list[Group] = []
    for one in groups:
        if found and found[-1].target == one.target:
            found[-1] = Group(found[-1].low, one.high, one.target)
        else:
            found.append(one)
    return tuple(found)


def widened(groups: Sequence[Group], base: Fraction) -> tuple[Group, ...]:
    """The groups as plateaus, wider by 1/4 to 3/8 of the gap on either side, with few bits."""
    gaps = [b.low - a for a, b in zip([base, *(one.high for one in groups)], groups, strict=False)]
    gaps.append(max(gaps[0], Fraction(1)))
    return tuple(
        Group(
            dyadic_between(one.low - left * Fraction(3, 8), one.low - left / 4),
            dyadic_between(one.high + right / 4, one.high + right * Fraction(3, 8)),
            one.target,
        )
        for one, (left, right) in zip(groups, pairwise(gaps), strict=True)
    )


def margin(groups: Sequence[Group], plateaus: Sequence[Group]) -> Fraction:
    """The least distance of a group to the end of its plateau."""
    return min(
        min(one.low - wide.low, wide.high - one.high)
        for one, wide in zip(groups, plateaus, strict=True)
    )
