"""Block-causal attention: a query reads its own block and all earlier ones, whole."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

block = variable("block")


def row_runs(n: int, block: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((0, min(n, (row // block + 1) * block)),)


def intervals(q: Any, n: int, block: int) -> Intervals:
    return [(0, (q // block + 1) * block)]


MASK = NamedMask(
    name="block_causal",
    doc="A query reads the tokens of its own block and of all earlier blocks.",
    source="Arriola et al., BD3-LM (its clean stream), arXiv:2503.09573",
    definition=k // block <= q // block,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "block": 3},
    parameters=(Parameter("block", "how many tokens a block has", at_least(1)),),
)
