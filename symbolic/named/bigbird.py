"""BigBird: a window of blocks, global blocks, and ``random`` blocks drawn from a seed.

The draw depends on seed, number of blocks and parameters alone, and is captured as ``picks``: row
``B`` holds the blocks that block ``B`` reads beside window and global ones (itself where fewer are
left).
"""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from random import Random
from typing import Any

from attnproof.symbolic.formula import Term, at, k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

block, radius, global_blocks = variable("block"), variable("radius"), variable("global_blocks")
query_block, key_block = q // block, k // block
near = abs(query_block - key_block) <= radius
everywhere = (query_block < global_blocks) | (key_block < global_blocks)


def definition(random: int, **_: object) -> Term:
    picked = (at("picks", query_block, draw).eq(key_block) for draw in range(random))
    return reduce(or_, picked, near | everywhere)


def draw(blocks: int, radius: int, global_blocks: int, random: int, seed: int) -> list[list[int]]:
    """The random blocks of each block, the block itself where none is left to draw."""
    stream = Random(seed)
    picks = []
    for own in range(blocks):
        first, last = max(own - radius, global_blocks), min(own + radius, blocks - 1)
        left = blocks - min(global_blocks, blocks) - max(0, last - first + 1)
        chosen: list[int] = []
        while len(chosen) < min(random, left):
            candidate = int(stream.random() * blocks)
            far = candidate >= global_blocks and abs(candidate - own) > radius
            if far and candidate not in chosen:
                chosen.append(candidate)
        picks.append(chosen + [own] * (random - len(chosen)))
    return picks


def row_runs(
    n: int, block: int, radius: int, global_blocks: int, random: int, seed: int
) -> Iterator[RowRuns]:
    blocks = -(-n // block)
    for own, picks in enumerate(draw(blocks, radius, global_blocks, random, seed)):
        window = (own - radius, own + radius + 1)
        alone = [window, (0, global_blocks), *((pick, pick + 1) for pick in picks)]
        read = [(0, blocks)] if own < global_blocks else alone
        runs = union([(start * block, stop * block) for start, stop in read], n)
        for _ in range(own * block, min(n, (own + 1) * block)):
            yield runs


def captured(n: int, block: int, **rest: int) -> Any:
    return {"picks": draw(-(-n // block), **rest)}


def intervals(
    q: Any, n: int, block: int, radius: int, global_blocks: int, random: int, seed: int
) -> Intervals:
    import numpy as np

    blocks = -(-n // block)
    picks = np.array(draw(blocks, radius, global_blocks, random, seed), np.int64)
    own = q // block
    return [
        (0, n * (own < global_blocks)),
        (0, global_blocks * block),
        ((own - radius) * block, (own + radius + 1) * block),
        *((pick[own] * block, (pick[own] + 1) * block) for pick in picks.reshape(blocks, -1).T),
    ]


def density(n: int, random: int, **_: int) -> float:
    return random + 2


MASK = NamedMask(
    name="bigbird",
    doc="A query's block reads nearby blocks, the first `global_blocks`, and random ones.",
    source="Zaheer et al., BigBird, arXiv:2007.14062",
    definition=definition,
    row_runs=row_runs,
    intervals=intervals,
    density=density,
    example={"n": 16},
    parameters=(
        Parameter("block", "how many tokens a block has", at_least(1), 1),
        Parameter("radius", "how many blocks are read to each side", at_least(0), 1),
        Parameter("global_blocks", "how many first blocks read and are read", at_least(0), 1),
        Parameter("random", "how many random blocks a block reads", at_least(0), 2),
        Parameter("seed", "the seed of the draw", at_least(0), 0),
    ),
    captured=captured,
)
