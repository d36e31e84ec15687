"""Laws of joins: the nodes of a segment tree give what the members of a row give one by one."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.masks.bits import members_of_each
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order import joins as module
from attnproof.symbolic.order.joins import Joins
from attnproof.symbolic.order.schedule import product
from tests.laws.strategies import BORDERS, Rows, wide_rows
from tests.reference import Pair, multiplied, pairs_of_sets, sets_of_pairs


def runs(n: int, random: Random) -> Rows:
    """Rows of a few intervals, of any length, as windows and documents have."""
    ends = [[sorted(random.choices(range(n + 1), k=2)) for _ in range(2)] for _ in range(n)]
    return tuple((1 << b) - (1 << a) | (1 << d) - (1 << c) for (a, b), (c, d) in ends)


def scattered(n: int, random: Random) -> Rows:
    """Rows of single keys far apart."""
    return sets_of_pairs({(random.randrange(n), random.randrange(n)) for _ in range(2 * n)}, n)


Shape = Callable[[int, Random], Rows]

shapes = st.sampled_from([runs, scattered])
sizes = st.one_of(st.integers(1, 40), st.sampled_from(BORDERS[:11]))


def union(sets: list[frozenset[Pair]]) -> frozenset[Pair]:
    return frozenset().union(*sets)


@pytest.mark.parametrize(
    ("long_run", "listed"), [(4, 1 << 24), (0, 1 << 24), (99, 1 << 24), (99, 0)]
)
@settings(max_examples=40)
@given(n=sizes, shape=shapes, random=st.randoms(use_true_random=False))
def test_union_over_nodes_is_the_union_over_members(
    long_run: int, listed: int, n: int, shape: Shape, random: Random
) -> None:
    """For any readers, as intervals, as lists, and where the lists would not fit."""
    layer, held = shape(n, random), scattered(n, random)
    readers = sorted(random.sample(range(n), random.randint(1, n)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LONG_RUN", long_run)
        patch.setattr(module, "_MOST_LISTED", listed)
        joins = Joins(layer, readers)
    nodes = joins.nodes(held)
    for q in readers:
        found = union([pairs_of_sets([nodes[node]]) for node in joins.of(q)])
        assert found == union([pairs_of_sets([held[m]]) for m in members(layer[q])])


@settings(max_examples=40)
@given(sizes, shapes, shapes, st.randoms(use_true_random=False))
def test_product_of_larger_relations(n: int, a: Shape, b: Shape, random: Random) -> None:
    """The Boolean product of interval rows and of scattered ones, at sizes that are no power."""
    upper, lower = a(n, random), b(n, random)
    expected = multiplied(pairs_of_sets(upper), pairs_of_sets(lower))
    assert pairs_of_sets(product(upper, lower)) == expected


@given(wide_rows())
def test_members_of_each_row(case: tuple[int, Rows]) -> None:
    """All rows at once give what each row gives alone."""
    keys, sets = case
    assert members_of_each(sets, keys) == [list(members(row)) for row in sets]
