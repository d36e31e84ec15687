"""Mask: a frozen value with one equality, whatever stores its rows."""

import copy
import hashlib
import pickle

import numpy as np
import pytest

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import Rows, runs_of
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.progress import listening


def test_entry_is_query_then_key() -> None:
    """``mask[q, k]``: row 1 of a causal mask reads key 0, row 0 does not read key 1."""
    mask = Mask.from_rows(["1..", "11.", "111"])
    assert mask[1, 0]
    assert not mask[0, 1]


@pytest.mark.parametrize("pair", [(-1, 0), (0, -1), (2, 0), (0, 3)])
def test_entry_outside_the_mask(pair: tuple[int, int]) -> None:
    """Negative indices do not wrap around."""
    with pytest.raises(IndexError, match="is outside 2×3"):
        _ = Mask.from_rows(["1..", "11."])[pair]


def test_shape_of_a_rectangle() -> None:
    """Queries, keys and positions; empty rows are counted by query."""
    mask = Mask.from_rows(["...", "11."], offset=4)
    assert (mask.queries, mask.keys, mask.size) == (2, 3, 6)
    assert mask.empty_rows == (0,)
    assert isinstance(mask.rows, Rows)


def test_an_array_of_a_mask() -> None:
    """numpy gets the Booleans, queries first, of any representation, and always a copy."""
    causal = Mask.from_rows(["1..", "11."], offset=1)
    runs = Mask.of(Runs.from_rows([((0, 1),), ((0, 2),)], 3), offset=1)
    wanted = [[True, False, False], [True, True, False]]
    for mask in (causal, runs):
        assert mask.shape == (2, 3)
        assert (mask.dense().tolist(), mask.dense().dtype) == (wanted, np.dtype(bool))
        assert np.array(mask).tolist() == np.asarray(mask).tolist() == wanted
        assert np.array(mask, dtype=np.float32).sum() == 3
        assert Mask.from_dense(mask.dense(), offset=1) == mask
    with pytest.raises(ValueError, match="without a copy"):
        np.array(causal, copy=False)
    long = Mask.of(Runs.from_rows([()] * (1 << 17), 1 << 17))
    with pytest.raises(ShapeError, match="an array is made of at most 4294967296"):
        long.dense()


def test_a_mask_is_frozen() -> None:
    """No attribute can be set, a new one neither."""
    mask = Mask.from_rows(["1"])
    for name in ("rows", "offset", "colour"):
        with pytest.raises(AttributeError, match=f"a Mask is frozen; '{name}' cannot be set"):
            setattr(mask, name, 0)


def test_copies_are_equal() -> None:
    """A copy, a deep copy and a pickled mask are the same value."""
    mask = Mask.from_rows(["1..", "11."], offset=1, name="small")
    for other in (copy.copy(mask), copy.deepcopy(mask), pickle.loads(pickle.dumps(mask))):
        assert other == mask
        assert (hash(other), other.digest, other.name) == (hash(mask), mask.digest, "small")


def test_equality_needs_shape_offset_and_pairs_and_no_name() -> None:
    """One of them another, another mask; the name does not count; other types are not equal."""
    mask = Mask.from_rows(["1.", "11"])
    assert mask == Mask.from_rows(["#0", "##"], name="other")
    assert mask != Mask.from_rows(["1.", "11"], offset=1)
    assert mask != Mask.from_rows(["1..", "11."])
    assert mask != Mask.from_rows(["1.", "11", ".."])
    assert mask != Mask.from_rows(["1.", "1."])
    assert mask != ["1.", "11"]
    assert len({mask, Mask.from_rows(["1.", "11"]), Mask.from_rows(["1.", "1."])}) == 2


def test_digest_of_a_known_mask() -> None:
    """sha256 of [[2,2],0,[[[0,1]],[[0,2]]]], as any tool computes it."""
    assert Mask.from_rows(["1.", "11"]).digest == (
        "2a9b524c74d71a60fd2dd9ac57c42e305ada6250dcb14edc0685f3093c21ef7c"
    )


@pytest.mark.parametrize("queries", [1, 1023, 1024, 1025, 2049])
def test_digest_of_many_rows(queries: int) -> None:
    """Rows are hashed many at once; the text that is hashed is the one canonical text."""
    sets = tuple(q % 8 for q in range(queries))
    runs = ["[]", "[[0,1]]", "[[1,2]]", "[[0,2]]", "[[2,3]]", "[[0,1],[2,3]]", "[[1,3]]", "[[0,3]]"]
    text = f"[[{queries},3],7,[{','.join(runs[row] for row in sets)}]]"
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert Mask.of(Bits(sets, 3), offset=7).digest == expected


def test_a_long_digest_is_told() -> None:
    """Whoever listens hears how many rows are hashed, up to all of them."""
    heard: list[tuple[int, int]] = []
    with listening(lambda done, total: heard.append((done, total))):
        assert Mask.of(Bits((1,) * 2500, 1)).digest
    assert heard == [(1024, 2500), (2048, 2500), (2500, 2500)]


def test_picture_of_a_mask() -> None:
    """Row is query; a large mask says its size instead."""
    assert (
        repr(Mask.from_rows(["1.", "11"], offset=1)) == "Mask 2×2 at offset 1 (row = query)\n#·\n##"
    )
    large = Mask.of(Bits((1,) * 33, 33))
    assert repr(large) == "<Mask 33×33, 33 pairs read>"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["11", "1"], "row 1 has 1 entry, row 0 has 2; give every row the same"),
        (
            ["1x"],
            "row 0 holds 'x'; write 1 or # for a key that is read, 0 or . for one that is not",
        ),
    ],
)
def test_rows_that_cannot_be_read(rows: list[str], message: str) -> None:
    """The message names the row and what is wrong with it."""
    with pytest.raises(ShapeError) as raised:
        Mask.from_rows(rows)
    assert str(raised.value) == message


def test_negative_offset() -> None:
    """The message repeats the offset."""
    with pytest.raises(ShapeError, match="the query offset is -1; it must be 0 or more"):
        Mask.from_rows(["1"], offset=-1)


def test_a_memory_map_is_read_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of rows a chunk holds does not change the mask."""
    dense = np.tril(np.ones((37, 21), bool))
    whole = Bits.from_dense(dense)
    monkeypatch.setattr("attnproof.symbolic.masks.bits._CHUNK_BYTES", 64)
    assert Bits.from_dense(dense) == whole


def test_runs_of_a_row() -> None:
    """No run, one run, several; positions of any size."""
    assert runs_of(0) == ()
    assert runs_of(0b1) == ((0, 1),)
    assert runs_of(1 << 1000 | 0b110) == ((1, 3), (1000, 1001))
