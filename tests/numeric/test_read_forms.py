"""The forms in which masks are held: files of parameters, batches, padding, flat trees."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnproof as ap
from attnproof.errors import EncodingError
from attnproof.parameters import parse_parameters
from attnproof.source import read
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.verdict import Verdict
from tests.numeric.readings import pairs_of, replayed


@given(st.lists(st.integers(0, 2), min_size=1, max_size=8))
def test_parameters_come_from_every_file(tmp_path_factory: Any, ids: list[int]) -> None:
    """Ids in .npy, .npz, .json and .txt are the ids in a list."""
    folder = tmp_path_factory.mktemp("ids")
    np.save(folder / "ids.npy", np.array(ids, np.int32))
    np.savez(folder / "both.npz", ids=np.array(ids), other=np.array(ids[::-1]))
    (folder / "ids.json").write_text(json.dumps(ids))
    (folder / "line.txt").write_text(" ".join(map(str, ids)) + "\n")
    (folder / "lines.txt").write_text("\n".join(map(str, ids)))
    known = read("documents", params={"ids": ids})
    for file in ("ids.npy", "both.npz:ids", "ids.json", "line.txt", "lines.txt"):
        params = parse_parameters([f"ids=@{folder}/{file}"])
        assert read("documents", params=params).masks == known.masks


def test_parameters_from_tensors(tmp_path: Path) -> None:
    """Tensors in .pt and .safetensors files, and tensors themselves, are parameters."""
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    ends = torch.tensor([0, 3, 8], dtype=torch.int32)
    torch.save({"cu_seqlens": ends, "more": ends}, tmp_path / "batch.pt")
    known = read("cu_seqlens", params={"cu_seqlens": [0, 3, 8]}).masks
    stored = parse_parameters([f"cu_seqlens=@{tmp_path}/batch.pt:cu_seqlens"])
    assert read("cu_seqlens", params=stored).masks == known
    assert read("cu_seqlens", params={"cu_seqlens": ends}).masks == known
    saved = pytest.importorskip("safetensors.torch", reason="needs the extra hf")
    saved.save_file({"cu_seqlens": ends}, tmp_path / "batch.safetensors")
    stored = parse_parameters([f"cu_seqlens=@{tmp_path}/batch.safetensors"])
    assert read("cu_seqlens", params=stored).masks == known


def test_tables_in_text_and_json(tmp_path: Path) -> None:
    """A perm_mask of several rows is read from text, from JSON and from an array."""
    table = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    (tmp_path / "perm.txt").write_text("0 1 1\n0, 0, 1\n\n0 0 0\n")
    (tmp_path / "perm.json").write_text(json.dumps(table))
    expected = Mask.from_rows(["1..", "11.", "111"])
    for file in ("perm.txt", "perm.json"):
        params = parse_parameters([f"blocked=@{tmp_path}/{file}"])
        assert read("perm_mask", params=params).masks == (((0,), expected),)


def test_a_packed_batch_is_verified() -> None:
    """16384 tokens in packed sequences: causal, and nothing between two sequences."""
    ends = np.cumsum([0, 3000, 1, 5000, 4096, 4287], dtype=np.int32)
    lengths = ",".join(map(str, np.diff(ends)))
    report = ap.verify("cu_seqlens", params={"cu_seqlens": ends}, causal=True, documents=lengths)
    assert report.verdict is Verdict.HOLDS
    assert report.flow.setting.size == 16384
    assert report.flow.height == 5000


@given(st.integers(1, 4), st.integers(1, 6), st.data())
def test_a_parameter_with_one_more_axis_is_a_batch(count: int, n: int, data: st.DataObject) -> None:
    """Each batch element has the mask that its own row of the parameter makes."""
    row = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    ids = data.draw(st.lists(row, min_size=count, max_size=count))
    for batch in (ids, np.array(ids)):
        reading = read("documents", params={"ids": batch, "causal": False})
        for b, own in enumerate(ids):
            alone = read("documents", params={"ids": own, "causal": False})
            assert pairs_of(reading, b) == pairs_of(alone) == replayed(reading, b)
            chosen = read("documents", params={"ids": batch, "causal": False}, batch=b)
            assert [mask for _, mask in chosen.masks] == [mask for _, mask in alone.masks]
        again = read("documents", **json.loads(json.dumps(reading.parameters)))
        assert again.masks == reading.masks


def test_perm_masks_of_a_batch_and_their_layouts() -> None:
    """XLNet's perm_mask is (b, q, k); its first implementation had (q, k, b)."""
    one, two = np.triu(np.ones((3, 3)), 1), np.tril(np.ones((3, 3)), -1)
    usual = read("perm_mask", params={"blocked": np.stack([one, two])})
    first = read("perm_mask", params={"blocked": np.stack([one, two], axis=-1)}, layout="q k b")
    assert usual.masks == first.masks
    assert pairs_of(usual, 0) == {(q, k) for q in range(3) for k in range(q + 1)}
    assert pairs_of(usual, 1) == {(q, k) for q in range(3) for k in range(q, 3)}


def test_verdicts_of_a_batch() -> None:
    """Ids that come apart in one batch element only: that one leaks, and is told."""
    ids = [[0, 0, 1, 1], [0, 0, 0, 1]]
    report = ap.verify("documents", params={"ids": ids}, documents="2,2")
    assert (report.verdict, report.batch) == (Verdict.FAILS, (1,))
    assert [(other.batch, other.verdict) for other in report.others] == [((0,), Verdict.HOLDS)]


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=3))
def test_a_layout_without_queries_is_padding(rows: list[list[bool]]) -> None:
    """(b, k), (b, 1, k) and (b, 1, 1, k): every query of an element reads its keys."""
    array = np.array(rows)
    forms = [
        (array, "b k"),
        (array.T, "k b"),
        (array[:, None], "b 1 k"),
        (array[:, None, None], "b 1 1 k"),
        (np.where(array, 0, -1e9)[:, None, None], "b 1 1 k"),
    ]
    for held, layout in forms:
        additive = held.dtype.kind == "f"
        reading = read(held, layout=layout, encoding="additive" if additive else "auto")
        for b, row in enumerate(rows):
            # A row of equal biases is uniform: it reads every key.
            uniform = additive and not any(row)
            keys = {k for k in range(5) if row[k] or uniform}
            assert pairs_of(reading, b) == {(q, k) for q in range(5) for k in keys}
            assert replayed(reading, b) == pairs_of(reading, b)


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_padded_is_causal_without_padding(real: list[bool]) -> None:
    """``padded`` is causal without the keys of padding; without ``causal`` it reads all others."""
    n = len(real)
    causal = {(q, k) for q in range(n) for k in range(q + 1) if real[k]}
    assert pairs_of(read("padded", params={"attention_mask": real})) == causal
    both = read("padded", params={"attention_mask": real, "causal": False})
    assert pairs_of(both) == pairs_of(read(np.array([real]), layout="b k"))


def test_b27_chunks_are_counted_from_the_first_real_token() -> None:
    """B27: chunks of 4 behind two padding tokens, with position ids and the attention mask."""
    intended = (
        "........ ........ ..1..... ..11.... ..111... ..1111.. ......1. ......11"  # independent
    )
    params = {
        "chunk": 4,
        "positions": [1, 1, 0, 1, 2, 3, 4, 5],
        "attention_mask": [0, 0, 1, 1, 1, 1, 1, 1],
    }
    reading = read("chunked", params=params)
    assert reading.masks == (((0,), Mask.from_rows(intended.split())),)
    assert replayed(reading) == pairs_of(reading)
    report = ap.verify("chunked", params=params, forbid=lambda q, k: k < 2 <= q)
    assert report.verdict is Verdict.HOLDS
    assert "queries 0, 1 read nothing: the output there is zero" in str(report)


def test_b28_a_four_dimensional_mask_of_either_version() -> None:
    """B28: 1 = keep up to version 4.40, added to the scores since; neither is taken for the other.

    The old form is refused as it stands, because added to scores it blocks nothing.
    """
    causal = np.tril(np.ones((2, 1, 4, 4), np.float32))
    inverted = (1 - causal) * np.finfo(np.float32).min
    expected = {(q, k) for q in range(4) for k in range(q + 1)}
    assert pairs_of(read(inverted)) == expected
    assert pairs_of(read(causal, encoding="keep01")) == expected
    assert pairs_of(read(causal.astype(bool), layout="b 1 q k")) == expected
    with pytest.raises(EncodingError, match="added to scores these block nothing"):
        read(causal)


@given(st.integers(0, 4), st.integers(1, 4), st.data())
def test_a_flat_tree_mask_is_laid_out_either_way(
    prefix: int, drafts: int, data: st.DataObject
) -> None:
    """Rows over the drafts with the whole prefix, or over all keys; flat, or as rows."""
    square = data.draw(
        st.lists(st.booleans(), min_size=drafts**2, max_size=drafts**2).map(
            lambda flat: np.array(flat).reshape(drafts, drafts)
        )
    )
    wide = np.hstack([np.ones((drafts, prefix), bool), square])
    expected = {(q, k) for q in range(prefix) for k in range(q + 1)} | {
        (prefix + q, k) for q, k in np.argwhere(wide).tolist()
    }
    held: list[tuple[Any, str]] = [(square, "drafts"), (wide, "keys")]
    for rows, columns in held:
        forms: Sequence[Any] = (rows, rows.ravel(), rows.astype(int).ravel().tolist())
        for flat in forms:
            params = {"flat": flat, "prefix": prefix, "columns": columns}
            assert pairs_of(read("flat_tree", params=params)) == expected
