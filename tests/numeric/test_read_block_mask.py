"""A BlockMask is read as the compiled kernel runs it."""

from typing import Any

import pytest

pytest.importorskip("torch", reason="BlockMask is an object of torch")

import numpy as np
from torch.nn.attention.flex_attention import BlockMask, create_block_mask

from attnproof.numeric.read.block_mask import decode_block_mask, is_block_mask
from attnproof.symbolic.errors import InputError, ShapeError
from tests.numeric.block_masks import ordered, pairs_of


def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q >= k


BELOW = {(q, k) for q in range(8) for k in range(q + 1)}


def built(tile: int, **options: Any) -> BlockMask:
    """The causal mask of 8 positions in square tiles."""
    return create_block_mask(causal, 1, 1, 8, 8, device="cpu", BLOCK_SIZE=tile, **options)


@pytest.mark.parametrize("tile", [1, 2, 3, 4, 8, 128])
@pytest.mark.parametrize("separate", [True, False])
def test_tiles_do_not_matter(tile: int, separate: bool) -> None:
    """B15: whatever the tile, the mask is that of mask_mod, and nothing disagrees."""
    decoded = decode_block_mask(built(tile, separate_full_blocks=separate))
    assert pairs_of(decoded) == BELOW
    assert decoded.notes == ()
    assert decoded.encoding == "attend"


def test_a_stale_full_block_is_a_finding() -> None:
    """A mask_mod replaced after the blocks were built disagrees, and the first pair is named."""
    mask = built(4)
    mask.mask_mod = lambda b, h, q, k: (q >= k) & (q - k < 4)
    (finding,) = decode_block_mask(mask).notes
    assert (finding.kind, finding.severity) == ("blocks_disagree", "error")
    assert (finding.reader, finding.source) == (4, 0)
    assert finding.details == {"batch": 0, "head": 0, "pairs": 10}
    assert "by the blocks query 4 reads key 0, by mask_mod alone it does not read it" in str(
        finding.message
    )


def test_blocks_without_a_mask_mod_disagree_with_reading_everything() -> None:
    """Without mask_mod the kernel keeps the blocks, uncompiled attention reads everything."""
    lower = np.array([[[[True, False], [True, True]]]])
    mask = BlockMask.from_kv_blocks(*ordered(lower), BLOCK_SIZE=2)
    decoded = decode_block_mask(mask)
    assert pairs_of(decoded) == {(q, k) for q in range(4) for k in range(4) if k // 2 <= q // 2}
    assert [note.kind for note in decoded.notes] == ["blocks_disagree"]
    assert (decoded.notes[0].reader, decoded.notes[0].source) == (0, 2)


def test_heads_and_batches_of_the_blocks() -> None:
    """Heads of a BlockMask unite, batch elements are told apart, single ones are repeated."""

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        return q - k == h + b

    mask = create_block_mask(rule, 2, 2, 4, 4, device="cpu", BLOCK_SIZE=2)
    decoded = decode_block_mask(mask)
    assert [indices for indices, _ in decoded.masks] == [(0,), (1,)]
    for b in range(2):
        assert pairs_of(decoded, b) == {
            (q, k) for q in range(4) for k in range(4) if q - k in (b, b + 1)
        }
    assert decode_block_mask(mask, batch=1).masks == decoded.masks[1:]
    spread = decode_block_mask(built(4), heads=3, batches=2)
    assert spread.masks[0][0] == (0, 1)
    assert spread.notes == ()


def test_a_rectangle_keeps_its_queries() -> None:
    """Queries and keys of different number; the finding stands at the position of the query."""
    mask = create_block_mask(lambda b, h, q, k: q + 3 >= k, 1, 1, 2, 5, device="cpu", BLOCK_SIZE=2)
    rows = decode_block_mask(mask, 5, offset=3).masks[0][1]
    assert (len(rows), rows.keys) == (2, 5)
    mask.mask_mod = causal
    (finding,) = decode_block_mask(mask, 5, offset=3).notes
    assert (finding.reader, finding.source) == (3, 1)


def test_another_length_is_refused() -> None:
    """B40: a BlockMask speaks of the length it was built for."""
    assert is_block_mask(built(4))
    assert pairs_of(decode_block_mask(built(4), 8)) == BELOW
    with pytest.raises(ShapeError, match="was built for 8 queries and 8 keys, n = 4 was asked"):
        decode_block_mask(built(4), 4)


def test_a_sliced_mask_without_its_rule_is_refused() -> None:
    """A sliced BlockMask has no mask_mod; the message is torch's own."""
    with pytest.raises(InputError, match="mask_mod of the BlockMask raised RuntimeError"):
        decode_block_mask(built(4)[:, :, 1])


def by_pairs(b: Any, h: Any, q: Any, k: Any) -> Any:
    return bool(q >= k)


def test_a_rule_that_vmap_cannot_evaluate_is_noted() -> None:
    """A mask_mod with `if` is called pair by pair here too."""
    mask = built(4)
    mask.mask_mod = by_pairs
    decoded = decode_block_mask(mask)
    assert pairs_of(decoded) == BELOW
    assert [note.kind for note in decoded.notes] == ["unreadable_under_vmap"]
