"""Runs: interval arithmetic, and rows as intervals at every size."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks import forms, run_sets
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.line import in_turn, line_of, merged, rows_of, stacked
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import RowRuns, Rows, bits_of, runs_of
from attnproof.symbolic.masks.runs import BIT_LIMIT, Runs, check_bits
from attnproof.symbolic.masks.sparse import Sparse
from attnproof.symbolic.named import named as named_module
from attnproof.symbolic.named.registry import get
from tests.laws.strategies import wide_rows
from tests.reference import pairs_of_sets
from tests.symbolic.forms import FORMS, check_runs
from tests.symbolic.test_named_masks import GRIDS

N = 12
MILLION = 1 << 20
sets = st.integers(0, (1 << N) - 1)
intervals = st.lists(st.tuples(st.integers(-2, N + 2), st.integers(-2, N + 2)), max_size=6)


def elements(runs: RowRuns) -> set[int]:
    return {k for start, stop in runs for k in range(start, stop)}


@given(sets, sets)
def test_the_operations_on_runs_are_those_on_sets(a: int, b: int) -> None:
    """Union, intersection and difference: as for Python sets."""
    x, y = runs_of(a), runs_of(b)
    own, other = elements(x), elements(y)
    results = {
        run_sets.union(x, y): own | other,
        run_sets.intersection(x, y): own & other,
        run_sets.difference(x, y): own - other,
    }
    for runs, expected in results.items():
        check_runs(runs, N)
        assert elements(runs) == expected


@given(sets, st.integers(0, N - 1), st.integers(-N, N))
def test_positions_in_a_set(a: int, position: int, by: int) -> None:
    """Membership, and the set moved."""
    runs = runs_of(a)
    own = elements(runs)
    assert run_sets.contains(runs, position) == (position in own)
    moved = run_sets.moved(runs, by, N)
    check_runs(moved, N)
    assert elements(moved) == {k + by for k in own} & set(range(N))


@given(intervals)
def test_any_intervals_unite(given_intervals: Sequence[tuple[int, int]]) -> None:
    """In any order, overlapping, touching, empty or reversed; as one row and on the line."""
    expected = {k for start, stop in given_intervals for k in range(start, stop)}
    inside = [(max(start, 0), stop) for start, stop in given_intervals]
    united = run_sets.unite(inside)
    assert elements(united) == {k for k in expected if k >= 0}
    ends = np.array(given_intervals, np.int64).reshape(-1, 2)
    line = merged(ends[:, 0], ends[:, 1])
    assert {k for a, b in zip(*line, strict=True) for k in range(a, b)} == expected


@given(wide_rows())
@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form: str, case: tuple[int, tuple[int, ...]]) -> None:
    """Rows, runs, single pairs, counts, equality and digest do not depend on the form."""
    keys, rows = case
    bits, made = Bits(rows, keys), FORMS[form](rows, keys)
    assert isinstance(made, Rows)
    assert (len(made), made.keys, made.bits(), made.count()) == (
        len(rows),
        keys,
        rows,
        len(pairs_of_sets(rows)),
    )
    assert list(made.runs()) == list(bits.runs())
    for q, row in enumerate(rows):
        assert (made.row(q), made.row_runs(q)) == (row, runs_of(row))
        some = {0, keys - 1, *(end for run in runs_of(row) for end in run)}
        assert all(made.reads(q, k) == bool(row >> k & 1) for k in some if k < keys)
    mask, same = Mask.of(bits, offset=1), Mask.of(made, offset=1)
    assert mask == same
    assert (mask.digest, mask.empty_rows, repr(mask)) == (same.digest, same.empty_rows, repr(same))
    assert pickle.loads(pickle.dumps(same)) == mask


@given(wide_rows(), wide_rows())
def test_runs_line_and_arrays_are_inverse(
    case: tuple[int, tuple[int, ...]], other: tuple[int, tuple[int, ...]]
) -> None:
    """Runs, their numpy arrays and their line hold the same rows; rows follow in turn."""
    keys, rows = case
    runs = Runs.from_rows(map(runs_of, rows), keys)
    assert Runs.from_arrays(*runs.arrays(), keys) == runs
    assert rows_of(line_of(runs), len(runs), keys) == runs
    narrow = Runs.from_rows((runs_of(row & (1 << keys) - 1) for row in other[1]), keys)
    assert list(in_turn([runs, narrow], keys).runs()) == [*runs.runs(), *narrow.runs()]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 9), st.integers(-3, 9)), max_size=9))
def test_stacked_intervals(triples: list[tuple[int, int, int]]) -> None:
    """Row by row the union of the intervals, cut to the keys."""
    rows, starts, stops = np.array(triples, np.int64).reshape(-1, 3).T
    expected = [
        {k for q, start, stop in triples if q == row for k in range(start, stop) if 0 <= k < 7}
        for row in range(4)
    ]
    made = stacked(rows, starts, stops, 4, 7)
    assert [elements(runs) for runs in made.runs()] == expected
    for runs in made.runs():
        check_runs(runs, 7)


def test_no_row_and_no_key() -> None:
    """Masks without queries or without keys are masks."""
    for rows in (Runs.from_rows([], 3), Runs.from_rows([[], []], 0)):
        mask = Mask.of(rows)
        assert (mask.rows.count(), list(rows.runs())) == (0, [()] * len(rows))
        assert mask | mask == mask


def test_a_million_positions_are_few_numbers() -> None:
    """Size, pairs and single entries of a causal mask of 2^20 positions, without its bits."""
    causal = get("causal").mask(MILLION)
    assert isinstance(causal.rows, Runs)
    assert causal.rows.count() == MILLION * (MILLION + 1) // 2
    assert causal[MILLION - 1, 0]
    assert not causal[0, 1]
    assert causal.empty_rows == ()
    assert repr(causal) == f"<Mask 1048576×1048576, {MILLION * (MILLION + 1) // 2} pairs read>"
    assert causal != get("window").mask(MILLION, keys=MILLION - 1)
    with pytest.raises(ShapeError, match="is too large for bit sets, which go to 131072 positions"):
        causal.rows.bits()


@pytest.mark.parametrize("shape", [(BIT_LIMIT + 1, 1), (1, BIT_LIMIT + 1)])
def test_bit_sets_have_a_limit(shape: tuple[int, int]) -> None:
    """The message names the way out; at the limit nothing is refused."""
    check_bits(BIT_LIMIT, BIT_LIMIT)
    with pytest.raises(ShapeError) as raised:
        check_bits(*shape)
    assert str(raised.value) == (
        f"{shape[0]}×{shape[1]} is too large for bit sets, which go to 131072 positions; read the "
        "rows as runs: rows.runs() or rows.row_runs(q)"
    )


SINGLE = (((0, 1),), ((1, 2),), ((2, 3),))
THREE = (((0, 2), (4, 8), (9, 12)),) * 12


@pytest.mark.parametrize(
    ("rows", "keys", "small", "large", "form"),
    [
        (SINGLE, 3, 3, 9, Bits),
        (SINGLE, 3, 2, 9, Runs),
        (THREE, 12, 2, 12, Bits),
        (THREE, 12, 2, 11, Runs),
        ((((0, 1), (2, 3), (4, 5)), *((),) * 299), 300, 2, 300, Runs),
        ((*(((0, 1), (2, 3), (4, 5)),) * 300,), 300, 2, 300, Sparse),
        ((*(((0, 1), (2, 3), (4, 5)),) * 100,), 100, 2, 100, Bits),
        ((*(((0, 1), (2, 3), (4, 5)),) * 100,), 100, 2, 99, Sparse),
    ],
)
def test_the_best_form(
    monkeypatch: pytest.MonkeyPatch,
    rows: Sequence[RowRuns],
    keys: int,
    small: int,
    large: int,
    form: type[Rows],
) -> None:
    """Bits while small; then runs if few; then sparse, bits or runs by density and size."""
    for name, value in {"SMALL": small, "LARGE": large, "FEW": 2}.items():
        monkeypatch.setattr(forms, name, value)
    runs = Runs.from_rows(rows, keys)
    made = forms.best(runs)
    assert type(made) is form
    assert list(made.runs()) == list(rows)


def test_rows_that_come_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs while they are few, bit sets when they turn out many, an error beyond these."""
    for name, value in {"SMALL": 2, "LARGE": 12, "FEW": 2, "MANY": 2}.items():
        monkeypatch.setattr(forms, name, value)
    expected = tuple(map(bits_of, THREE))
    assert forms.gathered(iter(THREE), 12, 12, "x") == Bits(expected, 12)
    few = [row[:2] for row in THREE]
    assert forms.gathered(iter(few), 12, 12, "x") == Runs.from_rows(few, 12)
    monkeypatch.setattr(forms, "LARGE", 11)
    with pytest.raises(ShapeError) as raised:
        forms.gathered(iter(THREE), 12, 12, "comb")
    assert str(raised.value) == (
        "comb has more than 2 runs a row at 12 positions, too many to hold; give at most 11 "
        "positions"
    )


@pytest.mark.parametrize("name", GRIDS)
def test_named_masks_at_once_are_their_intervals(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Made as arrays, as for large sizes, a named mask has the rows it has one by one."""
    mask = get(name)
    grid: list[dict[str, Any]] = GRIDS[name]
    expected = [list(mask.runs(**given)) for given in grid]
    monkeypatch.setattr(named_module, "SMALL", 0)
    monkeypatch.setattr(forms, "SMALL", 0)
    monkeypatch.setattr("attnproof.symbolic.named.intervals._ROWS", 3)
    for given_parameters, rows in zip(grid, expected, strict=True):
        assert list(mask.mask(**given_parameters).rows.runs()) == rows, given_parameters


@pytest.mark.parametrize(
    ("name", "given_parameters"),
    [
        ("window", {"n": 5, "keys": 1 << 70}),
        ("sink_window", {"n": 5, "keys": 2, "sinks": 1 << 70}),
        ("prefix_lm", {"n": 5, "prefix": 1 << 62}),
        ("block_causal", {"n": 5, "block": (1 << 63) - 1}),
        ("chunked", {"n": 5, "chunk": 1 << 63}),
        ("bidirectional_window", {"n": 5, "radius": (1 << 63) - 1}),
    ],
)
def test_huge_parameters(
    monkeypatch: pytest.MonkeyPatch, name: str, given_parameters: dict[str, int]
) -> None:
    """A parameter near or beyond 64 bits means what it says."""
    rows = list(get(name).runs(**given_parameters))
    monkeypatch.setattr(named_module, "SMALL", 0)
    assert list(get(name).mask(**given_parameters).rows.runs()) == rows
