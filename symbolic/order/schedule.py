"""Layers in sequence: the product of the executed layers, level by level.

After layers 1, ..., L source ``k`` reaches reader ``q`` when ``(A_L ... A_1)[q, k]``: the last
layer stands leftmost. A schedule of P layers repeats: layer ``l`` runs ``layers[(l - 1) % P]``.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.joins import Joins

Relation = tuple[int, ...]


def levels(layers: Sequence[Relation], limit: Relation | None = None) -> Iterator[Relation]:
    """The reach relation after 0, 1, 2, ... layers, without end.

    ``limit``, when the layers keep a residual, is the closure of their union: a row that has
    reached it is not computed again.

    >>> window = (0b001, 0b011, 0b110)
    >>> levels_ = levels([window])
    >>> [[bin(row) for row in next(levels_)] for _ in range(3)][2]
    ['0b1', '0b11', '0b111']

    Law: for one layer the relation after ``a + b`` layers is the product of those after ``a``
    and after ``b``.
    """
    yield tuple([1 << q for q in range(len(layers[0]))])
    held = layers[0]
    yield held
    ends: Sequence[int | None] = [None] * len(held) if limit is None else limit
    open_ = [q for q, end in enumerate(ends) if held[q] != end]
    period: list[Joins] = []
    for level in count(1):
        if level <= len(layers):
            period.append(Joins(layers[level % len(layers)], open_))
        joins = period[(level - 1) % len(period)]
        nodes = joins.nodes(held)
        rows = list(held)
        still_open = []
        for q in open_:
            reached, end = 0, ends[q]
            for node in joins.of(q):
                reached |= nodes[node]
                if reached == end:
                    rows[q] = end
                    break
            else:
                rows[q] = reached
                still_open.append(q)
        open_ = still_open
        held = tuple(rows)
        yield held


def product(upper: Sequence[int], lower: Sequence[int]) -> tuple[int, ...]:
    """The Boolean product: what ``upper`` reads of what ``lower`` holds.

    >>> product((0b01, 0b01), (0b10, 0b10))
    (2, 2)
    """
    joins = Joins(upper, range(len(upper)))
    nodes = joins.nodes(lower)
    rows = []
    for q in range(len(upper)):
        held = 0
        for node in joins.of(q):
            held |= nodes[node]
        rows.append(held)
    return tuple(rows)


def reach(layers: Sequence[Relation], depth: int, limit: Relation | None = None) -> Relation:
    """The reach relation after exactly ``depth`` layers; once a product comes back in the same
    phase of the schedule, all repeat.

    >>> reach([(0b01, 0b10)], 10**100)
    (1, 2)
    >>> reach([(0b001, 0b011, 0b110)], 1)
    (1, 3, 6)
    """
    mark, marked = None, 0
    for level, held in enumerate(levels(layers, limit)):
        if level == depth or (limit is not None and held == limit):
            return held
        cycle = level - marked
        if held == mark and cycle % len(layers) == 0:
            return reach(layers, marked + (depth - marked) % cycle, limit)
        if level & (level - 1) == 0:
            mark, marked = held, level
    raise AssertionError("levels do not end")


def ever(layers: Sequence[Relation]) -> Relation:
    """What is reached after some number of layers: the union of all products.

    A walk through a schedule of P layers is a walk in the graph of (position, layers so far mod P).

    >>> ever([(0b00, 0b01), (0b00, 0b00)])
    (1, 3)

    Law: for one layer it is the closure.
    """
    size, period = len(layers[0]), len(layers)
    rows: list[int] = []
    for phase in range(period):
        below = (phase - 1) % period
        rows += [row << below * size for row in layers[below]]
    walked = closure(rows).rows
    reached = [0] * size
    for node, row in enumerate(walked):
        reached[node % size] |= row & (1 << size) - 1
    return tuple(reached)
