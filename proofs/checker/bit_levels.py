"""Powers of relations as rows of bits: when reflexive layers have reached their limit, and whether
the powers of any relation settle.

Theorem: they settle exactly when every class that has a cycle has cycles of coprime lengths.
"""

from collections.abc import Callable, Iterable, Sequence
from math import gcd

from .relations import Relation, elements, identity, reach, tops

#: Keys up to which a row is listed once instead of being searched in every layer.
_FEW = 256


def settling(layers: Sequence[Relation], limit: Callable[[], Relation]) -> int:
    """The least number of reflexive layers whose product is the limit, the closure of all."""
    if len(layers) == 1 and (depth := _interval_depth(layers[0])) is not None:
        return depth
    return _levels(layers, limit())


def _levels(layers: Sequence[Relation], limit: Relation) -> int:
    period = [_Layer(layer) for layer in layers]
    weights = [row.bit_count() for row in limit]
    held, level, done = list(identity(len(limit))), 0, 0
    open_ = list(range(len(limit)))
    while True:
        for q in open_:
            done |= (held[q] == limit[q]) << q
        open_ = [q for q in open_ if held[q] != limit[q]]
        if not open_:
            return level
        reads = period[level % len(period)]
        for q, row in [(q, reads.grown(q, held, limit, done, weights)) for q in open_]:
            held[q] = row
        level += 1


class _Layer:
    """One layer, with the keys of short rows listed."""

    def __init__(self, rows: Relation) -> None:
        self.rows = rows
        self.few = [tuple(elements(row)) if row.bit_count() <= _FEW else () for row in rows]

    def grown(self, q: int, held: list[int], limit: Relation, done: int, weights: list[int]) -> int:
        """Row q after one layer more. A row that has reached its limit covers all that is in it."""
        row = 0
        keys: Iterable[int] = self.few[q]
        if not keys:
            for k in tops(self.rows[q] & done, limit, weights):
                row |= limit[k]
            keys = elements(self.rows[q] & ~done & ~row)
        for k in keys:
            row |= held[k]
            if row == limit[q]:
                break
        return row


def _interval_depth(layer: Relation) -> int | None:
    """The depth where every row is one interval around its position with ends that never
    decrease; None for other layers.

    Theorem: then row q of the L-th power is the interval from the L-fold first position to the
    L-fold last one, since rows that are neighbours in it overlap.
    """
    first = [(row & -row).bit_length() - 1 for row in layer]
    last = [row.bit_length() - 1 for row in layer]
    for q, row in enumerate(layer):
        body = row >> max(first[q], 0)
        if body & (body + 1) or not first[q] <= q <= last[q]:
            return None
        if q and (first[q] < first[q - 1] or last[q] < last[q - 1]):
            return None
    back = [0] * len(layer)
    for q, p in enumerate(first):
        back[q] = 0 if p == q else back[p] + 1
    ahead = [0] * len(layer)
    for q in reversed(range(len(layer))):
        ahead[q] = 0 if last[q] == q else ahead[last[q]] + 1
    return max(*back, *ahead)


def is_aperiodic(rows: Relation) -> bool:
    """Is 1 the greatest common divisor of the cycle lengths of every class with a cycle?"""
    columns = [0] * len(rows)
    for q, row in enumerate(rows):
        for k in elements(row):
            columns[k] |= 1 << q
    left = (1 << len(rows)) - 1
    while left:
        first = (left & -left).bit_length() - 1
        inside = reach(rows, first, left) & reach(columns, first, left)
        left &= ~inside
        if _cycle_divisor(rows, first, inside) > 1:
            return False
    return True


def _cycle_divisor(rows: Relation, first: int, inside: int) -> int:
    """The divisor of distance(q) + 1 - distance(k) over all q of a class and k that they read."""
    distance = {first: 0}
    queue = [first]
    divisor = 0
    for q in queue:
        for k in elements(rows[q] & inside):
            if k not in distance:
                distance[k] = distance[q] + 1
                queue.append(k)
            divisor = gcd(divisor, distance[q] + 1 - distance[k])
    return divisor
