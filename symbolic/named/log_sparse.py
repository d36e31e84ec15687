"""Log-sparse causal attention: a query reads itself and the tokens a power of two before it.

A distance of ``d`` is covered in as many layers as ``d`` has binary ones.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, singles
from attnproof.symbolic.named.named import NamedMask

past = k <= q
distance = q - k
at_most_one_bit = (distance & (distance - 1)).eq(0)


def row_runs(n: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield singles([row, *(row - (1 << bit) for bit in range(row.bit_length()))], n)


def scattered(q: Any, n: int) -> Intervals:
    far = ((q - (1 << bit), q - (1 << bit) + 1) for bit in range(n.bit_length()))
    return [(q, q + 1), *far]


def density(n: int) -> float:
    return n.bit_length()


MASK = NamedMask(
    name="log_sparse",
    doc="A query reads itself and the tokens at distance 1, 2, 4, 8, ... before it.",
    source="Li et al., LogSparse transformer, arXiv:1907.00235",
    definition=past & at_most_one_bit,
    row_runs=row_runs,
    scattered=scattered,
    density=density,
    example={"n": 16},
)
