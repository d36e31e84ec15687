"""Laws of the closure in runs: that of bit sets, field by field."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import fast_runs, run_arrays, run_components, run_joins
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.run_arrays import Fragmented
from attnproof.symbolic.order.run_closure import run_closure
from attnproof.symbolic.order.run_search import search
from attnproof.symbolic.progress import listening
from tests.laws.run_masks import SHAPES, held, relations_in_runs, shaped
from tests.laws.strategies import Rows
from tests.reference import graph, pairs_of_sets


def assert_same(given_rows: Rows) -> None:
    """Every field of the closure in runs is that of the closure in bit sets."""
    found, known = run_closure(held(given_rows)), closure(given_rows)
    assert found.rows.bits() == known.rows
    assert tuple(found.classes) == known.classes
    assert tuple(found.class_of.tolist()) == known.class_of
    edges = sorted((d, c) for c, below in enumerate(known.covers) for d in below)
    assert list(found.covers) == edges
    assert (found.class_count, len(found.covers)) == (len(known.classes), len(edges))
    assert tuple(found.ranks) == known.ranks
    assert found.first_bad == known.first_bad
    assert found.transitive == known.transitive
    assert found.antisymmetric == known.antisymmetric


@given(relations_in_runs())
def test_closure_is_that_of_bit_sets(given_rows: Rows) -> None:
    """Rows, classes in order, covers, ranks, transitivity and its first counterexample."""
    assert_same(given_rows)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 2, 97, 300])
def test_closure_of_masks_people_hold(shape: str, n: int) -> None:
    """The same on the shapes that take the short ways: followers, cuts and groups."""
    for step in (1, 5, 32):
        assert_same(shaped(shape, n, step))


@given(relations_in_runs(30), st.sampled_from([1, 16]))
def test_components(given_rows: Rows, rounds: int) -> None:
    """Classes are the strongly connected components, and read only lower numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_components, "_ROUNDS", rounds)
        number = run_components.run_components(held(given_rows)).tolist()
    drawn = graph(pairs_of_sets(given_rows), len(given_rows))
    known = {frozenset(found) for found in nx.strongly_connected_components(drawn)}
    members = [frozenset(p for p, c in enumerate(number) if c == one) for one in set(number)]
    assert set(members) == known
    assert sorted(set(number)) == list(range(len(known)))
    assert all(number[k] <= number[q] for q, k in pairs_of_sets(given_rows))


@given(relations_in_runs(30))
def test_search(given_rows: Rows) -> None:
    """Tarjan's search finds the same without any short way."""
    ptr, starts, stops = (one.tolist() for one in held(given_rows).arrays())
    number = search(ptr, starts, stops)
    drawn = graph(pairs_of_sets(given_rows), len(given_rows))
    known = {frozenset(found) for found in nx.strongly_connected_components(drawn)}
    assert {frozenset(p for p, c in enumerate(number) if c == one) for one in number} == known
    assert all(number[k] <= number[q] for q, k in pairs_of_sets(given_rows))


@given(relations_in_runs(20), st.data())
def test_sequences(given_rows: Rows, data: st.DataObject) -> None:
    """Classes and covers are sequences like any other."""
    found = run_closure(held(given_rows))
    for lazy, eager in ((found.classes, tuple(found.classes)), (found.covers, tuple(found.covers))):
        assert len(lazy) == len(eager)
        start, stop = data.draw(st.integers(-3, 20)), data.draw(st.integers(-3, 20))
        assert lazy[start:stop] == eager[start:stop]
        assert [lazy[i] for i in range(-len(eager), len(eager))] == [*eager, *eager]
        with pytest.raises(IndexError):
            lazy[len(eager)]


def test_a_million_positions() -> None:
    """A window's closure at 2^20 positions is causal, from arrays alone."""
    n, every = 1 << 20, np.arange((1 << 20) + 1)
    window = Runs.from_arrays(every, np.maximum(every[:-1] - 127, 0), every[1:], n)
    found = run_closure(window)
    assert found.rows == Runs.from_arrays(every, np.zeros(n, np.int64), every[1:], n)
    assert (found.class_count, len(found.covers), found.ranks[-1]) == (n, n - 1, n)
    assert found.first_bad == (128, 0, 1)
    assert found.classes[n - 1] == (n - 1,)
    assert found.covers[-1] == (n - 2, n - 1)


def test_too_many_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pass stops at more covers than fit, and says the way out."""
    monkeypatch.setattr(run_joins, "MOST_COVERS", 10)
    rows = Runs.from_rows([*([(q, q + 1)] for q in range(11)), [(0, 12)]], 12)
    with pytest.raises(Fragmented) as caught:
        run_closure(rows)
    assert str(caught.value) == (
        "the Hasse diagram of 12 positions has more than 10 edges; give at most 65536 positions, "
        "where bit sets are used"
    )


def test_too_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The closure of every other key falls into too many runs; the pass stops early."""
    monkeypatch.setattr(run_arrays, "SMALL", 1)
    n = 1000
    dilated = held(tuple(1 << q | 1 << max(q - 2, 0) for q in range(n)))
    with pytest.raises(Fragmented):
        run_closure(dilated)


def test_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pass tells how far it is."""
    monkeypatch.setattr(fast_runs, "ready", lambda steps: False)
    monkeypatch.setattr(run_joins, "_STEP", 4)
    heard: list[tuple[int, int]] = []
    with listening(lambda done, total: heard.append((done, total))):
        run_closure(held(shaped("tree", 10, 2)))
    assert heard == [(5, 10), (9, 10)]
