"""BERT over documents packed in one sequence, and BART: an encoder that a decoder reads.

Convention: the positions of BART are those of the encoder, then those of the decoder.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnproof.numeric.faults import masked
from attnproof.numeric.faults.kinds import Architecture, Kind
from attnproof.numeric.faults.masked import Form, Held
from attnproof.numeric.faults.specimen import (
    READ,
    WIDTH,
    Around,
    Library,
    N,
    Relation,
    Slot,
    Specimen,
    causal,
    everything,
    itself,
    of_library,
    seeded,
)

LAYERS = 2
DOCUMENTS = (3, 2, 2)
ENCODER, DECODER = 5, 6
TOTAL = ENCODER + DECODER


def documents(sizes: Sequence[int]) -> Relation:
    """Positions of one document read each other.

    >>> documents((1, 2)).astype(int).tolist()
    [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    """
    ids = np.repeat(np.arange(len(sizes)), sizes)
    same: Relation = ids[:, None] == ids[None, :]
    return same


def bert(seed: int) -> Specimen:
    """BERT over three documents."""
    settings: dict[str, Any] = {
        "hidden_size": WIDTH,
        "intermediate_size": 12,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "max_position_embeddings": 32,
        "attn_implementation": "sdpa",
    }
    model = seeded(seed, lambda: Library(of_library("BertModel", "BertConfig", **settings)))
    layers = model.model.encoder.layer
    relation = documents(DOCUMENTS)
    for index, layer in enumerate(list(layers)):
        layers[index] = Held(layer, relation, Form.READS)
    slots = tuple(Slot(layers, index, range(N)) for index in range(LAYERS))
    return Specimen(model, slots, (relation,) * LAYERS, (relation,) * LAYERS, bounded=True)


class EncoderDecoder(nn.Module):
    """An encoder and a decoder, both on vectors of one sequence; the outputs of both.

    ``reads_targets`` says that the encoder is given what the decoder must predict.
    """

    model: Any

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.readout = nn.Linear(WIDTH, READ)
        self.reads_targets = False

    def forward(self, state: Tensor) -> Tensor:
        """Vectors ``(b, n, d)`` to ``(b, n, e)``."""
        sources, targets = state[:, :ENCODER], state[:, ENCODER:]
        if self.reads_targets:
            sources = sources + targets[:, -ENCODER:]
        encoded = self.model.encoder(inputs_embeds=sources).last_hidden_state
        decoded = self.model.decoder(
            inputs_embeds=targets, encoder_hidden_states=encoded, use_cache=False
        ).last_hidden_state
        out: Tensor = self.readout(torch.cat([encoded, decoded], 1))
        return out


def bart(seed: int) -> Specimen:
    """BART: two layers that encode, two that decode."""
    settings: dict[str, Any] = {
        "d_model": WIDTH,
        "encoder_layers": LAYERS,
        "decoder_layers": LAYERS,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 12,
        "decoder_ffn_dim": 12,
        "max_position_embeddings": 32,
        "attn_implementation": "sdpa",
    }
    model = seeded(seed, lambda: EncoderDecoder(of_library("BartModel", "BartConfig", **settings)))
    encoders, decoders = model.model.encoder.layers, model.model.decoder.layers
    for index, layer in enumerate(list(decoders)):
        decoders[index] = Held(layer, causal(DECODER), Form.READS)
    encodes, decodes = itself(TOTAL), itself(TOTAL)
    encodes[:ENCODER, :ENCODER] = True
    decodes[ENCODER:, :ENCODER] = True
    decodes[ENCODER:, ENCODER:] = causal(DECODER)
    promised = (encodes,) * LAYERS + (decodes,) * LAYERS
    first = [Slot(encoders, index, range(ENCODER)) for index in range(LAYERS)]
    second = [Slot(decoders, index, range(ENCODER, TOTAL)) for index in range(LAYERS)]
    return Specimen(model, (*first, *second), promised, promised, bounded=True)


class CrossJoined(Around):
    """A layer of a decoder whose cross-attention finds the decoder's own states among its keys."""

    def forward(self, state: Tensor, *arguments: Any, **named: Any) -> Any:
        """The layer on the joined states."""
        given = self.given(state, *arguments, **named)
        joined = torch.cat([given.arguments["encoder_hidden_states"], state], 1)
        given.arguments["encoder_hidden_states"] = joined
        given.arguments["encoder_attention_mask"] = None
        return self.layer(*given.args, **given.kwargs)


def cross_reads_targets(made: Specimen, layer: int, random: Random) -> Specimen:
    """Cross-attention over the decoder's own states."""
    holder = masked.held(made, layer)
    holder.layer = CrossJoined(holder.layer)
    return masked.among(made, layer, everything(DECODER))


def encoder_reads_targets(made: Specimen, layer: int, random: Random) -> Specimen:
    """The encoder is given the last targets, position by position."""
    assert isinstance(made.model, EncoderDecoder)
    made.model.reads_targets = True
    given = itself(TOTAL)
    given[range(ENCODER), range(TOTAL - ENCODER, TOTAL)] = True
    both = made.reads[0].astype(int) @ given.astype(int)
    return made.reading(0, both > 0)


DECODES = (LAYERS, LAYERS + 1)


BERT = Architecture(
    "BERT with documents",
    bert,
    (0, 1),
    (
        Kind("documents off by one", masked.OFF_BY_ONE.change),
        masked.POLARITY,
        masked.ONE_CELL,
        masked.DROPPED,
    ),
)
BART = Architecture(
    "BART",
    bart,
    DECODES,
    (
        masked.OFF_BY_ONE,
        masked.POLARITY,
        masked.ONE_CELL,
        masked.DROPPED,
        Kind("cross-attention reads targets", cross_reads_targets),
        Kind("encoder reads targets", encoder_reads_targets, (0,)),
    ),
)
