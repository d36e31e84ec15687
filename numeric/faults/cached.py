"""A transformer that runs in two calls, the second of which reads a cache of the first.

Positions 0 .. FIRST - 1 are computed in the first call, the others in the second.
"""

from enum import Enum
from random import Random

import torch
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Architecture, Kind
from attnproof.numeric.faults.softmax import SHAPE
from attnproof.numeric.faults.specimen import (
    N,
    Relation,
    Specimen,
    Stack,
    causal,
    seeded,
    stacked,
)
from attnproof.numeric.transformer import Layer

FIRST = 4


class Cached(Enum):
    """How the second call reads the cache; all but the first are faults."""

    RIGHT = "right"
    MISALIGNED = "cache misaligned"
    NOT_CROPPED = "cache not cropped"
    OFFSET = "offset of the second call"
    UNMASKED = "prefill without a mask"


def relation(how: Cached, by: int = 0) -> Relation:
    """What the two calls read together."""
    reads = causal(N)
    match how:
        case Cached.MISALIGNED:
            reads[FIRST:, :FIRST] = False
            reads[FIRST:, by : FIRST + by] = True
        case Cached.NOT_CROPPED:
            reads[FIRST:, : FIRST + by] = True
        case Cached.OFFSET:
            reads[FIRST:] = causal(N, by)[FIRST:]
        case Cached.UNMASKED:
            reads[:FIRST, :FIRST] = True
        case Cached.RIGHT:
            pass
    return reads


class TwoCalls(nn.Module):
    """One causal layer in two calls; ``by`` says how far a fault reaches."""

    def __init__(self, seed: int, how: Cached = Cached.RIGHT, by: int = 0) -> None:
        super().__init__()
        self.inside = Layer(SHAPE, torch.Generator().manual_seed(seed), torch.float64)
        self.how, self.by = how, by

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        ids = torch.arange(N)
        keys, values = self.inside.write(state)
        first = self._read(state, keys, values, ids[:FIRST], ids[:FIRST], ids[:FIRST])
        slots, labels = self._cached(ids)
        own = ids[FIRST:]
        second = self._read(
            state, keys, values, own, torch.cat([slots, own]), torch.cat([labels, own])
        )
        return torch.cat([first, second], 1)

    def _cached(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Which positions the slots of the cache hold, and which they are taken for."""
        match self.how:
            case Cached.MISALIGNED:
                return ids[self.by : FIRST + self.by], ids[:FIRST]
            case Cached.NOT_CROPPED:
                left = torch.cat([ids[:FIRST], ids[FIRST : FIRST + self.by]])
                return left, left.clamp(max=FIRST - 1)
            case _:
                return ids[:FIRST], ids[:FIRST]

    def _read(
        self,
        state: Tensor,
        keys: Tensor,
        values: Tensor,
        queries: Tensor,
        slots: Tensor,
        labels: Tensor,
    ) -> Tensor:
        """What some queries read from slots of the cache, under the labels of these."""
        late = bool(queries[0])
        ahead = self.by if late and self.how is Cached.OFFSET else 0
        mask = labels[None, :] <= queries[:, None] + ahead
        if not late and self.how is Cached.UNMASKED:
            mask = torch.ones_like(mask)
        return self.inside.read(
            state[:, queries],
            keys[:, :, slots],
            values[:, :, slots],
            mask,
            query_ids=queries,
            key_ids=labels,
        )


def build(seed: int) -> Specimen:
    """Two layers."""
    model = seeded(seed, lambda: Stack([TwoCalls(2 * seed + k) for k in range(2)]))
    return stacked(model, model.layers, [relation(Cached.RIGHT)] * 2)


def _fault(how: Cached, reaches: tuple[int, ...]) -> Kind:
    def change(made: Specimen, layer: int, random: Random) -> Specimen:
        faulty = made.slots[layer].layer
        assert isinstance(faulty, TwoCalls)
        faulty.how, faulty.by = how, random.choice(reaches)
        return made.reading(layer, relation(how, faulty.by))

    return Kind(how.value, change)


CACHED = Architecture(
    "transformer with a cache",
    build,
    (0, 1),
    (
        _fault(Cached.MISALIGNED, (2, 3)),
        _fault(Cached.NOT_CROPPED, (2, 3)),
        _fault(Cached.OFFSET, (1, 2)),
        _fault(Cached.UNMASKED, (0,)),
    ),
)
