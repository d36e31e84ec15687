"""Separation by softmax at one given temperature, in one block.

A second coordinate 1 makes the score of token l equal to ``a t_l`` for every query, so that a
sequence reads ``f(s) = sum t e^(s t) / sum e^(s t)`` with ``s = a / tau``. Lemma: for two different
sets ``f`` agrees only at isolated ``s``.
"""

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

from attnproof.symbolic.interpolation.net import Block, Matrix, Neuron, times
from attnproof.symbolic.interpolation.project import Projection, unit
from attnproof.symbolic.interpolation.rationals import dyadic_between, power_of_two_at_least
from attnproof.symbolic.interpolation.separate import (
    Separated,
    factor,
    head_to_first,
    hull,
    least_gap,
    moved,
)

#: Sharpness in units of one over the range of the line.
_SHARPNESS = tuple(map(Fraction, ("1", "2", "3", "1/2", "5", "4/3", "7/4")))
_DIGITS = 60


def separate(line: Projection, tau: Fraction) -> Separated:
    """Move the sequences of a line to intervals that are disjoint at temperature ``tau``; d >= 2.

    Positions are given to within a small part of their least gap. Law: one block. Source: ours.
    """
    positions, d = line.positions, len(line.row)
    e1, e2 = unit(d, 0), unit(d, 1)
    sharpness, values, by = _told_apart(line)
    step = power_of_two_at_least(least_gap(positions) / by) / (1 << 13)
    centres = [dyadic_between(value, value + step) for value in values]
    neurons = (line.identity(), Neuron((Fraction(0),) * d, Fraction(1), e2))
    score = Matrix(Fraction(0), times(sharpness * tau, e1), e2)
    block = Block(Fraction(0), neurons, heads=(head_to_first(d, by, score),), phase="separation")
    fresh = Neuron(e1, Fraction(0), e1)
    return Separated((block,), moved(positions, centres, by), fresh)


def _told_apart(line: Projection) -> tuple[Fraction, list[Fraction], Fraction]:
    """A sharpness at which all means differ, the means, and the factor that moves sequences apart,
    so precisely that what it makes of the errors is small beside the least gap."""
    positions, gap = line.positions, least_gap(line.positions)
    size = max(map(max, positions)) * max(map(len, positions))
    for sharpness, digits in _attempts(line):
        values = [_mean(sequence, sharpness, digits) for sequence in positions]
        error = size / Fraction(10) ** (digits - 3)
        if min(b - a for a, b in pairwise(sorted(values))) <= error * (1 << 16):
            continue
        by = factor([hull(one) for one in positions], values, gap) + 1
        if by * error < gap / (1 << 12):
            return sharpness, values, by
    raise AssertionError


def _attempts(line: Projection) -> Iterator[tuple[Fraction, int]]:
    """Sharpness and digits, until all means are told apart."""
    low, high = min(map(min, line.positions)), max(map(max, line.positions))
    unit_of = 1 / max(high - low, Fraction(1))
    digits = _DIGITS
    while True:
        for multiple in _SHARPNESS:
            yield dyadic_between(multiple * unit_of, multiple * unit_of * Fraction(9, 8)), digits
        digits *= 2


def _mean(sequence: Sequence[Fraction], sharpness: Fraction, digits: int) -> Fraction:
    """``f(sharpness)``, the relative error less than the length of the sequence over
    ``10 ** (digits - 3)``."""
    context = Context(prec=digits, Emin=-(10**9), Emax=10**9)
    top = max(sequence)
    weights, total = Decimal(0), Decimal(0)
    for t in sequence:
        weight = context.exp(_decimal(sharpness * (t - top), context))
        weights = context.add(weights, weight)
        total = context.add(total, context.multiply(weight, _decimal(t, context)))
    return Fraction(context.divide(total, weights))


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))
