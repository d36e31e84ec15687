"""The four phases, one operation a block, with attention that collapses.

Separation by leaders; leaders other than the rightmost token of a sequence go to points of the unit
circle with negative coordinates; attention with ``A = I`` and no residual takes every token to the
token of greatest product, the rightmost one of its sequence or itself; then clusters go to targets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from attnproof.symbolic.interpolation.data import Data, Pair, Token
from attnproof.symbolic.interpolation.groups import Group, group, margin, widened
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Neuron, Vector, times
from attnproof.symbolic.interpolation.project import Projection, direction, project, unit
from attnproof.symbolic.interpolation.rationals import (
    common_denominator,
    scaled,
    simplest_between,
)
from attnproof.symbolic.interpolation.separate import Positions, Separated
from attnproof.symbolic.interpolation.sweep import sweep


@dataclass(frozen=True, slots=True)
class Cluster:
    """A point after the collapse, and where it goes; ``position`` is on the line, before it."""

    position: Fraction
    point: Token
    target: Token

    @property
    def moved(self) -> bool:
        """Is it placed on the circle?"""
        return self.point[1] != 0


def phases(
    data: Data, separated: Separated, *, robust: bool
) -> tuple[tuple[Block, ...], Fraction | None]:
    """The blocks after separation; with ``robust`` also the least margin of a plateau.

    Law: ``(M - N) + 1 + M`` blocks; robust ``(M - N) + 1 + ceil((1 + 2 M) / 4)``. Source: a
    reconstruction of the phases of Alcalde et al. 2025 from their description.
    """
    clusters = _clusters(data, separated.positions)
    placing = _placing(clusters, separated)
    fresh = separated.fresh if not placing else None
    points = [cluster.point for cluster in clusters]
    targets = [cluster.target for cluster in clusters]
    if robust:
        return _robust(clusters, (*placing, _collapse(len(points[0]), fresh, 1)))
    by = 1
    while {times(by, point) for point in points} & set(targets):
        by *= 2
    collapse = _collapse(len(points[0]), fresh, by)
    moves = _moves([times(by, point) for point in points], targets)
    return (*placing, collapse, *moves), None


def _clusters(data: Data, positions: Positions) -> list[Cluster]:
    """Leaders in order of sequences; of each the ``m - 1`` leftmost tokens go to the circle."""
    d, found = data.dimension, []
    steps = data.outputs - len(data.pairs) + 1
    number = 0
    for pair, sequence in zip(data.pairs, positions, strict=True):
        ordered, wanted = sorted(sequence), sorted(pair.output)
        for position, target in zip(ordered, wanted[:-1], strict=False):
            number += 1
            found.append(Cluster(position, _on_circle(Fraction(number, steps), d), target))
        last = (ordered[-1], *(Fraction(0),) * (d - 1))
        found.append(Cluster(ordered[-1], last, wanted[-1]))
    return found


def _on_circle(r: Fraction, d: int) -> Token:
    """The point of the unit circle with parameter r; for ``0 < r < 1`` both signs are minus."""
    whole = 1 + r * r
    return -(1 - r * r) / whole, -2 * r / whole, *(Fraction(0),) * (d - 2)


def _placing(clusters: Sequence[Cluster], separated: Separated) -> list[Block]:
    """A block for each leader that goes to the circle; no other token is near enough to move."""
    held = [Fraction(0), *sorted(t for sequence in separated.positions for t in sequence)]
    e1 = unit(len(clusters[0].point), 0)
    blocks: list[Block] = []
    for cluster in clusters:
        if not cluster.moved:
            continue
        position = cluster.position
        gap = _nearest(held, position) / 2
        fresh = None if blocks else separated.fresh
        blocks.append(
            _with_hat(fresh, e1, position, gap, times(position, e1), cluster.point, "leaders")
        )
    return blocks


def _nearest(points: Sequence[Fraction], point: Fraction) -> Fraction:
    """The distance to the nearest other of sorted points; 2 where there is none."""
    i = points.index(point)
    beside = [abs(points[j] - point) for j in (i - 1, i + 1) if 0 <= j < len(points)]
    return min(beside, default=Fraction(2))


def _with_hat(
    fresh: Neuron | None,
    read: Vector,
    centre: Fraction,
    gap: Fraction,
    start: Token,
    goal: Token,
    phase: str,
) -> Block:
    """A block that moves ``start`` to ``goal``, and nothing whose reading is ``gap`` from the
    centre."""
    half = simplest_between(gap / 2, gap)
    rise = tuple((b - a) / half for a, b in zip(start, goal, strict=True))
    bias = Fraction(0) if fresh is None else fresh.bias
    read = read if fresh is None else fresh.read
    neurons = tuple(
        Neuron(read, bias - knot, times(by, rise))
        for knot, by in ((centre - half, 1), (centre, -2), (centre + half, 1))
    )
    first = () if fresh is None else (fresh,)
    return Block(Fraction(fresh is None), (*first, *neurons), phase=phase)


def _collapse(d: int, fresh: Neuron | None, by: int) -> Block:
    head = Head(Matrix(Fraction(by)), Matrix(Fraction(1)))
    neurons = () if fresh is None else (fresh,)
    return Block(Fraction(fresh is None), neurons, Fraction(0), (head,), phase="collapse")


def _moves(points: Sequence[Token], targets: Sequence[Token]) -> list[Block]:
    """A block for each cluster, along a direction that tells clusters and targets apart."""
    u = _direction(sorted({*points, *targets}))
    held = sorted({_dot(u, point) for point in (*points, *targets)})
    blocks = []
    for point, target in zip(points, targets, strict=True):
        centre = _dot(u, point)
        gap = _nearest(held, centre) / 2
        blocks.append(_with_hat(None, u, centre, gap, point, target, "interpolation"))
    return blocks


def _robust(
    clusters: Sequence[Cluster], before: tuple[Block, ...]
) -> tuple[tuple[Block, ...], Fraction]:
    """The clusters projected to a line and swept from plateaus."""
    line = _line(clusters)
    positions = tuple((place[0],) for place in line.positions)
    groups: tuple[Group, ...] = group(positions, [[cluster.target] for cluster in clusters])
    plateaus = widened(groups, line.base)
    return (*before, *sweep(plateaus, line.base, line.identity())), margin(groups, plateaus)


def _line(clusters: Sequence[Cluster]) -> Projection:
    pairs = tuple(Pair((cluster.point,), (cluster.target,)) for cluster in clusters)
    return project(Data(pairs), stretch=False)


def _direction(points: Sequence[Token]) -> Vector:
    factor = common_denominator([number for point in points for number in point])
    whole = [tuple(scaled(number, factor) for number in point) for point in points]
    return tuple(map(Fraction, direction(whole)))


def _dot(u: Vector, token: Token) -> Fraction:
    return sum((a * b for a, b in zip(u, token, strict=True)), Fraction(0))
