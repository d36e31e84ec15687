"""Layers in sequence: the product of the executed layers, level by level.

After layers 1, ..., L source ``k`` reaches reader ``q`` when ``(A_L ... A_1)[q, k]``: the last
layer stands leftmost. A schedule of P layers repeats: layer ``l`` runs ``layers[(l - 1) % P]``.
"""

from collections.abc import Iterator, Sequence
from itertools import count

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
    """The reach relation after exactly ``depth`` layers.

    >>> reach([(0b001, 0b011, 0b110)], 1)
    (1, 3, 6)
    """
    for level, held in enumerate(levels(layers, limit)):
        if level == depth or (limit is not None and held == limit):
            return held
    raise AssertionError("levels do not end")
