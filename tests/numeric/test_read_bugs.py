"""Reading goes right where it went wrong in public: the reading half of the cases in mask-bugs.

Case numbers and expected rows were written down before this package; each test says what the
report was about.
"""

from typing import Any

import numpy as np
import pytest

from attnproof.source import read
from attnproof.symbolic.errors import EncodingError, InputError, ShapeError
from attnproof.symbolic.masks.mask import Mask

MIN = np.finfo(np.float32).min


def rows_of(source: object, **options: Any) -> list[str]:
    """The rows of the one mask of a source."""
    ((_, mask),) = read(source, **options).masks
    return drawn(mask)


def drawn(mask: Mask) -> list[str]:
    """A mask as text."""
    return [
        "".join("1" if mask[q, k] else "." for k in range(mask.keys)) for q in range(mask.queries)
    ]


def test_b01_true_above_the_diagonal_is_read_as_attend() -> None:
    """triu(1) given to SDPA attends to the future; said to block, it is causal."""
    future = np.triu(np.ones((4, 4), dtype=bool), 1)
    assert rows_of(future) == [".111", "..11", "...1", "...."]
    assert rows_of(future, encoding="block") == ["1...", "11..", "111.", "1111"]


def test_b02_large_negative_floats_are_not_nonzero_means_attend() -> None:
    """An additive mask is decoded as one; cast to Booleans it attends to the future."""
    bias = np.triu(np.full((5, 5), MIN), 1)
    reading = read(bias)
    assert drawn(reading.masks[0][1]) == ["1....", "11...", "111..", "1111.", "11111"]
    assert "decoded as additive" in reading.comments[0]
    assert rows_of(bias != 0) == [".1111", "..111", "...11", "....1", "....."]


def test_b03_floats_of_zero_and_one_are_ambiguous() -> None:
    """A 0/1 float is refused; added to scores it blocks nothing; said to be kept, it is causal."""
    lower = np.tril(np.ones((4, 4), dtype=np.float32))
    with pytest.raises(EncodingError, match="--encoding keep01"):
        read(lower)
    assert rows_of(lower, encoding="additive") == ["1111"] * 4
    assert rows_of(lower, encoding="keep01") == ["1...", "11..", "111.", "1111"]


def test_b20_b21_empty_rows_by_encoding() -> None:
    """Left padding: Booleans and -inf leave rows 0 and 1 empty, finite minima make them uniform."""
    keep = np.array([[k <= q and k >= 2 for k in range(5)] for q in range(5)])
    empty = [".....", ".....", "..1..", "..11.", "..111"]
    assert rows_of(keep) == empty
    assert rows_of(np.where(keep, 0.0, -np.inf)) == empty
    uniform = read(np.where(keep, 0, MIN).astype(np.float32))
    assert drawn(uniform.masks[0][1]) == ["11111", "11111", *empty[2:]]
    assert any("queries 0..1 hold no bias above" in comment for comment in uniform.comments)


def test_b22_the_sum_of_two_minima() -> None:
    """min + min is -inf: the empty rows read exactly the keys that are blocked once."""
    future = np.triu(np.full((5, 5), MIN), 1)
    padding = np.where(np.arange(5) < 2, MIN, 0).astype(np.float32)
    with np.errstate(over="ignore"):
        both = future + padding
    assert rows_of(both) == ["1.111", "11111", "..1..", "..11.", "..111"]


def test_b23_perm_mask_blocks_where_it_is_one() -> None:
    """XLNet's perm_mask of the order 2, 0, 3, 1: 1 blocks, also as floats."""
    rank = {2: 0, 0: 1, 3: 2, 1: 3}
    blocked = np.array([[float(rank[k] > rank[q]) for k in range(4)] for q in range(4)])
    assert rows_of(blocked, encoding="block") == ["1.1.", "1111", "..1.", "1.11"]
    assert rows_of(blocked, encoding="attend") == [".1.1", "....", "11.1", ".1.."]
    with pytest.raises(EncodingError, match="--encoding block when 1 is not"):
        read(blocked)


def test_b26_every_element_of_a_batch_is_read() -> None:
    """Two elements with other masks are two masks, each with its index."""
    first, second = np.eye(3, dtype=bool), np.zeros((3, 3), dtype=bool)
    reading = read(np.stack([first, second]))
    assert [(b, drawn(m)) for b, m in reading.masks] == [
        ((0,), ["1..", ".1.", "..1"]),
        ((1,), ["..."] * 3),
    ]


def test_b28_the_encoding_stands_in_what_a_certificate_records() -> None:
    """The same file read in two ways is two masks, and the record tells them apart."""
    lower = np.tril(np.ones((3, 3), dtype=np.int64))
    kept, inverted = read(lower), read(lower, encoding="block")
    assert kept.masks != inverted.masks
    assert (kept.encoding, inverted.encoding) == ("attend", "block")
    assert (kept.parameters["encoding"], inverted.parameters["encoding"]) == ("auto", "block")


def test_b33_batch_and_head_order_must_be_named() -> None:
    """Two samples of two heads in one axis: the layout decides which sample has which mask."""
    causal, full = np.tril(np.ones((3, 3), dtype=bool)), np.ones((3, 3), dtype=bool)
    flat = np.stack([causal, causal, full, full])
    right = read(flat, layout="(b h) q k", heads=2)
    assert [b for b, _ in right.masks] == [(0,), (1,)]
    assert drawn(right.masks[0][1]) == ["1..", "11.", "111"]
    assert rows_of(flat, layout="(h b) q k", heads=2) == ["111"] * 3


def test_b34_an_additive_mask_inverted_once_more_blocks_what_was_allowed() -> None:
    """(1 - m) * -1e9 of an additive mask is decoded as what it does."""
    bias = np.triu(np.full((3, 3), -1e4), 1)
    inverted = (1 - bias) * -1e9
    assert rows_of(inverted) == ["1..", "11.", "111"]
    assert rows_of((1 - (bias != 0)) * -1e9) == [".11", "..1", "111"]


def test_b35_a_mask_of_one_kind_given_as_another() -> None:
    """Booleans are not biases and biases are not Booleans."""
    keep = np.tril(np.ones((3, 3), dtype=bool))
    with pytest.raises(EncodingError, match="which are not added to scores"):
        read(keep, encoding="additive")
    bias = np.where(keep, 0.3, -np.inf)
    with pytest.raises(EncodingError, match="floats other than 0 and 1"):
        read(bias, encoding="block")


def test_b42_a_reversed_comparison_with_two_queries() -> None:
    """q + pos <= k with pos = 2 reads the future; the rectangle is lifted to 6 positions."""
    rows = np.array([[q + 2 <= k for k in range(6)] for q in range(2)])
    ((_, mask),) = read(rows, q_offset=2).masks
    assert drawn(mask) == ["..1111", "...111"]
    assert (mask.offset, mask.size) == (2, 6)


def test_b47_codes_other_than_zero_and_one() -> None:
    """Longformer's 2 and packed document ids are errors that say what to do."""
    for array in (np.array([[2, 1], [1, 1]]), np.array([[1, 2], [2, 0]])):
        with pytest.raises(EncodingError, match="decode a code such as Longformer's 2 first"):
            read(array)
        with pytest.raises(EncodingError, match="integers other than 0 and 1"):
            read(array, encoding="block")


def test_b15_b40_b43_rules_and_block_masks() -> None:
    """The tile map is not the mask; a length is bound to its BlockMask; `not` has a note."""
    pytest.importorskip("torch", reason="BlockMask is an object of torch")
    flex = pytest.importorskip("torch.nn.attention.flex_attention")

    def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
        return q >= k

    block = flex.create_block_mask(causal, 1, 1, 8, 8, device="cpu", BLOCK_SIZE=4)
    lower = ["1" * (q + 1) + "." * (7 - q) for q in range(8)]
    assert rows_of(block) == lower
    tiles = np.kron(block.to_dense()[0, 0].numpy(), np.ones((4, 4), dtype=int))
    assert rows_of(tiles) == ["1111...."] * 4 + ["1" * 8] * 4
    with pytest.raises(ShapeError, match="build it for the length it is used with"):
        read(block, n=4)
    reading = read(lambda b, h, q, k: not q < k, n=8)
    assert drawn(reading.masks[0][1]) == lower
    assert [note.kind for note in reading.notes] == ["unreadable_under_vmap"]


def test_a_missing_mask_is_told() -> None:
    """B14: where a library passes None, the mask that runs is another one."""
    with pytest.raises(InputError, match="verify the mask that runs"):
        read(None)
