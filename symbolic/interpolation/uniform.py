"""Separation by means: bends of the line make the means of all sequences differ.

All scores are 0, so that hardmax and softmax at every temperature read the plain mean. For a finite
set S let ``h_S(b)`` be the mean of ``relu(t - b)``. Lemma: two different sets have different means,
or ``h`` differs at a point of one of them.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, count, pairwise
from math import lcm

from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Neuron, times
from attnproof.symbolic.interpolation.project import Number, Projection, unit
from attnproof.symbolic.interpolation.rationals import common_denominator, scaled
from attnproof.symbolic.interpolation.separate import (
    Positions,
    Separated,
    factor,
    hull,
    least_gap,
    moved,
)

#: Bends that are compared at each step, and twice the slopes they may add.
_COMPARED = 40
_DOUBLED_SLOPES = (1, 2, 4, 6)
#: How much better a bend must spread the means to be worth a neuron that is left over.
_BETTER = 4
_MOST_BITS = 1 << 10


def separate(line: Projection) -> Separated:
    """Move the sequences of a line to disjoint intervals.

    Law: at most ``max(1, ceil(N / 4))`` blocks, since each bend but those of a last block that is
    not full makes more means differ. Source: ours.
    """
    positions, fresh = line.positions, line.identity()
    d = len(line.row)
    e1 = unit(d, 0)
    blocks: list[Block] = []
    while True:
        bends = _bends(positions, 4 if blocks else 3)
        row, offset = (e1, Fraction(0)) if blocks else (fresh.read, fresh.bias)
        neurons = [Neuron(row, offset - knot, times(slope, e1)) for knot, slope in bends]
        positions = tuple(tuple(_bent(t, bends) for t in sequence) for sequence in positions)
        means = [sum(sequence) / Fraction(len(sequence)) for sequence in positions]
        apart = len(set(means)) == len(means)
        heads: tuple[Head, ...] = ()
        if apart:
            by = factor([hull(one) for one in positions], means, least_gap(positions))
            positions = moved(positions, means, by)
            heads = (Head(Matrix(by), Matrix(Fraction(0))),)
        eta, first = (Fraction(1), []) if blocks else (Fraction(0), [fresh])
        blocks.append(Block(eta, (*first, *neurons), heads=heads, phase="separation"))
        if apart:
            return Separated(tuple(blocks), positions, None)


def _bent(t: Fraction, bends: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    return t + sum((slope * (t - knot) for knot, slope in bends if t > knot), Fraction(0))


def _bends(positions: Positions, most: int) -> list[tuple[Fraction, Fraction]]:
    """Up to ``most`` knots with the slopes that are added right of them."""
    sums = _Sums.of(positions)
    found: list[tuple[Fraction, Fraction]] = []
    means, slopes = sums.means(), 0
    while len(found) < most:
        classes = len(set(means))
        apart = classes == len(means)
        chosen = _best(sums, means, slopes)
        if chosen is None and not apart:
            chosen = _generic(sums, means)
        if chosen is None:
            break
        if apart and chosen.spread < _BETTER * sums.spread(means, slopes):
            break
        found.append((Fraction(chosen.knot) / sums.factor, Fraction(chosen.doubled, 2)))
        means, slopes = chosen.means, slopes + chosen.doubled
    return found


@dataclass(frozen=True, slots=True)
class _Bend:
    knot: Number
    doubled: int
    means: list[Number]
    spread: Fraction


def _best(sums: "_Sums", means: list[Number], slopes: int) -> _Bend | None:
    """The bend after which most means differ; where all do, the one that spreads them most."""
    classes = len(set(means))
    apart = classes == len(means)
    best: _Bend | None = None
    most = classes
    for knot in _sampled(sums.points(_unresolved(means))):
        above = sums.above(knot)
        for doubled in _DOUBLED_SLOPES:
            bent = [mean + doubled * one for mean, one in zip(means, above, strict=True)]
            differ = len(set(bent))
            if differ < most or (differ == classes and not apart):
                continue
            spread = Fraction(0)
            if differ == len(means):
                spread = sums.spread(bent, slopes + doubled)
            if best is None or (differ, spread) > (most, best.spread):
                best, most = _Bend(knot, doubled, bent, spread), differ
    return best


def _generic(sums: "_Sums", means: list[Number]) -> _Bend:
    """A bend that makes more means differ. By the lemma a point of two sequences with one mean does
    so with all but finitely many slopes, since two sequences merge under one slope at most."""
    knots = sums.points(_unresolved(means)[:2])
    for doubled in count(1):
        for knot in knots:
            above = sums.above(knot)
            bent = [mean + doubled * one for mean, one in zip(means, above, strict=True)]
            if len(set(bent)) > len(set(means)):
                return _Bend(knot, doubled, bent, Fraction(0))
    raise AssertionError


def _unresolved(means: Sequence[Number]) -> list[int]:
    """Sequences that share their mean with another one, mean by mean; all where none does."""
    held: dict[Number, list[int]] = {}
    for j, mean in enumerate(means):
        held.setdefault(mean, []).append(j)
    shared = [j for several in held.values() if len(several) > 1 for j in several]
    return shared or list(range(len(means)))


def _sampled(points: Sequence[Number]) -> Iterator[Number]:
    """All points, or evenly many of them; the last one bends nothing."""
    if len(points) <= _COMPARED:
        yield from points[:-1]
    else:
        yield from (points[i * (len(points) - 1) // _COMPARED] for i in range(_COMPARED))


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sorted positions times ``factor``, with the sums of their tails; means are multiplied by
    twice ``factor`` and by the common multiple of all lengths, so that they are integers."""

    factor: int
    sorted: tuple[list[Number], ...]
    tails: tuple[list[Number], ...]
    shares: tuple[Number, ...]

    @staticmethod
    def of(positions: Positions) -> "_Sums":
        multiple = common_denominator([t for sequence in positions for t in sequence], _MOST_BITS)
        held = tuple(sorted(scaled(t, multiple) for t in sequence) for sequence in positions)
        tails = tuple(
            [0, *accumulate(reversed(one))][::-1]  # tails[i] is the sum from the i-th on
            for one in held
        )
        lengths = {len(one) for one in held}
        whole = lcm(*lengths)
        if whole.bit_length() > _MOST_BITS:
            return _Sums(multiple, held, tails, tuple(Fraction(1, len(one)) for one in held))
        return _Sums(multiple, held, tails, tuple(whole // len(one) for one in held))

    def means(self) -> list[Number]:
        """Twice the means."""
        return [2 * tail[0] * share for tail, share in zip(self.tails, self.shares, strict=True)]

    def above(self, knot: Number) -> list[Number]:
        """The means of ``relu(t - knot)``; half a unit of slope adds so much to twice the mean."""
        found = []
        for points, tail, share in zip(self.sorted, self.tails, self.shares, strict=True):
            start = bisect_right(points, knot)
            found.append((tail[start] - (len(points) - start) * knot) * share)
        return found

    def points(self, sequences: Sequence[int]) -> list[Number]:
        """The positions of some sequences, each once, in order."""
        return sorted({t for j in sequences for t in self.sorted[j]})

    def spread(self, means: list[Number], slopes: int) -> Fraction:
        """The least gap of two means over the range of the bent line, up to a constant."""
        ordered = sorted(means)
        low = min(points[0] for points in self.sorted)
        high = max(points[-1] for points in self.sorted)
        reach = Fraction(high * (2 + slopes)) / 2 - low
        return Fraction(min(b - a for a, b in pairwise(ordered))) / reach
