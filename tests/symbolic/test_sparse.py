"""Sparse: rows as lists of keys."""

import numpy as np
from hypothesis import given

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.rows import runs_of
from attnproof.symbolic.masks.sparse import Sparse
from tests.laws.strategies import wide_rows
from tests.reference import pairs_of_sets


@given(wide_rows())
def test_the_keys_are_the_pairs(case: tuple[int, tuple[int, ...]]) -> None:
    """Read row by row, the indices are the pairs of the mask, in order."""
    keys, sets = case
    sparse = Sparse.from_rows(map(runs_of, sets), keys)
    ptr, indices = sparse.arrays()
    owners = np.repeat(np.arange(len(sets)), np.diff(ptr))
    pairs = list(zip(owners.tolist(), indices.tolist(), strict=True))
    assert pairs == sorted(pairs_of_sets(sets))


@given(wide_rows())
def test_from_a_dense_array(case: tuple[int, tuple[int, ...]]) -> None:
    """The index arrays that numpy finds in a dense mask make the same value as the runs."""
    keys, sets = case
    rows, columns = np.nonzero(Bits(sets, keys).dense())
    ptr = np.searchsorted(rows, np.arange(len(sets) + 1))
    sparse = Sparse.from_arrays(ptr, columns, keys)
    assert sparse == Sparse.from_rows(map(runs_of, sets), keys)
    assert list(sparse.as_runs().runs()) == list(map(runs_of, sets))


def test_rows_without_keys() -> None:
    """Empty rows first, between and last; runs do not join across rows."""
    sparse = Sparse.from_rows([[], [(2, 3)], [], [(3, 4)], []], keys=4)
    assert list(sparse.runs()) == [(), ((2, 3),), (), ((3, 4),), ()]
    assert [sparse.reads(1, k) for k in range(4)] == [False, False, True, False]
    assert not sparse.reads(4, 3)
    assert Sparse.from_rows([], keys=0).as_runs().count() == 0
