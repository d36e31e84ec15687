"""Dilated causal window: ``keys`` keys, each ``dilation`` tokens before the next."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, singles
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

keys, dilation = variable("keys"), variable("dilation")
past = k <= q
near = q - k < keys * dilation
on_grid = ((q - k) % dilation).eq(0)


def row_runs(n: int, keys: int, dilation: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield singles(range(row, max(-1, row - keys * dilation), -dilation), n)


def scattered(q: Any, n: int, keys: int, dilation: int) -> Intervals:
    if dilation == 1:
        return [(q - keys + 1, q + 1)]
    steps = range(0, dilation * min(keys, -(-n // dilation)), dilation)
    return [(q - step, q - step + 1) for step in steps]


def density(n: int, keys: int, dilation: int) -> float:
    return 1 if dilation == 1 else min(keys, n / dilation)


MASK = NamedMask(
    name="dilated",
    doc="A query reads itself and every `dilation`-th token before it, `keys` in all.",
    source="Beltagy et al., Longformer, arXiv:2004.05150",
    definition=past & near & on_grid,
    row_runs=row_runs,
    scattered=scattered,
    density=density,
    example={"n": 12, "keys": 3, "dilation": 2},
    parameters=(
        Parameter("keys", "how many keys a query reads, itself included", at_least(1)),
        Parameter("dilation", "how far apart they are", at_least(1)),
    ),
)
