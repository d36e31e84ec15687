"""Window to both sides: a query reads the tokens at most ``radius`` away."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

radius = variable("radius")


def row_runs(n: int, radius: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((max(0, row - radius), min(n, row + radius + 1)),)


def intervals(q: Any, n: int, radius: int) -> Intervals:
    return [(q - radius, q + radius + 1)]


MASK = NamedMask(
    name="bidirectional_window",
    doc="A query reads itself and `radius` tokens to each side.",
    source="Beltagy et al., Longformer, arXiv:2004.05150",
    definition=abs(q - k) <= radius,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "radius": 1},
    parameters=(Parameter("radius", "how many keys a query reads to each side", at_least(0)),),
)
