"""Laws of the closure, its classes and its Hasse covers, against sets of pairs and networkx."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.masks.bits import columns
from attnproof.symbolic.order.closure import Closure, closure, first_intransitive
from attnproof.symbolic.order.components import components
from attnproof.symbolic.order.depth import depth
from attnproof.symbolic.order.flow import Flow
from tests.laws.strategies import Rows, relations, setting_of, with_diagonal
from tests.reference import (
    Class,
    closed,
    identity,
    intransitive,
    multiplied,
    order,
    pairs_of_sets,
    sets_of_pairs,
)

masks = relations(8)
SIZES = st.sampled_from([1, 2, 9, 63, 64, 65, 127, 128, 129, 513])


def classes_of(found: Closure) -> list[Class]:
    return [frozenset(positions) for positions in found.classes]


def covers_of(found: Closure) -> set[tuple[Class, Class]]:
    classes = classes_of(found)
    return {(classes[d], classes[c]) for c, below in enumerate(found.covers) for d in below}


def invariants(rows: Rows) -> tuple[object, ...]:
    """What does not depend on the numbering of the positions."""
    flow = Flow(setting_of([rows]))
    return (
        sorted(map(len, flow.classes)),
        len(flow.covers),
        flow.height,
        flow.width(even_if_expensive=True),
        flow.depth,
        flow.transitive,
        flow.antisymmetric,
        flow.edges,
        flow.edges_off_diagonal,
    )


@given(masks)
def test_reach_is_the_least_preorder_above_the_relation(rows: Rows) -> None:
    """R contains A, is reflexive and idempotent, and is the fixed point of the pairs."""
    n = len(rows)
    reach = pairs_of_sets(closure(rows).rows)
    assert pairs_of_sets(rows) | identity(n) <= reach
    assert multiplied(reach, reach) == reach
    assert reach == closed(pairs_of_sets(rows), n)


@given(masks)
def test_closure_of_a_closure_is_itself(rows: Rows) -> None:
    """The closure operator is idempotent, and it forgets whether the diagonal was given."""
    once = closure(rows)
    twice = closure(once.rows)
    assert (twice.rows, twice.classes, twice.covers) == (once.rows, once.classes, once.covers)
    assert twice.transitive
    assert closure(with_diagonal(rows)).rows == once.rows


@given(masks)
def test_classes_and_covers_are_those_of_networkx(rows: Rows) -> None:
    """Classes are the strongly connected components; covers the reduction of the condensation."""
    found, known = closure(rows), order(pairs_of_sets(rows), len(rows))
    assert set(classes_of(found)) == known.classes
    assert covers_of(found) == known.covers
    assert max(found.ranks) == known.height
    assert found.transitive == known.transitive
    assert found.antisymmetric == (len(known.classes) == len(rows))


@given(masks)
def test_numbering_of_classes(rows: Rows) -> None:
    """Sources stand first, members ascend, and the least ready class comes next."""
    found = closure(rows)
    assert all(list(positions) == sorted(positions) for positions in found.classes)
    assert all(p in found.classes[c] for p, c in enumerate(found.class_of))
    placed: set[int] = set()
    for c, below in enumerate(found.covers):
        assert list(below) == sorted(set(below))
        ready = [
            d for d, needs in enumerate(found.covers) if d not in placed and placed >= {*needs}
        ]
        assert c == min(ready, key=lambda d: found.classes[d][0])
        placed.add(c)


@given(masks)
def test_down_below_and_ranks(rows: Rows) -> None:
    """``down`` holds positions, ``below`` classes, ``ranks`` the longest chain that ends there."""
    found = closure(rows)
    reach = pairs_of_sets(found.rows)
    for c, positions in enumerate(found.classes):
        q = positions[0]
        below = {d for d, others in enumerate(found.classes) if (q, others[0]) in reach}
        assert pairs_of_sets([found.below[c]]) == {(0, d) for d in below}
        assert pairs_of_sets([found.down[c]]) == {(0, p) for d in below for p in found.classes[d]}
        assert found.ranks[c] == 1 + max((found.ranks[d] for d in below - {c}), default=0)


@given(masks)
def test_closure_of_the_hasse_mask_is_the_order(rows: Rows) -> None:
    """The covers alone, as a mask on the classes, generate the order of the classes."""
    found = closure(rows)
    quotient = closure([sum(1 << d for d in below) for below in found.covers])
    assert quotient.rows == found.below
    assert quotient.covers == found.covers


@given(masks, st.data())
def test_transitive_edges_change_nothing(rows: Rows, data: st.DataObject) -> None:
    """Pairs of the closure, added to the mask, leave reach, classes and covers as they are."""
    found = closure(rows)
    reach = sorted(pairs_of_sets(found.rows))
    added = data.draw(st.lists(st.sampled_from(reach), max_size=6))
    denser = closure(sets_of_pairs(pairs_of_sets(rows) | set(added), len(rows)))
    assert (denser.rows, denser.classes, denser.covers) == (found.rows, found.classes, found.covers)


@given(masks, st.data())
def test_permuting_positions_preserves_every_invariant(rows: Rows, data: st.DataObject) -> None:
    """Conjugation by a permutation carries the order along and preserves its numbers."""
    to = data.draw(st.permutations(range(len(rows))))
    moved = sets_of_pairs({(to[q], to[k]) for q, k in pairs_of_sets(rows)}, len(rows))
    assert invariants(moved) == invariants(rows)
    assert pairs_of_sets(closure(moved).rows) == {
        (to[q], to[k]) for q, k in pairs_of_sets(closure(rows).rows)
    }


@given(masks)
def test_depth_is_the_greatest_finite_distance(rows: Rows) -> None:
    """The depth of convergence is the longest shortest path, at most n - 1."""
    layer = with_diagonal(rows)
    found = depth([layer], closure(layer).rows)
    assert found == order(pairs_of_sets(rows), len(rows)).depth
    assert found <= len(rows) - 1
    assert (found <= 1) == closure(rows).transitive


@given(masks)
def test_first_bad_is_the_first_counterexample(rows: Rows) -> None:
    """(q, k, m): the reader is least, then the source, then the step between; None exactly when
    transitive. The pass that stops early names the same."""
    lower = tuple(row & ((2 << q) - 1) for q, row in enumerate(rows))
    for given_rows in (rows, lower):
        first = min(intransitive(pairs_of_sets(given_rows), len(rows)), default=None)
        assert closure(given_rows).first_bad == first
        assert first_intransitive(given_rows) == first


@given(masks)
def test_components_read_only_later_components(rows: Rows) -> None:
    """The list partitions the positions and is a linear extension, readers first."""
    found = components(rows)
    assert sorted(p for positions in found for p in positions) == list(range(len(rows)))
    at = {p: c for c, positions in enumerate(found) for p in positions}
    assert all(at[q] <= at[k] for q, k in pairs_of_sets(rows))


@settings(max_examples=40)
@given(SIZES, SIZES, st.randoms(use_true_random=False))
def test_columns_swap_every_pair(queries: int, keys: int, random: Random) -> None:
    """(q, k) becomes (k, q), on both sides of the 64-position border; twice is the identity."""
    rows = [random.getrandbits(keys) & random.getrandbits(keys) for _ in range(queries)]
    turned = columns(rows, keys)
    assert len(turned) == keys
    assert pairs_of_sets(turned) == {(k, q) for q, k in pairs_of_sets(rows)}
    assert columns(turned, queries) == rows
