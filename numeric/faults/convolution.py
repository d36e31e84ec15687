"""A mixer of convolutions: short ones, one of them dilated, and one as long as the sequence."""

from enum import Enum
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Architecture, Kind, runs_backwards, switched
from attnproof.numeric.faults.specimen import (
    WIDTH,
    N,
    Relation,
    Specimen,
    Stack,
    causal,
    everything,
    itself,
    seeded,
    stacked,
)

KERNEL = 3


def band(n: int, dilation: int, ahead: int = 0) -> Relation:
    """``k = q + ahead - dilation * t`` for a tap ``t`` of the kernel, and ``k = q``."""
    distances = {dilation * tap - ahead for tap in range(KERNEL)}
    q, k = torch.arange(n)[:, None], torch.arange(n)[None, :]
    reads = itself(n)
    for distance in distances:
        reads = reads | (q - k == distance).numpy()
    return reads


class Short(nn.Module):
    """A depthwise convolution of ``KERNEL`` taps, padded ``ahead`` positions too little before."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.taps = nn.Parameter(torch.randn(WIDTH, 1, KERNEL))
        self.mix = nn.Linear(WIDTH, WIDTH)
        self.dilation, self.ahead = dilation, 0

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        span = self.dilation * (KERNEL - 1)
        padded = F.pad(self.norm(state).mT, (span - self.ahead, self.ahead))
        read = F.conv1d(padded, self.taps, dilation=self.dilation, groups=WIDTH).mT
        return state + F.gelu(self.mix(read))


class By(Enum):
    """How the long convolution is computed; the last one is a fault."""

    PRODUCT = "product"
    PADDED_FOURIER = "padded Fourier transform"
    CIRCULAR = "circular Fourier transform"


class Long(nn.Module):
    """A convolution with a tap for every distance."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.taps = nn.Parameter(torch.randn(N, WIDTH) / 3)
        self.by = By.PRODUCT

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        seen: Tensor = self.norm(state)
        if self.by is By.PRODUCT:
            distance = torch.arange(N)[:, None] - torch.arange(N)[None, :]
            taps = torch.where((distance >= 0)[..., None], self.taps[distance.clamp(min=0)], 0.0)
            return state + torch.einsum("qkd,bkd->bqd", taps, seen)
        size = N if self.by is By.CIRCULAR else 2 * N
        spectrum = torch.fft.rfft(seen, size, dim=1) * torch.fft.rfft(self.taps, size, dim=0)
        read: Tensor = torch.fft.irfft(spectrum, size, dim=1)
        return state + read[:, :N]


def build(seed: int) -> Specimen:
    """A short, a dilated and a long convolution."""
    model = seeded(seed, lambda: Stack([Short(1), Short(2), Long()]))
    return stacked(model, model.layers, [band(N, 1), band(N, 2), causal(N)])


def _ahead(by: int) -> Kind:
    def change(made: Specimen, layer: int, random: Random) -> Specimen:
        faulty = made.slots[layer].layer
        assert isinstance(faulty, Short)
        faulty.ahead = by * faulty.dilation
        return made.reading(layer, band(N, faulty.dilation, faulty.ahead))

    return Kind("padded on both sides" if by == 1 else "padded behind", change, (0, 1))


CONVOLUTION = Architecture(
    "convolution mixer",
    build,
    (0, 1, 2),
    (
        _ahead(1),
        _ahead(2),
        switched("by", By.CIRCULAR, everything(N), (2,)),
        switched("by", By.PADDED_FOURIER, causal(N), (2,), leaks=False),
        Kind("kernel reversed", runs_backwards),
    ),
    closed=False,
)
