"""Joins: the union of what a reader's keys hold, for many readers of one layer.

A run of keys is cut into dyadic intervals, the nodes of a segment tree over the positions. A node
is joined once for all readers, so that a run of w keys costs about 2 log w unions and not w.
"""

from collections.abc import Iterable, Sequence

from attnproof.symbolic.masks.bits import members_of_each
from attnproof.symbolic.masks.rows import members

_LONG_RUN = 4
_MOST_LISTED = 1 << 24


class Joins:
    """The nodes that each reader joins: node ``k`` is position ``k``, ``k < 0`` an interval.

    Node ``i - n`` holds what the nodes ``2i - n`` and ``2i + 1 - n`` hold, for ``0 < i < n``.

    >>> joins = Joins((0b0001, 0b0011, 0b0111, 0b1111), readers=[3])
    >>> joins.of(3)
    [-3]
    >>> bin(joins.nodes((0b0001, 0b0010, 0b0100, 0b1000))[-3])
    '0b1111'

    Law: the union over ``of(q)`` is the union of what the members of row ``q`` hold.
    """

    def __init__(self, layer: Sequence[int], readers: Sequence[int]) -> None:
        rows = [layer[q] for q in readers]
        starts = [row & ~(row << 1) for row in rows]
        runs = sum(map(int.bit_count, starts))
        pairs = sum(map(int.bit_count, rows))
        lists: list[list[int]] = []
        if pairs >= _LONG_RUN * runs:
            stops = [row << 1 & ~row for row in rows]
            lists = _dyadic(starts, stops, len(layer))
        elif pairs <= _MOST_LISTED:
            lists = members_of_each(rows, len(layer))
        self._layer = layer
        self._lists = dict(zip(readers, lists, strict=False))
        self._inner = _inner(lists, len(layer))

    def of(self, reader: int) -> Iterable[int]:
        """The nodes whose union is what ``reader`` reads."""
        if self._lists:
            return self._lists[reader]
        return members(self._layer[reader])

    def nodes(self, held: Sequence[int]) -> Sequence[int]:
        """What every node holds when position ``k`` holds ``held[k]``."""
        if not self._inner:
            return held
        n = len(held)
        nodes = [*held, *[0] * n]
        for i in self._inner:
            nodes[i - n] = nodes[2 * i - n] | nodes[2 * i + 1 - n]
        return nodes


def _dyadic(starts: Sequence[int], stops: Sequence[int], n: int) -> list[list[int]]:
    """The nodes of each reader's runs; run ``j`` is from the ``j``-th start to before the stop."""
    lists = []
    for lows, highs in zip(members_of_each(starts, n), members_of_each(stops, n + 1), strict=True):
        nodes = []
        for start, stop in zip(lows, highs, strict=True):
            low, high = start + n, stop + n
            while low < high:
                if low & 1:
                    nodes.append(low - n)
                    low += 1
                if high & 1:
                    high -= 1
                    nodes.append(high - n)
                low >>= 1
                high >>= 1
        lists.append(nodes)
    return lists


def _inner(lists: Sequence[Sequence[int]], n: int) -> list[int]:
    """The tree indices of the intervals in use, children before parents."""
    used = {node for nodes in lists for node in nodes if node < 0}
    wanted = bytearray(n)
    for node in used:
        wanted[node + n] = 1
    for i in range(1, (n + 1) // 2):
        if wanted[i]:
            for child in (2 * i, 2 * i + 1):
                if child < n:
                    wanted[child] = 1
    return [i for i in range(n - 1, 0, -1) if wanted[i]]
