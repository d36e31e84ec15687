"""Packed sequences by cumulative lengths: sequence ``s`` is ``cu_seqlens[s] .. cu_seqlens[s+1]-1``.

The first entry is 0, the last is the number of tokens; equal neighbours are empty sequences.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import Term, at, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, groups, labels
from attnproof.symbolic.named.kinds import flag, integers
from attnproof.symbolic.named.named import NamedMask, Parameter

same_sequence = at("sequence", q).eq(at("sequence", k))
past = k <= q


def definition(causal: bool, **_: object) -> Term:
    return same_sequence & past if causal else same_sequence


def row_runs(n: int, cu_seqlens: tuple[int, ...], causal: bool) -> Iterator[RowRuns]:
    for start, stop in pairwise(cu_seqlens):
        for row in range(start, stop):
            yield ((start, row + 1 if causal else stop),)


def intervals(q: Any, n: int, cu_seqlens: tuple[int, ...], causal: bool) -> Intervals:
    start, stop = groups(stop - start for start, stop in pairwise(cu_seqlens))
    return [(start, q + 1 if causal else stop)]


def tokens(n: int | None, cu_seqlens: tuple[int, ...], causal: bool) -> int:
    if not cu_seqlens or cu_seqlens[0] != 0 or list(cu_seqlens) != sorted(cu_seqlens):
        shown = ", ".join(map(str, cu_seqlens[:8])) + (", ..." if len(cu_seqlens) > 8 else "")
        raise ParameterError(
            f"cu_seqlens: the list [{shown}] is no list of cumulative lengths; it starts with 0 "
            "and never decreases",
            cu_seqlens=cu_seqlens,
        )
    return cu_seqlens[-1]


def captured(n: int, cu_seqlens: tuple[int, ...], causal: bool) -> Any:
    return {"sequence": labels(stop - start for start, stop in pairwise(cu_seqlens))}


MASK = NamedMask(
    name="cu_seqlens",
    doc="A query reads its own packed sequence: itself and earlier tokens, or all of it.",
    source="Dao-AILab, flash-attention varlen, https://github.com/Dao-AILab/flash-attention",
    definition=definition,
    row_runs=row_runs,
    intervals=intervals,
    example={"cu_seqlens": [0, 3, 8]},
    parameters=(
        Parameter("cu_seqlens", "where each sequence starts, then the end", integers(0)),
        Parameter("causal", "whether later tokens are left out", flag, True),
    ),
    tokens=tokens,
    captured=captured,
)
