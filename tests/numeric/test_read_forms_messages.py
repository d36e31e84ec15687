"""What a person reads when a form cannot be read: one line, what was given, and the way out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnproof.parameters import parse_parameters
from attnproof.source import read
from attnproof.symbolic.errors import InputError

FLAGS = np.ones((2, 1, 1, 8), bool)
BSR = {"crow_indices": np.array([0, 1]), "col_indices": np.array([0])}
BLOCKS = {"block": 2, "n": 4}
BATCH = [[0, 0, 1], [0, 1, 1]]


def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
    return k <= q


READ: list[tuple[object, dict[str, Any], str]] = [
    # Decode steps.
    ("causal", {"n": 4, "q_offset": 4}, "0..3: --q-offset 4 leaves no query; give at most 3"),
    (causal, {"n": 4, "q_offset": 7}, "causal has positions 0..3: --q-offset 7 leaves no query"),
    (causal, {"n": 4, "queries": 0}, "the number of queries is 0; it must be 1 or more"),
    (causal, {"n": 4, "queries": 2}, "causal has 2 queries, 4 keys: say --q-offset"),
    (
        causal,
        {"n": 4, "queries": 3, "q_offset": 2},
        "causal has 3 queries from position 2 on, and 4 keys; give --n 5 or more",
    ),
    (causal, {"n": 1 << 21, "q_offset": (1 << 21) - 1}, "above the memory guard of 1048576"),
    (causal, {"n": 100_000, "q_offset": 1}, "evaluated up to n = 32768, which is 1073741824 pairs"),
    ("causal", {"n": 4, "queries": 4}, "causal is no rule: how many queries it has is fixed"),
    (np.eye(4, dtype=bool), {"queries": 2}, "ndarray is no rule: how many queries it has is fixed"),
    ({**BLOCKS, "full": []}, {"queries": 2}, "no rule: how many queries it has is fixed"),
    # Padding and layouts.
    (np.ones((2, 8), bool), {}, '--layout "b k" when each row is the padding of a batch element'),
    (FLAGS, {}, 'or --layout "b 1 1 k" when every query reads this row'),
    (FLAGS[:, 0], {}, 'or --layout "b 1 k" when every query reads this row'),
    (np.repeat(FLAGS, 2, axis=1), {}, 'or --layout "b h 1 k" when every query reads this row'),
    (np.ones((2, 8), bool), {"layout": "1 k"}, "has one entry on axis 0, ndarray is 2×8"),
    (np.ones((2, 8), bool), {"layout": "b q"}, '"b k" when every query reads the same keys'),
    (np.ones((2, 8), bool), {"layout": "b k", "q_offset": 2}, "has no query axis: a query stands"),
    (np.ones((2, 8), bool), {"layout": "b k", "n": 2}, "has 8 positions, n = 2 was asked for"),
    # Batches of parameters.
    ("causal", {"n": 4, "layout": "b q k"}, "causal is no array and has no axes"),
    (
        "perm_mask",
        {"params": {"blocked": np.zeros((2, 3, 3, 3))}, "layout": "b h q k"},
        "blocked of perm_mask has no heads; leave h out of the layout 'b h q k'",
    ),
    ("perm_mask", {"params": {"blocked": [[0, 1], [1]]}, "layout": "q k"}, "blocked is no array"),
    ("documents", {"params": {"ids": [BATCH]}}, "documents: ids is [[[0, 0, 1], [0, 1, 1]]]; give"),
    ("documents", {"params": {"ids": BATCH}, "batches": 3}, "hold 2 batch elements, 3 were asked"),
    (
        "documents",
        {"params": {"ids": BATCH}, "batch": 2},
        "batch 2 was asked for, and 2 batch",
    ),
    ("documents", {"params": {"ids": BATCH}, "n": 4}, "n is 4, but the parameters are for 3"),
    ("documents", {"params": {"ids": BATCH}, "encoding": "block"}, "documents is no array"),
    (
        "documents",
        {"params": {"lengths": [[1, 2], [2, 2]]}},
        "the batch elements of documents have 3 and 4 positions; give each as many",
    ),
    (
        "chunked",
        {"params": {"chunk": 2, "positions": BATCH, "attention_mask": [[1, 1, 1]]}},
        "hold batches of several lengths (positions 2, attention_mask 1); give each as many",
    ),
    (
        "chunked",
        {"params": {"chunk": 2, "positions": [0, 1], "attention_mask": [1]}},
        "chunked: positions has 2 entries, attention_mask 1; give one of each a token",
    ),
    (
        "padded",
        {"params": {"attention_mask": [1, 2]}},
        "attention_mask is [1, 2]; give a list of 0",
    ),
    ("padded", {}, "padded needs attention_mask (1 for each real token, 0 for padding)"),
    (
        "cu_seqlens",
        {"params": {"cu_seqlens": list(range(1, 100))}},
        "the list [1, 2, 3, 4, 5, 6, 7, 8, ...] is no list of cumulative lengths",
    ),
    # Trees.
    (
        "flat_tree",
        {"params": {"flat": [1] * 16, "prefix": 6}},
        "which are 4 drafts that read 4 drafts, or 2 that read 8 keys; say columns=drafts or",
    ),
    (
        "flat_tree",
        {"params": {"flat": [1] * 4, "prefix": 1, "columns": "keys"}},
        "flat_tree: flat has 4 entries; give m * (prefix + m) for m drafts and prefix 1",
    ),
    (
        "flat_tree",
        {"params": {"flat": [1] * 6, "columns": "drafts"}},
        "flat has 6 entries; give m * m for m",
    ),
    # Lists of blocks.
    ({"full": [], "n": 4}, {}, "dict has no block: an integer of at least 1, or two; write"),
    ({"block": 0, "n": 4}, {}, "dict has block 0: an integer of at least 1, or two"),
    (
        {"block": [2, 2, 2], "n": 4},
        {},
        "dict has block [2, 2, 2]: an integer of at least 1, or two",
    ),
    ({"block": 2, "full": []}, {}, "dict has no n: an integer of at least 1, or two"),
    ({**BLOCKS, "rows": []}, {}, "dict has the unknown key 'rows'; write"),
    ({**BLOCKS, "full": 3}, {}, '"full" of dict lists 3, which is no [I, J]'),
    ({**BLOCKS, "full": [[0]]}, {}, '"full" of dict lists [0], which is no [I, J]'),
    ({**BLOCKS, "full": [[0, 0.5]]}, {}, '"full" of dict lists [0, 0.5], which is no [I, J]'),
    ({**BLOCKS, "full": [[0, 2]]}, {}, "lists block [0, 2]; 4×4 positions have blocks [0, 0] to"),
    ({**BLOCKS, "full": [[-1, 0]]}, {}, "dict lists block [-1, 0]"),
    (
        {**BLOCKS, "full": [[0, 0]], "partial": [[0, 0, ["1.", ".1"]]]},
        {},
        "lists block [0, 0] twice; list each once, as full or as partial",
    ),
    ({**BLOCKS, "partial": [[0, 0]]}, {}, '"partial" of dict lists [0, 0], which is no [I, J, ro'),
    ({**BLOCKS, "partial": [[0, 0, 3]]}, {}, "dict has no rows of text in block [0, 0]; write 1"),
    ({**BLOCKS, "partial": [[0, 0, ["1x", "11"]]]}, {}, "has no rows of text in block [0, 0]"),
    ({**BLOCKS, "partial": [[0, 0, ["1."]]]}, {}, "rows in block [0, 0] that are not 2×2; give 2"),
    ({**BLOCKS, "partial": [[0, 0, ["1", "1"]]]}, {}, "rows in block [0, 0] that are not 2×2"),
    ({**BLOCKS, "partial": [[5, 0, ["1.", "11"]]]}, {}, "dict lists block [5, 0]"),
    ({**BLOCKS, "full": []}, {"n": 6}, "dict has 4 positions, n = 6 was asked for"),
    ({**BLOCKS, "full": []}, {"encoding": "block"}, "is no array: what it reads is fixed"),
    ({**BLOCKS, "full": []}, {"params": {"w": 2}}, "dict takes no parameters, w was given"),
    ({"block": 2, "queries": 2, "keys": 4, "full": []}, {}, "2 queries, 4 keys: say --q-offset"),
    # Several masks, or none.
    (
        {"full_attention": np.eye(2), "sliding_attention": None},
        {},
        "dict holds several masks (full",
    ),
    ({"mask": [["1"]]}, {}, 'dict has no "rows"'),
    (None, {}, "the named mask causal where is_causal=True, full where nothing is masked"),
]


@pytest.mark.parametrize(("source", "options", "words"), READ)
def test_messages(source: object, options: dict[str, Any], words: str) -> None:
    """Each mistake is one InputError of one line that says what was given and the way out."""
    with pytest.raises(InputError) as caught:
        read(source, **options)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


ARRAYS: list[tuple[dict[str, Any], str]] = [
    (BSR, "holds crow_indices, col_indices; give crow_indices and col_indices, values or block"),
    ({**BSR, "block": np.array(0)}, "has block 0: an integer of at least 1, or two"),
    ({**BSR, "values": np.ones((1, 2))}, "has values of shape (1, 2) for 1 block; give (blocks,"),
    ({**BSR, "values": np.ones((2, 2, 2))}, "has values of shape (2, 2, 2) for 1 block"),
    (
        {**BSR, "values": np.full((1, 2, 2), -1e9)},
        "holds values other than Booleans, 0 and 1 in bl",
    ),
    (
        {**BSR, "values": np.full((1, 2, 2), 2)},
        "holds values other than Booleans, 0 and 1 in block",
    ),
    (
        {**BSR, "block": np.array(2), "crow_indices": np.array([0, 2])},
        "crow_indices that are no list of cumulative counts of its 1 block",
    ),
    (
        {**BSR, "block": np.array(2), "crow_indices": np.array([[0, 1]])},
        "has crow_indices of shape (1, 2) and type int64; give one axis of integers",
    ),
    (
        {**BSR, "block": np.array(2), "col_indices": np.array([0.0])},
        "has col_indices of shape (1,) and type float64; give one axis of integers",
    ),
    ({**BSR, "block": np.array(2), "col_indices": np.array([1])}, "lists block [0, 1]; 2×2 posit"),
    (
        {**BSR, "block": np.array(2), "n": np.array(4)},
        "has 1 rows of blocks; 4 queries in blocks o",
    ),
    (
        {**BSR, "block": np.array(2), "n": np.array(2.5)},
        "has shape 2.5: an integer of at least 1, or two",
    ),
    (
        {"indptr": np.array([0, 1]), "indices": np.array([0]), "format": np.array(b"csr")},
        "holds a sparse array of format csr; save its .tobsr(), or the dense array",
    ),
]


@pytest.mark.parametrize(("arrays", "words"), ARRAYS)
def test_messages_on_block_sparse_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arrays: dict[str, Any], words: str
) -> None:
    """Each wrong archive is one InputError of one line that names it."""
    monkeypatch.chdir(tmp_path)
    np.savez("mask.npz", **arrays)
    with pytest.raises(InputError) as caught:
        read("mask.npz")
    message = str(caught.value)
    assert message.startswith("mask.npz ")
    assert words in message
    assert "\n" not in message


FILES: list[tuple[str, str, str]] = [
    ("ids.csv", "0,1", "the parameter ids names 'ids.csv'; an array comes from a file .npy"),
    ("ids.json", "[0, 1", "ids.json is not JSON ("),
    ("ids.json", '{"ids": [0]}', "ids.json holds no list (its type is dict); write a list, as in"),
    ("ids.txt", "0 1\n0 x\n", "ids.txt holds 'x' in line 2, which is no integer; write numbers"),
    ("ids.txt", "0 1.5", "ids.txt holds '1.5' in line 1"),
    ("ids.txt", " \n", "ids.txt holds no numbers; write some"),
    ("ids.txt", "", "ids.txt is empty"),
    ("ids.json", "\udcff", "ids.json is not JSON ("),
    ("ids.txt", "\udcff", "ids.txt is not UTF-8 text"),
    ("ids.npy", "0 1", "ids.npy is neither a .npy array nor a .npz archive"),
]


@pytest.mark.parametrize(("file", "content", "words"), FILES)
def test_messages_on_files_of_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, content: str, words: str
) -> None:
    """Each wrong file is one InputError of one line that names it."""
    monkeypatch.chdir(tmp_path)
    Path(file).write_text(content, errors="surrogateescape")
    with pytest.raises(InputError) as caught:
        parse_parameters([f"ids=@{file}"])
    message = str(caught.value)
    assert words in message
    assert "\n" not in message


def test_a_parameter_names_a_file_that_is_not_there() -> None:
    """``@none.json`` says so."""
    with pytest.raises(InputError, match=r"none\.json does not exist"):
        parse_parameters(["ids=@none.json"])
