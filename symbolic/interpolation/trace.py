"""A run of a net on data: where every token of every sequence is after each phase.

A phase is the blocks in a row that are for one thing.
"""

from dataclasses import dataclass, replace
from itertools import groupby

from attnproof.symbolic.interpolation import exact
from attnproof.symbolic.interpolation.data import Data, Token
from attnproof.symbolic.interpolation.net import Net
from attnproof.symbolic.words import counted

States = tuple[tuple[Token, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Stage:
    """The tokens of all sequences after the ``blocks`` of a phase; no block for the input."""

    phase: str
    blocks: int
    states: States

    @property
    def points(self) -> int:
        """How many points the tokens of all sequences occupy together."""
        return len({token for sequence in self.states for token in sequence})

    def __repr__(self) -> str:
        points, blocks = counted(self.points, "point"), counted(self.blocks, "block")
        return f"{self.phase}: {points} after {blocks}"


@dataclass(frozen=True, slots=True)
class Trace:
    """The stages of a run, from the input to the output, and the targets of each sequence."""

    stages: tuple[Stage, ...]
    targets: States


def trace(net: Net, data: Data) -> Trace:
    """The run of a hardmax net on the inputs of the data, exactly.

    >>> from attnproof.symbolic.interpolation.build import build
    >>> from attnproof.symbolic.interpolation.data import read
    >>> data = read([([(0, 1), (2, 3)], [(5, 5)]), ([(2, 3)], [(1, 1)])])
    >>> trace(build(data).net, data).stages
    (input: 2 points after 0 blocks, separation: 3 points after 1 block, interpolation: 2 points \
after 1 block)

    Law: the last stage is what the net gives. Raises ShapeError where dimensions differ.
    """
    states = tuple(pair.input for pair in data.pairs)
    stages = [Stage("input", 0, states)]
    for phase, group in groupby(net.blocks, key=lambda block: block.phase):
        blocks = tuple(group)
        part = replace(net, blocks=blocks)
        states = tuple(exact.forward(part, sequence) for sequence in states)
        stages.append(Stage(phase, len(blocks), states))
    return Trace(tuple(stages), tuple(pair.output for pair in data.pairs))
