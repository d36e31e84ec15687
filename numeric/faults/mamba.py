"""Mamba of transformers: a short convolution and a selective scan."""

from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Architecture, Kind, runs_backwards
from attnproof.numeric.faults.specimen import (
    WIDTH,
    Around,
    Library,
    N,
    Specimen,
    causal,
    itself,
    of_library,
    seeded,
    stacked,
)

LAYERS = 2


class Shifted(Around):
    """A projection, half of whose outputs come from later positions."""

    def __init__(self, layer: nn.Module, by: int, gate: bool) -> None:
        super().__init__(layer)
        self.by, self.gate = by, gate

    def forward(self, state: Tensor) -> Tensor:
        """What is convolved, and the gate, one of them moved to earlier positions."""
        parts = list(self.layer(state).chunk(2, -1))
        parts[self.gate] = F.pad(parts[self.gate], (0, 0, 0, self.by))[:, self.by :]
        return torch.cat(parts, -1)


def mamba(seed: int) -> Specimen:
    """Two layers with a convolution of four."""
    settings: dict[str, Any] = {
        "hidden_size": WIDTH,
        "state_size": 4,
        "num_hidden_layers": LAYERS,
        "conv_kernel": 4,
        "residual_in_fp32": False,
        "use_cache": False,
    }
    model = seeded(seed, lambda: Library(of_library("MambaModel", "MambaConfig", **settings)))
    return stacked(model, model.model.layers, [causal(N)] * LAYERS)


def convolved_ahead(made: Specimen, layer: int, random: Random) -> Specimen:
    """What the convolution reads stands too far in front: position t has that of t + by."""
    by = random.choice((1, 2, 3))
    mixer: Any = made.slots[layer].layer.mixer
    mixer.in_proj = Shifted(mixer.in_proj, by, gate=False)
    reads = causal(N, by)
    reads[:, :by] = False
    return made.reading(layer, reads | itself(N))


def gate_of_the_next(made: Specimen, layer: int, random: Random) -> Specimen:
    """What the scan returns is multiplied by the gate of the next position."""
    mixer: Any = made.slots[layer].layer.mixer
    mixer.in_proj = Shifted(mixer.in_proj, 1, gate=True)
    return made.reading(layer, causal(N, 1))


SCAN_REVERSED = Kind("scan reversed", runs_backwards)
MAMBA = Architecture(
    "Mamba",
    mamba,
    (0, 1),
    (
        Kind("convolution of later positions", convolved_ahead),
        Kind("gate of the next position", gate_of_the_next),
        SCAN_REVERSED,
    ),
)
