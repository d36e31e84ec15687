"""Decoders of transformers: GPT-2 with an additive mask, Llama, and Mistral with a window."""

from typing import Any

import numpy as np
from torch import nn

from attnproof.numeric.faults import masked
from attnproof.numeric.faults.kinds import Architecture, Kind
from attnproof.numeric.faults.masked import Form, Held
from attnproof.numeric.faults.specimen import (
    WIDTH,
    Library,
    N,
    Relation,
    Specimen,
    causal,
    of_library,
    seeded,
    stacked,
)

LAYERS, WINDOW = 2, 3
GROUPED: dict[str, Any] = {
    "hidden_size": WIDTH,
    "intermediate_size": 12,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 4,
    "max_position_embeddings": 32,
    "attn_implementation": "sdpa",
    "use_cache": False,
}


def window(n: int, keys: int) -> Relation:
    """``q - keys < k <= q``."""
    return causal(n) & ~causal(n, -keys)


def decoder(model: nn.Module, layers: nn.ModuleList, mask: Relation, form: Form) -> Specimen:
    """A decoder whose every layer holds a mask."""
    for index, layer in enumerate(list(layers)):
        layers[index] = Held(layer, mask, form)
    return stacked(model, layers, [mask] * len(layers))


def gpt2(seed: int) -> Specimen:
    """GPT-2, its mask added to scores."""
    settings: dict[str, Any] = {
        "n_embd": WIDTH,
        "n_head": 2,
        "n_layer": LAYERS,
        "n_inner": 12,
        "n_positions": 32,
        "attn_implementation": "eager",
        "use_cache": False,
    }
    model = seeded(seed, lambda: Library(of_library("GPT2Model", "GPT2Config", **settings)))
    return decoder(model, model.model.h, causal(N), Form.ADDED)


def llama(seed: int) -> Specimen:
    """Llama with grouped keys."""
    model = seeded(seed, lambda: Library(of_library("LlamaModel", "LlamaConfig", **GROUPED)))
    return decoder(model, model.model.layers, causal(N), Form.READS)


def mistral(seed: int) -> Specimen:
    """Mistral with a sliding window."""
    settings = {**GROUPED, "sliding_window": WINDOW}
    model = seeded(seed, lambda: Library(of_library("MistralModel", "MistralConfig", **settings)))
    return decoder(model, model.model.layers, window(N, WINDOW), Form.READS)


def too_wide(right: Relation, promise: Relation, random: object) -> Relation:
    """A window of one key more."""
    return right | np.roll(right, 1, 0) & causal(len(right))


def no_window(right: Relation, promise: Relation, random: object) -> Relation:
    """The window forgotten: causal."""
    return causal(len(right))


GPT2 = Architecture(
    "GPT-2",
    gpt2,
    (0, 1),
    (
        masked.OFF_BY_ONE,
        masked.POLARITY,
        masked.ONE_CELL,
        masked.DROPPED,
        masked.SOFT,
        masked.MINIMA,
    ),
)
LLAMA = Architecture(
    "Llama", llama, (0, 1), (masked.OFF_BY_ONE, masked.POLARITY, masked.ONE_CELL, masked.DROPPED)
)
MISTRAL = Architecture(
    "Mistral",
    mistral,
    (0, 1),
    (
        masked.OFF_BY_ONE,
        masked.POLARITY,
        masked.ONE_CELL,
        masked.DROPPED,
        Kind("window too wide", masked.remasked(too_wide)),
        Kind("window forgotten", masked.remasked(no_window)),
    ),
    closed=False,
)
