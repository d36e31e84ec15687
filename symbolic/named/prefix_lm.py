"""Prefix language model: the first ``prefix`` tokens read each other, the rest is causal."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

prefix = variable("prefix")
past = k <= q
in_prefix = k < prefix


def row_runs(n: int, prefix: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((0, min(n, max(prefix, row + 1))),)


def intervals(q: Any, n: int, prefix: int) -> Intervals:
    return [(0, (q + 1).clip(min=prefix))]


MASK = NamedMask(
    name="prefix_lm",
    doc="A query reads the first `prefix` tokens, itself and all earlier ones.",
    source="Raffel et al., T5, arXiv:1910.10683",
    definition=past | in_prefix,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "prefix": 3},
    parameters=(Parameter("prefix", "how many first tokens every query reads", at_least(0)),),
)
