"""Laws of layers in sequence: products, levels, limits and the depth at which they settle."""

from itertools import count, islice, pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.depth import depth, depth_without_residual, monotone_ends
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.relation import union
from attnproof.symbolic.order.schedule import levels, product, reach
from tests.laws.strategies import Rows, executed, reflexive, rows, schedules, setting_of, sizes
from tests.reference import Pairs, after, closed, identity, multiplied, pairs_of_sets, settling

Schedule = tuple[Rows, ...]


def layers_of(schedule: Schedule) -> list[Pairs]:
    """The executed layers, residual kept, as pairs."""
    return [executed(rows) for rows in schedule]


def powers(pairs: Pairs, n: int) -> list[Pairs]:
    """The powers of a relation up to the first one that was there before, that one included."""
    seen = [identity(n), pairs]
    while seen[-1] not in seen[:-1]:
        seen.append(multiplied(pairs, seen[-1]))
    return seen


@given(sizes(6).flatmap(lambda n: st.tuples(rows(n), rows(n), rows(n))))
def test_product_is_the_product_of_pairs_and_associates(three: tuple[Rows, Rows, Rows]) -> None:
    """``product(upper, lower)`` is the Boolean product, upper layer leftmost."""
    a, b, c = three
    assert pairs_of_sets(product(a, b)) == multiplied(pairs_of_sets(a), pairs_of_sets(b))
    assert product(product(a, b), c) == product(a, product(b, c))


@given(schedules(), st.integers(0, 8))
def test_levels_are_products_of_layers(schedule: Schedule, most: int) -> None:
    """Level L is A_L ... A_1, with and without a residual, with and without the known limit."""
    n = len(schedule[0])
    for residual in (True, False):
        flow = Flow(setting_of(schedule, residual=residual))
        expected = [
            after([executed(rows, residual) for rows in schedule], level, n)
            for level in range(most + 1)
        ]
        found = [pairs_of_sets(held) for held in islice(levels(flow.layers), most + 1)]
        assert found == expected
        assert pairs_of_sets(reach(flow.layers, most)) == expected[-1]
        if residual:
            limit = flow.closure.rows
            hurried = islice(levels(flow.layers, limit), most + 1)
            assert [pairs_of_sets(held) for held in hurried] == expected
            assert pairs_of_sets(reach(flow.layers, most, limit)) == expected[-1]


@given(reflexive(7), st.integers(0, 4), st.integers(0, 4))
def test_levels_of_one_layer_multiply(layer: Rows, a: int, b: int) -> None:
    """After a + b layers stands the product of what stands after a and after b."""
    assert reach([layer], a + b) == product(reach([layer], a), reach([layer], b))


@given(schedules())
def test_reach_grows_with_depth_under_a_residual(schedule: Schedule) -> None:
    """With a residual no layer loses a pair, and the limit is never left."""
    flow = Flow(setting_of(schedule))
    limit = pairs_of_sets(flow.closure.rows)
    held = [pairs_of_sets(level) for level in islice(levels(flow.layers), 7)]
    assert all(lower <= upper <= limit for lower, upper in pairwise(held))


@given(schedules(), st.randoms(use_true_random=False))
def test_limit_depends_only_on_the_union(schedule: Schedule, random: Random) -> None:
    """Any order of the layers has the closure of their union as its limit."""
    n = len(schedule[0])
    limit = closed(frozenset().union(*layers_of(schedule)), n)
    shuffled = random.sample(schedule, len(schedule))
    for layers in (schedule, shuffled, schedule[::-1]):
        flow = Flow(setting_of(layers))
        assert pairs_of_sets(flow.closure.rows) == limit
        assert flow.depth is not None
        assert pairs_of_sets(reach(flow.layers, flow.depth)) == limit


@given(schedules())
def test_depth_of_a_schedule(schedule: Schedule) -> None:
    """The least L at which the product is the limit, and at which a whole period adds nothing."""
    layers, n = layers_of(schedule), len(schedule[0])
    limit = closed(frozenset().union(*layers), n)
    found = Flow(setting_of(schedule)).depth
    assert found == next(level for level in count() if after(layers, level, n) == limit)
    assert found == settling(layers, n)


def test_order_of_a_schedule_matters() -> None:
    """Hub 2 of 5: "hub reads all", then "all read hub" is full after two layers; the other order
    is not, though both have the same limit."""
    gather = tuple(0b11111 if q == 2 else 1 << q for q in range(5))
    spread = tuple(1 << q | 1 << 2 for q in range(5))
    full = (0b11111,) * 5
    assert reach([gather, spread], 2) == full
    assert reach([spread, gather], 2) == (0b00101, 0b00110, 0b11111, 0b01100, 0b10100)
    assert product(spread, gather) == full != product(gather, spread)
    there, back = Flow(setting_of([gather, spread])), Flow(setting_of([spread, gather]))
    assert (there.depth, back.depth) == (2, 3)
    assert there.closure.rows == back.closure.rows == full


@given(sizes(7).flatmap(rows))
def test_depth_without_residual_of_one_mask(given_rows: Rows) -> None:
    """The least L with M^L = M^(L+1); None when the powers alternate for ever."""
    seen = powers(pairs_of_sets(given_rows), len(given_rows))
    start = seen.index(seen[-1])
    settles = start == len(seen) - 2
    assert depth_without_residual([given_rows]) == (start if settles else None)
    assert Flow(setting_of([given_rows], residual=False)).depth == (start if settles else None)


@given(schedules(5))
def test_depth_without_residual_of_a_schedule(schedule: Schedule) -> None:
    """The least L with the same relation after L and after L + P layers; None if there is none."""
    n, period = len(schedule[0]), len(schedule)
    layers = [executed(rows, residual=False) for rows in schedule]
    whole = powers(after(layers, period, n), n)
    settles = whole.index(whole[-1]) == len(whole) - 2
    expected = (
        next(L for L in count() if after(layers, L, n) == after(layers, L + period, n))
        if settles
        else None
    )
    assert depth_without_residual(schedule) == expected


def test_powers_that_alternate_and_powers_that_die() -> None:
    """A two-cycle never settles, a 2- and a 3-cycle through one position do, a strict triangle
    dies after n layers."""
    assert depth_without_residual([(0b10, 0b01)]) is None
    assert depth_without_residual([(0b001, 0b001, 0b010)]) == 2
    assert depth_without_residual([(0b0110, 0b0001, 0b1000, 0b0001)]) is not None
    assert depth_without_residual([(0b0000, 0b0001, 0b0011, 0b0111)]) == 4
    assert depth_without_residual([(0, 0)]) == 1


@st.composite
def monotone(draw: st.DrawFn) -> Rows:
    """Intervals around each position whose ends never decrease."""
    n = draw(st.integers(1, 24))
    first, last = 0, 0
    made = []
    for q in range(n):
        first = draw(st.integers(first, q))
        last = draw(st.integers(max(last, q), min(n - 1, max(last, q) + draw(st.integers(0, 2)))))
        made.append((1 << (last + 1)) - (1 << first))
    return tuple(made)


@given(monotone())
def test_depth_of_monotone_intervals(layer: Rows) -> None:
    """Iterating the two ends gives the depth that multiplying the layers gives."""
    assert monotone_ends(layer) is not None
    limit = closure(layer).rows
    expected = next(level for level, held in enumerate(levels([layer])) if held == limit)
    assert depth([layer], limit) == expected


@given(reflexive(8))
def test_monotone_ends_describe_the_layer(layer: Rows) -> None:
    """Ends are given exactly for rows that are intervals around themselves with monotone ends."""
    spans = [sorted(k for r, k in pairs_of_sets(layer) if r == q) for q in range(len(layer))]
    firsts, lasts = [s[0] for s in spans], [s[-1] for s in spans]
    intervals = all(s == list(range(s[0], s[-1] + 1)) for s in spans)
    rising = firsts == sorted(firsts) and lasts == sorted(lasts)
    assert monotone_ends(layer) == ((firsts, lasts) if intervals and rising else None)


@given(schedules())
def test_union_is_the_union_of_pairs(schedule: Schedule) -> None:
    """A pair stands in the union when some layer has it."""
    expected = frozenset().union(*map(pairs_of_sets, schedule))
    assert pairs_of_sets(union(schedule)) == expected
