"""Causal attention that looks ``right`` tokens ahead: in ``L`` layers it reaches ``L * right``."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

right = variable("right")


def row_runs(n: int, right: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((0, min(n, row + right + 1)),)


def intervals(q: Any, n: int, right: int) -> Intervals:
    return [(0, q + right + 1)]


MASK = NamedMask(
    name="look_ahead",
    doc="A query reads itself, all earlier tokens and the next `right` ones.",
    source="Zhang et al., Transformer transducer, arXiv:2002.02562",
    definition=k <= q + right,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "right": 1},
    parameters=(Parameter("right", "how many later tokens a query reads", at_least(0)),),
)
