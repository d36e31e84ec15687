"""A small decoder with the parts that models have, and a switch for each fault one can make.

Convention: ``forward(ids, attention_mask, position_ids, past_key_values, use_cache)`` returns a
mapping with ``logits`` (b, n, vocabulary) and, when asked, ``past_key_values``.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

VOCABULARY, WIDTH, KERNEL = 20, 8, 3


class Attention(nn.Module):
    """Causal attention of one head; documents are told apart by position ids that start again."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.fault = fault

    def forward(self, x: Tensor, live: Tensor | None, ids: Tensor | None, past: Any) -> Any:
        query, key, value = self.query(x), self.key(x), self.value(x)
        start = 0
        if past is not None:
            start = past[0].shape[1]
            key, value = torch.cat([past[0], key], 1), torch.cat([past[1], value], 1)
        q = torch.arange(start, start + x.shape[1])[:, None]
        k = torch.arange(key.shape[1])[None, :]
        ahead = {"mask off by one": 1, "cache misaligned": int(past is not None)}
        mask = (k <= q + ahead.get(self.fault, 0))[None]
        if self.fault == "one pair":
            mask = mask | ((q == 2) & (k == 5))[None]
        if live is not None and self.fault != "padding ignored":
            mask = mask & live.bool()[:, None, :]
        if ids is not None and past is None and self.fault != "documents mixed":
            document = (ids == 0).cumsum(1)
            mask = mask & (document[:, :, None] == document[:, None, :])
        scores = query @ key.transpose(1, 2) / WIDTH**0.5
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
        return self.out(weights @ value), (key, value)


class Convolution(nn.Module):
    """A causal convolution of each feature over three positions."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.kernel = nn.Conv1d(WIDTH, WIDTH, KERNEL, groups=WIDTH)
        self.pad = (0, KERNEL - 1) if fault == "padded behind" else (KERNEL - 1, 0)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.kernel(F.pad(x.transpose(1, 2), self.pad)).transpose(1, 2)
        return out


class Scan(nn.Module):
    """A gated recurrence from the first position to the last."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.gate, self.write = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.backwards = fault == "scan reversed"

    def forward(self, x: Tensor) -> Tensor:
        gate, write = self.gate(x).sigmoid(), self.write(x)
        order = list(range(x.shape[1]))
        state, states = torch.zeros_like(write[:, 0]), {}
        for t in reversed(order) if self.backwards else order:
            state = gate[:, t] * state + write[:, t]
            states[t] = state
        return torch.stack([states[t] for t in order], 1)


class Mixing(nn.Module):
    """What acts on each position alone, and faults that do not."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.inner, self.fault = nn.Linear(WIDTH, WIDTH), fault

    def forward(self, x: Tensor) -> Tensor:
        if self.fault == "token shift forwards":
            x = x + F.pad(x, (0, 0, 0, 1))[:, 1:]
        if self.fault == "batch mixed":
            x = x + x.mean(0, keepdim=True)
        if self.fault == "closed gate":
            x = x + F.relu(self.inner(x).sum(1, keepdim=True) - 1e4)
        if self.fault == "branch" and bool(x[0, -1, 0] > 100):
            return x
        return x + torch.tanh(self.inner(x))


class Decoder(nn.Module):
    """Attention, and with ``local`` a convolution and a scan, then a step on each position."""

    def __init__(self, fault: str = "", local: bool = False) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.embedding = nn.Embedding(VOCABULARY, WIDTH)
            self.attention = Attention(fault)
            self.local = nn.Sequential(Convolution(fault), Scan(fault)) if local else None
            self.mixing = Mixing(fault)
            self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        past_key_values: Any = None,
        use_cache: bool = False,
    ) -> dict[str, Any]:
        x = self.embedding(ids)
        if self.local is not None:
            x = x + self.local(x)
        mixed, cache = self.attention(x, attention_mask, position_ids, past_key_values)
        logits = self.head(self.mixing(x + mixed))
        return {"logits": logits, "past_key_values": cache} if use_cache else {"logits": logits}


class Vectors(nn.Module):
    """A cumulative sum of vectors, or of those that come after."""

    def __init__(self, backwards: bool = False) -> None:
        super().__init__()
        self.inner, self.backwards = nn.Linear(WIDTH, WIDTH), backwards

    def forward(self, x: Tensor) -> Tensor:
        x = self.inner(x)
        return x.flip(1).cumsum(1).flip(1) if self.backwards else x.cumsum(1)
