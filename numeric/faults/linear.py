"""Linear attention computed in chunks: states between chunks, a masked product inside each."""

from enum import Enum

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Architecture, switched
from attnproof.numeric.faults.mamba import SCAN_REVERSED
from attnproof.numeric.faults.specimen import (
    WIDTH,
    N,
    Relation,
    Specimen,
    Stack,
    causal,
    everything,
    seeded,
    stacked,
)

CHUNK, HEAD = 4, 6


class Chunked(Enum):
    """How chunks are joined; all but the first are faults."""

    RIGHT = "right"
    NOT_SHIFTED = "state of its own chunk"
    NEXT = "state of the next chunk"
    UNMASKED = "no mask inside chunks"
    AHEAD = "mask inside chunks off by one"
    TOTAL = "normaliser over all positions"


def relation(how: Chunked) -> Relation:
    """What one layer reads."""
    reads = causal(N)
    chunk = np.arange(N) // CHUNK
    later = chunk[None, :] - chunk[:, None]
    together: Relation = later == 0
    beside: Relation = later <= 1
    match how:
        case Chunked.NOT_SHIFTED | Chunked.UNMASKED:
            return reads | together
        case Chunked.NEXT:
            return reads | beside
        case Chunked.AHEAD:
            return reads | causal(N, 1) & together
        case Chunked.TOTAL:
            return everything(N)
        case Chunked.RIGHT:
            return reads


class LinearAttention(nn.Module):
    """Normalised linear attention with positive features, in chunks of ``CHUNK``."""

    def __init__(self, how: Chunked = Chunked.RIGHT) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(WIDTH, HEAD), nn.Linear(WIDTH, HEAD)
        self.value, self.output = nn.Linear(WIDTH, HEAD), nn.Linear(HEAD, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.how = how

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        n = state.shape[1]
        seen = self.norm(state)
        query, key = F.softplus(self.query(seen)), F.softplus(self.key(seen))
        # The normaliser is read as one more value.
        value = F.pad(self.value(seen), (0, 1), value=1.0)
        query, key, value = (self._chunks(each) for each in (query, key, value))
        ahead = 1 if self.how is Chunked.AHEAD else 0
        inside = torch.ones(CHUNK, CHUNK, dtype=state.dtype).tril(ahead)
        if self.how is Chunked.UNMASKED:
            inside = torch.ones_like(inside)
        read = ((query @ key.mT) * inside) @ value + query @ self._states(key.mT @ value)
        total, weight = read[..., :-1], read[..., -1:]
        if self.how is Chunked.TOTAL:
            weight = query @ key.sum((1, 2), keepdim=True).mT
        found = (total / weight).flatten(1, 2)[:, :n]
        out: Tensor = state + self.output(found)
        return out

    def _chunks(self, rows: Tensor) -> Tensor:
        """Rows ``(b, n, e)`` as ``(b, c, CHUNK, e)``, the last chunk filled up."""
        filled = F.pad(rows, (0, 0, 0, -rows.shape[1] % CHUNK))
        return filled.view(len(rows), -1, CHUNK, rows.shape[2])

    def _states(self, written: Tensor) -> Tensor:
        """What each chunk finds written by those before it, ``(b, c, e, e)``."""
        sums = written.cumsum(1)
        match self.how:
            case Chunked.NOT_SHIFTED:
                return sums
            case Chunked.NEXT:
                return torch.cat([sums[:, 1:], sums[:, -1:]], 1)
            case _:
                return torch.cat([torch.zeros_like(sums[:, :1]), sums[:, :-1]], 1)


def build(seed: int) -> Specimen:
    """Two layers."""
    model = seeded(seed, lambda: Stack([LinearAttention(), LinearAttention()]))
    return stacked(model, model.layers, [causal(N)] * 2)


LINEAR = Architecture(
    "linear attention",
    build,
    (0, 1),
    (
        *(switched("how", how, relation(how)) for how in Chunked if how is not Chunked.RIGHT),
        SCAN_REVERSED,
    ),
)
