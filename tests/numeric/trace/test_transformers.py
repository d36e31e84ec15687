"""The mask functions of transformers, unmodified, are traced."""

from typing import Any

import pytest

pytest.importorskip("torch", reason="rules are traced with torch")
import torch

from attnproof.numeric.trace import trace

masking = pytest.importorskip("transformers.masking_utils", reason="its mask functions are traced")

PADDING = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]], dtype=torch.bool)
PACKED = torch.tensor([[0, 0, 1, 1, 2]])
POSITIONS = torch.tensor([[0, 1, 0, 1, 0]])
IMAGES = torch.tensor([[-1, 0, 0, -1, 1, 1]])

FUNCTIONS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "causal": (masking.causal_mask_function, {}, "k <= q"),
    "window": (
        masking.sliding_window_causal_mask_function,
        {"symbolic": ["sliding_window"]},
        "k > q - sliding_window and k <= q",
    ),
    "chunked": (
        masking.chunked_causal_mask_function,
        {"symbolic": ["chunk_size"], "params": {"left_padding": torch.tensor([2, 0])}},
        "(k - left_padding[b]) // chunk_size == (q - left_padding[b]) // chunk_size and k <= q",
    ),
    "padding": (
        masking.and_masks(masking.causal_mask_function, masking.padding_mask_function(PADDING)),
        {"captured": "abstract"},
        "k <= q and padding_mask[b, k]",
    ),
    "packed": (
        masking.and_masks(
            masking.causal_mask_function, masking.packed_sequence_mask_function(PACKED)
        ),
        {"assumptions": {"packed_sequence_mask": "nondecreasing"}},
        "k <= q and packed_sequence_mask[b, q] == packed_sequence_mask[b, k]",
    ),
    "images": (
        masking.or_masks(masking.causal_mask_function, masking.blockwise_overlay(IMAGES)),
        {},
        "k <= q or (block_sequence_ids[b, q] == block_sequence_ids[b, k] "
        "and block_sequence_ids[b, q] >= 0)",
    ),
    "offsets": (
        masking.add_offsets_to_mask_function(masking.causal_mask_function, 5, 0),
        {},
        "k <= q + 5",
    ),
    "positions": (
        masking.remap_positions_for_packed_sequence(masking.causal_mask_function, POSITIONS),
        {},
        "position_ids[b, k] <= position_ids[b, q]",
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_mask_function_of_transformers_is_its_formula(name: str) -> None:
    """The formula has the names of the library, and equals what its function computes."""
    function, options, expected = FUNCTIONS[name]
    assert repr(trace(function, **options).term) == expected
