"""Separation by leaders with several heads, a query each.

One block holds the score ``s_h = b_h - |t - b_h|`` of head h in the coordinate ``h + 1``, counted
from 0, so that head h reads the token of the sequence that is nearest to ``b_h``, and adds ``K_h``
times its position. Lemma: as for one head, a point of one of two different sets tells them apart.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation.data import Data
from attnproof.symbolic.interpolation.errors import NeedsDimensionTwo
from attnproof.symbolic.interpolation.groups import group, margin, widened
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron, times
from attnproof.symbolic.interpolation.project import project, unit
from attnproof.symbolic.interpolation.separate import (
    Positions,
    class_factor,
    head_to_first,
    moved,
)
from attnproof.symbolic.interpolation.sweep import sweep
from attnproof.symbolic.words import counted

#: Points that are compared for each query.
_COMPARED = 40
_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True, repr=False)
class Multihead:
    """A net whose separation has several heads a block; ``queries`` are their points, by block."""

    data: Data
    net: Net
    queries: tuple[tuple[Fraction, ...], ...]
    bound: int
    margin: Fraction | None

    def __repr__(self) -> str:
        return f"Multihead: {counted(len(self.net.blocks), 'block')}, at most {self.bound}"


def build(data: Data, heads: int, *, robust: bool = False) -> Multihead:
    """A hardmax net with up to ``heads`` heads a block that maps every input to its output.

    ``robust`` gives every target a plateau. Width 4, and ``heads + 1`` in separation where that is
    more; a token needs ``heads + 1`` coordinates.

    >>> from attnproof.symbolic.interpolation.data import read
    >>> full = [(k, 0, 0) for k in (-1, 1, 9, 11, 19, 21)]
    >>> pairs = [([*full, (k, 0, 0)], [(k, 1, 2)]) for k in (0, 10, 20)]
    >>> [len(build(read(pairs), heads).queries) for heads in (1, 2)]
    [2, 1]

    Law: at most ``ceil((N - 1) / heads) + ceil((1 + M + C) / 4)`` blocks, robust with ``2 M`` for
    ``M + C``. Raises :class:`InputError` for no heads, and :class:`NeedsDimensionTwo` where tokens
    have too few coordinates. Source: ours.
    """
    if heads < 1:
        raise InputError(f"{heads} heads were asked for; give at least 1", heads=heads)
    if data.dimension < heads + 1:
        most = data.dimension - 1
        fewer = f"at most {counted(most, 'head')}" if most else "the mode uniform"
        raise NeedsDimensionTwo(
            f"{counted(heads, 'head needs', 'heads need')} {heads + 1} coordinates and "
            f"tokens have {data.dimension}; choose {fewer}, or append zeros to every token"
        )
    line = project(data)
    positions, fresh = line.positions, line.identity()
    classes: list[int] = [0] * len(positions)
    blocks: list[Block] = []
    asked = []
    while len(set(classes)) < len(classes):
        queries = _queries(positions, classes, heads)
        classes = queries.classes
        by = class_factor(positions, classes, queries.values)
        blocks.append(_block(fresh, queries, by))
        positions = moved(positions, queries.values, by)
        fresh = Neuron(unit(data.dimension, 0), _ZERO, unit(data.dimension, 0))
        asked.append(tuple(queries.points))
    groups = group(positions, [pair.output for pair in data.pairs])
    plateaus = widened(groups, line.base) if robust else groups
    least = margin(groups, plateaus) if robust else None
    blocks += sweep(plateaus, line.base, fresh)
    n, m, c = len(data.pairs), data.outputs, data.collapsing
    bound = -(-(n - 1) // heads) + -(-(1 + (2 * m if robust else m + c)) // 4)
    return Multihead(data, Net(data.dimension, tuple(blocks)), tuple(asked), bound, least)


@dataclass
class _Queries:
    """Points with the shares of their heads; sequences of one class have one ``value``, the sum of
    shares times leads, and other classes another."""

    classes: list[int]
    values: list[Fraction]
    points: list[Fraction]
    shares: list[int]


def _queries(positions: Positions, classes: Sequence[int], most: int) -> _Queries:
    """Up to ``most`` queries, each of which makes more sequences differ.

    Classes stand apart in the order of any leads of theirs, so that of the shares ``1, 2, ...`` of
    a query all but finitely many keep different classes at different values.
    """
    found = _Queries(list(classes), [_ZERO] * len(classes), [], [])
    ordered = [sorted(sequence) for sequence in positions]
    while len(found.points) < most and len(set(found.classes)) < len(classes):
        point, leads = _query(ordered, found.classes)
        found.classes = _numbered(list(zip(found.classes, leads, strict=True)))
        share, values = _share(found.values, leads, len(set(found.classes)))
        found.values = values
        found.points.append(point)
        found.shares.append(share)
    return found


def _share(
    values: Sequence[Fraction], leads: Sequence[Fraction], classes: int
) -> tuple[int, list[Fraction]]:
    """The least share of the leads with which as many values differ as classes."""
    return next(
        (share, sums)
        for share in count(1)
        if len(set(sums := [v + share * lead for v, lead in zip(values, leads, strict=True)]))
        == classes
    )


def _query(
    ordered: Sequence[Sequence[Fraction]], classes: Sequence[int]
) -> tuple[Fraction, list[Fraction]]:
    """A point and the nearest token of each sequence: the one of those compared that makes most
    sequences differ."""
    best: tuple[Fraction, list[Fraction]] | None = None
    most = len(set(classes))
    for point in islice(_points(ordered, classes), _COMPARED):
        leads = _leads(ordered, point)
        if leads is None:
            continue
        differ = len(set(zip(classes, leads, strict=True)))
        if differ > most:
            most, best = differ, (point, leads)
    if best is not None:
        return best
    return next(
        (point, leads)
        for point in _points(ordered, classes)
        if (leads := _leads(ordered, point)) is not None
        and len(set(zip(classes, leads, strict=True))) > len(set(classes))
    )


def _points(ordered: Sequence[Sequence[Fraction]], classes: Sequence[int]) -> Iterator[Fraction]:
    """Tokens that tell the first two sequences of a class from each other, then points ever nearer
    to them. Ties are at midpoints of tokens, which are finitely many."""
    own: set[Fraction] = set()
    for number in sorted(set(classes)):
        alike = [set(one) for one, k in zip(ordered, classes, strict=True) if k == number]
        for one in alike[1:]:
            own |= alike[0] ^ one
    centres = sorted(own)
    held = sorted({t for sequence in ordered for t in sequence})
    yield from centres
    for part in count(5):
        for centre in centres:
            i = bisect_left(held, centre)
            for j in (i - 1, i + 1):
                if 0 <= j < len(held):
                    yield centre + (held[j] - centre) / part


def _leads(ordered: Sequence[Sequence[Fraction]], point: Fraction) -> list[Fraction] | None:
    """The nearest token of each sequence; None where two tie."""
    leads = []
    for sequence in ordered:
        i = bisect_left(sequence, point)
        near = sorted((abs(t - point), t) for t in sequence[max(0, i - 1) : i + 1])
        if len(near) > 1 and near[0][0] == near[1][0]:
            return None
        leads.append(near[0][1])
    return leads


def _block(fresh: Neuron, queries: _Queries, by: Fraction) -> Block:
    d = len(fresh.write)
    e1 = unit(d, 0)
    scores = [unit(d, h + 1) for h in range(len(queries.points))]
    write = tuple(sum(column, _ZERO) for column in zip(e1, *scores, strict=True))
    neurons = [Neuron(fresh.read, fresh.bias, write)]
    heads: list[Head] = []
    for point, share, score in zip(queries.points, queries.shares, scores, strict=True):
        neurons.append(Neuron(fresh.read, fresh.bias - point, times(-2, score)))
        heads.append(head_to_first(d, by * share, Matrix(_ZERO, score, e1)))
    return Block(_ZERO, tuple(neurons), heads=tuple(heads), phase="separation")


def _numbered(keys: Sequence[tuple[int, Fraction]]) -> list[int]:
    numbers: dict[tuple[int, Fraction], int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
