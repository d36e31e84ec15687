"""Laws of products, powers and depths in runs, against those of bit sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.masks.line import stacked
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import run_depth as module
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.depth import depth
from attnproof.symbolic.order.relation import union
from attnproof.symbolic.order.run_closure import run_closure
from attnproof.symbolic.order.run_depth import run_depth, run_ever, run_reach
from attnproof.symbolic.order.run_ends import monotone
from attnproof.symbolic.order.run_product import least_depth, power, run_product
from attnproof.symbolic.order.run_relation import run_union
from attnproof.symbolic.order.schedule import ever, product, reach
from tests.laws.run_masks import SHAPES, held, relations_in_runs, shaped
from tests.laws.strategies import Rows, rows, schedules, with_diagonal

pairs = st.integers(1, 40).flatmap(lambda n: st.tuples(rows(n), rows(n)))


def assert_same_depth(layers: tuple[Rows, ...]) -> None:
    """The depth in runs is that in bit sets; the layers keep a residual."""
    in_runs = [held(layer) for layer in layers]
    limit = run_closure(run_union(in_runs)).rows
    assert run_depth(in_runs, limit) == depth(layers, closure(union(layers)).rows)


@given(pairs)
def test_product(case: tuple[Rows, Rows]) -> None:
    """What the upper layer reads of what the lower one holds."""
    upper, lower = case
    assert run_product(held(upper), held(lower)) == held(product(upper, lower))


@given(schedules(8), st.integers(0, 12))
def test_reach_is_that_of_bit_sets(schedule: tuple[Rows, ...], layers: int) -> None:
    """After exactly so many layers, with and without a residual."""
    for given_layers in (schedule, tuple(map(with_diagonal, schedule))):
        found = run_reach([held(layer) for layer in given_layers], layers)
        assert found == held(reach(given_layers, layers))


@given(schedules(8))
def test_ever_is_that_of_bit_sets(schedule: tuple[Rows, ...]) -> None:
    """After some number of layers."""
    assert run_ever([held(layer) for layer in schedule]) == held(ever(schedule))


@given(schedules(10))
def test_depth_of_schedules(schedule: tuple[Rows, ...]) -> None:
    """The least number of layers that reach the limit."""
    assert_same_depth(tuple(map(with_diagonal, schedule)))


@given(relations_in_runs(), st.sampled_from([0, 4096]))
def test_depth_of_masks(given_rows: Rows, walks: int) -> None:
    """The same for one mask, whether ends are walked or doubled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WALKS", walks)
        assert_same_depth((with_diagonal(given_rows),))


@pytest.mark.parametrize("shape", SHAPES)
def test_depth_of_masks_people_hold(shape: str) -> None:
    """The same on larger masks; alone, and in a schedule with a window."""
    layer = with_diagonal(shaped(shape, 200, 7))
    assert_same_depth((layer,))
    assert_same_depth((layer, with_diagonal(shaped("window", 200, 3))))


def test_which_masks_follow_the_rule_of_ends() -> None:
    """Windows, and windows with sinks that read nothing else, need no products of rows."""
    ruled = {one for one in SHAPES if monotone([held(with_diagonal(shaped(one, 90, 5)))])}
    assert ruled == {
        "causal",
        "window",
        "sinks",
        "documents",
        "prefix",
        "shared prefix",
        "blocks",
        "both sides",
        "sinks of documents",
        "reversed",
    }


@pytest.mark.parametrize("sinks", [0, 4])
def test_a_window_of_a_million_positions(sinks: int) -> None:
    """A window of w keys needs (n - 1) / (w - 1) layers, rounded up; sinks are read at once."""
    n, every = 1 << 20, np.arange(1 << 20)
    first, last = np.maximum(every - 127, 0), np.minimum(every + 1, sinks)
    owner = np.concatenate([every, every])
    starts, stops = np.concatenate([0 * every, first]), np.concatenate([last, every + 1])
    causal = Runs.from_arrays(np.arange(n + 1), 0 * every, every + 1, n)
    assert run_depth([stacked(owner, starts, stops, n, n)], causal) == -(-(n - 1 - sinks) // 127)


def test_power_and_least_depth_of_numbers() -> None:
    """Powers are products of so many layers, the last one leftmost; the least depth is exact."""

    def joined(upper: str, lower: str) -> str:
        return upper + lower

    for layers in (["a"], ["a", "b"], ["a", "b", "c"]):
        for count in range(1, 12):
            expected = "".join(layers[level % len(layers)] for level in range(count))[::-1]
            assert power(layers, count, joined) == expected
            assert least_depth(layers, joined, lambda word: len(word) >= len(expected)) == count  # noqa: B023
