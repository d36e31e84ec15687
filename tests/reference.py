"""Flow through masked attention, written a second time: relations as sets of pairs.

Convention: a pair is ``(reader, source)``; an edge of a graph is ``(source, reader)``. Nothing
here is shared with the package: products are comprehensions, closures fixed points, and classes,
covers, chains and antichains come from networkx. Shared by every room's tests.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, count, product
from typing import Any

import networkx as nx

Pair = tuple[int, int]
Pairs = frozenset[Pair]
Class = frozenset[int]


def pairs_of_text(rows: Sequence[str]) -> Pairs:
    """The pairs of a mask drawn with ``1`` or ``#`` for a key that is read."""
    return frozenset((q, k) for q, row in enumerate(rows) for k, x in enumerate(row) if x in "1#")


def pairs_of_sets(rows: Sequence[int]) -> Pairs:
    """The pairs of rows given as bit sets, read off their binary digits."""
    digits = [f"{row:b}"[::-1] for row in rows]
    return frozenset((q, k) for q, row in enumerate(digits) for k, x in enumerate(row) if x == "1")


def sets_of_pairs(pairs: Iterable[Pair], n: int) -> tuple[int, ...]:
    """Rows as bit sets; the inverse of :func:`pairs_of_sets`."""
    rows = [0] * n
    for q, k in set(pairs):
        rows[q] += 2**k
    return tuple(rows)


def identity(n: int) -> Pairs:
    """Every position with itself."""
    return frozenset((p, p) for p in range(n))


def lifted(
    pairs: Iterable[Pair],
    *,
    queries: int,
    keys: int,
    offset: int = 0,
    residual: bool = True,
    uniform: bool = False,
) -> Pairs:
    """One executed layer of a rectangular mask on ``max(keys, offset + queries)`` positions."""
    size = max(keys, offset + queries)
    asked = range(offset, offset + queries)
    layer = {(offset + q, k) for q, k in pairs}
    if uniform:
        reading = {q for q, _ in layer}
        layer |= {(q, k) for q in asked if q not in reading for k in range(keys)}
    layer |= {(p, p) for p in range(size) if residual or p not in asked}
    return frozenset(layer)


def multiplied(upper: Pairs, lower: Pairs) -> Pairs:
    """What ``upper`` reads of what ``lower`` holds."""
    held: dict[int, set[int]] = {}
    for m, k in lower:
        held.setdefault(m, set()).add(k)
    return frozenset((q, k) for q, m in upper for k in held.get(m, ()))


def after(layers: Sequence[Pairs], depth: int, n: int) -> Pairs:
    """The product of ``depth`` layers of a cyclic schedule, the last one leftmost."""
    held = identity(n)
    for level in range(depth):
        held = multiplied(layers[level % len(layers)], held)
    return held


def closed(pairs: Pairs, n: int) -> Pairs:
    """The least reflexive and transitive relation that contains ``pairs``."""
    held = pairs | identity(n)
    while True:
        grown = held | multiplied(held, held)
        if grown == held:
            return held
        held = grown


def settling(layers: Sequence[Pairs], n: int) -> int:
    """The least number of layers after which one whole period changes nothing (residual kept)."""
    return next(
        depth
        for depth in count()
        if after(layers, depth, n) == after(layers, depth + len(layers), n)
    )


def graph(pairs: Pairs, n: int) -> "nx.DiGraph[int]":
    """The relation off the diagonal as a graph: information flows along (source, reader)."""
    drawn: nx.DiGraph[int] = nx.DiGraph()
    drawn.add_nodes_from(range(n))
    drawn.add_edges_from((k, q) for q, k in pairs if q != k)
    return drawn


@dataclass(frozen=True)
class Order:
    """What networkx says of a relation; covers are (source class, reader class)."""

    reach: Pairs
    classes: frozenset[Class]
    covers: frozenset[tuple[Class, Class]]
    height: int
    width: int
    depth: int
    transitive: bool

    def leq(self, below: Class, above: Class) -> bool:
        """Does class ``below`` reach class ``above``?"""
        return (min(above), min(below)) in self.reach


def order(pairs: Pairs, n: int) -> Order:
    """Classes, covers, height, width and depth of the preorder that a relation generates."""
    drawn = graph(pairs, n)
    distances = dict(nx.all_pairs_shortest_path_length(drawn))
    reach = frozenset((q, k) for k, ends in distances.items() for q in ends)
    quotient: Any = nx.condensation(drawn)
    members = {c: frozenset(positions) for c, positions in quotient.nodes(data="members")}
    reduced: Any = nx.transitive_reduction(quotient)
    return Order(
        reach=reach,
        classes=frozenset(members.values()),
        covers=frozenset((members[c], members[d]) for c, d in reduced.edges),
        height=nx.dag_longest_path_length(quotient) + 1,
        width=_width(quotient),
        depth=max(steps for ends in distances.values() for steps in ends.values()),
        transitive=all((q, k) in pairs or q == k for q, k in reach),
    )


def _width(quotient: "nx.DiGraph[int]") -> int:
    """By enumeration where that is small, else by Dilworth: classes less a largest matching."""
    if len(quotient) <= 10:
        return max(len(found) for found in nx.antichains(quotient))
    strict = nx.transitive_closure_dag(quotient)
    split = nx.Graph(((c, "below"), (d, "above")) for c, d in strict.edges)
    split.add_nodes_from((c, side) for c in quotient for side in ("below", "above"))
    top = [(c, "below") for c in quotient]
    matched = nx.bipartite.hopcroft_karp_matching(split, top)
    return len(quotient) - len(matched) // 2


def first_depths(
    layers: Sequence[Pairs], wanted: Iterable[Pair], n: int, limit: int
) -> set[tuple[int, int, int]]:
    """(least depth, reader, source) of the wanted pairs that ``limit`` layers or fewer reach."""
    left, found = set(wanted), set()
    for depth in range(limit + 1):
        held = after(layers, depth, n)
        found |= {(depth, q, k) for q, k in left if (q, k) in held}
        left -= held
    return found


def least_walk(layers: Sequence[Pairs], source: int, reader: int, depth: int, n: int) -> list[int]:
    """The lexicographically least token sequence from ``source`` to ``reader``, one a layer."""
    steps = [layers[level % len(layers)] for level in range(depth)]
    return min(
        list(walk)
        for inner in product(range(n), repeat=max(0, depth - 1))
        for walk in [(source, *inner, reader) if depth else (source,)]
        if all((walk[i + 1], walk[i]) in step for i, step in enumerate(steps))
    )


def intransitive(pairs: Pairs, n: int) -> set[tuple[int, int, int]]:
    """All (q, k, m) where q reads m, m reads k and q neither reads k nor is k."""
    return {
        (q, k, m)
        for q, m in pairs
        for k in range(n)
        if (m, k) in pairs and (q, k) not in pairs and q != k
    }


def is_antichain(found: Iterable[Class], known: Order) -> bool:
    """Does no class of ``found`` reach another?"""
    return all(not known.leq(a, b) and not known.leq(b, a) for a, b in combinations(found, 2))
