"""Rational numbers: how they are read, written, and chosen with few bits between two bounds."""

import math
import re
from fractions import Fraction
from numbers import Rational

#: Digits of a number that are accepted.
MOST_DIGITS = 4000

_WRITTEN = re.compile(r"[+-]?\d+(/\d+|\.\d*)?|[+-]?\.\d+")


def read(value: object) -> Fraction:
    """The number that is meant, exactly: a float is the binary value that it holds.

    >>> read("1/3"), read("-0.1"), read(0.5), read(2)
    (Fraction(1, 3), Fraction(-1, 10), Fraction(1, 2), Fraction(2, 1))

    Raises OverflowError for an infinity or NaN, and ValueError for what is no number.
    """
    item = getattr(value, "item", None)
    value = value if item is None else item()
    if isinstance(value, bool):
        raise ValueError("a Boolean")
    if isinstance(value, int | Rational):
        return Fraction(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise OverflowError(str(value))
        return Fraction(value)
    if isinstance(value, str):
        return _from_text(value.strip())
    raise ValueError(f"{type(value).__name__}")


def _from_text(text: str) -> Fraction:
    if text.lstrip("+-").lower() in ("nan", "inf", "infinity"):
        raise OverflowError(text)
    if not _WRITTEN.fullmatch(text) or len(text) > MOST_DIGITS:
        raise ValueError(repr(text[:40]))
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise OverflowError(text) from None


def bits(value: Fraction) -> int:
    """The length of the longer of numerator and denominator.

    >>> bits(Fraction(-5, 16))
    5
    """
    return max(abs(value.numerator).bit_length(), value.denominator.bit_length())


def power_of_two_at_least(value: Fraction) -> Fraction:
    """The least power of two, fractional or not, that is not below a positive value.

    >>> power_of_two_at_least(Fraction(5)), power_of_two_at_least(Fraction(1, 3))
    (Fraction(8, 1), Fraction(1, 2))
    """
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - 1
    power = Fraction(2) ** exponent
    while power < value:
        power *= 2
    return power


def dyadic_between(low: Fraction, high: Fraction) -> Fraction:
    """The multiple of the largest power of two in ``[low, high]``; of several, the least.

    >>> dyadic_between(Fraction(1, 3), Fraction(2, 3)), dyadic_between(Fraction(5), Fraction(9))
    (Fraction(1, 2), Fraction(8, 1))
    """
    if low <= 0 <= high:
        return Fraction(0)
    step = power_of_two_at_least(high - low)
    while math.ceil(low / (2 * step)) * 2 * step <= high:
        step *= 2
    while math.ceil(low / step) * step > high:
        step /= 2
    return math.ceil(low / step) * step


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The rational of least denominator in ``[low, high]``, where ``0 < low < high``.

    >>> simplest_between(Fraction(3, 10), Fraction(7, 20))
    Fraction(1, 3)
    """
    whole = math.floor(low)
    if whole == low:
        return low
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest_between(1 / (high - whole), 1 / (low - whole))


def common_denominator(values: "list[Fraction]", most_bits: int = 1 << 10) -> int:
    """The least common denominator; 1 where it would have more than ``most_bits`` bits.

    >>> common_denominator([Fraction(1, 4), Fraction(1, 6)])
    12
    """
    found = 1
    for denominator in {value.denominator for value in values}:
        found = math.lcm(found, denominator)
        if found.bit_length() > most_bits:
            return 1
    return found


def scaled(value: Fraction, factor: int) -> "int | Fraction":
    """The product, as an integer where it is one; integers compare much faster."""
    product = value * factor
    return product.numerator if product.denominator == 1 else product
