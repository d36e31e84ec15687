"""Intervals with ends on the grid ``2 ** -bits``, rounded outwards; exact numbers are rationals."""

from dataclasses import dataclass
from fractions import Fraction

Exact = int | Fraction
#: Bits that the exponential works with besides those that are kept.
_GUARD = 16


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Interval:
    """All reals from ``low * 2 ** -bits`` to ``high * 2 ** -bits``; a comparison holds of all.

    >>> third = Interval.around(Fraction(1, 3), 8)
    >>> third, third * 3 > 1, third * 3 < 2
    ([0.33203125, 0.3359375], False, True)
    """

    low: int
    high: int
    bits: int

    @staticmethod
    def around(value: Exact, bits: int) -> "Interval":
        """The least interval that holds a rational."""
        above, below = Fraction(value).numerator << bits, Fraction(value).denominator
        return Interval(above // below, -(-above // below), bits)

    def _of(self, value: "Interval | Exact") -> "Interval":
        return value if isinstance(value, Interval) else Interval.around(value, self.bits)

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low, self.bits)

    def __add__(self, other: "Interval | Exact") -> "Interval":
        one = self._of(other)
        return Interval(self.low + one.low, self.high + one.high, self.bits)

    __radd__ = __add__

    def __sub__(self, other: "Interval | Exact") -> "Interval":
        one = self._of(other)
        return Interval(self.low - one.high, self.high - one.low, self.bits)

    def __rsub__(self, other: Exact) -> "Interval":
        return self._of(other) - self

    def __mul__(self, other: "Interval | Exact") -> "Interval":
        if isinstance(other, Interval):
            ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
            return Interval(min(ends) >> self.bits, -(-max(ends) >> self.bits), self.bits)
        above, below = Fraction(other).numerator, Fraction(other).denominator
        first, last = sorted((self.low * above, self.high * above))
        return Interval(first // below, -(-last // below), self.bits)

    __rmul__ = __mul__

    def __truediv__(self, other: "Interval | Exact") -> "Interval":
        """The quotient by what is certainly positive."""
        one = self._of(other)
        if one.low <= 0:
            raise ZeroDivisionError
        low, high = self.low << self.bits, self.high << self.bits
        return Interval(
            low // (one.high if low > 0 else one.low),
            -(-high // (one.low if high > 0 else one.high)),
            self.bits,
        )

    def __gt__(self, other: "Interval | Exact") -> bool:
        return self.low > self._of(other).high

    def __lt__(self, other: "Interval | Exact") -> bool:
        return self.high < self._of(other).low

    def __le__(self, other: "Interval | Exact") -> bool:
        return self.high <= self._of(other).low

    def exp(self) -> "Interval":
        """The exponentials of all members; ZeroDivisionError where they are too large."""
        return Interval(_exp(self.low, self.bits)[0], _exp(self.high, self.bits)[1], self.bits)

    def __repr__(self) -> str:
        ends = (float(Fraction(end, 1 << self.bits)) for end in (self.low, self.high))
        return "[{}, {}]".format(*ends)


def _exp(x: int, bits: int) -> tuple[int, int]:
    """Bounds of ``exp(x 2^-bits) 2^bits``.

    A Taylor series after halvings, its remainder below twice its last term; then the reciprocal,
    which is squared back.
    """
    if x > 0:
        low, high = _exp(-x, bits)
        return (1 << 2 * bits) // high, -(-(1 << 2 * bits) // low)
    if -x * 10 > 7 * bits << bits:
        return 0, 1  # ln 2 < 7 / 10
    halvings = max(0, (-x).bit_length() - bits + 6)
    wide = bits + halvings + _GUARD
    y, one = -x << _GUARD, 1 << wide
    sums, terms, k = (one, one), (one, one), 0
    while terms[1] > 1:
        k += 1
        terms = (terms[0] * y >> wide) // k, -((-terms[1] * y >> wide) // k)
        sums = sums[0] + terms[0], sums[1] + terms[1]
    first, last = (one << wide) // (sums[1] + 2 * terms[1]), -(-(one << wide) // sums[0])
    for _ in range(halvings):
        first, last = first * first >> wide, -(-last * last >> wide)
    return first >> (wide - bits), -(-last >> (wide - bits))
