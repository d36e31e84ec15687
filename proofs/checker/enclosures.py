"""Real numbers between two multiples of ``2 ** -bits``; every operation rounds outwards."""

from dataclasses import dataclass
from fractions import Fraction

from .envelope import Invalid

Exact = Fraction


@dataclass(frozen=True)
class Enclosure:
    """All reals from ``low`` to ``high``, in units of ``2 ** -bits``."""

    low: int
    high: int
    bits: int

    def plus(self, other: "Enclosure") -> "Enclosure":
        """The sums."""
        return Enclosure(self.low + other.low, self.high + other.high, self.bits)

    def minus(self, other: "Enclosure") -> "Enclosure":
        """The differences."""
        return Enclosure(self.low - other.high, self.high - other.low, self.bits)

    def scaled(self, factor: Fraction) -> "Enclosure":
        """The products with a rational."""
        ends = sorted((self.low * factor.numerator, self.high * factor.numerator))
        below = factor.denominator
        return Enclosure(ends[0] // below, -(-ends[1] // below), self.bits)

    def times(self, other: "Enclosure") -> "Enclosure":
        """The products."""
        ends = [x * y for x in (self.low, self.high) for y in (other.low, other.high)]
        return Enclosure(min(ends) >> self.bits, -(-max(ends) >> self.bits), self.bits)

    def over(self, other: "Enclosure") -> "Enclosure":
        """Quotients of what is not negative by what is positive."""
        if other.low <= 0 or self.low < 0:
            raise Invalid("a mean is not enclosed")
        low = (self.low << self.bits) // other.high
        return Enclosure(low, -(-(self.high << self.bits) // other.low), self.bits)

    def exponential(self) -> "Enclosure":
        """The exponentials; Invalid where they may be large."""
        low, high = _exponential(self.low, self.bits)[0], _exponential(self.high, self.bits)[1]
        return Enclosure(low, high, self.bits)


def enclose(value: Fraction, bits: int) -> Enclosure:
    """A rational between two neighbours of the grid."""
    above = value.numerator << bits
    return Enclosure(above // value.denominator, -(-above // value.denominator), bits)


def _exponential(x: int, bits: int) -> tuple[int, int]:
    """Bounds of ``exp(x / 2^bits) 2^bits``.

    For ``0 <= r <= 1/2`` the partial sums of ``exp(-r)`` lie above and below it in turn. The
    argument is halved until it is one, and the bounds are squared as often.
    """
    if x > 0:
        low, high = _exponential(-x, bits)
        if low == 0:
            raise Invalid("an exponential is too large")
        return (1 << 2 * bits) // high, -(-(1 << 2 * bits) // low)
    if -x >= bits << bits:
        return 0, 1
    halvings = max(0, (-x).bit_length() - bits + 1)
    grid = bits + halvings + 8
    r, one = -x << 8, 1 << grid
    sums, term, k = [one, one], (one, one), 0
    while term[1] > 1:
        k += 1
        term = (term[0] * r >> grid) // k, -((-term[1] * r >> grid) // k)
        if k % 2:
            sums = [sums[0] - term[1], sums[1] - term[0]]
        else:
            sums = [sums[0] + term[0], sums[1] + term[1]]
    low, high = sums[0] - term[1], sums[1] + term[1]
    for _ in range(halvings):
        low, high = low * low >> grid, -(-high * high >> grid)
    return low >> (grid - bits), -(-high >> (grid - bits))
