"""The order of the named masks, measured by networkx, against reference values.

The values were computed independently of this package, by matrix powers and by matching.
"""

from typing import Any, NamedTuple

import networkx as nx
import pytest

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.named.registry import get


class Order(NamedTuple):
    """What networkx finds: classes, covers, height, width, depth, pairs reached (itself too)."""

    classes: int
    covers: int
    height: int
    width: int
    depth: int
    reached: int


def order_of(mask: Mask) -> Order:
    """Edges run from the key that is read to the query that reads it."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(mask.size))
    graph.add_edges_from(
        (k, q) for q in range(mask.size) for k in range(mask.size) if k != q and mask[q, k]
    )
    quotient = nx.condensation(graph)
    covers = nx.transitive_reduction(quotient)
    above = nx.transitive_closure_dag(quotient)
    split: nx.Graph[tuple[str, int]] = nx.Graph()
    lower = [("lower", c) for c in above]
    split.add_nodes_from(lower, bipartite=0)
    split.add_nodes_from((("upper", c) for c in above), bipartite=1)
    split.add_edges_from((("lower", a), ("upper", b)) for a, b in above.edges)
    matching = nx.bipartite.hopcroft_karp_matching(split, lower)
    distances = dict(nx.all_pairs_shortest_path_length(graph))
    return Order(
        classes=len(quotient),
        covers=covers.number_of_edges(),
        height=nx.dag_longest_path_length(quotient) + 1,
        width=len(quotient) - len(matching) // 2,
        depth=max(d for row in distances.values() for d in row.values()),
        reached=sum(map(len, distances.values())),
    )


def _case(name: str, values: tuple[int, ...], **given: Any) -> Any:
    shown = ",".join(f"{x}={y}" for x, y in given.items())
    return pytest.param(name, given, values, id=f"{name}({shown})")


# classes, covers, height, width, depth, pairs reached (None where the reference has no value)
REFERENCE = [
    _case("causal", (1, 0, 1, 1, 0, 1), n=1),
    _case("causal", (4, 3, 4, 1, 1, 10), n=4),
    _case("causal", (7, 6, 7, 1, 1, 28), n=7),
    _case("two_stream", (3, 1, 2, 2, 1, 4), n=2),
    _case("two_stream", (7, 5, 4, 4, 1, 16), n=4),
    _case("two_stream", (13, 11, 7, 7, 1, 49), n=7),
    _case("two_stream", (15, 13, 8, 8, 1, 64), n=8),
    _case("two_stream", (9, 7, 5, 5, 1, 25), order=[3, 1, 4, 2, 5]),
    _case("block_two_stream", (1, 0, 1, 1, 1, 4), m=1, b=2, clean="token"),
    _case("block_two_stream", (3, 1, 2, 2, 1, 4), m=2, b=1),
    _case("block_two_stream", (3, 1, 2, 2, 1, 16), m=2, b=2),
    _case("block_two_stream", (4, 2, 3, 2, 1, 15), m=2, b=2, clean="token"),
    _case("block_two_stream", (5, 3, 4, 2, 1, 33), m=2, b=3, clean="token"),
    _case("block_two_stream", (5, 3, 3, 3, 1, 36), m=3, b=2),
    _case("block_two_stream", (5, 3, 3, 3, 1, 81), m=3, b=3),
    _case("block_two_stream", (9, 7, 7, 3, 1, 75), m=3, b=3, clean="token"),
    _case("block_two_stream", (10, 8, 7, 4, 1, 61), m=4, b=2, clean="token"),
    _case("block_two_stream", (7, 5, 4, 4, 1, 144), m=4, b=3),
    _case("butterfly", (4, 2, 2, 2, 1, 6), n=2),
    _case("butterfly", (7, 6, 3, 3, 1, 15), n=3),
    _case("butterfly", (10, 10, 4, 4, 1, 28), n=4),
    _case("butterfly", (16, 18, 6, 6, 1, 66), n=6),
    _case("butterfly", (19, 22, 7, 7, 1, 91), n=7),
    _case("comb", (3, 0, 1, 3, 0, 3), n=3),
    _case("comb", (3, 0, 1, 3, 1, 9), n=5),
    _case("comb", (3, 0, 1, 3, 1, 22), n=8),
    _case("comb", (5, 0, 1, 5, 1, 20), n=10, radius=2),
    _case("masked_autoencoder", (2, 1, 2, 1, 1, 28), n=6, visible=[0, 3]),
    _case("masked_autoencoder", (5, 4, 2, 4, 1, 16), n=6, visible=[0, 3], masked="cross"),
    _case("window", (8, 7, 8, 1, 7, 36), n=8, keys=2),
    _case("window", (8, 7, 8, 1, 3, 36), n=8, keys=4),
    _case("sink_window", (8, 7, 8, 1, 3, 36), n=8, sinks=1, keys=3),
    _case("global_window", (1, 0, 1, 1, 2, 64), n=8, radius=2, global_tokens=1, causal=True),
    _case("prefix_lm", (6, 5, 6, 1, 1, 39), n=8, prefix=3),
    _case("documents", (8, 6, 5, 2, 1, 21), lengths=[3, 5]),
    _case("prefix_documents", (6, 4, 4, 2, 1, 23), lengths=[3, 5], prefix=2),
    _case("bigbird", (1, 0, 1, 1, 2, 256), n=16),
    _case("bidirectional_window", (1, 0, 1, 1, 15, 256), n=16, radius=1),
    _case("crown", (10, 20, 2, 5, 1, 30), n=5),
    _case("crown", (14, 42, 2, 7, 1, 56), n=7),
    _case("block_diffusion", (6, 4, 3, 4, 1, 81 + 27), n=9, block=3),
    _case("tree", (7, 6, 4, 3, 1, 21), parents=[-1, 0, 1, 1, 2, 2, 3]),
    _case("look_ahead", (1, 0, 1, 1, 7, 64), n=8, right=1),
    _case("log_sparse", (16, 15, 16, 1, 4, 136), n=16),
    _case("encoder_decoder", (6, 5, 6, 1, 1, 39), n=8, encoder=3),
    _case("perm", (4, 3, 4, 1, 1, 10), order=[2, 0, 3, 1]),
]


@pytest.mark.parametrize(("name", "given", "values"), REFERENCE)
def test_the_order_has_the_reference_values(
    name: str, given: dict[str, Any], values: tuple[int, ...]
) -> None:
    """Classes, covers, height, width, depth and pairs reached are those of the reference."""
    assert tuple(order_of(get(name).mask(**given))) == values


@pytest.mark.parametrize("n", [2, 3, 5, 9, 12])
def test_closed_forms(n: int) -> None:
    """Counts of butterfly, two-stream and crown as polynomials in n."""
    assert order_of(get("butterfly").mask(n=n)) == (3 * n - 2, 4 * n - 6, n, n, 1, 2 * n * n - n)
    assert order_of(get("two_stream").mask(n=n)) == (2 * n - 1, 2 * n - 3, n, n, 1, n * n)
    crown = order_of(get("crown").mask(n=n))
    assert crown[:2] == (2 * n, n * (n - 1))


@pytest.mark.parametrize(("m", "b"), [(2, 1), (2, 4), (3, 3), (5, 2)])
def test_closed_forms_of_block_two_stream(m: int, b: int) -> None:
    """Counts of both variants as polynomials in the number and the length of blocks."""
    n, clean = m * b, (m - 1) * b
    whole = order_of(get("block_two_stream").mask(m=m, b=b))
    assert whole[:4] == (2 * m - 1, 2 * m - 3, m, m)
    assert whole.reached == n * n
    by_token = order_of(get("block_two_stream").mask(m=m, b=b, clean="token"))
    assert by_token[:4] == (clean + m, clean - 1 + m - 1, clean + 1, m)
    assert by_token.reached == clean * (clean + 1) // 2 + b * b * m * (m + 1) // 2


@pytest.mark.parametrize(("n", "keys"), [(9, 2), (9, 3), (20, 6), (5, 9)])
def test_a_window_reaches_all_earlier_tokens(n: int, keys: int) -> None:
    """The depth of a window is the least L with L * (keys - 1) >= n - 1."""
    found = order_of(get("window").mask(n=n, keys=keys))
    assert found.depth == -(-(n - 1) // (keys - 1))
    assert found.reached == n * (n + 1) // 2


@pytest.mark.parametrize(
    ("n", "edges"),
    [(2, 1), (3, 3), (4, 4), (5, 8), (8, 13), (10, 22), (16, 38), (64, 264), (100, 497)],
)
def test_fenwick_is_causal_in_two_layers(n: int, edges: int) -> None:
    """The reference number of edges off the diagonal, and every earlier token within two layers."""
    mask = get("fenwick").mask(n=n)
    assert mask.rows.count() - n == edges
    rows = mask.rows.bits()
    for q, row in enumerate(rows):
        twice = 0
        for k in range(n):
            twice |= rows[k] if row >> k & 1 else 0
        assert twice == (2 << q) - 1


@pytest.mark.parametrize("n", [1, 2, 7, 16])
def test_equal_masks_under_two_names(n: int) -> None:
    """Parameters at their limits give the masks of other names."""
    causal = get("causal").mask(n=n)
    assert get("window").mask(n=n, keys=n) == causal
    assert get("prefix_lm").mask(n=n, prefix=1) == causal
    assert get("look_ahead").mask(n=n, right=0) == causal
    assert get("chunked").mask(n=n, chunk=n) == causal
    assert get("block_causal").mask(n=n, block=1) == causal
    assert get("strided").mask(n=n, stride=1) == causal
    assert get("documents").mask(lengths=[n]) == causal
    assert get("cu_seqlens").mask(cu_seqlens=[0, n]) == causal
    assert get("perm").mask(order=list(range(n))) == causal
    assert get("tree").mask(parents=list(range(-1, n - 1))) == causal
    assert get("comb").mask(n=n, radius=0) == get("full").mask(n=n)
    assert get("block_two_stream").mask(n=n, b=1) == get("two_stream").mask(n=n)
    dilated = get("dilated").mask(n=n, keys=3, dilation=1)
    assert dilated == get("window").mask(n=n, keys=3)


def test_xlnet_perm_mask_blocks() -> None:
    """In XLNet's array 1 blocks: the array of an order is the complement of its relation."""
    order = [2, 0, 3, 1]
    rank = [order.index(token) for token in range(4)]
    blocked = [[int(rank[k] > rank[q]) for k in range(4)] for q in range(4)]
    assert get("perm_mask").mask(blocked=blocked) == get("perm").mask(order=order)
