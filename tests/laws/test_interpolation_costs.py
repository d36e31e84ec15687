"""Laws of the costs, and of the baselines without attention."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.interpolation import costs, exact
from attnproof.symbolic.interpolation.baselines import TokenwiseConflict, resnet
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import Data, read
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net
from attnproof.symbolic.verdict import Verdict

SEEDS = st.integers(0, 10**6)


def bends_and_events(data: Data) -> tuple[int, int]:
    """Of the construction by means in one separation block, from the widths of its blocks."""
    separation, *sweep = build(data).net.blocks
    assert separation.phase == "separation"
    return len(separation.neurons) - 1, sum(len(block.neurons) for block in sweep)


@given(SEEDS, st.integers(2, 5), st.integers(2, 12), st.integers(1, 3), st.sampled_from([1, 2, 5]))
def test_formulas_bound_what_is_counted(seed: int, pairs: int, n: int, m: int, d: int) -> None:
    """Blocks are exact, weights and products at most what the formulas say."""
    data = costs.drawn(n, d=d, pairs=pairs, m=min(m, n), seed=seed)
    bends, events = bends_and_events(data)
    ours, said = costs.counted(build(data).net, n), costs.transformer(d, pairs, events, bends, n)
    assert events <= data.outputs + data.collapsing
    assert ours.blocks == said.blocks
    assert ours.parameters <= said.parameters
    assert ours.products <= said.products
    alone = resnet(data)
    ours, said = costs.counted(alone.net, n), costs.tokenwise(d, alone.events, n)
    assert ours.blocks == said.blocks
    assert ours.parameters <= said.parameters
    assert ours.products <= said.products


def generic(d: int, pairs: int, n: int) -> Data:
    """Outputs as long as their inputs, with numbers that no difference of two makes vanish."""
    rng = random.Random(7)

    def token() -> tuple[Fraction, ...]:
        return tuple(Fraction(rng.randint(-(10**6), 10**6), 997) for _ in range(d))

    return read([([token() for _ in range(n)], [token() for _ in range(n)]) for _ in range(pairs)])


@pytest.mark.parametrize(("d", "pairs", "n"), [(1, 3, 2), (2, 2, 3), (2, 5, 4)])
def test_formulas_are_reached(d: int, pairs: int, n: int) -> None:
    """On data in general position both formulas are what the nets have, number by number."""
    data = generic(d, pairs, n)
    assert all(build(data).line.row)
    bends, events = bends_and_events(data)
    assert events == data.outputs
    assert costs.counted(build(data).net, n) == costs.transformer(d, pairs, events, bends, n)
    alone = resnet(data)
    assert costs.counted(alone.net, n) == costs.tokenwise(d, alone.events, n)


def test_only_the_transformer_ignores_the_length() -> None:
    """From 4 to 64 tokens its blocks stay and its weights do but for chance zeros."""
    rows = costs.against_length((4, 16, 64))
    assert {row.transformer.blocks for row in rows} == {4}
    assert max(row.transformer.parameters for row in rows) <= 60
    assert [row.tokenwise.blocks for row in rows] == sorted(row.tokenwise.blocks for row in rows)
    assert rows[-1].tokenwise.blocks > 10 * rows[-1].transformer.blocks
    assert [row.flat for row in rows] == [4 * (2 * row.n + 5) for row in rows]
    assert costs.table(rows).count("\n") == len(rows) + 1


def test_the_length_counts_through_shorter_outputs_alone() -> None:
    """With one output each, the bound is higher from the second token of the inputs on, and not
    from the third; so is the number of blocks."""
    built = [build(costs.drawn(n, pairs=16, m=1)) for n in (1, 2, 5)]
    assert [found.data.collapsing for found in built] == [0, 16, 16]
    assert [found.bound for found in built] == [8, 12, 12]
    assert [len(found.net.blocks) for found in built] == [5, 9, 9]


def test_scores_cost_a_product_for_each_pair_of_tokens() -> None:
    """Rank one: two dot products a token, one product a pair, a mean for every token."""
    one, zero = Fraction(1), Fraction(0)
    e1, e2 = (one, zero), (zero, one)
    head = Head(Matrix(zero, e1, e1), Matrix(zero, e2, e1))
    assert costs.counted(Net(2, (Block(one, heads=(head,)),)), 10).products == 20 + 100 + 200 + 20
    data = costs.drawn(4)
    linear = [costs.counted(build(data).net, n).products for n in (100, 200)]
    quadratic = [costs.counted(build(data, Mode.LEADER).net, n).products for n in (100, 200)]
    assert linear[1] < 2.1 * linear[0]
    assert quadratic[1] > 3 * quadratic[0]


@given(SEEDS, st.integers(1, 4), st.integers(1, 6))
def test_the_token_wise_network_is_exact(seed: int, pairs: int, n: int) -> None:
    """Where no token is shared it interpolates, as any net does: verified exactly."""
    data = costs.drawn(n, pairs=pairs, m=1, seed=seed)
    assert exact.verify(resnet(data).net, data).verdict is Verdict.HOLDS


@pytest.mark.parametrize(("second", "certain"), [([(5, 5)], True), ([(1, 1), (5, 5)], False)])
def test_a_shared_token_has_one_image(second: list[tuple[int, int]], certain: bool) -> None:
    """The error names both pairs, and says whether any other token-wise map could do it."""
    data = read([([(0, 0), (1, 0)], [(1, 1)]), ([(2, 0), (0, 0)], second)])
    if not certain:
        data = read([([(0, 0)], [(5, 5)]), ([(0, 0), (2, 0)], second)])
    with pytest.raises(TokenwiseConflict, match="without attention a token has one") as caught:
        resnet(data)
    assert (caught.value.pairs, caught.value.certain) == ((0, 1), certain)
