"""Classes of a relation in runs: the strongly connected components, sources first.

Most masks fall apart by cuts alone: where nobody before position ``p`` reads ``p`` or later, or
nobody from ``p`` on reads an earlier position, no cycle crosses. Neighbours that read each other
are one group. Tarjan's search takes what is left.
"""

from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import fast_runs
from attnproof.symbolic.order.run_arrays import flat
from attnproof.symbolic.order.run_search import search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Flat = tuple[Places, Places, Places]

_ROUNDS = 16


def run_components(layer: Runs) -> "Places":
    """Position to the number of its class; a class reads only classes of lower numbers.

    >>> run_components(Runs.from_rows([[(1, 2)], [(0, 1)], [(0, 3)]], 3)).tolist()
    [0, 0, 1]
    """
    if fast_runs.ready(0):
        return fast_runs.search(*layer.arrays())
    n = len(layer)
    runs = flat(layer)
    if (runs[2] <= runs[0] + 1).all():
        return np.arange(n)
    rank = np.zeros(n, np.int64)
    for turn in range(_ROUNDS):
        before = rank
        rank, runs = _cut(rank, runs, forward=turn % 2 == 0)
        if turn and np.array_equal(rank, before):
            break
    return _dense(rank, _groups_searched(rank, runs))


def _cut(rank: "Places", runs: "Flat", *, forward: bool) -> "tuple[Places, Flat]":
    """Divide the segments of equal rank where no pair crosses in one direction."""
    n = len(rank)
    owner, starts, stops = runs
    every = np.arange(n)
    if forward:
        far = every + 1
        np.maximum.at(far, owner, stops)
        whole = np.maximum.accumulate(far)[:-1] > every[1:]
    else:
        near = every.copy()
        np.minimum.at(near, owner, starts)
        whole = np.minimum.accumulate(near[::-1])[::-1][1:] < every[1:]
    begins = np.ones(n, np.bool_)
    begins[1:] = ~whole
    first = np.flatnonzero(begins)
    order = np.lexsort((first if forward else -first, rank[first]))
    ranks = np.empty(len(first), np.int64)
    ranks[order] = np.arange(len(first))
    segment = np.cumsum(begins) - 1
    low, high = first, np.append(first[1:], n)
    starts = np.maximum(starts, low[segment[owner]])
    stops = np.minimum(stops, high[segment[owner]])
    inside = starts < stops
    return ranks[segment], (owner[inside], starts[inside], stops[inside])


def _groups_searched(rank: "Places", runs: "Flat") -> "Places":
    """Position to a number that tells the classes of its segment apart, sources first."""
    n = len(rank)
    owner, starts, stops = runs
    reads_next, reads_last = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.bool_)
    reads_next[owner[(starts <= owner + 1) & (owner + 1 < stops)]] = True
    reads_last[owner[(starts <= owner - 1) & (owner - 1 < stops)]] = True
    begins = np.ones(n, np.bool_)
    begins[1:] = ~(reads_next[: n - 1] & reads_last[1:n])
    group = np.cumsum(begins) - 1
    several = np.bincount(rank[begins])[rank] > 1
    nodes = np.unique(group[several])
    found = np.zeros(n, np.int64)
    if len(nodes):
        inside = several[owner]
        ends = owner[inside], starts[inside], stops[inside] - 1
        reads, first, last = (np.searchsorted(nodes, group[end]) for end in ends)
        pairs = np.unique(np.stack([reads, first, last + 1]), axis=1)
        ptr = np.searchsorted(pairs[0], np.arange(len(nodes) + 1))
        if fast_runs.ready(len(nodes)):
            component = fast_runs.search(ptr, *pairs[1:].astype(np.int32))
        else:
            component = np.array(search(ptr.tolist(), pairs[1].tolist(), pairs[2].tolist()))
        found[several] = component[np.searchsorted(nodes, group[several])]
    return found


def _dense(rank: "Places", within: "Places") -> "Places":
    """Number the distinct pairs (rank, within) in order, without gaps; ranks have none."""
    if not within.any():
        return rank
    number: Places = np.unique(rank * (int(within.max()) + 1) + within, return_inverse=True)[1]
    return number
