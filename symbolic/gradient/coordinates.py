"""Coordinates in which a circuit moves without gain: dx = dv/g(v) for its scalar v.

g is 1 for one matrix, |v| for a balanced product and √(q² + v²) for an unbalanced one, so x is v,
±log|v| or asinh(v/q). The gain of the circuit is a constant, ``factor``, times g. As a function of
x, F = ∫ (1 + κ eᵛ) dx, which stands in the first integral, is increasing and convex.
"""

from dataclasses import dataclass
from functools import cached_property
from math import asinh, hypot, log, sinh
from typing import TYPE_CHECKING, Protocol

from attnproof.symbolic.gradient.special import entire, gauss

if TYPE_CHECKING:
    from attnproof.symbolic.gradient.special import Array

#: The exponential of more than this is not finite.
_CEILING = 709.0


class Coordinate(Protocol):
    """A coordinate x of a scalar v; arrays in, arrays out."""

    @property
    def factor(self) -> float:
        """The gain of the circuit is this times g."""
        ...

    def of(self, value: float) -> float:
        """x of v."""
        ...

    def value(self, x: "Array") -> "Array":
        """v of x."""
        ...

    def gain(self, value: "Array") -> "Array":
        """g(v) = dv/dx."""
        ...

    def energy(self, value: "Array", start: float) -> "Array":
        """∫ v dx from a start to v."""
        ...

    def total(self, x: "Array", kappa: float) -> "Array":
        """F(x) = ∫ (1 + κ eᵛ) dx, from a fixed point."""
        ...

    def above(self, total: "Array", kappa: float) -> "Array":
        """Some x whose F is at least ``total``, and near it."""
        ...


@dataclass(frozen=True)
class Straight:
    """x = v: one matrix."""

    factor: float = 1.0

    def of(self, value: float) -> float:
        return value

    def value(self, x: "Array") -> "Array":
        return x

    def gain(self, value: "Array") -> "Array":
        import numpy as np

        return np.ones_like(value)

    def energy(self, value: "Array", start: float) -> "Array":
        return (value - start) * (value + start) / 2

    def total(self, x: "Array", kappa: float) -> "Array":
        import numpy as np

        return x + kappa * np.exp(x)

    def above(self, total: "Array", kappa: float) -> "Array":
        import numpy as np

        shifted = total + log(kappa)
        return np.minimum(shifted, np.log(np.maximum(shifted, 1))) - log(kappa)


@dataclass(frozen=True)
class Logarithmic:
    """x = ±log|v|, for v of the sign ``side``: a balanced product, which never changes sign."""

    factor: float
    side: int

    def of(self, value: float) -> float:
        return self.side * log(abs(value))

    def value(self, x: "Array") -> "Array":
        import numpy as np

        return self.side * np.exp(self.side * x)

    def gain(self, value: "Array") -> "Array":
        return abs(value)

    def energy(self, value: "Array", start: float) -> "Array":
        return abs(value) - abs(start)

    def total(self, x: "Array", kappa: float) -> "Array":
        return (1 + kappa) * x + self.side * kappa * entire(self.value(x))

    def above(self, total: "Array", kappa: float) -> "Array":
        import numpy as np

        linear = total / (1 + kappa)
        if self.side < 0:
            return linear
        ceiling = np.log(np.maximum(_ceiling(total / kappa, 0.0), 1))
        return np.minimum(linear, ceiling)


class Hyperbolic:
    """x = asinh(v/q) with ``width`` q: an unbalanced product."""

    def __init__(self, factor: float, width: float) -> None:
        self.factor, self.width = factor, width

    def of(self, value: float) -> float:
        return asinh(value / self.width)

    def value(self, x: "Array") -> "Array":
        import numpy as np

        return self.width * np.sinh(x)

    def gain(self, value: "Array") -> "Array":
        import numpy as np

        return np.hypot(self.width, value)

    def energy(self, value: "Array", start: float) -> "Array":
        import numpy as np

        both = np.hypot(self.width, value) + hypot(self.width, start)
        return (value - start) * ((value + start) / both)

    def total(self, x: "Array", kappa: float) -> "Array":
        import numpy as np

        edges, sums = self._table
        last = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 1)
        return x + kappa * (sums[last] + self._exponential(edges[last], x))

    def above(self, total: "Array", kappa: float) -> "Array":
        import numpy as np

        highest = _ceiling(np.maximum(total, 0) / kappa, self.width)
        return np.minimum(total / (1 + kappa), np.arcsinh(highest / self.width))

    @cached_property
    def _table(self) -> "tuple[Array, Array]":
        """Points x, and ∫ eᵛ dx from 0 to each."""
        import numpy as np

        up = [0.0]
        while (value := self.width * sinh(up[-1])) < _CEILING:
            up.append(min(up[-1] + 1, asinh((value + 10) / self.width)))
        zero, edges = np.zeros(1), np.array(up)
        above = np.cumsum(self._exponential(edges[:-1], edges[1:]))
        below = np.cumsum(self._exponential(-edges[:-1], -edges[1:]))
        sums = np.concatenate([below[::-1], zero, above])
        return np.concatenate([-edges[:0:-1], edges]), sums

    def _exponential(self, low: "Array", high: "Array") -> "Array":
        """∫ eᵛ dx between points that a Gauss rule serves."""
        import numpy as np

        nodes, weights = gauss(24)
        width = high - low
        with np.errstate(over="ignore"):
            inner = np.exp(self.value(low[:, None] + width[:, None] * nodes))
        return width * (inner @ weights)


def coordinate(start: float, width: float | None, factor: float) -> Coordinate | None:
    """The coordinate of a circuit from its start; None where it can never move.

    ``width`` is None for one matrix, 0 for a balanced product, which rests at 0.
    """
    if width is None:
        return Straight()
    if width:
        return Hyperbolic(factor, width)
    return Logarithmic(factor, 1 if start > 0 else -1) if start else None


def _ceiling(exponential: "Array", width: float) -> "Array":
    """A point v above 0 with (eᵛ - 1)/(q + v) at least the given number, and near the least one."""
    import numpy as np

    size = np.log1p(np.maximum(exponential, 0))
    return size + np.log(2 * (size + 1 + width))
