"""Token shift and a recurrence with decay, in the manner of RWKV."""

from enum import Enum

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Architecture, switched
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


class Step(Enum):
    """How a layer takes time; all but the first are faults."""

    RIGHT = "right"
    FORWARDS = "time mix shifted forwards"
    ROUND = "time mix shifted round"
    CHANNELS = "channel mix shifted forwards"
    BACKWARDS = "recurrence reversed"
    TOTAL = "denominator over all positions"

    @property
    def relation(self) -> Relation:
        """What one layer reads."""
        match self:
            case Step.RIGHT:
                return causal(N)
            case Step.FORWARDS | Step.CHANNELS:
                return causal(N, 1)
            case Step.ROUND:
                # Position 0 is mixed with the last one, and whoever comes later reads it.
                return causal(N) | np.eye(1, N, N - 1, dtype=bool)
            case Step.BACKWARDS:
                # The channel mix and the time mix each look one position back.
                return causal(N, 2).T
            case Step.TOTAL:
                return everything(N)


class TimeMix(nn.Module):
    """A layer: time mix, then channel mix, both on a state mixed with the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.mixed = nn.Parameter(torch.rand(2, WIDTH))
        self.receive, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.value, self.output = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.decay = nn.Parameter(torch.rand(WIDTH))
        self.up, self.down = nn.Linear(WIDTH, 12), nn.Linear(12, WIDTH)
        self.step = Step.RIGHT

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        seen = self._shifted(0, self.norms[0](state), (Step.FORWARDS, Step.ROUND))
        state = state + self.output(self.receive(seen).sigmoid() * self._recurrence(seen))
        seen = self._shifted(1, self.norms[1](state), (Step.CHANNELS,))
        mixed: Tensor = self.down(self.up(seen).relu().square())
        return state + mixed

    def _shifted(self, which: int, seen: Tensor, faults: tuple[Step, ...]) -> Tensor:
        """A state mixed with that of the position before."""
        before = F.pad(seen, (0, 0, 1, 0))[:, :-1]
        if self.step in faults:
            if self.step is Step.ROUND:
                before = seen.roll(1, 1)
            else:
                before = F.pad(seen, (0, 0, 0, 1))[:, 1:]
        share: Tensor = self.mixed[which]
        return share * seen + (1 - share) * before

    def _recurrence(self, seen: Tensor) -> Tensor:
        """Means of values, weighted by ``exp(key)`` and decayed with every step."""
        weight, value = self.key(seen).exp(), self.value(seen)
        keep = torch.exp(-self.decay.exp())
        order = range(seen.shape[1])
        above = below = torch.zeros_like(value[:, 0])
        sums: dict[int, tuple[Tensor, Tensor]] = {}
        for t in reversed(order) if self.step is Step.BACKWARDS else order:
            above = keep * above + weight[:, t] * value[:, t]
            below = keep * below + weight[:, t]
            sums[t] = above, below
        total = torch.stack([sums[t][0] for t in order], 1)
        shares: Tensor = weight.sum(1, keepdim=True)
        if self.step is not Step.TOTAL:
            shares = torch.stack([sums[t][1] for t in order], 1)
        return total / shares


def build(seed: int) -> Specimen:
    """Two layers."""
    model = seeded(seed, lambda: Stack([TimeMix(), TimeMix()]))
    return stacked(model, model.layers, [causal(N)] * 2)


TOKEN_SHIFT = Architecture(
    "token shift",
    build,
    (0, 1),
    tuple(switched("step", step, step.relation) for step in Step if step is not Step.RIGHT),
)
