"""The least number of layers after which each source reaches one reader.

A walk that ends at the reader after L layers of a schedule with period P is a walk in the graph of
(position, layers so far mod P); breadth-first search from the reader, once for each L mod P, finds
the shortest ones, with a residual or without.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.schedule import Relation


def arrivals(layers: Sequence[Relation], reader: int) -> Iterator[int]:
    """The sources that reach the reader first after 0, 1, 2, ... layers, until none is left.

    >>> [bin(sources) for sources in arrivals([(0b001, 0b011, 0b110)], 2)]
    ['0b100', '0b10', '0b1']
    """
    period = len(layers)
    fronts = [1 << reader] * period
    seen = [[0] * period for _ in layers]
    found = depth = 0
    while any(fronts):
        sources = fronts[depth % period] & ~found
        found |= sources
        yield sources
        for end in range(period):
            below = (end - depth - 1) % period
            held = _held(layers[below], fronts[end])
            fronts[end] = held & ~seen[end][below]
            seen[end][below] |= held
        depth += 1


def held(layers: Sequence[Relation], reader: int) -> Iterator[int]:
    """The sources that the product of exactly 0, 1, 2, ... layers lets the reader see, until all
    repeat.

    >>> [bin(sources) for sources in held([(0b010, 0b001)], 0)]
    ['0b1', '0b10']
    """
    period = len(layers)
    ends = [1 << reader] * period
    known: set[tuple[int, ...]] = set()
    for depth in count():
        state = (depth % period, *ends)
        if state in known:
            return
        known.add(state)
        yield ends[depth % period]
        ends = [_held(layers[(end - depth - 1) % period], row) for end, row in enumerate(ends)]


def held_after(layers: Sequence[Relation], reader: int, depth: int) -> int:
    """The sources that the product of exactly ``depth`` layers lets the reader see; once a set
    comes back in the same phase of the schedule, all repeat.

    >>> bin(held_after([(0b010, 0b001)], 0, 3)), bin(held_after([(0b010, 0b001)], 0, 10**100))
    ('0b10', '0b1')
    """
    held = 1 << reader
    mark, marked = 0, 0
    for level in count():
        if level == depth:
            return held
        cycle = level - marked
        if held == mark and cycle % len(layers) == 0:
            depth = level + (depth - level) % cycle
            mark, marked = 0, level
            if level == depth:
                return held
        elif level & (level - 1) == 0:
            mark, marked = held, level
        held = _held(layers[(depth - level - 1) % len(layers)], held)
    raise AssertionError("the count has no end")


def _held(layer: Relation, readers: int) -> int:
    held = 0
    for m in members(readers):
        held |= layer[m]
    return held
