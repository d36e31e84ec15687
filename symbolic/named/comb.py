"""Comb: a query reads the tokens whose distance is a multiple of ``2 * radius + 1``.

With inputs made of the ``radius`` neighbours on each side and not of the own token, a query comes
to depend on every token but those of its own residue, and never on its own.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, singles
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

radius = variable("radius")


def row_runs(n: int, radius: int) -> Iterator[RowRuns]:
    step = 2 * radius + 1
    for row in range(n):
        yield singles(range(row % step, n, step), n)


def scattered(q: Any, n: int, radius: int) -> Intervals:
    step = 2 * radius + 1
    if step == 1:
        return [(0, n)]
    first = q % step
    return [(first + more, first + more + 1) for more in range(0, n, step)]


def density(n: int, radius: int) -> float:
    return 1 if not radius else n / (2 * radius + 1)


MASK = NamedMask(
    name="comb",
    doc="A query reads the tokens whose distance is a multiple of 2 * radius + 1.",
    source="ours",
    definition=((q - k) % (2 * radius + 1)).eq(0),
    row_runs=row_runs,
    scattered=scattered,
    density=density,
    example={"n": 9, "radius": 1},
    parameters=(Parameter("radius", "how many neighbours are inputs, each side", at_least(0), 1),),
)
