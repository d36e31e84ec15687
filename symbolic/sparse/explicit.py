"""Sparse masks that are built, not searched: the reduction, separators, and what pruning leaves.

Layers are bit sets a position, the diagonal included; one layer where a mask is used K times.
"""

from collections.abc import Sequence

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.closure import Closure
from attnproof.symbolic.order.relation import union
from attnproof.symbolic.order.schedule import reach
from attnproof.symbolic.sparse.layered import layered
from attnproof.symbolic.sparse.midpoint import midpoint, midpoint_schedule
from attnproof.symbolic.sparse.reduction import reduction

Layers = tuple[tuple[int, ...], ...]

#: Edges times positions up to which edges are left out one by one.
_PATIENCE = 1 << 14


def explicit(order: Closure, layers: int, schedule: bool) -> Layers:
    """The mask, or schedule of masks, with the fewest edges among some constructions.

    >>> from attnproof.symbolic.order.closure import closure
    >>> edges(explicit(closure((0b0001, 0b0011, 0b0111, 0b1111)), 2, False))
    4

    Law: the product of ``layers`` layers is the order, and no layer exceeds it.
    """
    rows = order.rows
    own = tuple(1 << q for q in range(len(rows)))
    found: list[Layers] = [(rows, *[own] * (layers - 1)) if schedule else (rows,)]
    reduced = reduction(order)
    if not schedule and reach([reduced], layers, rows) == rows:
        found.append((reduced,))
    if schedule and order.antisymmetric and max(order.ranks) <= layers + 1:
        found.append(_by_rank(order, reduced, layers))
    chain = chain_of(rows)
    if chain is not None:
        found += [placed(one, chain) for one in _of_path(len(rows), layers, schedule)]
    best = min(found, key=edges)
    if chain is None or not schedule:
        best = pruned(best, layers, rows)
    return best


def edges(layers: Layers) -> int:
    """The pairs off the diagonal, those of every layer."""
    return sum((row & ~(1 << q)).bit_count() for rows in layers for q, row in enumerate(rows))


def chain_of(rows: Sequence[int]) -> tuple[int, ...] | None:
    """The positions of a total order, sources first; None of any other closed relation.

    >>> chain_of((0b11, 0b10))
    (1, 0)
    """
    order = sorted(range(len(rows)), key=lambda q: rows[q].bit_count())
    sizes = [rows[q].bit_count() for q in order]
    return tuple(order) if sizes == list(range(1, len(rows) + 1)) else None


def placed(layers: Layers, chain: Sequence[int]) -> Layers:
    """Layers of the path 0, 1, ... at the positions of a chain."""
    if list(chain) == sorted(chain):
        return layers
    moved = []
    for rows in layers:
        there = [0] * len(chain)
        for i, row in enumerate(rows):
            there[chain[i]] = sum(1 << chain[j] for j in members(row))
        moved.append(tuple(there))
    return tuple(moved)


def pruned(layers: Layers, count: int, rows: Sequence[int]) -> Layers:
    """What is left when no edge can be left out any more; the widest are tried first.

    Where there are very many edges nothing is tried.
    """
    held = [list(layer) for layer in layers]
    if edges(layers) * len(rows) > _PATIENCE:
        return layers
    tried = [
        (level, q, k)
        for level, layer in enumerate(layers)
        for q, row in enumerate(layer)
        for k in members(row & ~(1 << q))
    ]
    tried.sort(key=lambda edge: (-_span(rows, edge[1], edge[2]), edge))
    for level, q, k in tried:
        held[level][q] ^= 1 << k
        if reach(list(map(tuple, held)), count, tuple(rows)) != tuple(rows):
            held[level][q] ^= 1 << k
    return tuple(map(tuple, held))


def _span(rows: Sequence[int], q: int, k: int) -> int:
    """How many positions more the reader is reached from than the source."""
    return rows[q].bit_count() - rows[k].bit_count()


def _by_rank(order: Closure, reduced: Sequence[int], layers: int) -> Layers:
    """Each cover once, in the layer of its reader's rank: along a chain ranks ascend."""
    rows = [[1 << q for q in range(len(reduced))] for _ in range(layers)]
    for q, row in enumerate(reduced):
        rank = order.ranks[order.class_of[q]]
        if rank > 1:
            rows[rank - 2][q] |= row
    return tuple(map(tuple, rows))


def _of_path(n: int, layers: int, schedule: bool) -> list[Layers]:
    if layers == 1:
        return []
    if layers == 2:
        first, last = midpoint_schedule(n)
        return [(first.bits(), last.bits())] if schedule else [(midpoint(n).bits(),)]
    found = layered(n, layers)
    return [found if schedule else (union(found),)]
