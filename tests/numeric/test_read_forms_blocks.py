"""Masks as lists of blocks and as block sparse rows: put together again, whatever the size."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from attnproof.numeric.read.block_list import block_list, bsr
from attnproof.source import read
from attnproof.symbolic.masks.mask import Mask
from tests.numeric.readings import pairs_of, replayed

Bools = NDArray[np.bool_]


@st.composite
def dense_masks(draw: st.DrawFn) -> Bools:
    """Any mask of at most 9 queries and 9 keys."""
    queries, keys = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    flat = draw(st.lists(st.booleans(), min_size=queries * keys, max_size=queries * keys))
    return np.array(flat).reshape(queries, keys)


def as_blocks(dense: Bools, block: tuple[int, int], whole: bool) -> dict[str, Any]:
    """The list of blocks of a mask, written differently: tile by tile from the array.

    ``whole`` writes the tiles at the edge out in full, with entries that lie outside set.
    """
    queries, keys = dense.shape
    full, partial = [], []
    for i in range(-(-queries // block[0])):
        for j in range(-(-keys // block[1])):
            tile = dense[i * block[0] : (i + 1) * block[0], j * block[1] : (j + 1) * block[1]]
            if tile.all():
                full.append([i, j])
            elif tile.any():
                missing = [(0, size - had) for size, had in zip(block, tile.shape, strict=True)]
                shown = np.pad(tile, missing, constant_values=True) if whole else tile
                partial.append([i, j, ["".join(".#"[x] for x in row) for row in shown.astype(int)]])
    return {
        "block": list(block),
        "queries": queries,
        "keys": keys,
        "full": full,
        "partial": partial,
    }


blocks = st.tuples(st.integers(1, 4), st.integers(1, 4))


@given(dense_masks(), blocks, st.booleans())
def test_a_list_of_blocks_is_the_mask(dense: Bools, block: tuple[int, int], whole: bool) -> None:
    """A mask cut into full and partial blocks of any size is put together again."""
    assert block_list(as_blocks(dense, block, whole)) == Mask.from_dense(dense)


@given(dense_masks(), blocks)
def test_block_sparse_rows_are_the_mask(dense: Bools, block: tuple[int, int]) -> None:
    """The arrays of block sparse rows, with values, are the mask they were cut from."""
    rows, columns = (-(-size // step) for size, step in zip(dense.shape, block, strict=True))
    out = np.zeros((rows * block[0], columns * block[1]), bool)
    out[: dense.shape[0], : dense.shape[1]] = dense
    tiles = out.reshape(rows, block[0], columns, block[1]).swapaxes(1, 2)
    held = tiles.any((2, 3))
    arrays = {
        "crow_indices": np.append(0, np.cumsum(held.sum(1))),
        "col_indices": np.nonzero(held)[1],
        "values": tiles[held],
        "shape": np.array(dense.shape),
    }
    assert bsr(arrays) == Mask.from_dense(dense)
    named = {"indptr": "crow_indices", "indices": "col_indices", "data": "values"}
    theirs = {name: arrays[ours] for name, ours in named.items()}
    assert bsr({**theirs, "shape": arrays["shape"], "format": np.array(b"bsr")}) == bsr(arrays)


@pytest.mark.filterwarnings("ignore:Sparse BSR tensor support is in beta")
def test_block_sparse_rows_of_torch_and_scipy(tmp_path: Path) -> None:
    """What ``scipy.sparse.save_npz`` writes of a BSR array, and a BSR tensor of torch."""
    sparse = pytest.importorskip("scipy.sparse", reason="the file is written by scipy")
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    dense = np.kron(np.array([[1, 0], [1, 1]]), np.array([[1, 0], [1, 1]])).astype(bool)
    expected = (((0,), Mask.from_dense(dense)),)
    sparse.save_npz(tmp_path / "mask.npz", sparse.bsr_array(dense, blocksize=(2, 2)))
    assert read(tmp_path / "mask.npz").masks == expected
    assert read(torch.from_numpy(dense).to_sparse_bsr((2, 2))).masks == expected


def test_blocks_in_files_and_dictionaries(tmp_path: Path) -> None:
    """A .json file, a dictionary and a .npz archive without values, with the report's sentence."""
    content = {"block": 2, "n": 5, "full": [[1, 0], [2, 2]], "partial": [[0, 0, ["1.", "11"]]]}
    (tmp_path / "mask.json").write_text(json.dumps(content))
    expected = Mask.from_rows(["1....", "11...", "11...", "11...", "....1"])
    for source in (content, tmp_path / "mask.json"):
        reading = read(source)
        assert reading.masks == (((0,), expected),)
        assert reading.comments == (
            "read as a list of blocks: pairs of the listed ones are read, no others",
        )
        assert replayed(reading) == pairs_of(reading)
    np.savez(
        tmp_path / "mask.npz",
        crow_indices=np.array([0, 1, 2]),
        col_indices=np.array([0, 1]),
        block=np.array(2),
        n=np.array(3),
    )
    assert read(tmp_path / "mask.npz").masks[0][1] == Mask.from_rows(["11.", "11.", "..1"])
    wide = {"block": [1, 2], "queries": 2, "keys": 4, "full": [[0, 0], [1, 0], [1, 1]]}
    assert pairs_of(read(wide, q_offset=2)) == {(2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (3, 3)}
