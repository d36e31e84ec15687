"""Comb: a query reads the tokens whose distance is a multiple of ``2 * radius + 1``.

With inputs made of the ``radius`` neighbours on each side and not of the own token, a query comes
to depend on every token but those of its own residue, and never on its own.
"""

from collections.abc import Iterator

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import singles
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

radius = variable("radius")


def row_runs(n: int, radius: int) -> Iterator[RowRuns]:
    step = 2 * radius + 1
    for row in range(n):
        yield singles(range(row % step, n, step), n)


MASK = NamedMask(
    name="comb",
    doc="A query reads the tokens whose distance is a multiple of 2 * radius + 1.",
    source="ours",
    definition=((q - k) % (2 * radius + 1)).eq(0),
    row_runs=row_runs,
    example={"n": 9, "radius": 1},
    parameters=(Parameter("radius", "how many neighbours are inputs, each side", at_least(0), 1),),
)
