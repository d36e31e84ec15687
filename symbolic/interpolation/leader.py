"""Separation by leaders: hardmax reads the token of a sequence that is nearest to a point.

With ``s = b - |t - b|`` in the second coordinate and the score ``t_i s_l``, every token of a
sequence reads its token nearest to ``b``. Lemma: two different sets have different nearest tokens
for a point of one that is not in the other, and for all but finitely many points near it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, count, pairwise

from attnproof.symbolic.interpolation.net import Block, Matrix, Neuron, times
from attnproof.symbolic.interpolation.project import Number, Projection, unit
from attnproof.symbolic.interpolation.rationals import common_denominator, scaled
from attnproof.symbolic.interpolation.separate import (
    Positions,
    Query,
    Separated,
    class_factor,
    head_to_first,
    hull,
    moved,
)

#: Points that are compared for each query.
_COMPARED = 40
#: Points beside them, in parts of the gap to the next position.
_PART = 8
_SHARES: tuple[int, ...] = (0, 2, -2, 3, -3)
_SURE: tuple[int, ...] = (0, 1, -1)
_FIRST_PART = 5


def separate(line: Projection) -> Separated:
    """Move the sequences of a line to disjoint intervals, a block each query; ``d >= 2``.

    Law: at most ``N - 1`` queries, since each makes more sequences differ. Source: ours.
    """
    positions, fresh = line.positions, line.identity()
    d = len(line.row)
    e1, e2 = unit(d, 0), unit(d, 1)
    classes = [0] * len(positions)
    blocks, queries = [], []
    while len(set(classes)) < len(classes):
        point, leads = _query(positions, classes)
        numbers: dict[tuple[int, Fraction], int] = {}
        classes = [
            numbers.setdefault(pair, len(numbers)) for pair in zip(classes, leads, strict=True)
        ]
        by = class_factor(positions, classes, leads)
        clear = (_lead(sorted(one), point)[1] for one in positions)
        lead = Fraction(min((one for one in clear if one is not None), default=0))
        spans = [high - low for low, high in map(hull, positions)]
        queries.append(Query(by, lead, min(map(min, positions)), max(spans)))
        both = tuple(a + b for a, b in zip(e1, e2, strict=True))
        neurons = (
            Neuron(fresh.read, fresh.bias, both),
            Neuron(fresh.read, fresh.bias - point, times(-2, e2)),
        )
        head = head_to_first(d, by, Matrix(Fraction(0), e2, e1))
        blocks.append(Block(Fraction(0), neurons, heads=(head,), phase="separation"))
        positions = moved(positions, leads, by)
        fresh = Neuron(e1, Fraction(0), e1)
    return Separated(tuple(blocks), positions, fresh, tuple(queries))


def _query(positions: Positions, classes: Sequence[int]) -> tuple[Fraction, list[Fraction]]:
    """A point and the token of each sequence that is nearest to it: the one of those compared that
    makes most sequences differ, then with the clearest leads."""
    multiple = common_denominator([t for sequence in positions for t in sequence])
    first, second = _two_alike(classes)
    for part in chain([0], count(_FIRST_PART)):
        scale = multiple * (part or _PART)
        ordered = [sorted(scaled(t, scale) for t in sequence) for sequence in positions]
        centres: Sequence[Number] = [min({*ordered[first]} ^ {*ordered[second]})]
        shares = _SURE  # one of the points beside it does, as only midpoints of two tokens tie
        if not part:
            open_points = {t for j in _unresolved(classes) for t in ordered[j]}
            centres, shares = _sampled(sorted(open_points)), _SHARES
        found = _clearest(ordered, classes, _points(ordered, centres, shares, part or _PART))
        if found is not None:
            point, leads = found
            return Fraction(point) / scale, [Fraction(t) / scale for t in leads]
    raise AssertionError


def _clearest(
    ordered: Sequence[Sequence[Number]], classes: Sequence[int], points: Iterator[Number]
) -> tuple[Number, list[Number]] | None:
    """The best of the points and its leads; None where none makes more sequences differ."""
    best: tuple[int, Number] = len(set(classes)), -1
    found: tuple[Number, list[Number]] | None = None
    for point in points:
        read = _leads(ordered, point)
        if read is None:
            continue
        leads, clear = read
        differ = len(set(zip(classes, leads, strict=True)))
        if differ < best[0] or (found is None and differ == best[0]):
            continue
        ranked = sorted(set(leads))
        gaps = [b - a for a, b in pairwise(ranked)]
        key = differ, min(gaps if clear is None else [clear, *gaps])
        if key > best:
            best, found = key, (point, leads)
    return found


def _points(
    ordered: Sequence[Sequence[Number]], centres: Sequence[Number], shares: Sequence[int], part: int
) -> Iterator[Number]:
    """The centres, and points beside them at ``share / part`` of the gap to the next position."""
    held = sorted({t for sequence in ordered for t in sequence})
    for centre in centres:
        i = bisect_left(held, centre)
        for share in shares:
            j = i + (share > 0) - (share < 0)
            if 0 <= j < len(held):
                step = abs(share) * (held[j] - centre)
                yield centre + (step // part if isinstance(step, int) else step / part)


def _leads(
    ordered: Sequence[Sequence[Number]], point: Number
) -> tuple[list[Number], Number | None] | None:
    """The nearest tokens and the least lead over the second nearest; None where two tie."""
    leads: list[Number] = []
    clear: Number | None = None
    for sequence in ordered:
        nearest, lead = _lead(sequence, point)
        if lead == 0:
            return None
        if lead is not None:
            clear = lead if clear is None else min(clear, lead)
        leads.append(nearest)
    return leads, clear


def _lead(sequence: Sequence[Number], point: Number) -> tuple[Number, Number | None]:
    """The nearest token of a sorted sequence, and its lead; None where it is the only one."""
    i = bisect_left(sequence, point)
    near: list[tuple[Number, Number]] = sorted(
        (t - point if t > point else point - t, t) for t in sequence[max(0, i - 2) : i + 2]
    )
    return near[0][1], near[1][0] - near[0][0] if len(near) > 1 else None


def _two_alike(classes: Sequence[int]) -> tuple[int, int]:
    first = _unresolved(classes)[0]
    return first, next(j for j in range(first + 1, len(classes)) if classes[j] == classes[first])


def _unresolved(classes: Sequence[int]) -> list[int]:
    """Sequences that are in one class with another one."""
    sizes = Counter(classes)
    return [j for j, number in enumerate(classes) if sizes[number] > 1]


def _sampled(points: Sequence[Number]) -> Sequence[Number]:
    if len(points) <= _COMPARED:
        return points
    return [points[i * (len(points) - 1) // (_COMPARED - 1)] for i in range(_COMPARED)]
