"""Laws of the row-wise operations on runs, against sets of pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.masks import line
from attnproof.symbolic.masks.line import combined, in_turn
from attnproof.symbolic.masks.rearrange import turned
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import run_arrays
from attnproof.symbolic.order.run_arrays import (
    Fragmented,
    check_fragments,
    first_difference,
    least_within,
    pairs,
    taken,
)
from tests.laws.run_masks import held, relations_in_runs
from tests.laws.strategies import Rows, rows
from tests.reference import pairs_of_sets, sets_of_pairs

two = st.integers(1, 12).flatmap(lambda n: st.tuples(rows(n), rows(n)))


@given(two, st.sets(st.integers(1, 3)))
def test_combined_is_a_boolean_operation(case: tuple[Rows, Rows], keep: set[int]) -> None:
    """A pair is kept by whether it is in the first, the second, or both relations."""
    a, b = map(pairs_of_sets, case)
    expected = {pair for pair in a | b if (pair in a) + 2 * (pair in b) in keep}
    found = combined(held(case[0]), held(case[1]), keep)
    assert found == held(sets_of_pairs(expected, len(case[0])))


def test_combined_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are combined some at a time without a seam."""
    a, b = held((0b110, 0b011, 0b101, 0)), held((0b010, 0b001, 0b111, 0b1))
    whole = combined(a, b, {1, 2})
    monkeypatch.setattr(line, "_CHUNK", 3)
    assert combined(a, b, {1, 2}) == whole


@given(relations_in_runs(12), st.data())
def test_rows_are_taken_and_stacked(given_rows: Rows, data: st.DataObject) -> None:
    """Rows can be repeated, cut out, put one after the other, and listed pair by pair."""
    n, runs = len(given_rows), held(given_rows)
    chosen = data.draw(st.lists(st.integers(0, n - 1)))
    assert list(taken(runs, np.array(chosen, np.int64)).runs()) == [
        runs.row_runs(q) for q in chosen
    ]
    cut = data.draw(st.integers(0, n))
    assert in_turn([runs.part(0, cut), runs.part(cut, n)], n) == runs
    assert set(pairs(runs)) == pairs_of_sets(given_rows)


@given(two)
def test_first_difference(case: tuple[Rows, Rows]) -> None:
    """The first row that differs; none where the relations are equal."""
    differ = [q for q, (a, b) in enumerate(zip(*case, strict=True)) if a != b]
    assert first_difference(*map(held, case)) == min(differ, default=None)
    assert first_difference(held(case[0]), held(case[0])) is None


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=40), st.data())
def test_least_within(values: list[int], data: st.DataObject) -> None:
    """The least value of every range."""
    place = st.integers(0, len(values) - 1)
    ranges = [sorted(two) for two in data.draw(st.lists(st.tuples(place, place)))]
    starts = np.array([a for a, _ in ranges], np.int64)
    stops = np.array([b + 1 for _, b in ranges], np.int64)
    found = least_within(np.array(values, np.int64), starts, stops)
    assert found.tolist() == [min(values[a : b + 1]) for a, b in ranges]


@given(relations_in_runs(30))
def test_turned(given_rows: Rows) -> None:
    """Columns become rows, and their runs are counted before."""
    n = len(given_rows)
    expected = sets_of_pairs({(k, q) for q, k in pairs_of_sets(given_rows)}, n)
    told: list[int] = []
    assert turned(held(given_rows), told.append) == held(expected)
    assert told == [len(held(expected).starts)]


def test_fragments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 64 runs a row, or 4194304 in all, the message says how many, and the way out."""
    for count, most in ((1, 64 * 8192), (10**4, 64 * 10**4), (10**6, 1 << 22)):
        check_fragments(most, count)
        with pytest.raises(Fragmented) as caught:
            check_fragments(most + 1, count)
        assert str(caught.value) == (
            f"the rows of {count} positions fall into more than {most} runs; give at most 65536 "
            "positions, where bit sets are used"
        )
        assert caught.value.parts == {"rows": count, "runs": most + 1}
    monkeypatch.setattr(run_arrays, "SMALL", 1)
    columns = Runs.from_rows([[(0, 512)] if q % 2 else [] for q in range(512)], 512)
    with pytest.raises(Fragmented):
        turned(columns, lambda runs: check_fragments(runs, 512))
