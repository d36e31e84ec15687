"""The staircase: feed-forward blocks that contract every plateau to a point, with weights ±1.

In binary floating point nothing is rounded, as positions and the ends of plateaus share a grid.
"""

from collections.abc import Sequence
from fractions import Fraction

from attnproof.symbolic.interpolation.groups import Group
from attnproof.symbolic.interpolation.net import Block, Neuron, times
from attnproof.symbolic.interpolation.project import unit


def staircase(
    plateaus: Sequence[Group], fresh: Neuron | None = None
) -> tuple[tuple[Block, ...], tuple[Group, ...]]:
    """Blocks that contract each plateau, two a block, and the points that they become.

    A plateau goes to its left end less the widths of the plateaus left of it.
    """
    d = len(plateaus[0].target)
    e1 = unit(d, 0)
    down = times(-1, e1)
    blocks: list[Block] = []
    stop = len(plateaus)
    while stop > 0:
        neuron = None if blocks else fresh
        start = max(0, stop - (2 if neuron is None else 1))
        read = e1 if neuron is None else neuron.read
        bias = Fraction(0) if neuron is None else neuron.bias
        neurons = [] if neuron is None else [Neuron(read, bias, e1)]
        for one in plateaus[start:stop]:
            neurons += [Neuron(read, bias - one.low, down), Neuron(read, bias - one.high, e1)]
        blocks.append(Block(Fraction(neuron is None), tuple(neurons), phase="collapse"))
        stop = start
    points, width = [], Fraction(0)
    for one in plateaus:
        points.append(Group(one.low - width, one.low - width, one.target))
        width += one.high - one.low
    return tuple(blocks), tuple(points)
