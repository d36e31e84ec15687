"""Leaks and paths in runs: the first forbidden pairs that are reached, each with a shortest path.

The results are those of ``witness`` on bit sets. Readers are searched in order and only as far as
the answer needs; one layer is intersected for all readers at once.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from attnproof.symbolic.masks.line import combined, merged
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.masks.run_sets import contains, difference, intersection, union, unite
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.run_arrays import identity, pairs
from attnproof.symbolic.order.run_product import run_product
from attnproof.symbolic.order.witness import Found, shown
from attnproof.symbolic.verdict import Path

_FEW = 64


def ahead(layer: Runs, positions: RowRuns) -> RowRuns:
    """What the positions read together.

    >>> ahead(Runs.from_rows([[(0, 1)], [(0, 2)], [(1, 3)]], 3), ((1, 2),))
    ((0, 2),)
    """
    found: RowRuns = ()
    for start, stop in positions:
        inside = slice(layer.ptr[start], layer.ptr[stop])
        starts, stops = layer.starts[inside], layer.stops[inside]
        if len(starts) <= _FEW:
            more = unite(zip(starts, stops, strict=True))
        else:
            low, high = merged(np.array(starts), np.array(stops))
            more = tuple(zip(low.tolist(), high.tolist(), strict=True))
        found = union(found, more)
    return found


def run_first_leaks(
    layers: Sequence[Runs], leaks: Runs, most: int, known: tuple[int, Runs] | None = None
) -> list[Found]:
    """The first ``most`` leaks as (depth, reader, source), in that order.

    Row ``q`` of ``leaks`` has the forbidden sources that reach ``q`` at some depth. ``known`` is
    a depth and what is reached there: nothing leaks up to it.

    >>> layer = Runs.from_rows([[(0, 1)], [(0, 2)], [(1, 3)]], 3)
    >>> run_first_leaks([layer], Runs.from_rows([[], [], [(0, 1)]], 3), 9)
    [(2, 2, 0)]
    """
    found: list[Found] = []
    depth, held = known or (-1, leaks)
    if known is None:
        for depth, held in ((0, identity(len(leaks))), (1, layers[0])):
            now = combined(leaks, held, {3})
            found += [(depth, q, k) for q, k in islice(pairs(now), most - len(found))]
            if len(found) == most:
                return found
            if len(now.starts):
                leaks = combined(leaks, now, {1})
    search = _one_mask if len(layers) == 1 else _schedule
    return found + list(islice(search(layers, leaks, depth, held), most - len(found)))


def _one_mask(layers: Sequence[Runs], leaks: Runs, depth: int, held: Runs) -> Iterator[Found]:
    """Breadth first from every leaking reader in turn, one layer at a time."""
    (layer,) = layers
    open_ = np.flatnonzero(np.diff(leaks.arrays()[0])).tolist()
    states: dict[int, tuple[RowRuns, RowRuns, RowRuns]] = {}
    while open_:
        depth += 1
        still_open = []
        for q in open_:
            left, front, seen = states.get(q) or _start(leaks.row_runs(q), held.row_runs(q), q)
            reached = ahead(layer, front)
            front, seen = difference(reached, seen), union(reached, seen)
            for start, stop in intersection(left, front):
                yield from ((depth, q, k) for k in range(start, stop))
            left = difference(left, front)
            if left:
                states[q] = left, front, seen
                still_open.append(q)
        open_ = still_open


def _start(left: RowRuns, held: RowRuns, q: int) -> tuple[RowRuns, RowRuns, RowRuns]:
    return left, held, union(held, ((q, q + 1),))


def _schedule(layers: Sequence[Runs], leaks: Runs, depth: int, held: Runs) -> Iterator[Found]:
    while len(leaks.starts):
        held = run_product(layers[depth % len(layers)], held)
        depth += 1
        now = combined(leaks, held, {3})
        yield from ((depth, q, k) for q, k in pairs(now))
        leaks = combined(leaks, now, {1})


def run_path(layers: Sequence[Runs], source: int, reader: int, depth: int) -> Path:
    """The lexicographically least path of ``depth`` layers, where no fewer are enough.

    >>> run_path([Runs.from_rows([[(0, 1)], [(0, 2)], [(1, 3)]], 3)], 0, 2, 2)
    (0, 1, 2)
    """
    return shown(run_tokens(layers, source, reader, depth), len(layers))


def run_tokens(layers: Sequence[Runs], source: int, reader: int, depth: int) -> list[int]:
    """One token a layer, from the source to the reader.

    On a shortest path of one mask every token stands at its own distance from the reader.
    """
    back: list[RowRuns] = [((reader, reader + 1),)]
    seen = back[0]
    for level in range(depth, 0, -1):
        reached = ahead(layers[(level - 1) % len(layers)], back[-1])
        if len(layers) == 1:
            reached, seen = difference(reached, seen), union(reached, seen)
        back.append(reached)
    back.reverse()
    path = [source]
    for level in range(1, depth + 1):
        layer = layers[(level - 1) % len(layers)]
        path.append(_first_reader(layer, back[level], path[-1]))
    return path


def _first_reader(layer: Runs, positions: RowRuns, key: int) -> int:
    """The first of the positions that reads the key."""
    ptr, starts, stops = layer.arrays()
    step = _FEW
    for start, stop in positions:
        while start < stop:
            end = min(stop, start + step)
            first, last = ptr[start], ptr[end]
            reads = np.flatnonzero((starts[first:last] <= key) & (key < stops[first:last]))
            if len(reads):
                return int(np.searchsorted(ptr, first + reads[0], "right")) - 1
            start, step = end, 2 * step
    raise ValueError(f"none of the positions reads {key}")


def run_distance(layer: Runs, reader: int, source: int) -> int | None:
    """The least number of layers of one mask after which ``source`` reaches ``reader``.

    >>> run_distance(Runs.from_rows([[(0, 1)], [(0, 2)], [(1, 3)]], 3), 2, 0)
    2
    """
    front: RowRuns = ((reader, reader + 1),)
    seen, steps = front, 0
    while front:
        if contains(front, source):
            return steps
        reached = ahead(layer, front)
        front, seen = difference(reached, seen), union(reached, seen)
        steps += 1
    return None
