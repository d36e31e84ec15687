"""Projection of all tokens to a line: a direction on which distinct tokens stay distinct.

On the line tokens stand right of ``base``, and no output has its first coordinate right of it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, pairwise
from operator import mul

from attnproof.symbolic.interpolation.data import Data
from attnproof.symbolic.interpolation.net import Neuron, Vector
from attnproof.symbolic.interpolation.rationals import (
    common_denominator,
    power_of_two_at_least,
    scaled,
)

Number = int | Fraction
#: Directions that are compared, and sums of products that comparing them may take.
_COMPARED = 48
_SUMS = 1 << 22
#: Doublings of the coefficients before the powers of one integer are tried.
_DOUBLINGS = 40


@dataclass(frozen=True, slots=True)
class Projection:
    """Token ``x`` of a sequence stands at ``row . x + offset``; ``positions`` lists them."""

    row: Vector
    offset: Fraction
    base: Fraction
    positions: tuple[tuple[Fraction, ...], ...]

    def identity(self) -> Neuron:
        """The neuron that puts a token at its position, ``position * e1``."""
        return Neuron(self.row, self.offset, unit(len(self.row), 0))


def unit(dimension: int, axis: int) -> Vector:
    """A unit vector.

    >>> unit(2, 1)
    (Fraction(0, 1), Fraction(1, 1))
    """
    return tuple(Fraction(int(i == axis)) for i in range(dimension))


def project(data: Data, *, right_of: int | None = None, stretch: bool = True) -> Projection:
    """The tokens of all inputs on a line, at least 1 right of ``base``.

    ``base`` is the least integer that is not negative and that no output exceeds in its first
    coordinate, or ``right_of``; with ``stretch`` the tokens spread at least as wide.

    >>> from attnproof.symbolic.interpolation.data import read
    >>> project(read([([(1, 0), (3, 5)], [(2, 9)])])).positions
    ((Fraction(3, 1), Fraction(5, 1)),)
    """
    tokens = [token for pair in data.pairs for token in pair.input]
    factor = common_denominator([number for token in tokens for number in token])
    whole = {token: tuple(scaled(number, factor) for number in token) for token in set(tokens)}
    u = direction(sorted(whole.values()))
    place = {token: Fraction(_dot(u, one)) / factor for token, one in whole.items()}
    if right_of is None:
        firsts = (token[0] for pair in data.pairs for token in pair.output)
        right_of = max(0, math.ceil(max(firsts)))
    base = Fraction(right_of)
    low, high = min(place.values()), max(place.values())
    sigma = Fraction(1)
    if stretch and high > low:
        sigma = power_of_two_at_least(max(base, Fraction(1)) / (high - low))
    offset = Fraction(math.ceil(base + 1 - sigma * low))
    return Projection(
        tuple(sigma * one for one in u),
        offset,
        base,
        tuple(tuple(sigma * place[x] + offset for x in pair.input) for pair in data.pairs),
    )


def direction(tokens: Sequence[tuple[Number, ...]]) -> tuple[int, ...]:
    """Small integers ``u`` with ``u . x`` different for different tokens.

    Of the directions compared, the one with the greatest ratio of least gap to range.

    >>> direction([(0, 0), (0, 1), (2, 0)])
    (-1, -1)

    Law: one is always found; of the directions ``(1, s, s^2, ...)`` at most
    ``(d - 1) K (K - 1) / 2`` fail for ``K`` tokens. Source: ours.
    """
    d = len(tokens[0])
    compared = max(8, min(_COMPARED, _SUMS // (len(tokens) * d)))
    candidates = [tuple(int(i == axis) for i in range(d)) for axis in range(min(d, 16))]
    drawn = _drawn(d)
    candidates += [next(drawn) for _ in range(compared)]
    best = max(candidates, key=lambda u: _spread(u, tokens))
    if _spread(best, tokens) > 0:
        return best
    for _, u in zip(range(_DOUBLINGS), drawn, strict=False):
        if _spread(u, tokens) > 0:
            return u
    powers = (tuple(s**axis for axis in range(d)) for s in count(1))
    return next(u for u in powers if _spread(u, tokens) > 0)


def _drawn(d: int) -> Iterator[tuple[int, ...]]:
    """Vectors of integers from a linear congruential generator: small ones, then larger ones."""
    state = 12345

    def draw(bound: int) -> int:
        nonlocal state
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        return (state >> 16) % (2 * bound + 1) - bound

    for number in count():
        bound = 1 + number // 6 if number < _COMPARED else 16 << (number - _COMPARED)
        u = tuple(draw(bound) for _ in range(d))
        if any(u):
            yield u


def _spread(u: Sequence[int], tokens: Sequence[tuple[Number, ...]]) -> Fraction:
    """The least gap between two images over their range; 0 where two coincide."""
    images = [_dot(u, token) for token in tokens]
    if len(set(images)) < len(images):
        return Fraction(0)
    images.sort()
    if len(images) == 1:
        return Fraction(1)
    return Fraction(min(b - a for a, b in pairwise(images))) / Fraction(images[-1] - images[0])


def _dot(u: Sequence[int], token: Sequence[Number]) -> Number:
    total: Number = sum(map(mul, u, token))
    return total
