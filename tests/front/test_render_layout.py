"""The Hasse diagram that pictures show, and where its nodes stand."""

import random
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.render.crossings import crossings, order
from attnproof.render.diagram import Diagram, Limits, diagram
from attnproof.render.labels import class_label, path_text
from attnproof.render.layout import layout, span
from attnproof.render.ranks import ranks

Edge = tuple[int, int]


@st.composite
def orders(draw: st.DrawFn, most: int = 9) -> tuple[int, list[Edge]]:
    """The covers of a random partial order, from the transitive reduction of networkx."""
    count = draw(st.integers(1, most))
    pairs = [(a, b) for b in range(count) for a in range(b)]
    kept = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    graph = nx.DiGraph(sorted(kept))
    graph.add_nodes_from(range(count))
    return count, sorted(nx.transitive_reduction(graph).edges)


def singles(count: int) -> list[tuple[int]]:
    return [(i,) for i in range(count)]


@given(orders())
@settings(max_examples=60, deadline=None)
def test_rank_is_the_longest_chain_from_below(case: tuple[int, list[Edge]]) -> None:
    """A rank is the length of the longest path that ends in the node, as networkx counts it."""
    count, covers = case
    graph = nx.DiGraph(covers)
    graph.add_nodes_from(range(count))
    for v, rank in enumerate(ranks(count, covers)):
        below = graph.subgraph(nx.ancestors(graph, v) | {v})
        assert rank == nx.dag_longest_path_length(below)


def test_a_cycle_has_no_ranks() -> None:
    """Covers that form a cycle are refused."""
    with pytest.raises(ValueError, match="cycle"):
        ranks(2, [(0, 1), (1, 0)])


@given(orders())
@settings(max_examples=60, deadline=None)
def test_a_small_order_is_drawn_whole(case: tuple[int, list[Edge]]) -> None:
    """Every class is one node, every cover one edge, and nothing else is drawn."""
    count, covers = case
    drawn = diagram(singles(count), covers)
    assert [list(holds) for holds in drawn.holds] == [[c] for c in range(count)]
    assert list(drawn.covers) == covers
    assert not drawn.links
    assert not drawn.note


@given(orders(most=14), st.integers(3, 8), st.integers(2, 4), st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_an_abridged_order_leaves_nothing_unsaid(
    case: tuple[int, list[Edge]], most: int, tallest: int, widest: int
) -> None:
    """Each class stands in exactly one node, and each edge of the drawing is a true relation."""
    count, covers = case
    drawn = diagram(singles(count), covers, Limits(most, tallest, widest))
    assert sorted(c for holds in drawn.holds for c in holds) == list(range(count))
    node = {c: i for i, holds in enumerate(drawn.holds) for c in holds}
    between = {(node[a], node[b]) for a, b in covers if node[a] != node[b]}
    rest = len(drawn.labels) - 1
    hidden = {e for e in between - set(drawn.covers) if rest in e}
    assert set(drawn.covers) == between - hidden
    if "nor the covers that lead to them" not in drawn.note:
        assert {frozenset(e) for e in hidden} == {frozenset(e) for e in drawn.links}
    if len(drawn.labels) < count:
        assert drawn.note.startswith("Abridged: ")


def test_a_long_chain_is_drawn_as_its_ends() -> None:
    """4096 classes in a chain become five nodes, and the label counts the others."""
    count = 4096
    drawn = diagram(singles(count), [(i, i + 1) for i in range(count - 1)])
    assert drawn.labels == ("0", "1", "… 4092 classes in a chain …", "4094", "4095")
    assert drawn.covers == ((0, 1), (1, 2), (2, 3), (3, 4))
    assert drawn.note == (
        "Abridged: 4092 of 4096 classes stand in chains that are drawn as their ends."
    )


def test_many_covers_to_what_is_not_drawn_are_told_not_drawn() -> None:
    """A bipartite order of 300 by 300: the note says that covers are missing too."""
    drawn = diagram(singles(600), [(a, 300 + b) for a in range(300) for b in range(300) if a != b])
    assert not drawn.links
    assert drawn.note == (
        "Abridged: 401 of 600 classes are not drawn, nor the covers that lead to them."
    )


def test_a_wide_order_says_how_many_classes_are_missing() -> None:
    """An antichain of 500 keeps its first classes; the rest is one node."""
    drawn = diagram(singles(500), [])
    assert len(drawn.labels) == 200
    assert drawn.labels[-1] == "… 301 more classes …"
    assert drawn.note == "Abridged: 301 of 500 classes are not drawn."


@given(orders())
@settings(max_examples=60, deadline=None)
def test_the_layout_is_a_layered_drawing(case: tuple[int, list[Edge]]) -> None:
    """Ranks grow along covers, nodes of a rank do not overlap, lines run from node to node."""
    count, covers = case
    drawn = diagram([range(i * 3, i * 3 + 1 + i % 3) for i in range(count)], covers)
    placed = layout(drawn)
    assert len(placed.x) == len(placed.rank) == count
    assert len(placed.routes) == len(covers)
    for (a, b), route in zip(drawn.covers, placed.routes, strict=True):
        assert placed.rank[a] < placed.rank[b]
        assert route[0] == (placed.x[a], placed.rank[a])
        assert route[-1] == (placed.x[b], placed.rank[b])
        heights = [y for _, y in route]
        assert heights == sorted(set(heights))
    for rank in set(placed.rank):
        row = sorted((placed.x[v], v) for v in range(count) if placed.rank[v] == rank)
        for (x, v), (y, w) in pairwise(row):
            assert y - x >= (span(drawn.labels[v]) + span(drawn.labels[w])) / 2
    assert min(x - span(label) / 2 for x, label in zip(placed.x, drawn.labels, strict=True)) >= 0


@given(orders(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_layout_depends_on_the_order_alone(
    case: tuple[int, list[Edge]], shuffle: random.Random
) -> None:
    """The sequence in which covers are given changes nothing."""
    count, covers = case
    shuffled = list(covers)
    shuffle.shuffle(shuffled)
    first = layout(diagram(singles(count), covers))
    assert layout(diagram(singles(count), shuffled)) == first


@given(orders())
@settings(max_examples=40, deadline=None)
def test_crossings_are_counted_pair_by_pair(case: tuple[int, list[Edge]]) -> None:
    """The count equals that over all pairs of lines, and sorting never adds to it."""
    count, covers = case
    rank = ranks(count, covers)
    steps = [(a, b) for a, b in covers if rank[b] == rank[a] + 1]
    above: list[list[int]] = [[b for a, b in steps if a == v] for v in range(count)]
    below: list[list[int]] = [[a for a, b in steps if b == v] for v in range(count)]
    rows = [[v for v in range(count) if rank[v] == r] for r in range(max(rank) + 1)]

    def brute(rows: list[list[int]]) -> int:
        place = {v: i for row in rows for i, v in enumerate(row)}
        return sum(
            (place[a] - place[c]) * (place[b] - place[d]) < 0
            for i, (a, b) in enumerate(steps)
            for c, d in steps[:i]
            if rank[a] == rank[c]
        )

    assert crossings(rows, above) == brute(rows)
    sorted_rows = order(rank, below, above)
    assert sorted(map(sorted, sorted_rows)) == sorted(rows)
    assert brute(sorted_rows) <= brute(rows)


def test_a_diamond_is_symmetric() -> None:
    """Bottom and top of a diamond stand in the middle between its sides."""
    placed = layout(diagram(singles(4), [(0, 1), (0, 2), (1, 3), (2, 3)]))
    assert placed.x[0] == placed.x[3] == pytest.approx((placed.x[1] + placed.x[2]) / 2)


def test_an_empty_diagram_has_no_extent() -> None:
    """No class is no drawing, not an error."""
    placed = layout(Diagram((), (), ()))
    assert (placed.width, placed.height) == (0.0, 0)


@pytest.mark.parametrize(
    ("members", "label"),
    [
        ([7], "7"),
        ([3, 4, 5], "{3,4,5}"),
        ([3, 4, 5, 6], "{3,4,5,6}"),
        ([3, 4, 5, 6, 7], "{3..7}"),
        ([0, 1, 2, 5, 8, 9], "{0..2,5,8,9}"),
        (list(range(4096)), "{0..4095}"),
        (list(range(0, 100, 2)), "{0,2,4,6,8,.. 50 in all}"),
    ],
)
def test_class_labels(members: list[int], label: str) -> None:
    """A few members in full, runs as ranges, and a count where they do not fit."""
    assert class_label(members) == label


@given(st.sets(st.integers(0, 99999), min_size=1, max_size=60))
@settings(max_examples=60, deadline=None)
def test_class_labels_stay_short(members: set[int]) -> None:
    """No label is longer than its node can be."""
    assert len(class_label(sorted(members))) <= 30


def test_long_paths_count_what_they_leave_out() -> None:
    """The tokens shown and the tokens counted add up."""
    assert path_text(range(20)) == "0 -> 1 -> 2 -> … 14 tokens … -> 17 -> 18 -> 19"
