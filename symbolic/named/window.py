"""Causal window: a query reads the last ``keys`` tokens, itself included.

Stacked, it reaches every earlier token, after ``ceil((n - 1) / (keys - 1))`` layers.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

keys = variable("keys")
past = k <= q
near = q - k < keys


def row_runs(n: int, keys: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((max(0, row - keys + 1), row + 1),)


def intervals(q: Any, n: int, keys: int) -> Intervals:
    return [(q - keys + 1, q + 1)]


MASK = NamedMask(
    name="window",
    doc="A query reads the last `keys` tokens, itself included.",
    source="Jiang et al., Mistral 7B, arXiv:2310.06825",
    definition=past & near,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "keys": 3},
    parameters=(Parameter("keys", "how many keys a query reads, itself included", at_least(1)),),
)
