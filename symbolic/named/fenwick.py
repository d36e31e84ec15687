"""Causal attention in two layers with few edges: the intervals of a Fenwick tree.

A query first reads back to where its lowest binary one is cleared; a prefix of its binary digits
(low ones cleared, not to 0) summarises all tokens before it. The square of the mask is causal.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.named import NamedMask

lowest_bit = q & -q
itself = k.eq(q)
interval = k >= q - lowest_bit
digit_prefix = (k > 0) & (q & k).eq(k) & ((q ^ k) < (k & -k))


def row_runs(n: int) -> Iterator[RowRuns]:
    for row in range(n):
        read, prefix = [(row - (row & -row), row + 1)], row
        while prefix:
            read.append((prefix, prefix + 1))
            prefix &= prefix - 1
        yield union(read, n)


def scattered(q: Any, n: int) -> Intervals:
    read, prefix = [(q - (q & -q), q + 1)], q
    for _ in range(n.bit_length()):
        read.append((prefix, prefix + (prefix > 0)))
        prefix = prefix & (prefix - 1)
    return read


def density(n: int) -> float:
    return n.bit_length() / 2


MASK = NamedMask(
    name="fenwick",
    doc="A query reads the interval below its lowest binary one, and prefixes of its digits.",
    source="ours, after Fenwick, Software: Practice and Experience 24 (1994)",
    definition=itself | ((k < q) & (interval | digit_prefix)),
    row_runs=row_runs,
    scattered=scattered,
    density=density,
    example={"n": 16},
)
