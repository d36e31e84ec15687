"""A small decoder: causal attention, then a step on each position, which one of two gets wrong."""

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        return scores.masked_fill(~past, -torch.inf).softmax(-1) @ self.value(x)


class Mixing(nn.Module):
    def __init__(self, width: int, shift: int) -> None:
        super().__init__()
        self.inner, self.shift = nn.Linear(width, width), shift

    def forward(self, x: Tensor) -> Tensor:
        ahead = nn.functional.pad(x, (0, 0, 0, self.shift))[:, self.shift :]
        return x + self.inner(ahead).tanh()


class Decoder(nn.Module):
    def __init__(self, shift: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 8)
        self.attention, self.mixing = Attention(8), Mixing(8, shift)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids)
        return self.mixing(x + self.attention(x))


def correct() -> Decoder:
    return Decoder(shift=0)


def shifted() -> Decoder:
    return Decoder(shift=1)
