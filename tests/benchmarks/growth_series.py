"""What is measured against n: each representation, and each peer, on one and the same mask.

``build`` is not timed, ``run`` is: closure, classes, covers and transitivity, or the nearest thing
a peer has, as in ``peers``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.forms import as_runs, to
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.masks.sparse import Sparse
from attnproof.symbolic.masks.tiling import tiled
from tests.benchmarks import comparison, long, masks, run_targets
from tests.benchmarks.peers import PEERS

_ORDERED = masks.CASES[0]
_EDGES_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Series:
    """One line of the figure; ``start`` is the first length that is measured."""

    name: str
    what: str
    start: int
    build: Callable[[Runs], Any]
    run: Callable[[Any], object]
    ours: bool = True


def mask(n: int) -> Runs:
    """A causal window of 128 keys: few pairs, and a closure of n (n + 1) / 2."""
    return long.WINDOW.runs(n)


def _through_runs(rows: Any) -> object:
    return run_targets.everything(as_runs(rows))


def _networkx(rows: Runs) -> Any:
    import networkx as nx

    graph: Any = nx.DiGraph()
    graph.add_nodes_from(range(len(rows)))
    for some in _edges(rows):
        graph.add_edges_from(some)
    return graph


def _rustworkx(rows: Runs) -> Any:
    import rustworkx as rx

    graph: Any = rx.PyDiGraph()
    graph.add_nodes_from(range(len(rows)))
    for some in _edges(rows):
        graph.extend_from_edge_list(some)
    return graph


def _igraph(rows: Runs) -> Any:
    import igraph

    graph = igraph.Graph(n=len(rows), directed=True)
    for some in _edges(rows):
        graph.add_edges(some)
    return graph


def _scipy(rows: Runs) -> Any:
    from scipy.sparse import csr_array

    ptr, indices = to(rows, Sparse).arrays()
    return csr_array((np.ones(len(indices), np.int32), indices, ptr), (len(rows), rows.keys))


def _torch(rows: Runs) -> Any:
    import torch

    torch.set_num_threads(1)
    found = torch.zeros((len(rows), rows.keys))
    for q, runs in enumerate(rows.runs()):
        for start, stop in runs:
            found[q, start:stop] = 1
    return found


def _edges(rows: Runs) -> Iterator[list[tuple[int, int]]]:
    """The pairs (reader, source) off the diagonal, some at a time."""
    ptr, indices = to(rows, Sparse).arrays()
    readers: NDArray[np.int64] = np.repeat(np.arange(len(rows)), np.diff(ptr))
    off = readers != indices
    readers, sources = readers[off], indices[off]
    for first in range(0, len(readers), _EDGES_AT_ONCE):
        some = slice(first, first + _EDGES_AT_ONCE)
        yield list(zip(readers[some].tolist(), sources[some].tolist(), strict=True))


_BUILDS = {
    "networkx": (_networkx, 1 << 7),
    "rustworkx": (_rustworkx, 1 << 8),
    "igraph": (_igraph, 1 << 8),
    "scipy": (_scipy, 1 << 10),
    "torch": (_torch, 1 << 8),
}

SERIES = (
    Series(
        "bits",
        "one Python integer a row",
        1 << 10,
        lambda rows: to(rows, Bits).sets,
        comparison.everything,
    ),
    Series("runs", "intervals", 1 << 10, lambda rows: rows, run_targets.everything),
    Series("blocks", "tiles of 128 × 128", 1 << 10, tiled, _through_runs),
    Series("sparse", "lists of keys", 1 << 10, lambda rows: to(rows, Sparse), _through_runs),
    *(
        Series(
            peer.module,
            peer.ordered,
            _BUILDS[peer.module][1],
            _BUILDS[peer.module][0],
            lambda graph, run=peer.run: run(graph, _ORDERED),  # type: ignore[misc]
            ours=False,
        )
        for peer in PEERS
        if peer.installed
    ),
)
