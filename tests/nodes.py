"""Node equivalence, written a second time: as a relation between positions, and with networkx.

Nothing here is shared with the package. A layer is a list of heads, a head a set of pairs
(reader, source). Two positions of one colour are a pair of a relation; no colour is ever named.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import networkx as nx

from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.tasks.masks import Heads, Layers
from attnproof.symbolic.tasks.task import PosMode, Task
from tests.reference import Pairs, closed, identity, lifted, pairs_of_sets

#: (side, position)
Place = tuple[int, int]


@dataclass(frozen=True)
class Side:
    """A node, what each position is fed, and the keys of each head of each layer."""

    node: int
    inputs: Sequence[Hashable]
    places: Sequence[int]
    layers: Sequence[Sequence[Pairs]]

    @property
    def below(self) -> set[int]:
        """Everything that can reach the node."""
        every = frozenset().union(*(head for heads in self.layers for head in heads))
        return {k for q, k in closed(every, len(self.inputs)) if q == self.node}


def side_of(task: Task, node: int) -> Side:
    """A node of a task, from its mask as written; every layer with as many heads."""
    written = task.mask.masks if isinstance(task.mask, Layers) else (task.mask,)
    layers = [
        [_head(task, mask) for mask in (layer.masks if isinstance(layer, Heads) else (layer,))]
        for layer in written
    ]
    heads = max(map(len, layers))
    return Side(
        node,
        [_input(task, p) for p in range(task.size)],
        [p.pos or 0 if task.pos_mode is PosMode.RELATIVE else 0 for p in task.positions],
        [layer * (heads // len(layer)) for layer in layers],
    )


def _head(task: Task, mask: Any) -> Pairs:
    n = task.size
    pairs = lifted(
        pairs_of_sets(mask.rows.bits()),
        queries=n,
        keys=n,
        uniform=task.empty_row is EmptyRow.UNIFORM,
    )
    return pairs if task.diag_in_softmax else pairs - identity(n)


def _input(task: Task, p: int) -> Hashable:
    position = task.positions[p]
    own = (tuple(sorted(position.atoms)), position.kind, position.segment)
    return (own, position.pos) if task.pos_mode is PosMode.ABSOLUTE else own


def isomorphic(a: Side, b: Side) -> bool:
    """Is there an isomorphism of what is below, root to root? By networkx."""
    period = lcm(len(a.layers), len(b.layers))
    return bool(
        nx.is_isomorphic(
            _graph(a, period),
            _graph(b, period),
            node_match=lambda x, y: x["fed"] == y["fed"],
            edge_match=lambda x, y: x["read"] == y["read"],
        )
    )


def _graph(side: Side, period: int) -> Any:
    drawn: Any = nx.DiGraph()
    below = side.below
    for p in below:
        drawn.add_node(p, fed=(side.inputs[p], p == side.node))
    for q, k in product(below, repeat=2):
        read = {
            (layer, head)
            for layer in range(period)
            for head, pairs in enumerate(side.layers[layer % len(side.layers)])
            if (q, k) in pairs
        }
        if read:
            drawn.add_edge(k, q, read=(read, side.places[q] - side.places[k]))
    return drawn


def is_isomorphism(a: Side, b: Side, found: dict[int, int]) -> bool:
    """Does a map keep everything, pair by pair?"""
    pairs = [(q, k) for q in found for k in found]
    levels = range(lcm(len(a.layers), len(b.layers)))
    heads = range(len(a.layers[0]))
    return (
        set(found) == a.below
        and set(found.values()) == b.below
        and len(set(found.values())) == len(found)
        and found[a.node] == b.node
        and all(a.inputs[p] == b.inputs[w] for p, w in found.items())
        and all(
            a.places[q] - a.places[k] == b.places[found[q]] - b.places[found[k]] for q, k in pairs
        )
        and all(
            ((q, k) in a.layers[level % len(a.layers)][h])
            == ((found[q], found[k]) in b.layers[level % len(b.layers)][h])
            for level in levels
            for h in heads
            for q, k in pairs
        )
    )


class Alike:
    """Which positions look alike after so many rounds: ``alike(u, v)`` for (side, position)."""

    def __init__(self, a: Side, b: Side, *, shares: bool) -> None:
        self.sides = (a, b)
        self.shares = shares
        self.everyone = [(i, p) for i, side in enumerate(self.sides) for p in sorted(side.below)]
        self.level = 0
        pairs = product(self.everyone, repeat=2)
        self.pairs = {(u, v) for u, v in pairs if self._fed(u) == self._fed(v)}

    def _fed(self, u: Place) -> Hashable:
        return self.sides[u[0]].inputs[u[1]]

    def next_round(self) -> None:
        """One more layer."""
        self.pairs = {(u, v) for u, v in self.pairs if self._see_alike(u, v)}
        self.level += 1

    def _see_alike(self, u: Place, v: Place) -> bool:
        heads = range(len(self.sides[0].layers[0]))
        return all(self._matches(u, v, head) for head in heads)

    def _keys(self, u: Place, head: int) -> list[tuple[int, Place]]:
        side = self.sides[u[0]]
        pairs = side.layers[self.level % len(side.layers)][head]
        return [(side.places[q] - side.places[k], (u[0], k)) for q, k in sorted(pairs) if q == u[1]]

    def _matches(self, u: Place, v: Place, head: int) -> bool:
        """Is each state as frequent among the keys of the one as of the other?"""
        ours, theirs = self._keys(u, head), self._keys(v, head)
        if not ours or not theirs:
            return len(ours) == len(theirs)
        totals = (len(ours), len(theirs)) if self.shares else (1, 1)
        return all(
            Fraction(sum(self._same(key, one) for one in ours), totals[0])
            == Fraction(sum(self._same(key, one) for one in theirs), totals[1])
            for key in (*ours, *theirs)
        )

    def _same(self, key: tuple[int, Place], other: tuple[int, Place]) -> bool:
        return key[0] == other[0] and (key[1], other[1]) in self.pairs

    @property
    def roots(self) -> bool:
        """Do the two nodes look alike?"""
        return ((0, self.sides[0].node), (1, self.sides[1].node)) in self.pairs

    @property
    def crowds(self) -> bool:
        """Are there, below the two, as many of each look at each distance from the node?"""

        def away(u: Place) -> int:
            side = self.sides[u[0]]
            return side.places[side.node] - side.places[u[1]]

        def count(side: int, u: Place) -> int:
            return sum(
                (u, v) in self.pairs and away(u) == away(v) for v in self.everyone if v[0] == side
            )

        return all(count(0, u) == count(1, u) for u in self.everyone)  # fmt: skip


def first_round(a: Side, b: Side, mode: str, depth: int | None) -> int | None:
    """The first round that separates two nodes; None where none does."""
    alike = Alike(a, b, shares=mode == "softmax")
    period, sizes = lcm(len(a.layers), len(b.layers)), [len(alike.pairs)]
    while alike.roots and (mode != "iso" or alike.crowds):
        settled = sizes[-period - 1 : -1].count(sizes[-1]) == period
        if settled or (mode != "iso" and alike.level == depth):
            return None
        alike.next_round()
        sizes.append(len(alike.pairs))
    return alike.level


def are_equivalent(a: Side, b: Side, mode: str, depth: int | None) -> bool:
    """The answer, by the definition of each mode."""
    return isomorphic(a, b) if mode == "iso" else first_round(a, b, mode, depth) is None
