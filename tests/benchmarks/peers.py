"""Other libraries on the same masks: the nearest thing each offers to closure and covers.

None of them tests transitivity or returns closure and covers together; what is measured is one
part of what one pass of ours returns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from tests.benchmarks.masks import Case, Dense


@dataclass(frozen=True)
class Peer:
    """``build`` makes the library's own graph, which is not timed; ``run`` answers on it.

    ``most_edges`` is where building a graph from Python pairs alone would take minutes.
    """

    module: str
    ordered: str
    general: str
    build: Callable[[Dense], Any]
    run: Callable[[Any, Case], object]
    most_edges: int = 600_000

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None


def edges(mask: Dense) -> list[tuple[int, int]]:
    """The pairs off the diagonal."""
    readers, sources = np.nonzero(mask & ~np.eye(len(mask), dtype=np.bool_))
    return list(zip(readers.tolist(), sources.tolist(), strict=True))


def _networkx(mask: Dense) -> Any:
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(mask)))
    graph.add_edges_from(edges(mask))
    return graph


def _run_networkx(graph: Any, case: Case) -> object:
    import networkx as nx

    return nx.transitive_reduction(graph) if case.ordered else nx.transitive_closure(graph)


def _rustworkx(mask: Dense) -> Any:
    import rustworkx as rx

    graph: Any = rx.PyDiGraph()
    graph.add_nodes_from(range(len(mask)))
    graph.extend_from_edge_list(edges(mask))
    return graph


def _run_rustworkx(graph: Any, case: Case) -> object:
    import rustworkx as rx

    if case.ordered:
        return rx.transitive_reduction(graph)
    return [rx.descendants(graph, node) for node in graph.node_indices()]


def _igraph(mask: Dense) -> Any:
    import igraph

    return igraph.Graph(n=len(mask), edges=edges(mask), directed=True)


def _run_igraph(graph: Any, case: Case) -> object:
    return [graph.subcomponent(node, mode="out") for node in range(graph.vcount())]


def _scipy(mask: Dense) -> Any:
    from scipy.sparse import csr_array

    return csr_array(mask).astype(np.int32)


def _run_scipy(matrix: Any, case: Case) -> object:
    return (matrix @ matrix).nnz == matrix.nnz


def _torch(mask: Dense) -> Any:
    import torch

    torch.set_num_threads(1)
    return torch.from_numpy(mask).float()


def _run_torch(matrix: Any, case: Case) -> object:
    import torch

    while True:
        squared = (matrix @ matrix > 0).float()
        if torch.equal(squared, matrix):
            return matrix
        matrix = squared


_ANY = 1 << 62

PEERS = (
    Peer("networkx", "transitive_reduction", "transitive_closure", _networkx, _run_networkx),
    Peer("rustworkx", "transitive_reduction", "descendants of all", _rustworkx, _run_rustworkx),
    Peer("igraph", "subcomponent of all", "subcomponent of all", _igraph, _run_igraph),
    Peer("scipy", "one sparse product", "one sparse product", _scipy, _run_scipy, _ANY),
    Peer("torch", "float32 squaring", "float32 squaring", _torch, _run_torch, _ANY),
)
