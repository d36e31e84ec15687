"""Neighbourhood attention on a line: ``2 * radius + 1`` keys, shifted inwards at the ends."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, maximum, minimum, n, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter, require

radius = variable("radius")
centre = maximum(radius, minimum(q, n - 1 - radius))


def row_runs(n: int, radius: int) -> Iterator[RowRuns]:
    for row in range(n):
        centre = max(radius, min(row, n - 1 - radius))
        yield ((centre - radius, centre + radius + 1),)


def intervals(q: Any, n: int, radius: int) -> Intervals:
    centre = q.clip(radius, n - 1 - radius)
    return [(centre - radius, centre + radius + 1)]


def check(n: int, radius: int) -> None:
    require(
        n > 2 * radius,
        f"neighborhood: {n} tokens hold no neighbourhood of {2 * radius + 1}; give n of at least "
        f"{2 * radius + 1}",
        n=n,
        radius=radius,
    )


MASK = NamedMask(
    name="neighborhood",
    doc="A query reads the 2 * radius + 1 tokens nearest to it, as many at the ends.",
    source="Hassani et al., Neighborhood attention transformer, arXiv:2204.07143",
    definition=abs(centre - k) <= radius,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "radius": 1},
    parameters=(Parameter("radius", "how many keys a query reads to each side", at_least(0)),),
    check=check,
)
