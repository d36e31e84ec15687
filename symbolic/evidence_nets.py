"""Evidence on nets that fit data exactly; see :mod:`attnproof.symbolic.evidence`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from fractions import Fraction

    from attnproof.symbolic.interpolation.data import Data
    from attnproof.symbolic.interpolation.net import Net


def _run(net: "Net", data: "Data") -> str:
    return f"{counted(len(data.pairs), 'pair')}, T of {counted(len(net.blocks), 'block')}"


@dataclass(frozen=True, repr=False)
class Interpolates:
    """The hardmax net maps every input of the data to its output, as sets."""

    net: "Net"
    data: "Data"

    def __repr__(self) -> str:
        return f"Interpolates: T(X) = Y for {_run(self.net, self.data)} with hardmax"


@dataclass(frozen=True, repr=False)
class InterpolatesSoftmax:
    """So does softmax at the temperature ``tau``, or with ``below`` at every one in ``(0, tau]``;
    ``tau`` None is every temperature. ``precision`` is how many bits enclosures need."""

    net: "Net"
    data: "Data"
    tau: "Fraction | None"
    below: bool
    precision: int

    def __repr__(self) -> str:
        told = f"temperature {self.tau}"
        if self.below:
            told = "every temperature" if self.tau is None else f"temperatures up to {self.tau}"
        return f"Interpolates: T(X) = Y for {_run(self.net, self.data)} with softmax at {told}"


@dataclass(frozen=True, repr=False)
class Infeasible:
    """No transformer without positions interpolates the data: an output is longer than its input
    (``at`` names the pair), or two equal inputs have different outputs (``at`` names both).

    With "prefix" no causal one does, positions or not: the first ``length`` tokens of the pair
    ``at`` also begin the inputs ``sharing``, so they become tokens that all these outputs hold.
    """

    data: "Data"
    because: Literal["longer-output", "conflicting-targets", "prefix"]
    at: tuple[int, ...]
    length: int = 0
    sharing: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"Infeasible: {self.because} at {self.at}, of {self.data!r}"
