"""The sweep: feed-forward blocks that move groups to their targets, from right to left.

Left of its first knot a block is the identity of the line ``t e1``; from there it is piecewise
linear, reaches the target at the left end of each group and is constant on the group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from attnproof.symbolic.interpolation.groups import Group
from attnproof.symbolic.interpolation.net import Block, Neuron, Vector, times
from attnproof.symbolic.interpolation.project import unit
from attnproof.symbolic.interpolation.rationals import power_of_two_at_least

WIDTH = 4


@dataclass(frozen=True, slots=True)
class _Event:
    """A knot: from here the line goes to the target of group g, or ("clamp") stays there."""

    knot: Fraction
    clamp: bool
    g: int


def sweep(
    groups: Sequence[Group],
    base: Fraction,
    fresh: Neuron | None = None,
    *,
    width: int = WIDTH,
    short: bool = False,
) -> tuple[Block, ...]:
    """Blocks that move every group to its target; ``fresh`` first reads the positions off.

    Needs ``base`` left of all groups and no target right of it in its first coordinate. With
    ``short`` a move begins at a power of two before its group, so that slopes are exact in binary.

    Law: every point of a group becomes its target exactly; ``ceil((events + (fresh is given)) /
    width)`` blocks, an event for each group and one more for each that is no single point.
    """
    d = len(groups[0].target)
    events = _events(groups, base, short)
    blocks: list[Block] = []
    while events:
        neuron = None if blocks else fresh
        size = width - (neuron is not None)
        chunk, events = events[:size][::-1], events[size:]
        read = unit(d, 0) if neuron is None else neuron.read
        bias = Fraction(0) if neuron is None else neuron.bias
        slopes = [unit(d, 0), *_slopes(chunk, groups)]
        bends = tuple(
            Neuron(read, bias - event.knot, _minus(after, before))
            for event, (before, after) in zip(chunk, pairwise(slopes), strict=True)
        )
        first = () if neuron is None else (Neuron(read, bias, unit(d, 0)),)
        blocks.append(Block(Fraction(neuron is None), (*first, *bends), phase="interpolation"))
    return tuple(blocks)


def _events(groups: Sequence[Group], base: Fraction, short: bool) -> list[_Event]:
    """From right to left."""
    found = []
    for g in range(len(groups) - 1, -1, -1):
        one = groups[g]
        if one.high > one.low:
            found.append(_Event(one.low, True, g))
        before = groups[g - 1].high if g else base
        if short:
            power = power_of_two_at_least(one.low - before)
            before = one.low - (power if power == one.low - before else power / 2)
        found.append(_Event(before, False, g))
    return found


def _slopes(chunk: Sequence[_Event], groups: Sequence[Group]) -> list[Vector]:
    """The slope right of each knot of a block."""
    d = len(groups[0].target)
    found: list[Vector] = []
    value = times(chunk[0].knot, unit(d, 0))
    for event in chunk:
        one = groups[event.g]
        if event.clamp:
            found.append((Fraction(0),) * d)
            continue
        run = one.low - event.knot
        found.append(tuple(rise / run for rise in _minus(one.target, value)))
        value = one.target
    return found


def _minus(a: Vector, b: Vector) -> Vector:
    return tuple(x - y for x, y in zip(a, b, strict=True))
