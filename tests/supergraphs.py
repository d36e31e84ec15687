"""Common supergraphs of labelled orders by their definition, all of them, one by one."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

Pairs = frozenset[tuple[int, int]]
#: (order, element)
Element = tuple[int, int]


@dataclass(frozen=True)
class Labelled:
    """An order: labels, and the pairs (d, e) with d strictly below e."""

    labels: Sequence[Hashable]
    pairs: Pairs

    def down(self, e: int) -> set[int]:
        """What is at or below an element."""
        return {d for d, top in self.pairs if top == e} | {e}


def partitions(items: Sequence[Element]) -> Iterator[list[list[Element]]]:
    """All ways to put items together."""
    if not items:
        yield []
        return
    head, *rest = items
    for found in partitions(rest):
        yield [[head], *found]
        for i, block in enumerate(found):
            yield [*found[:i], [head, *block], *found[i + 1 :]]


def numbers(
    orders: Sequence[Labelled], blocks: Sequence[Sequence[Element]], injective: bool
) -> dict[str, int] | None:
    """Vertices, pairs and covers of the order on some blocks; None unless it is a supergraph."""
    vertex = {element: v for v, block in enumerate(blocks) for element in block}
    below = {(vertex[t, d], vertex[t, e]) for t, order in enumerate(orders) for d, e in order.pairs}
    vertices = range(len(blocks))
    for k, i, j in product(vertices, repeat=3):
        if (i, k) in below and (k, j) in below:
            below.add((i, j))
    if any((v, v) in below for v in vertices):
        return None
    for t, order in enumerate(orders):
        everything = range(len(order.labels))
        if injective and len({vertex[t, e] for e in everything}) < len(everything):
            return None
        if not all(_embeds(order, t, e, vertex, below) for e in everything):
            return None
    if any(len({orders[t].labels[e] for t, e in block}) > 1 for block in blocks):
        return None
    between = {(i, j) for i, j in below for k in vertices if {(i, k), (k, j)} <= below}
    return {"classes": len(blocks), "pairs": len(below), "covers": len(below - between)}


def _embeds(
    order: Labelled,
    t: int,
    e: int,
    vertex: dict[Element, int],
    below: set[tuple[int, int]],
) -> bool:
    """Is what lies below an element carried to what lies below its image, as an order?"""
    down = order.down(e)
    image = {d: vertex[t, d] for d in down}
    top = vertex[t, e]
    return (
        len(set(image.values())) == len(down)
        and set(image.values()) == {i for i, j in below if j == top} | {top}
        and all(((c, d) in order.pairs) == ((image[c], image[d]) in below)
                for c in down for d in down)
    )  # fmt: skip


def least(orders: Sequence[Labelled], injective: bool) -> dict[str, int]:
    """The least numbers, each by itself."""
    items = [(t, e) for t, order in enumerate(orders) for e in range(len(order.labels))]
    found = [numbers(orders, blocks, injective) for blocks in partitions(items)]
    there = [one for one in found if one is not None]
    return {key: min(one[key] for one in there) for key in ("classes", "pairs", "covers")}
