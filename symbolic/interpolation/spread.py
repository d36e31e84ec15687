"""How widely the tokens of a run lie on its line, against the least distance that must survive.

Floats of ``b`` bits round a position ``T`` by up to ``2^-b T``, so that ``T_max / gap`` is what a
format must hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, pairwise, takewhile

from attnproof.symbolic.interpolation import exact
from attnproof.symbolic.interpolation.data import Data, Token
from attnproof.symbolic.interpolation.net import Net

_SEPARATING = ("depth", "separation")


@dataclass(frozen=True, slots=True)
class Spread:
    """``largest`` is the greatest position T_max; ``gap`` is the margin of the plateaus, and
    without them the least distance of two positions."""

    largest: Fraction
    gap: Fraction

    @property
    def ratio(self) -> Fraction:
        """``T_max / gap``."""
        return self.largest / self.gap


def spread(net: Net, data: Data, margin: Fraction | None = None) -> Spread:
    """The spread of the inputs of ``data`` on the line of a net that was built, by exact hardmax.

    >>> from attnproof.symbolic.interpolation.build import build
    >>> from attnproof.symbolic.interpolation.data import read
    >>> data = read([([(0, 1), (2, 3)], [(5, 5)]), ([(2, 3)], [(1, 1)])])
    >>> spread(build(data).net, data)
    Spread(largest=Fraction(42, 1), gap=Fraction(8, 1))

    ``margin`` is that of the construction. For softmax at one temperature hardmax bounds T_max, as
    a mean is at most the greatest position.
    """
    before = tuple(takewhile(lambda block: block.phase in _SEPARATING, net.blocks))
    part = replace(net, blocks=before)
    inputs = [pair.input for pair in data.pairs]
    start = [_projected(net, tokens) for tokens in inputs]
    end = [[token[0] for token in exact.forward(part, tokens)] for tokens in inputs]
    last = end if before else start
    held = sorted(set(chain(*last)))
    gap = min((b - a for a, b in pairwise(held)), default=Fraction(1)) if margin is None else margin
    return Spread(max(map(abs, chain(*start, *last))), gap)


def _projected(net: Net, tokens: Sequence[Token]) -> list[Fraction]:
    """Positions: what the first neuron of the net writes into the first coordinate."""
    first = net.blocks[0].neurons[0]
    return [
        first.write[0] * (sum(u * x for u, x in zip(first.read, token, strict=True)) + first.bias)
        for token in tokens
    ]
