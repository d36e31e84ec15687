"""What floats make of a net that is exact over the rationals: a measured error, and its cause.

The error is the Hausdorff distance in the maximum norm, computed exactly from the floats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import torch

from attnproof.numeric.interpolant import Interpolant
from attnproof.symbolic.interpolation.data import Data, Token
from attnproof.symbolic.interpolation.spread import Spread


@dataclass(frozen=True, slots=True, repr=False)
class FloatReport:
    """``error`` is the greatest distance of an output to its target over all pairs, infinite where
    a number is not finite; ``spread`` holds T_max and the gap, ``most`` the ratio of these that the
    format can hold: a quarter of 2 to the number of its bits."""

    format: str
    error: float
    spread: Spread
    most: int

    @property
    def fits(self) -> bool:
        """Is ``T_max / gap`` below what the format can hold?"""
        return self.spread.ratio < self.most

    def __repr__(self) -> str:
        ratio = float(self.spread.ratio)
        state = "below" if self.fits else "not below"
        return (
            f"FloatReport: {self.format}, error {self.error:.3g}; T_max / gap = {ratio:.3g}, "
            f"{state} {self.most:.3g}"
        )


def report(model: Interpolant, data: Data, spread: Spread) -> FloatReport:
    """The module on every input of the data, whose outputs are what is wanted of it.

    >>> from attnproof.symbolic.interpolation.build import build
    >>> from attnproof.symbolic.interpolation.data import read
    >>> from attnproof.symbolic.interpolation.spread import spread
    >>> made = build(read([([(0,), (4,)], [(1,), (2,)])]), stable=True, moves=1)
    >>> report(Interpolant(made.net), made.data, spread(made.net, made.data, made.margin))
    FloatReport: float64, error 0; T_max / gap = 20, below 2.25e+15

    Measured, and no proof of anything.
    """
    error = 0.0
    for pair in data.pairs:
        tokens = [[float(x) for x in token] for token in pair.input]
        with torch.no_grad():
            outputs = model(torch.tensor(tokens, dtype=torch.float64)).double().tolist()
        error = max(error, _distance(outputs, pair.output))
    name = str(model.dtype).removeprefix("torch.")
    return FloatReport(name, error, spread, most(model.dtype))


def most(dtype: torch.dtype) -> int:
    """The ratio of the greatest position to the least distance that a format can hold.

    >>> most(torch.float32) == 2**22
    True
    """
    return int(0.5 / torch.finfo(dtype).eps)


def _distance(outputs: Sequence[Sequence[float]], wanted: Sequence[Token]) -> float:
    if not all(isfinite(x) for token in outputs for x in token):
        return float("inf")
    found = {tuple(map(Fraction, token)) for token in outputs}

    def apart(a: Token, b: Token) -> Fraction:
        return max(abs(x - y) for x, y in zip(a, b, strict=True))

    near = [min(apart(a, b) for b in wanted) for a in found]
    return float(max(*near, *(min(apart(a, b) for a in found) for b in wanted)))
