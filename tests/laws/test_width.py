"""Laws of the width: an antichain and as many chains prove each other (Dilworth)."""

from itertools import pairwise

from hypothesis import given

from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.width import is_cheap, width
from tests.laws.strategies import Rows, relations, setting_of
from tests.reference import is_antichain, order, pairs_of_sets

masks = relations(8)


@given(masks)
def test_antichain_and_chains_have_the_width_of_networkx(rows: Rows) -> None:
    """Both have as many members as the largest antichain that enumeration finds."""
    found = width(closure(rows))
    known = order(pairs_of_sets(rows), len(rows))
    assert len(found) == len(found.antichain) == len(found.chains) == known.width


@given(masks)
def test_antichain_is_one(rows: Rows) -> None:
    """Its classes are distinct and pairwise incomparable."""
    flow = closure(rows)
    found = width(flow)
    classes = [frozenset(flow.classes[c]) for c in found.antichain]
    assert len(set(classes)) == len(found)
    assert is_antichain(classes, order(pairs_of_sets(rows), len(rows)))


@given(masks)
def test_chains_are_chains_and_hold_every_class_once(rows: Rows) -> None:
    """Each runs from source to reader; together they partition the classes."""
    flow = closure(rows)
    reach = pairs_of_sets(flow.below)
    found = width(flow)
    assert sorted(c for chain in found.chains for c in chain) == list(range(len(flow.classes)))
    for chain in found.chains:
        assert all((above, below) in reach for below, above in pairwise(chain))


@given(masks)
def test_width_times_height_covers_the_classes(rows: Rows) -> None:
    """width · height is at least the number of classes; the height is a chain cover's length."""
    flow = Flow(setting_of([rows]))
    wide = flow.width(even_if_expensive=True)
    assert wide is not None
    assert wide * flow.height >= len(flow.classes)
    assert max(map(len, flow.antichain_and_chains.chains)) <= flow.height


def test_expensive_width_is_computed_on_demand_only() -> None:
    """More than 2^18 strict pairs that are no chain: None until it is asked for, then known."""
    halves = 520
    rows = tuple((1 << q) - 1 & ~(1 << q - 1 if q % 2 else 0) for q in range(2 * halves))
    flow = Flow(setting_of([rows]))
    assert not is_cheap(flow.closure)
    assert flow.width() is None
    assert flow.facts().antichain is None
    assert flow.width(even_if_expensive=True) == 2
    assert flow.width() == 2
    assert flow.facts().chains is not None


def test_width_of_a_long_chain_is_cheap() -> None:
    """A total order has width 1 whatever its length."""
    flow = Flow(setting_of([tuple((1 << q + 1) - 1 for q in range(1200))]))
    assert flow.width() == 1
    assert flow.antichain_and_chains.chains == (tuple(range(1200)),)
