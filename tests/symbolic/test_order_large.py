"""Larger relations against networkx, and the extremes of every size."""

from random import Random

import networkx as nx
import pytest

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.closure import closure, first_intransitive
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge
from attnproof.symbolic.order.properties import Causal
from attnproof.symbolic.order.witness import distance, path
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Verdict
from tests.reference import Pair, graph, order, pairs_of_sets, sets_of_pairs


def flow_of(rows: tuple[int, ...]) -> Flow:
    return Flow(Setting((Mask.of(Bits(rows, len(rows))),)))


def random_rows(n: int, kind: str, seed: int) -> tuple[int, ...]:
    """Sparse and cyclic, acyclic under a random numbering, clustered, or a banded triangle."""
    random = Random(seed)
    pairs: set[Pair] = set()
    match kind:
        case "sparse":
            pairs = {(random.randrange(n), random.randrange(n)) for _ in range(n + n // 3)}
        case "acyclic":
            to = random.sample(range(n), n)
            for _ in range(3 * n):
                k, q = sorted((random.randrange(n), random.randrange(n)))
                pairs.add((to[q], to[k]))
        case "clusters":
            to = random.sample(range(n), n)
            group = [random.randrange(n // 8) for _ in range(n)]
            pairs = {(p, q) for p in range(n) for q in range(n) if group[p] == group[q]}
            for _ in range(n // 4):
                k, q = sorted((random.randrange(n), random.randrange(n)), key=group.__getitem__)
                pairs.add((q, k))
            pairs = {(to[q], to[k]) for q, k in pairs}
        case "band":
            pairs = {(q, q - random.randint(0, 5)) for q in range(6, n) for _ in range(2)}
    return sets_of_pairs(pairs, n)


@pytest.mark.parametrize("kind", ["sparse", "acyclic", "clusters", "band"])
@pytest.mark.parametrize("n", [70, 131, 200])
def test_order_of_larger_relations(n: int, kind: str) -> None:
    """Reach, classes, covers, height, width, depth and transitivity are those of networkx."""
    rows = random_rows(n, kind, seed=n)
    flow, known = flow_of(rows), order(pairs_of_sets(rows), n)
    classes = [frozenset(positions) for positions in flow.classes]
    assert pairs_of_sets(flow.closure.rows) == known.reach
    assert frozenset(classes) == known.classes
    assert {(classes[c], classes[d]) for c, d in flow.covers} == known.covers
    assert (flow.height, flow.width(), flow.depth) == (known.height, known.width, known.depth)
    assert flow.transitive == known.transitive
    assert first_intransitive(rows) is not None
    assert len(flow.closure.classes) == len(flow.hasse())
    assert set(flow.hasse().edges) == set(flow.covers)


@pytest.mark.parametrize("n", [70, 131])
def test_distances_and_paths_of_larger_relations(n: int) -> None:
    """Distances are those of networkx; the path is one of its shortest ones, the least."""
    rows = random_rows(n, "sparse", seed=n + 1)
    drawn = graph(pairs_of_sets(rows), n)
    known = dict(nx.all_pairs_shortest_path_length(drawn))
    layer = flow_of(rows).layers
    pairs = [(q, k) for k in range(0, n, 7) for q in range(0, n, 5)]
    assert any(q in known[k] for q, k in pairs)
    for q, k in pairs:
        steps = distance(layer[0], q, k)
        assert steps == known[k].get(q)
        if steps is not None:
            expected = min(tuple(walk) for walk in nx.all_shortest_paths(drawn, k, q))
            assert path(layer, k, q, steps) == expected


SIZES = [1, 2, 63, 64, 65, 130, 600]


@pytest.mark.parametrize("n", SIZES)
def test_a_mask_that_reads_nothing(n: int) -> None:
    """n classes side by side, settled before any layer runs; every row is empty."""
    flow = flow_of((0,) * n)
    assert (flow.depth, flow.height, len(flow.covers), flow.width()) == (0, 1, 0, n)
    assert flow.classes == tuple((p,) for p in range(n))
    assert flow.transitive
    assert flow.antisymmetric
    assert flow.empty_rows == tuple(range(n))
    assert judge(flow, Causal(n)).verdict is Verdict.HOLDS


@pytest.mark.parametrize("n", SIZES)
def test_a_mask_that_reads_everything(n: int) -> None:
    """One class, settled after one layer, unless there is one position only."""
    flow = flow_of(((1 << n) - 1,) * n)
    assert (flow.depth, flow.height, flow.width(), len(flow.covers)) == (int(n > 1), 1, 1, 0)
    assert flow.classes == (tuple(range(n)),)
    found = judge(flow, Causal(n))
    assert found.total == n * (n - 1) // 2
    if n > 1:
        assert len(found.findings) == min(100, found.total)
        assert found.findings[0].path == (1, 0)


@pytest.mark.parametrize("n", SIZES)
def test_causal_and_its_transpose(n: int) -> None:
    """A chain, from the first position up or from the last one down."""
    lower = tuple((1 << q + 1) - 1 for q in range(n))
    upper = tuple((1 << n) - (1 << q) for q in range(n))
    down, up = flow_of(lower), flow_of(upper)
    for flow in (down, up):
        assert flow.depth == int(n > 1)
        assert (flow.height, flow.width()) == (n, 1)
        assert flow.covers == tuple((c, c + 1) for c in range(n - 1))
        assert flow.transitive
    assert down.classes == tuple((p,) for p in range(n))
    assert up.classes == tuple((p,) for p in reversed(range(n)))
    assert judge(down, Causal(n)).verdict is Verdict.HOLDS
    assert judge(up, Causal(n)).total == n * (n - 1) // 2


@pytest.mark.parametrize("n", SIZES)
def test_two_keys_and_a_cycle(n: int) -> None:
    """Reading oneself and the one before: depth n - 1, as a chain and, closed, as one class."""
    chain = tuple(1 << q | (1 << q >> 1) for q in range(n))
    cycle = (chain[0] | 1 << n - 1, *chain[1:])
    assert flow_of(chain).depth == flow_of(cycle).depth == n - 1
    assert flow_of(chain).covers == tuple((c, c + 1) for c in range(n - 1))
    assert len(flow_of(cycle).classes) == 1
    if n > 2:
        assert first_intransitive(chain) == closure(chain).first_bad == (2, 0, 1)


def test_first_bad_row_of_a_long_triangle() -> None:
    """A causal mask that lacks (300, 7): row 300 reads 8, which reads 7."""
    rows = [(1 << q + 1) - 1 for q in range(600)]
    rows[300] ^= 1 << 7
    assert first_intransitive(rows) == closure(rows).first_bad == (300, 7, 8)
