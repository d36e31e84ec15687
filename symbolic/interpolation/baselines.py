"""What the same data costs without attention: a residual network on single tokens, or on all.

A token-wise network gives a token one image, whichever sequence it is in, and needs a group for
each run of equal targets along its line: up to one for each input token.
"""

from dataclasses import dataclass

from attnproof.symbolic.errors import AttnproofError
from attnproof.symbolic.interpolation.data import Data, Token
from attnproof.symbolic.interpolation.groups import Group, joined
from attnproof.symbolic.interpolation.net import Net
from attnproof.symbolic.interpolation.project import project
from attnproof.symbolic.interpolation.sweep import sweep
from attnproof.symbolic.words import counted


class TokenwiseConflict(AttnproofError):
    """A token that two pairs share would need two images.

    ``certain`` says that their outputs have nothing in common, so that no token-wise map does it;
    else only targets in the order of the line are ruled out.
    """

    def __init__(self, message: str, pairs: tuple[int, int], certain: bool) -> None:
        super().__init__(message, pairs=pairs)
        self.pairs, self.certain = pairs, certain


@dataclass(frozen=True, slots=True, repr=False)
class Tokenwise:
    """A net without attention; ``groups`` are the runs of equal targets on its line."""

    net: Net
    groups: tuple[Group, ...]

    @property
    def events(self) -> int:
        """The neurons that are needed beside the one that projects."""
        return len(self.groups) + sum(one.high > one.low for one in self.groups)

    def __repr__(self) -> str:
        blocks = counted(len(self.net.blocks), "block")
        return f"Tokenwise: {blocks}, {counted(len(self.groups), 'group')}"


def resnet(data: Data) -> Tokenwise:
    """A residual network of width 4, without attention, that interpolates token by token.

    >>> from attnproof.symbolic.interpolation.data import read
    >>> resnet(read([([(0,), (4,)], [(1,)]), ([(1,), (2,)], [(3,)])]))
    Tokenwise: 2 blocks, 3 groups

    Law: ``ceil((1 + events) / 4)`` blocks, and at most two events a group. Raises
    :class:`TokenwiseConflict` where a shared token would need two images. Source: the comparison is
    of Alcalde, Fantuzzi, Zuazua 2025; the network ours.
    """
    line = project(data)
    held: dict[Token, tuple[int, Token]] = {}
    places = {}
    for j, (pair, positions) in enumerate(zip(data.pairs, line.positions, strict=True)):
        ordered, targets = sorted(zip(positions, pair.input, strict=True)), sorted(pair.output)
        for k, (place, token) in enumerate(ordered):
            target = targets[min(k, len(targets) - 1)]
            i, other = held.setdefault(token, (j, target))
            if other != target:
                raise _conflict(data, i, j)
            places[place] = target
    groups = joined(Group(place, place, target) for place, target in sorted(places.items()))
    return Tokenwise(Net(data.dimension, sweep(groups, line.base, line.identity())), groups)


def flattened(dimension: int, pairs: int, n: int, m: int, *, tied: bool = False) -> int:
    """The weights of one hidden layer that takes ``n`` tokens as one vector and gives ``m``.

    A neuron a pair: ``N (d n + d m + 1)``. With ``tied`` all neurons read one direction:
    ``d n + N (d m + 1)``. Such a network needs one ``n``, and the order of tokens changes what it
    does.

    >>> flattened(2, 4, 8, 2), flattened(2, 4, 8, 2, tied=True)
    (84, 36)
    """
    read, write = dimension * n, dimension * m + 1
    return read + pairs * write if tied else pairs * (read + write)


def _conflict(data: Data, i: int, j: int) -> TokenwiseConflict:
    common = set(data.pairs[i].output) & set(data.pairs[j].output)
    return TokenwiseConflict(
        f"pairs {i} and {j} share a token that would need two images, and without attention a "
        "token has one; use attnproof interpolate, or data whose inputs share no token",
        (i, j),
        not common,
    )
