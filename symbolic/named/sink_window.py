"""Causal window with attention sinks: the first ``sinks`` tokens are read by all later queries."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

sinks, keys = variable("sinks"), variable("keys")
past = k <= q
sink = k < sinks
near = q - k < keys


def row_runs(n: int, sinks: int, keys: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield union([(0, sinks), (row - keys + 1, row + 1)], row + 1)


def intervals(q: Any, n: int, sinks: int, keys: int) -> Intervals:
    return [(0, (q + 1).clip(max=sinks)), (q - keys + 1, q + 1)]


MASK = NamedMask(
    name="sink_window",
    doc="A query reads the first `sinks` tokens and the last `keys` ones, itself included.",
    source="Xiao et al., StreamingLLM, arXiv:2309.17453",
    definition=past & (sink | near),
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "sinks": 1, "keys": 3},
    parameters=(
        Parameter("sinks", "how many first tokens every later query reads", at_least(0)),
        Parameter("keys", "how many last keys a query reads, itself included", at_least(1)),
    ),
)
