"""The package's own transformer, one layer after the other, each with a mask of its own."""

from random import Random

import numpy as np
import torch
from torch import Tensor, nn

from attnproof.numeric.faults import masked
from attnproof.numeric.faults.kinds import Architecture, Kind
from attnproof.numeric.faults.masked import Form, Held
from attnproof.numeric.faults.specimen import (
    WIDTH,
    N,
    Specimen,
    Stack,
    causal,
    everything,
    seeded,
    stacked,
)
from attnproof.numeric.positions import PositionEncoding
from attnproof.numeric.transformer import Architecture as Shape
from attnproof.numeric.transformer import Norm, Transformer

SHAPE = Shape(1, WIDTH, 2, 4, 12, norm=Norm.LAYER, position=PositionEncoding.ROTARY)


class Block(nn.Module):
    """One layer of masked attention and an MLP; the mask are Booleans, or numbers added."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.transformer = Transformer(SHAPE, seed=seed)

    def forward(self, state: Tensor, attention_mask: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        out: Tensor
        if attention_mask.is_floating_point():
            out = self.transformer(state, bias=attention_mask)
        else:
            out = self.transformer(state, attention_mask)
        return out


def normalised_before_mask(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, **named: object
) -> Tensor:
    """Softmax over every key, the mask after it: the denominator has read what is masked."""
    weights: Tensor = (query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5).softmax(-1)
    return (weights if mask is None else weights * mask) @ value


def build(seed: int) -> Specimen:
    """Two causal layers."""

    def make() -> Stack:
        return Stack([Held(Block(2 * seed + k), causal(N), Form.READS) for k in range(2)])

    model = seeded(seed, make)
    return stacked(model, model.layers, [causal(N)] * 2)


def masked_after_softmax(made: Specimen, layer: int, random: Random) -> Specimen:
    """The mask multiplies the weights of softmax."""
    block = masked.held(made, layer).layer
    assert isinstance(block, Block)
    block.transformer.attention = normalised_before_mask
    return made.reading(layer, everything(N))


def one_head(made: Specimen, layer: int, random: Random) -> Specimen:
    """One head of two reads one position ahead."""
    wrong = np.stack([causal(N), causal(N, 1)])
    masked.held(made, layer).hold(torch.from_numpy(wrong))
    return made.reading(layer, causal(N, 1))


SOFTMAX = Architecture(
    "transformer",
    build,
    (0, 1),
    (
        masked.OFF_BY_ONE,
        masked.POLARITY,
        masked.ONE_CELL,
        masked.TRANSPOSED,
        masked.DROPPED,
        masked.SOFT,
        Kind("mask after softmax", masked_after_softmax),
        Kind("one head off by one", one_head),
    ),
)
