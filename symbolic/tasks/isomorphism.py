"""Isomorphism of what lies below two nodes: same inputs, same keys in every head of every layer.

A stable colouring decides it where no cell is divided: where every query has all of a cell as keys,
or none of it. Elsewhere one node after another is singled out, on one side and, in turn, as each
node of its colour on the other.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from attnproof.symbolic.tasks.refinement import Colours, Nodes, rounds

#: The nodes below a root, and the root.
Side = tuple[range, int]
#: Nodes of one side to those of the other.
Mapped = dict[int, int]


class OutOfBudget(Exception):
    """The search has looked at as many keys as it may."""


@dataclass
class Budget:
    """How many keys may still be looked at."""

    left: int

    def take(self, count: int) -> None:
        """Raise :class:`OutOfBudget` when so many are not left."""
        self.left -= count
        if self.left < 0:
            raise OutOfBudget


def cells(nodes: Nodes, colours: Colours, own: Sequence[int], root: int) -> list[Hashable]:
    """For each node below a root its colour and, where they are seen, its distance in ids."""
    if nodes.places is None:
        return [colours[v] for v in own]
    return [(colours[v], nodes.places[root] - nodes.places[v]) for v in own]


def divided(nodes: Nodes, own: Sequence[int], found: Sequence[Hashable]) -> set[Hashable]:
    """The cells of which some node has, as keys of some head, a part that is neither all nor none.

    Of its own cell it may also have itself alone, or all but itself. One node a cell is asked,
    because the cells are those of a stable colouring. Where none is divided, every bijection that
    keeps cells is an isomorphism.
    """
    sizes = Counter(found)
    if len(sizes) == len(own):
        return set()
    cell = dict(zip(own, found, strict=True))
    asked = {name: v for v, name in cell.items()}
    return {
        name
        for v in asked.values()
        for heads in nodes.keys
        for head in heads
        for name, have in _others(cell, v, nodes.lists[head[v]]).items()
        if have not in (0, sizes[name] - (name == cell[v]))
    }


def _others(cell: dict[int, Hashable], v: int, keys: Sequence[int]) -> Counter[Hashable]:
    """How many keys besides itself a node has in each cell."""
    return Counter(cell[k] for k in keys if k != v)


def isomorphism(nodes: Nodes, a: Side, b: Side, stable: Colours, budget: Budget) -> Mapped | None:
    """A bijection of two sides that keeps inputs, keys and distances in ids, and carries root to
    root; None where there is none, after an exhausted search.

    ``stable`` is a stable colouring that has as many nodes of each cell on both sides. Raises
    :class:`OutOfBudget` instead of searching on.
    """
    (one, root), (two, other) = a, b
    ours, theirs = cells(nodes, stable, *a), cells(nodes, stable, *b)
    names = [(name, v == root) for v, name in zip(one, ours, strict=True)]
    others = [(name, w == other) for w, name in zip(two, theirs, strict=True)]
    if not divided(nodes, one, ours):
        return matched(one, two, names, others)
    open_: list[tuple[Sequence[Hashable], int, int]] = [((*ours, *theirs), root, other)]
    while open_:
        held, v, w = open_.pop()
        start = nodes.restarted((colour, u in (v, w)) for u, colour in enumerate(held))
        colours = _stable(start, budget)
        here, there = ([colours[u] for u in side] for side in (one, two))
        if sorted(here) != sorted(there):
            continue
        parted = divided(start, one, here)
        if not parted:
            return matched(one, two, here, there)
        _, v = min((here.count(colours[u]), u) for u in one if colours[u] in parted)
        open_ += [(colours, v, w) for w in reversed(two) if colours[w] == colours[v]]
    return None


def _stable(nodes: Nodes, budget: Budget) -> Colours:
    stable: Colours = ()
    for colours in rounds(nodes):
        budget.take(nodes.pairs)
        stable = colours
    return stable


def matched(
    a: Sequence[int], b: Sequence[int], of_a: Sequence[Hashable], of_b: Sequence[Hashable]
) -> Mapped:
    """A bijection that keeps cells, each in order.

    >>> matched([0, 1, 2], [3, 4, 5], "xxy", "xyx")
    {0: 3, 1: 5, 2: 4}
    """
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for w, name in zip(reversed(b), reversed(of_b), strict=True):
        waiting[name].append(w)
    return {v: waiting[name].pop() for v, name in zip(a, of_a, strict=True)}
