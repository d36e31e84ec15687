"""Which constants mask a score: the arithmetic of masks under a bound on scores.

Let every score, and every other value that meets a mask, be finite and at most B in absolute value.
A constant c with ``c <= -(2 B + 1100)`` masks: ``exp(c + s - max)`` is 0 in every format, also to
base 2. A constant c with ``|c| > 4 B / eps`` absorbs: ``c + s == c``, as s is less than half the
spacing of floats at c. Under ``strict_inf`` only infinities do either, whatever B is.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from attnproof.numeric.probe.bits import any_of, everything
from attnproof.numeric.probe.relation import EmptySoftmax
from attnproof.numeric.probe.store import Kind, Value

#: exp2 of less than this is 0 also in float64, where exp is 0 from -746 on.
UNDERFLOW = 1100.0


@dataclass(slots=True)
class Masking:
    """The bound, and the weakest constant relied on so far."""

    bound: float = 4000.0
    strict_inf: bool = False
    weakest: float = field(default=float("inf"), init=False)
    #: Of the operator at hand: rows that are masked wholly, and the positions of the data that may
    #: mask a row wholly, None if there is no such row.
    rows: Counter[EmptySoftmax] = field(default_factory=Counter, init=False)
    unsure: int | None = field(default=None, init=False)

    @property
    def threshold(self) -> float:
        """The absolute value from which a negative constant masks."""
        return float("inf") if self.strict_inf else 2 * self.bound + UNDERFLOW

    def masked(self, x: Value) -> Tensor:
        """Where an element is masked for all weights and inputs."""
        if not x.value.is_floating_point():
            return torch.zeros(x.kinds.shape, dtype=torch.bool)
        return x.constant & (x.value <= -self.threshold) | (x.kinds == Kind.MASKED)

    def huge(self, x: Value) -> Tensor:
        """Where an element is a constant that masks if it is subtracted."""
        if not x.value.is_floating_point():
            return torch.zeros(x.kinds.shape, dtype=torch.bool)
        return x.constant & (x.value >= self.threshold)

    def suspect(self, x: Value) -> Tensor:
        """Where an element is masked, may be, or is a constant that makes masks."""
        return self.masked(x) | self.huge(x) | (x.kinds == Kind.DOUBTFUL)

    def absorbing(self, x: Value, other: Value, result: Tensor) -> Tensor:
        """Where ``x`` is a constant c with ``c + s == c`` for the other value s.

        Infinity absorbs all values; a finite constant absorbs none that may be a mask itself.
        """
        if not x.value.is_floating_point() or not result.is_floating_point():
            return torch.zeros(x.kinds.shape, dtype=torch.bool)
        infinite = x.constant & torch.isinf(x.value)
        if self.strict_inf:
            return infinite
        least = 4 * self.bound / torch.finfo(result.dtype).eps
        return infinite | x.constant & (x.value.abs() > least) & ~self.suspect(other)

    def rely(self, x: Value, where: Tensor) -> None:
        """Record the finite constants that mask at some elements."""
        used = where & x.constant | torch.zeros_like(x.value, dtype=torch.bool)
        if bool(used.any()):
            least = x.value.expand(used.shape)[used].double().abs().min()
            self.weakest = min(self.weakest, float(least))

    def beaten(self, x: Value, axes: Iterable[int]) -> Tensor:
        """Where an element is masked and another along the axes is not: it adds 0 to a softmax.

        If each of the others is doubtful, data may mask them all, and the row is none of these;
        the positions it would depend on are kept in ``unsure``.
        """
        axes = list(axes)
        masked, infinite = self.masked(x), x.constant & (x.value == float("-inf"))
        finite = masked & ~infinite & any_of(~masked, axes)
        sure = any_of(~masked & (x.kinds != Kind.DOUBTFUL), axes)
        rows = any_of(finite, axes) & ~sure
        if bool(rows.any()):
            self.unsure = (self.unsure or 0) | everything(torch.where(rows, x.sets, 0))
        dropped = finite | infinite & any_of(~infinite, axes)
        self.rely(x, dropped)
        return dropped

    def joined(self, *values: Value) -> tuple[Tensor, Tensor]:
        """Sets and kinds of an elementwise function that may use every argument.

        What is made of a mask by unknown arithmetic is doubtful.
        """
        first, *others = values
        sets, constant, suspect = first.sets, first.constant, self.suspect(first)
        for each in others:
            sets, constant = sets | each.sets, constant & each.constant
            suspect = suspect | self.suspect(each)
        kinds = torch.where(suspect, Kind.DOUBTFUL, Kind.UNKNOWN)
        return sets, torch.where(constant, Kind.CONSTANT, kinds).to(torch.uint8)
