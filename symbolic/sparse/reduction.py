"""The fewest edges with the same flow at any depth: the transitive reduction, cycles included.

A class of two or more positions keeps one directed cycle, and each cover of the Hasse diagram one
edge between first members: ``#covers + sum of |C| over classes with |C| >= 2``.
"""

from attnproof.symbolic.order.closure import Closure


def reduction(order: Closure) -> tuple[int, ...]:
    """Position to what it reads, as bit sets, the diagonal included.

    >>> from attnproof.symbolic.order.closure import closure
    >>> [bin(row) for row in reduction(closure((0b001, 0b011, 0b111)))]
    ['0b1', '0b11', '0b110']

    Laws: its closure is the order; no mask with this closure has fewer edges off the diagonal; of a
    partial order it is the only one with so few, the Hasse mask. Source: Aho, Garey and Ullman,
    SIAM Journal on Computing 1 (1972).
    """
    rows = [1 << q for q in range(len(order.class_of))]
    for members, covered in zip(order.classes, order.covers, strict=True):
        first = members[0]
        if len(members) > 1:
            for before, q in zip((members[-1], *members), members, strict=False):
                rows[q] |= 1 << before
        for below in covered:
            rows[first] |= 1 << order.classes[below][0]
    return tuple(rows)


def fewest(order: Closure) -> int:
    """How many edges off the diagonal the reduction has.

    >>> from attnproof.symbolic.order.closure import closure
    >>> fewest(closure((0b111, 0b111, 0b111)))
    3
    """
    cycles = sum(len(members) for members in order.classes if len(members) > 1)
    return cycles + sum(map(len, order.covers))
