"""Laws of separation with several heads."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation import ball, exact, temperature
from attnproof.symbolic.interpolation.data import Data, Pair, read
from attnproof.symbolic.interpolation.errors import NeedsDimensionTwo
from attnproof.symbolic.interpolation.heads import build
from attnproof.symbolic.verdict import Verdict

DIMENSION = 5


def one_query_each() -> Data:
    """Nine sequences of which every query of one head tells one from the others."""
    base = [(10 * k + s, 0, 0, 0, 0) for k in range(8) for s in (-1, 1)]
    pairs = [([*base, (10 * k, 0, 0, 0, 0)], [(k, 0, 0, 0, 0)]) for k in range(8)]
    return read([*pairs, (base, [(9, 9, 0, 0, 0)])])


@st.composite
def subsets(draw: st.DrawFn) -> Data:
    """Different subsets of few tokens, with any outputs."""
    inputs = draw(
        st.lists(
            st.frozensets(st.integers(0, 4), min_size=1, max_size=3),
            min_size=1,
            max_size=5,
            unique=True,
        )
    )
    numbers = st.tuples(*[st.integers(-3, 3)] * DIMENSION)
    pairs = []
    for chosen in inputs:
        outputs = draw(st.sets(numbers, min_size=1, max_size=len(chosen)))
        tokens = [(i, i * i % 5, 0, 0, 1) for i in sorted(chosen)]
        pairs.append((tokens, sorted(outputs)))
    return read(pairs)


@given(subsets(), st.integers(1, 4), st.booleans())
def test_a_net_with_heads_is_exact_within_its_bound(data: Data, heads: int, robust: bool) -> None:
    """Exact, and ``ceil((N - 1) / heads)`` separation blocks suffice."""
    found = build(data, heads, robust=robust)
    assert exact.verify(found.net, data).verdict is Verdict.HOLDS
    assert len(found.queries) <= -(-(len(data.pairs) - 1) // heads)
    assert len(found.net.blocks) <= found.bound
    assert found.net.width <= max(4, heads + 1)
    assert all(len(block.heads) <= heads for block in found.net.blocks)


def test_heads_divide_the_queries() -> None:
    """Where every query splits off one sequence, H heads need an H-th of the blocks."""
    data = one_query_each()
    blocks = {}
    for heads in (1, 2, 3, 4):
        found = build(data, heads)
        assert exact.verify(found.net, data).verdict is Verdict.HOLDS
        blocks[heads] = len(found.queries)
    assert blocks == {1: 8, 2: 4, 3: 3, 4: 2}


def test_softmax_is_exact_where_every_target_has_a_plateau() -> None:
    """A robust net with two heads is exact at all temperatures below a certified one."""
    a, b, c = (0, 0, 0), (3, 0, 1), (7, 1, 0)
    data = read([([a, b], [a]), ([b, c], [b, c]), ([a, c], [c])])
    net = build(data, 2, robust=True).net
    star, _ = temperature.search(net, data)
    assert star > 0
    assert ball.verify(net, data, star, below=True).verdict is Verdict.HOLDS


def test_options_that_cannot_be_met_say_why() -> None:
    """Too few heads or coordinates are named, with the way out."""
    one = Data((Pair(((Fraction(0), Fraction(1)),), ((Fraction(1), Fraction(1)),)),))
    with pytest.raises(InputError, match="0 heads were asked for; give at least 1"):
        build(one, 0)
    with pytest.raises(NeedsDimensionTwo, match="choose at most 1 head, or append zeros"):
        build(one, 2)
