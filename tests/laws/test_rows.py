"""Laws of rows, bit sets and digests: every form says the same pairs."""

import hashlib
import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.masks.bits import Bits, pack, unpack
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import bits_of, members, runs_of
from tests.laws.strategies import Rows, wide_rows
from tests.reference import pairs_of_sets
from tests.symbolic.forms import check_runs

Wide = tuple[int, Rows]

wide = wide_rows()


@given(wide)
def test_runs_and_bits_are_inverse(case: Wide) -> None:
    """``bits_of`` inverts ``runs_of``, whose runs are maximal, ordered and within the keys."""
    keys, sets = case
    for row in sets:
        runs = runs_of(row)
        check_runs(runs, keys)
        assert bits_of(runs) == row
        assert [k for start, stop in runs for k in range(start, stop)] == list(members(row))


@given(wide)
def test_members_are_the_ones_of_the_binary_digits(case: Wide) -> None:
    """Smallest first, exactly the positions of ones."""
    _, sets = case
    for row in sets:
        assert {(0, k) for k in members(row)} == pairs_of_sets([row])
        assert list(members(row)) == sorted(members(row))


@given(wide)
def test_pack_and_unpack_are_inverse(case: Wide) -> None:
    """Bytes, lowest bit first, hold the same sets."""
    keys, sets = case
    packed = pack(sets, (keys + 7) // 8)
    assert packed.shape == (len(sets), (keys + 7) // 8)
    assert tuple(unpack(packed)) == sets


@given(wide)
def test_dense_and_bits_are_inverse(case: Wide) -> None:
    """``from_dense`` inverts ``dense``; entry (q, k) of the array is bit k of row q."""
    keys, sets = case
    rows = Bits(sets, keys)
    dense = rows.dense()
    assert dense.shape == (len(sets), keys)
    assert dense.dtype == np.bool_
    assert {(int(q), int(k)) for q, k in np.argwhere(dense)} == pairs_of_sets(sets)
    assert Bits.from_dense(dense) == rows
    assert Bits.from_dense(np.asfortranarray(dense)) == rows
    assert Bits.from_runs(rows.runs(), keys) == rows
    assert rows.count() == int(dense.sum())


@given(wide, st.integers(0, 3))
def test_text_and_dense_make_equal_masks(case: Wide, offset: int) -> None:
    """Masks are equal, hash alike and have one digest, whatever they were made from."""
    keys, sets = case
    given_bits = Mask.of(Bits(sets, keys), offset=offset, name="given")
    text = [f"{row:0{keys}b}"[::-1] for row in sets]
    drawn = Mask.from_rows(text, offset=offset)
    dense = Mask.from_dense(Bits(sets, keys).dense(), offset=offset)
    assert given_bits == drawn == dense
    assert hash(given_bits) == hash(drawn) == hash(dense)
    assert given_bits.digest == drawn.digest == dense.digest


@given(wide, wide, st.integers(0, 1), st.integers(0, 1))
def test_digests_are_equal_exactly_for_equal_masks(a: Wide, b: Wide, at: int, to: int) -> None:
    """Shape, offset and pairs decide, and nothing else."""
    first, second = Mask.of(Bits(a[1], a[0]), offset=at), Mask.of(Bits(b[1], b[0]), offset=to)
    same = (a, at) == (b, to)
    assert (first == second) == same
    assert (first.digest == second.digest) == same


@given(wide, st.data())
def test_one_pair_changes_the_digest(case: Wide, data: st.DataObject) -> None:
    """Flipping any single pair makes another mask with another digest."""
    keys, sets = case
    q, k = data.draw(st.integers(0, len(sets) - 1)), data.draw(st.integers(0, keys - 1))
    flipped = (*sets[:q], sets[q] ^ 1 << k, *sets[q + 1 :])
    before, after = Mask.of(Bits(sets, keys)), Mask.of(Bits(flipped, keys))
    assert before != after
    assert before.digest != after.digest
    assert before[q, k] != after[q, k]


@given(wide, st.integers(0, 2000))
def test_digest_is_the_hash_of_canonical_json(case: Wide, offset: int) -> None:
    """sha256 of ``[[queries, keys], offset, [rows of [start, stop) pairs]]`` without spaces."""
    keys, sets = case
    runs = []
    for row in sets:
        own = {k for _, k in pairs_of_sets([row])}
        starts = sorted(k for k in own if k - 1 not in own)
        stops = sorted(k + 1 for k in own if k + 1 not in own)
        runs.append([list(run) for run in zip(starts, stops, strict=True)])
    text = json.dumps([[len(sets), keys], offset, runs], separators=(",", ":"), sort_keys=True)
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert Mask.of(Bits(sets, keys), offset=offset).digest == expected
