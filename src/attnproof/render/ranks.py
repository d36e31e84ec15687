"""Rank of a node: the length of the longest chain of covers below it; sources have rank 0.

Convention: an edge is ``(source, reader)``; information flows upward.
"""

from collections.abc import Sequence

Edge = tuple[int, int]


def ranks(count: int, edges: Sequence[Edge]) -> tuple[int, ...]:
    """Rank of each of ``count`` nodes.

    >>> ranks(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    (0, 1, 1, 2)

    Law: ``rank[a] < rank[b]`` along every edge ``(a, b)``. Raises ValueError on a cycle.
    """
    above: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for source, reader in edges:
        above[source].append(reader)
        waits[reader] += 1
    rank = [0] * count
    ready = [v for v in range(count) if not waits[v]]
    for v in ready:
        for w in above[v]:
            rank[w] = max(rank[w], rank[v] + 1)
            waits[w] -= 1
            if not waits[w]:
                ready.append(w)
    if len(ready) != count:
        raise ValueError("the covers form a cycle; a Hasse diagram has none")
    return tuple(rank)
