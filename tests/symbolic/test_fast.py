"""The compiled closure gives what the Python integers give, class by class and cover by cover."""

from collections.abc import Callable
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.order import closure as slow
from attnproof.symbolic.order import fast
from attnproof.symbolic.order.closure import Closure, closure

needs_numba = pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")


@st.composite
def relations(draw: st.DrawFn) -> tuple[int, ...]:
    """Sparse or dense, lower triangular or not, across the edge of a 64-bit word."""
    n = draw(st.sampled_from((1, 2, 5, 9, 66)))
    row = st.integers(0, (1 << n) - 1)
    rows = draw(st.lists(row, min_size=n, max_size=n))
    if draw(st.booleans()):
        thin = draw(st.lists(row, min_size=n, max_size=n))
        rows = [a & b & c for a, b, c in zip(rows, thin, thin[::-1], strict=True)]
    if draw(st.booleans()):
        rows = [row & (2 << q) - 1 for q, row in enumerate(rows)]
    return tuple(rows)


def again(
    expected: Closure, *, upward: bool
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Down-sets and covers of the same classes, by the kernels."""
    down, covers = fast.closed(expected.layer, expected.classes, expected.class_of, upward=upward)
    return tuple(down), tuple(covers)


def as_it_is(function: Callable[..., None]) -> Callable[..., None]:
    return function


@pytest.mark.parametrize("upward", [True, False])
@settings(deadline=None, max_examples=60)
@given(rows=relations())
def test_the_kernels_are_the_pass_over_python_integers(rows: tuple[int, ...], upward: bool) -> None:
    """Run as Python, the kernels give the same closure and covers in either direction."""
    expected = closure(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "compiled", as_it_is)
        assert again(expected, upward=upward) == (expected.down, expected.covers)


@needs_numba
@pytest.mark.parametrize("upward", [True, False])
@settings(deadline=None, max_examples=100)
@given(rows=relations())
def test_compiled_kernels_give_the_same(rows: tuple[int, ...], upward: bool) -> None:
    """Compiled, the kernels give the same closure and covers in either direction."""
    expected = closure(rows)
    assert again(expected, upward=upward) == (expected.down, expected.covers)


@needs_numba
@settings(deadline=None, max_examples=50)
@given(rows=relations())
def test_running_out_of_patience_changes_nothing(rows: tuple[int, ...]) -> None:
    """``closure`` gives equal values whether it changes over to the kernels or not."""
    expected = closure(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slow, "_patience", lambda _: -1)
        assert closure(rows) == expected


@needs_numba
def test_a_closed_row_is_the_row_given() -> None:
    """Rows that are closed already are shared with the relation and take no memory of their own."""
    rows = tuple((1 << 4096) - 1 >> shift for shift in range(4095, -1, -1))
    every = tuple(range(len(rows)))
    down, _ = fast.closed(rows, [(q,) for q in every], every, upward=True)
    assert all(a is b for a, b in zip(rows, down, strict=True))
