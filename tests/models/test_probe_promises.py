"""Promises: the relation that a configuration says, by layer, and its products."""

from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("torch", reason="the probe needs the extra torch")

from attnproof.numeric.probe.bounds import Segment, Stack, bound_of, encoder_decoder_bound
from attnproof.numeric.probe.promised import (
    CAUSAL,
    FULL,
    RECURRENT,
    LayerKind,
    Promise,
    Reads,
    promise_of,
)
from attnproof.numeric.probe.subject import subject_of
from attnproof.symbolic.errors import InputError, ParameterError
from tests.models.decoder import Decoder


def rows(mask: Any) -> list[str]:
    return repr(mask).splitlines()[1:]


def test_bounds_are_products_of_layers() -> None:
    """By hand: windows stack, padding is free and unread, a decoder reads its encoder."""
    window = Promise((LayerKind(Reads.WINDOW, 2),) * 2)
    stack = Stack(("a", "b"))
    two = bound_of(window, [Segment(4)], stack)
    assert rows(two.of("a", 4)) == ["#···", "##··", "·##·", "··##"]
    assert rows(two.outputs) == ["#···", "##··", "###·", "·###"]
    padded = bound_of(Promise((CAUSAL,)), [Segment(1, live=False), Segment(2)])
    assert rows(padded.outputs) == ["###", "·#·", "·##"]
    assert padded.free == {0}
    packed = bound_of(Promise((FULL,)), [Segment(2), Segment(1)])
    assert rows(packed.outputs) == ["##·", "##·", "··#"]
    cut = bound_of(Promise((CAUSAL,)), [Segment(3)], split=(2,))
    assert cut.readers == {2: (0, 1), 1: (2,)}
    both = encoder_decoder_bound(Promise((CAUSAL,), (FULL,)), [Segment(2)], 3)
    assert rows(both.outputs) == ["###··", "####·", "#####"]
    assert both.output_readers == (2, 3, 4)


class Config:
    """A configuration with these settings."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)


@pytest.mark.parametrize(
    ("settings", "layers"),
    [
        ({"sliding_window": 3}, (LayerKind(Reads.WINDOW, 3),) * 2),
        ({"sliding_window": 3, "use_sliding_window": False}, (CAUSAL,) * 2),
        (
            {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 4},
            (LayerKind(Reads.WINDOW, 4), CAUSAL),
        ),
        (
            {"layer_types": ["chunked_attention", "full_attention"], "attention_chunk_size": 5},
            (LayerKind(Reads.CHUNK, 5), CAUSAL),
        ),
        ({"layer_types": ["linear_attention", "hybrid"]}, (RECURRENT, CAUSAL)),
        ({"layers_block_type": ["mamba", "attention"]}, (RECURRENT, CAUSAL)),
        ({"attention_layers": ["global", "local"], "window_size": 3},
         (CAUSAL, LayerKind(Reads.WINDOW, 3))),
        ({"state_size": 16}, (RECURRENT,) * 2),
        ({"use_bidirectional_attention": True}, (FULL,) * 2),
        (
            {
                "use_bidirectional_attention": True,
                "layer_types": ["sliding_attention", "full_attention"],
                "sliding_window": 2,
            },
            (LayerKind(Reads.NEAR, 2), FULL),
        ),
    ],
)  # fmt: skip
def test_promises_of_configurations(
    settings: Mapping[str, Any], layers: tuple[LayerKind, ...]
) -> None:
    """The kinds of layers as a schedule."""
    assert promise_of(Config(is_decoder=True, num_hidden_layers=2, **settings)).layers == layers


def test_promises_that_are_not_known() -> None:
    """A kind of layer, or a count of layers, that is not known is named, with the way out."""
    with pytest.raises(InputError, match="what a layer of kind 'spiral' reads; say what"):
        promise_of(Config(is_decoder=True, num_hidden_layers=1, layer_types=["spiral"]))
    with pytest.raises(InputError, match="does not say how many layers"):
        promise_of(Config(is_decoder=True))
    with pytest.raises(ParameterError, match="must stay within: --causal, or --mask SOURCE"):
        subject_of(Decoder())
