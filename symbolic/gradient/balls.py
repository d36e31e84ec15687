"""A real number between two rationals, by ball arithmetic.

Balls are those of Arb, through python-flint; every operation on them encloses the exact result.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import MissingExtra, ParameterError

if TYPE_CHECKING:
    from sympy import Expr, Symbol

#: Bits of the results; the work is done with more.
BITS = 128
GUARD = 32

#: A ball of Arb, real or complex.
Ball = Any


@dataclass(frozen=True, slots=True, repr=False)
class Enclosure:
    """A real number x with ``lower <= x <= upper``.

    >>> third = Enclosure(Fraction(333, 1000), Fraction(334, 1000))
    >>> Fraction(1, 3) in third, third.width
    (True, Fraction(1, 1000))
    >>> third
    0.33350 ± 0.00050

    Comparisons are certain: ``a < b`` says that each number in ``a`` is less than each in ``b``.
    """

    lower: Fraction
    upper: Fraction

    @property
    def width(self) -> Fraction:
        """The difference of both ends."""
        return self.upper - self.lower

    def __contains__(self, value: int | float | Fraction) -> bool:
        return self.lower <= Fraction(value) <= self.upper

    def __lt__(self, other: "Enclosure | int | Fraction") -> bool:
        return self.upper < (other.lower if isinstance(other, Enclosure) else other)

    def __gt__(self, other: "Enclosure | int | Fraction") -> bool:
        return self.lower > (other.upper if isinstance(other, Enclosure) else other)

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)

    def __str__(self) -> str:
        return _decimal(self.lower, self.upper)

    __repr__ = __str__


def _decimal(lower: Fraction, upper: Fraction) -> str:
    from decimal import Decimal

    radius = (upper - lower) / 2
    if radius == 0:
        return str(lower)
    places = 1 - _exponent(radius)
    unit = Fraction(10) ** places
    middle = round((lower + upper) / 2 * unit)
    outward = max(upper * unit - middle, middle - lower * unit)
    around = -(-outward.numerator // outward.denominator)
    sign, digits, _ = Decimal(middle).as_tuple()
    return f"{Decimal((sign, digits, -places))} ± {Decimal(around).scaleb(-places)}"


def _exponent(value: Fraction) -> int:
    """The greatest n with 10^n <= value, or one less."""
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    found = (bits - 1) * 30103 // 100000
    while Fraction(10) ** (found + 1) <= value:
        found += 1
    return found


@contextmanager
def working(what: str, bits: int) -> Iterator[Any]:
    """The module ``flint`` with results to about ``bits`` bits.

    Raises :class:`MissingExtra` where python-flint is not installed.
    """
    try:
        import flint
    except ImportError:
        raise MissingExtra(what, "exact") from None
    if bits < 16:
        raise ParameterError(f"bits is {bits}; give 16 or more", bits=bits)
    with flint.ctx.workprec(bits + GUARD):
        yield flint


def available() -> bool:
    """Is python-flint installed?"""
    from importlib.util import find_spec

    return find_spec("flint") is not None


def ball(name: str, value: "Expr", known: "Mapping[Symbol, Ball] | None" = None) -> Ball:
    """A number of SymPy as a ball; call it within :func:`working`.

    Rationals, π, sums, products, powers, exponentials and logarithms are known, and the symbols
    that ``known`` gives a ball to.

    Raises :class:`ParameterError` for other symbols and functions.
    """
    import flint
    import sympy

    known = known or {}
    if free := value.free_symbols - set(known):
        symbols = ", ".join(sorted(map(str, free)))
        raise ParameterError(
            f"{name} is {value}; enclosures need a number, so give a value to {symbols}",
            **{name: value},
        )
    if value in known:
        return known[value]
    if isinstance(value, sympy.Rational):
        return flint.arb(flint.fmpq(int(value.p), int(value.q)))
    parts = [ball(name, part, known) for part in value.args]
    if value is sympy.pi:
        return flint.arb.pi()
    if value is sympy.E:
        return flint.arb.const_e()
    if isinstance(value, sympy.Add):
        return sum(parts[1:], parts[0])
    if isinstance(value, sympy.Mul):
        return reduce(mul, parts)
    if isinstance(value, sympy.exp):
        return parts[0].exp()
    if isinstance(value, sympy.Pow):
        exponent = value.args[1]
        if exponent == sympy.Rational(1, 2):
            return parts[0].sqrt()
        return parts[0] ** (int(exponent) if isinstance(exponent, sympy.Integer) else parts[1])
    if isinstance(value, sympy.log):
        return parts[0].log()
    raise ParameterError(
        f"{name} is {value}; give a number made of rationals, roots, exp and log", **{name: value}
    )


def enclosure(value: Ball) -> Enclosure:
    """Both ends of a real ball, as rationals."""
    return Enclosure(rational(value.lower()), rational(value.upper()))


def rational(value: Ball) -> Fraction:
    """The rational that an exact real ball is."""
    mantissa, exponent = (int(part) for part in value.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def spanned(value: Enclosure) -> Ball:
    """A ball around an enclosure; call it within :func:`working`."""
    import flint

    low, high = (
        flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in (value.lower, value.upper)
    )
    return low.union(high)
