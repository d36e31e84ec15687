"""Depth of convergence: after how many layers another period of layers changes nothing.

With a residual the reach relation grows and settles at the closure of the union of the layers, so
the depth is the longest shortest path, at most n - 1 for one mask. Without a residual the powers
are eventually periodic and may never settle.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import gcd

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.components import components
from attnproof.symbolic.order.schedule import Relation, levels, product


def depth(layers: Sequence[Relation], limit: Relation) -> int:
    """The least number of layers after which the reach relation is ``limit``.

    ``layers`` keep a residual; ``limit`` is the closure of their union.

    >>> depth([(0b001, 0b011, 0b110)], (0b001, 0b011, 0b111))
    2

    Law: for one mask it is the greatest distance between two positions that reach, 0 for the
    identity. Source: the limit is the paper's, the bound n - 1 ours.
    """
    if len(layers) == 1:
        (layer,) = layers
        if layer == limit:
            return int(any(row != 1 << q for q, row in enumerate(layer)))
        ends = monotone_ends(layer)
        if ends is not None:
            return _monotone_depth(*ends)
    return next(level for level, held in enumerate(levels(layers, limit)) if held == limit)


def monotone_ends(layer: Relation) -> tuple[list[int], list[int]] | None:
    """First and last position of each row, if every row is one interval around its own position
    and both ends never decrease; None otherwise.

    >>> monotone_ends((0b001, 0b011, 0b110))
    ([0, 0, 1], [0, 1, 2])
    """
    first, last = [], []
    for q, row in enumerate(layer):
        start = (row & -row).bit_length() - 1
        body = row >> start
        if body & (body + 1) or not row >> q & 1:
            return None
        first.append(start)
        last.append(row.bit_length() - 1)
    if any(a > b for ends in (first, last) for a, b in pairwise(ends)):
        return None
    return first, last


def _monotone_depth(first: Sequence[int], last: Sequence[int]) -> int:
    """After L layers row q is the interval from ``first`` applied L times to ``last`` L times."""
    back = [0] * len(first)
    for q, start in enumerate(first):
        back[q] = 0 if start == q else back[start] + 1
    ahead = [0] * len(last)
    for q in range(len(last) - 1, -1, -1):
        ahead[q] = 0 if last[q] == q else ahead[last[q]] + 1
    return max(max(back), max(ahead))


def depth_without_residual(layers: Sequence[Relation]) -> int | None:
    """The least L with the same relation after L and after L + P layers; None if there is none.

    >>> depth_without_residual([(0b10, 0b01)]) is None
    True
    >>> depth_without_residual([(0b00, 0b01)])
    2

    The powers of a relation settle exactly when every class with a cycle has cycles of coprime
    lengths; that is tested on the product of one period.
    """
    whole = layers[0]
    for layer in layers[1:]:
        whole = product(layer, whole)
    if any(period > 1 for period in _periods(whole)):
        return None
    period = len(layers)
    recent: list[Relation] = []
    for level, held in enumerate(levels(layers)):
        recent.append(held)
        if level >= period and recent[-1] == recent[-1 - period]:
            return level - period
        del recent[: -period - 1]
    raise AssertionError("levels do not end")


def _periods(rows: Relation) -> list[int]:
    """For each class with a cycle, the greatest common divisor of its cycle lengths."""
    periods = []
    for found in components(rows):
        inside = sum(1 << p for p in found)
        distance = {found[0]: 0}
        queue = [found[0]]
        divisor = 0
        for q in queue:
            for k in members(rows[q] & inside):
                if k not in distance:
                    distance[k] = distance[q] + 1
                    queue.append(k)
                divisor = gcd(divisor, distance[q] + 1 - distance[k])
        if divisor:
            periods.append(divisor)
    return periods
