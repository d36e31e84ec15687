"""The two kinds of numbers of a softmax: rationals, and enclosures of reals that are none.

Enclosures are balls of Arb where python-flint is installed, else :class:`Interval`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, Protocol

from attnproof.symbolic.interpolation.intervals import Interval

#: A rational or an enclosure; their sums, products and certain comparisons are written alike.
Number = Any


class Arithmetic(Protocol):
    """What a verifier needs besides ``+``, ``-``, ``*``, ``/`` and certain comparisons."""

    def working(self, bits: int) -> "Any":
        """A context in which enclosures have about this precision."""

    def exact(self, value: Fraction) -> Number:
        """A rational, exactly."""

    def rational(self, value: Number) -> Fraction | None:
        """The rational that an exact number is; None for an enclosure."""

    def is_exact(self, value: Number) -> bool:
        """Is it a rational?"""
        ...

    def exp(self, value: Number) -> Number:
        """The exponential, enclosed."""

    def from_zero(self, value: Number) -> Number:
        """An enclosure of all reals from 0 to the greatest member."""

    def middle(self, value: Number) -> Number:
        """A number to order by, near the members."""


class Rationals:
    """Fractions and intervals; nothing needs to be installed."""

    def __init__(self) -> None:
        self.bits = 0

    @contextmanager
    def working(self, bits: int) -> Iterator[None]:
        """Ends of intervals are multiples of ``2 ** -bits``."""
        before, self.bits = self.bits, bits
        try:
            yield
        finally:
            self.bits = before

    def exact(self, value: Fraction) -> Number:
        """The fraction itself."""
        return value

    def rational(self, value: Number) -> Fraction | None:
        """The fraction; None for an interval."""
        return None if isinstance(value, Interval) else Fraction(value)

    def is_exact(self, value: Number) -> bool:
        """Is it no interval?"""
        return not isinstance(value, Interval)

    def exp(self, value: Number) -> Number:
        """An interval."""
        return self._interval(value).exp()

    def from_zero(self, value: Number) -> Number:
        """An interval that begins at 0."""
        return Interval(0, max(0, self._interval(value).high), self.bits)

    def middle(self, value: Number) -> Number:
        """The sum of both ends."""
        one = self._interval(value)
        return one.low + one.high

    def _interval(self, value: Number) -> Interval:
        return value if isinstance(value, Interval) else Interval.around(value, self.bits)


class Flint:
    """``fmpq`` and ``arb`` of python-flint."""

    def __init__(self) -> None:
        import flint

        self._flint = flint

    @contextmanager
    def working(self, bits: int) -> Iterator[None]:
        """The precision of Arb."""
        with self._flint.ctx.workprec(bits):
            yield

    def exact(self, value: Fraction) -> Number:
        """An ``fmpq``."""
        return self._flint.fmpq(value.numerator, value.denominator)

    def rational(self, value: Number) -> Fraction | None:
        """The fraction of an ``fmpq``; None for a ball."""
        return Fraction(int(value.p), int(value.q)) if self.is_exact(value) else None

    def is_exact(self, value: Number) -> bool:
        """Is it an ``fmpq``?"""
        return isinstance(value, self._flint.fmpq)

    def exp(self, value: Number) -> Number:
        """A ball."""
        return self._flint.arb(value).exp()

    def from_zero(self, value: Number) -> Number:
        """A ball around half of the upper end."""
        return self._flint.arb(0).union(self._flint.arb(value).upper())

    def middle(self, value: Number) -> Number:
        """The centre of the ball."""
        return self._flint.arb(value).mid()


def arithmetic() -> Arithmetic:
    """Balls of Arb where python-flint is installed, else intervals."""
    try:
        return Flint()
    except ImportError:
        return Rationals()
