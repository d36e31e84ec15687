"""A small transformer with a mask of its own for each layer, for tests of the probe."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnproof.numeric.probe.relation import StructuralRelation

WIDTH = 5


class Layer(nn.Module):
    """Attention under a mask and an MLP, both with a residual."""

    mask: Tensor

    def __init__(self, mask: Tensor) -> None:
        super().__init__()
        self.register_buffer("mask", mask)
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.norm = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        x = x + self.attend(self.query(y), self.key(y), self.value(y))
        out: Tensor = x + self.mlp(x)
        return out

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(query, key, value, attn_mask=self.mask)


class AdditiveLayer(Layer):
    """The same with a finite number added where the mask blocks, and softmax written out."""

    blocked = -1e4

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = query @ key.transpose(1, 2) / WIDTH**0.5
        scores = scores + torch.where(self.mask, 0.0, self.blocked).to(scores.dtype)
        weights: Tensor = scores.softmax(-1)
        return weights @ value


class Infinite(AdditiveLayer):
    """The same with -inf, which makes a row that is blocked wholly NaN."""

    blocked = float("-inf")


def vectors(n: int) -> Tensor:
    """Random vectors ``(1, n, WIDTH)``."""
    return torch.randn(1, n, WIDTH, dtype=torch.float64)


def rows_of(found: StructuralRelation) -> tuple[int, ...]:
    """The relation of the first output, as bit sets."""
    return tuple(found.relation.rows.bits())


def transformer(
    layers: Sequence[Sequence[int]], kind: type[Layer] = Layer, keys: int | None = None
) -> nn.Sequential:
    """Random weights in float64; bit ``k`` of ``layers[i][q]``: query q of layer i reads key k."""
    n = len(layers[0]) if keys is None else keys
    dense = [torch.tensor([[bool(row >> k & 1) for k in range(n)] for row in m]) for m in layers]
    return nn.Sequential(*map(kind, dense)).double()
