"""The compiled walks over runs give what the numpy and Python passes give, array by array."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.masks.rows import runs_of
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import fast, fast_runs, run_joins
from attnproof.symbolic.order.run_arrays import Fragmented
from attnproof.symbolic.order.run_closure import RunClosure, run_closure
from attnproof.symbolic.order.run_depth import run_depth
from attnproof.symbolic.order.run_relation import with_own

needs_numba = pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")

Kernels = Callable[[], AbstractContextManager[None]]


@st.composite
def relations(draw: st.DrawFn) -> Runs:
    """Rows of several runs or none; in order, against it, within documents, or with cycles."""
    n = draw(st.sampled_from((0, 1, 2, 5, 9, 40)))
    row = st.integers(0, (1 << n) - 1)
    rows = draw(st.lists(row, min_size=n, max_size=n))
    if draw(st.booleans()):
        thin = draw(st.lists(row, min_size=n, max_size=n))
        rows = [a & b & c for a, b, c in zip(rows, thin, thin[::-1], strict=True)]
    order = draw(st.sampled_from(("any", "back", "ahead", "documents")))
    start = 0
    for q in range(n):
        if order == "documents" and draw(st.booleans()):
            start = q
        if order in {"back", "documents"}:
            rows[q] &= (2 << q) - (1 << start)
        elif order == "ahead":
            rows[q] = rows[q] >> q << q
    return Runs.from_rows(map(runs_of, rows), n)


@st.composite
def windows(draw: st.DrawFn) -> Runs:
    """Each row one interval around its position; the ends mostly never decrease."""
    n = draw(st.integers(1, 30))
    every = range(n)
    back = sorted(draw(st.lists(st.integers(0, n), min_size=n, max_size=n)))
    ahead = sorted(draw(st.lists(st.integers(0, n), min_size=n, max_size=n)))
    if draw(st.integers(0, 3)) == 0:
        back.reverse()
    return Runs.from_rows([[(min(back[q], q), max(min(ahead[q], n), q + 1))] for q in every], n)


@contextmanager
def python_kernels() -> Iterator[None]:
    """The kernels are used, as Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "compiled", lambda function: function)
        patch.setattr(fast_runs, "ready", lambda _: True)
        yield


@contextmanager
def long_walks() -> Iterator[None]:
    """The kernels are used, as Python, where a walk has at least one step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "compiled", lambda function: function)
        patch.setattr(fast_runs, "ready", lambda steps: steps > 0)
        yield


@contextmanager
def compiled_kernels() -> Iterator[None]:
    """The kernels are used, as machine code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_runs, "ready", lambda _: True)
        yield


KERNELS = [
    pytest.param(python_kernels, id="python"),
    pytest.param(long_walks, id="long walks"),
    pytest.param(compiled_kernels, id="compiled", marks=needs_numba),
]


def everything(found: RunClosure) -> tuple[object, ...]:
    """All that a closure in runs holds."""
    arrays = found.class_of, found.ptr, found.below
    rows = found.down.ptr, found.down.starts, found.down.stops
    return *(a.tolist() for a in arrays), *rows, found.first_open, found.first_bad


@pytest.mark.parametrize("kernels", KERNELS)
@settings(deadline=None, max_examples=80)
@given(layer=relations())
def test_the_kernels_give_the_same_closure(kernels: Kernels, layer: Runs) -> None:
    """Classes, their numbers, what reaches them and their covers are equal."""
    expected = everything(run_closure(layer))
    with kernels():
        assert everything(run_closure(layer)) == expected


@pytest.mark.parametrize("kernels", KERNELS)
@settings(deadline=None, max_examples=50)
@given(layer=st.one_of(windows(), relations().filter(len)))
def test_the_kernels_give_the_same_depth(kernels: Kernels, layer: Runs) -> None:
    """The depth is equal, for windows and for rows that are none."""
    layer = with_own(layer, np.arange(len(layer)))
    limit = run_closure(layer).rows
    expected = run_depth([layer], limit)
    with kernels():
        assert run_depth([layer], limit) == expected


def chain(n: int) -> Runs:
    return Runs.from_rows([[(max(q - 1, 0), q + 1)] for q in range(n)], n)


def comb(n: int) -> Runs:
    """The last row reads every second position: many runs, many covers, none below another."""
    rows = [[(q, q + 1)] for q in range(n - 1)]
    return Runs.from_rows([*rows, [(p, p + 1) for p in range(0, n, 2)]], n)


def climbing(n: int) -> Runs:
    """A row takes a class before a higher one that is not above it, and one that is."""
    rows = [[(p, p + 1)] for p in range(n)]
    rows[2] = [(0, 1), (2, 3)]
    rows[-1] = [(0, n - 2), (n - 1, n)]
    return Runs.from_rows(rows, n)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize(
    "layer",
    [
        pytest.param(chain(300), id="chain"),
        pytest.param(comb(301), id="comb"),
        pytest.param(climbing(50), id="climbing"),
        pytest.param(Runs.from_rows([[(0, 200)]] * 200, 200), id="one class"),
        pytest.param(Runs.from_rows([[(q, 200)] for q in range(200)], 200), id="anticausal"),
        pytest.param(Runs.from_rows([()] * 7, 7), id="nothing read"),
    ],
)
def test_room_is_made_for_rows_and_covers(
    kernels: Kernels, layer: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows in more runs, and more covers, than there was room for are closed all the same."""
    expected = everything(run_closure(layer))
    monkeypatch.setattr(fast_runs, "_STEP", 64)
    with kernels():
        assert everything(run_closure(layer)) == expected


@pytest.mark.parametrize("kernels", KERNELS)
def test_too_many_covers_are_refused(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels refuse what the Python pass refuses, in the same words."""
    monkeypatch.setattr(run_joins, "MOST_COVERS", 100)
    with pytest.raises(Fragmented) as expected:
        run_closure(comb(301))
    with kernels(), pytest.raises(Fragmented) as found:
        run_closure(comb(301))
    assert str(found.value) == str(expected.value)


def test_a_short_walk_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled below half a second's work, nor at all without numba."""
    monkeypatch.setattr(fast_runs.load, "cache_info", lambda: type("Info", (), {"currsize": 0}))
    monkeypatch.setattr(fast_runs, "has_numba", lambda: True)
    assert not fast_runs.ready(fast_runs.PATIENCE - 1)
    assert fast_runs.ready(fast_runs.PATIENCE)
    monkeypatch.setattr(fast_runs, "has_numba", lambda: False)
    assert not fast_runs.ready(fast_runs.PATIENCE)


@needs_numba
def test_loaded_kernels_are_used_at_once() -> None:
    """After ``load`` every closure in runs uses the kernels, and is what it was."""
    layer = chain(20)
    expected = everything(run_closure(layer))
    try:
        fast_runs.load()
        assert fast_runs.ready(0)
        assert everything(run_closure(layer)) == expected
    finally:
        fast_runs.load.cache_clear()
    assert not fast_runs.ready(0)
