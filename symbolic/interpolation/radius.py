"""How far input tokens may move while the outputs stay exactly what they are.

An error of the input grows on the line by the slopes of the separation; while it stays below the
margin of every plateau, the sweep removes it.
"""

from collections.abc import Sequence
from fractions import Fraction

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation.build import Construction, Mode
from attnproof.symbolic.interpolation.net import Block


def radius(construction: Construction) -> Fraction:
    """Every coordinate of every input token may move by less than this, each on its own.

    >>> from attnproof.symbolic.interpolation.build import build
    >>> from attnproof.symbolic.interpolation.data import read
    >>> radius(build(read([([(0,), (4,)], [(1,), (2,)])]), robust=True))
    Fraction(1, 2)

    Law: the set of outputs does not change, for hardmax, and in the mode uniform for softmax at
    every temperature. With least margin ``r`` of a plateau, row ``u`` of the projection, slopes
    ``w`` and factors ``K`` of the means it is ``r / (|u|_1 prod (1 + sum w) prod (1 + K))``; in the
    mode leader a query also keeps its nearest tokens: half a lead over the growth before it.

    Raises :class:`InputError` without plateaus and for the modes phased and softmax1. Source: ours.
    """
    if construction.mode not in (Mode.UNIFORM, Mode.LEADER):
        raise InputError(
            f"no radius is known in the mode {construction.mode.value}; choose uniform or leader"
        )
    if construction.margin is None:
        raise InputError(
            "targets have no plateaus, and no input may move; construct with robust or stable"
        )
    growth = sum(map(abs, construction.line.row), Fraction(0))
    if construction.mode is Mode.LEADER:
        return _through_queries(construction, construction.margin, growth)
    for number, block in enumerate(_separating(construction.net.blocks)):
        growth *= _slope(block, growth if number == 0 else Fraction(1))
    return construction.margin / growth


def _through_queries(construction: Construction, margin: Fraction, growth: Fraction) -> Fraction:
    allowed = []
    for query in construction.queries:
        if query.lead > 0:
            allowed.append(query.lead / (2 * growth))
        allowed.append(query.least / growth)
        growth *= 1 + query.factor
    return min([*allowed, margin / growth])


def _separating(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if block.phase == "separation"]


def _slope(block: Block, row: Fraction) -> Fraction:
    """The greatest slope of a block along the line, whose neurons read rows of this norm."""
    steepest = abs(block.eta)
    for neuron in block.neurons:
        steepest += abs(neuron.write[0]) * sum(map(abs, neuron.read), Fraction(0)) / row
    for head in block.heads:
        steepest *= 1 + abs(head.value.scale)
    return steepest
