"""Full attention: every query reads every key."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import constant
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.named import NamedMask


def row_runs(n: int) -> Iterator[RowRuns]:
    for _ in range(n):
        yield ((0, n),)


def intervals(q: Any, n: int) -> Intervals:
    return [(0, n)]


MASK = NamedMask(
    name="full",
    doc="A query reads every token.",
    source="Devlin et al., BERT, arXiv:1810.04805",
    definition=constant(True),
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8},
)
