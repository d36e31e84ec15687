"""Crown (T-TA): isolated tokens, and for each token a query that reads all of the others."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, n, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.named import NamedMask

itself = k.eq(q)
query_reads_token = (q >= n) & (k < n)
another = k.ne(q - n)


def row_runs(n: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((row, row + 1),)
    for token in range(n):
        yield union([(0, token), (token + 1, n), (n + token, n + token + 1)], 2 * n)


def size(n: int) -> int:
    return 2 * n


def intervals(q: Any, n: int) -> Intervals:
    token, asks = q - n, q >= n
    return [(0, token), ((token + 1) * asks, n * asks), (q, q + 1)]


MASK = NamedMask(
    name="crown",
    doc="A token reads itself; its query reads itself and all other tokens.",
    source="Shin et al., T-TA, arXiv:2004.08097",
    definition=itself | (query_reads_token & another),
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 5},
    size=size,
    positions_doc="n tokens, then n queries",
)
