"""Causal attention: ``k <= q``."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.named import NamedMask


def row_runs(n: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((0, row + 1),)


def intervals(q: Any, n: int) -> Intervals:
    return [(0, q + 1)]


MASK = NamedMask(
    name="causal",
    doc="A query reads itself and all earlier tokens.",
    source="Vaswani et al., Attention is all you need, arXiv:1706.03762",
    definition=k <= q,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8},
)
