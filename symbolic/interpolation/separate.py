"""Separation: a mean that tells sequences apart moves them to disjoint intervals of the line.

A token at ``t`` goes to ``t + K f``, where ``f`` is the value of its sequence.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Neuron, times
from attnproof.symbolic.interpolation.project import unit

Positions = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A hardmax query: the factor ``K``, the least lead of a nearest token over the second
    nearest, the least position and the greatest diameter of a sequence before it."""

    factor: Fraction
    lead: Fraction
    least: Fraction
    diameter: Fraction


@dataclass(frozen=True, slots=True)
class Separated:
    """Blocks after which sequences occupy disjoint intervals; ``fresh`` is the neuron that reads
    the position off, where other coordinates are in use, and None where none is."""

    blocks: tuple[Block, ...]
    positions: Positions
    fresh: Neuron | None
    queries: tuple[Query, ...] = ()


def factor(
    intervals: Sequence[tuple[Fraction, Fraction]], values: Sequence[Fraction], gap: Fraction
) -> Fraction:
    """The least integer ``K >= 0`` for which adding ``K * value`` moves intervals apart by ``gap``,
    in the order of their values.

    >>> factor([(Fraction(0), Fraction(3)), (Fraction(1), Fraction(2))], [Fraction(1), Fraction(2)],
    ...        Fraction(1))
    Fraction(3, 1)
    """
    order = sorted(range(len(values)), key=lambda j: values[j])
    needed = max(
        (
            (intervals[a][1] - intervals[b][0] + gap) / (values[b] - values[a])
            for a, b in pairwise(order)
        ),
        default=Fraction(0),
    )
    return Fraction(max(0, math.ceil(needed)))


def class_factor(
    positions: Positions, classes: Sequence[int], values: Sequence[Fraction]
) -> Fraction:
    """The factor for the hulls of classes; sequences of one class have one value."""
    hulls: dict[int, tuple[Fraction, Fraction]] = {}
    held = dict(zip(classes, values, strict=True))
    for number, sequence in zip(classes, positions, strict=True):
        low, high = hull(sequence)
        before = hulls.get(number, (low, high))
        hulls[number] = min(before[0], low), max(before[1], high)
    return factor(list(hulls.values()), list(held.values()), least_gap(positions))


def moved(positions: Positions, values: Sequence[Fraction], by: Fraction) -> Positions:
    """Every token of sequence j moved by ``by * values[j]``."""
    return tuple(
        tuple(t + by * value for t in sequence)
        for sequence, value in zip(positions, values, strict=True)
    )


def hull(sequence: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """The first and the last position."""
    return min(sequence), max(sequence)


def least_gap(positions: Positions) -> Fraction:
    """The least distance of two tokens of one sequence; 1 where every sequence has one token."""
    gaps = (b - a for sequence in positions for a, b in pairwise(sorted(sequence)))
    return min(gaps, default=Fraction(1))


def head_to_first(dimension: int, by: Fraction, score: Matrix) -> Head:
    """The head that adds ``by`` times the first coordinate of its mean to the first coordinate."""
    e1 = unit(dimension, 0)
    return Head(Matrix(Fraction(0), times(by, e1), e1), score)
