"""Layers in sequence: ``P_L`` is the product of the first L layers, the last one leftmost.

A schedule of p layers repeats: layer L runs ``layers[(L - 1) % p]``; ``P_0`` is the identity.
"""

from collections.abc import Iterator, Sequence

from .envelope import Invalid, need
from .relations import Relation, elements, identity, product

#: Unions of rows beyond which a sequence of layers is not followed.
MOST_STEPS = 1 << 27
TOO_MANY = "following the layers takes too many steps"


def levels(layers: Sequence[Relation]) -> Iterator[Relation]:
    """P_0, P_1, P_2, ..., until that takes too many steps."""
    size = len(layers[0])
    held = identity(size)
    cost = [size + sum(row.bit_count() for row in layer) for layer in layers]
    level = steps = 0
    while steps <= MOST_STEPS:
        yield held
        layer = layers[level % len(layers)]
        held = product(layer, held) if level else layer
        steps += cost[level % len(layers)]
        level += 1


def after(layers: Sequence[Relation], depth: int) -> Relation:
    """P_depth. Once a product comes back in the same phase, they repeat."""
    mark, marked = identity(len(layers[0])), 0
    for level, held in enumerate(levels(layers)):
        if level == depth:
            return held
        cycle = level - marked
        if cycle and held == mark and cycle % len(layers) == 0:
            return after(layers, marked + (depth - marked) % cycle)
        if level & (level - 1) == 0:
            mark, marked = held, level
    raise Invalid(TOO_MANY)


def spread(layers: Sequence[Relation], sources: int, depth: int) -> Iterator[int]:
    """The positions that some source reaches after 0, 1, ..., ``depth`` layers."""
    need(depth * len(layers[0]) <= MOST_STEPS, TOO_MANY)
    held = sources
    yield held
    for level in range(depth):
        layer = layers[level % len(layers)]
        held = sum(1 << q for q, row in enumerate(layer) if row & held)
        yield held


def arrives(layers: Sequence[Relation], source: int, reader: int, depth: int) -> bool:
    """Is ``depth`` the least number of layers after which ``source`` reaches ``reader``?

    Theorem: a shortest walk is at no position twice in the same phase of the schedule, so the
    least number is less than positions times layers of a period.
    """
    if depth >= len(layers) * len(layers[0]):
        return False
    if len(layers) == 1:
        return distance(layers[0], source, reader) == depth
    *earlier, last = spread(layers, 1 << source, depth)
    return bool(last >> reader & 1) and not any(held >> reader & 1 for held in earlier)


def distance(layer: Sequence[int], source: int, reader: int) -> int | None:
    """The length of a shortest path, None if there is none; breadth-first from the reader."""
    seen = front = 1 << reader
    steps = 0
    while front:
        if front >> source & 1:
            return steps
        ahead = 0
        for k in elements(front):
            ahead |= layer[k]
        front = ahead & ~seen
        seen |= front
        steps += 1
    return None
