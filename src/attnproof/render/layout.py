"""A layered drawing of a Hasse diagram: rank upward, barycenter order, least-squares columns.

Convention: sources stand at the bottom (rank 0) and flow is drawn upward. Columns are measured in
characters, so that every output can scale them. The same diagram always gets the same drawing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from attnproof.render.crossings import order
from attnproof.render.diagram import Diagram
from attnproof.render.ranks import Edge, ranks

_GAP = 2.5
_PULLS = 40


@dataclass(frozen=True)
class Layout:
    """``x[i]``, ``rank[i]``: centre of node ``i``; ``routes[j]``: points ``(x, rank)`` of edge j.

    Edges are the covers of the diagram, then its links.
    """

    diagram: Diagram
    x: tuple[float, ...]
    rank: tuple[int, ...]
    routes: tuple[tuple[tuple[float, float], ...], ...]
    width: float
    height: int


def span(label: str) -> float:
    """How many columns a node takes.

    >>> span("12")
    4.0
    """
    return len(label) + 2.0


def layout(diagram: Diagram) -> Layout:
    """Place the nodes of a diagram.

    >>> v = Diagram(("0", "1", "2"), ((0, 2), (1, 2)), ((0,), (1,), (2,)))
    >>> layout(v).x, layout(v).rank
    ((1.5, 7.0, 4.25), (0, 0, 1))

    Laws: ranks grow along every edge; nodes of one rank do not overlap.
    """
    count = len(diagram.labels)
    edges = (*diagram.covers, *diagram.links)
    rank = list(ranks(count, edges))
    spans = [span(label) for label in diagram.labels]
    steps: list[Edge] = []
    trails: list[list[int]] = []
    for source, reader in edges:
        trail = [source]
        for r in range(rank[source] + 1, rank[reader]):
            trail.append(len(rank))
            rank.append(r)
            spans.append(0.0)
        trail.append(reader)
        trails.append(trail)
        steps += pairwise(trail)
    below: list[list[int]] = [[] for _ in rank]
    above: list[list[int]] = [[] for _ in rank]
    for a, b in steps:
        below[b].append(a)
        above[a].append(b)
    rows = order(rank, below, above)
    x = _columns(rows, spans, below, above, count)
    left = min((x[v] - spans[v] / 2 for v in range(len(rank))), default=0.0)
    x = [round(value - left, 3) for value in x]
    return Layout(
        diagram=diagram,
        x=tuple(x[:count]),
        rank=tuple(rank[:count]),
        routes=tuple(_straight([(x[v], float(rank[v])) for v in trail]) for trail in trails),
        width=max((x[v] + spans[v] / 2 for v in range(len(rank))), default=0.0),
        height=len(rows),
    )


def _columns(
    rows: Sequence[Sequence[int]],
    spans: Sequence[float],
    below: Sequence[Sequence[int]],
    above: Sequence[Sequence[int]],
    count: int,
) -> list[float]:
    """Pull every node to the median of its neighbours, keeping order and distance in its row."""
    x = [0.0] * len(spans)
    for row in rows:
        offsets = _offsets(row, spans)
        for v, offset in zip(row, offsets, strict=True):
            x[v] = offset - offsets[-1] / 2
    for pull in range(_PULLS):
        for row in rows if pull % 2 == 0 else reversed(rows):
            wanted, weights = [], []
            for v in row:
                beside = [*below[v], *above[v]]
                wanted.append(median(x[w] for w in beside) if beside else x[v])
                weights.append((8.0 if v >= count else 1.0) * len(beside) ** 3 or 0.1)
            for v, value in zip(row, _apart(wanted, weights, _offsets(row, spans)), strict=True):
                x[v] = value
    return x


def _offsets(row: Sequence[int], spans: Sequence[float]) -> list[float]:
    """The least distance of each node from the first of its row."""
    offsets = [0.0]
    for a, b in pairwise(row):
        offsets.append(offsets[-1] + (spans[a] + spans[b]) / 2 + _GAP)
    return offsets


def _apart(
    wanted: Sequence[float], weights: Sequence[float], offsets: Sequence[float]
) -> list[float]:
    """Least squares from ``wanted`` under ``x[i+1] - x[i] >= offsets[i+1] - offsets[i]``.

    Isotonic regression of ``wanted - offsets`` by pooling adjacent violators.
    """
    pools: list[tuple[float, float, int]] = []
    for want, weight, offset in zip(wanted, weights, offsets, strict=True):
        mean, mass, size = want - offset, weight, 1
        while pools and pools[-1][0] > mean:
            other, other_mass, other_size = pools.pop()
            mean = (mean * mass + other * other_mass) / (mass + other_mass)
            mass, size = mass + other_mass, size + other_size
        pools.append((mean, mass, size))
    flat = [mean for mean, _, size in pools for _ in range(size)]
    return [value + offset for value, offset in zip(flat, offsets, strict=True)]


def _straight(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """The same line without the points that do not bend it."""
    kept = list(points[:1])
    for here, there in pairwise(points[1:]):
        (x0, y0), (x1, y1), (x2, y2) = kept[-1], here, there
        if abs((x1 - x0) * (y2 - y1) - (x2 - x1) * (y1 - y0)) > 0.05:
            kept.append(here)
    return (*kept, *points[-1:]) if len(points) > 1 else tuple(kept)
