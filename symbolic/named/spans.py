"""Causal attention with bidirectional spans, such as images: inside a span all read each other.

``spans`` are pairs ``[start, stop]`` that hold ``start`` and leave out ``stop``.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from attnproof.symbolic.formula import at, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import pairs
from attnproof.symbolic.named.named import NamedMask, Parameter, require

past = k <= q
same_span = (at("span", q) >= 0) & at("span", q).eq(at("span", k))

Spans = tuple[tuple[int, int], ...]


def row_runs(n: int, spans: Spans) -> Iterator[RowRuns]:
    stops = {row: stop for start, stop in spans for row in range(start, stop)}
    for row in range(n):
        yield ((0, stops.get(row, row + 1)),)


def intervals(q: Any, n: int, spans: Spans) -> Intervals:
    stop = q + 1
    for first, last in spans:
        stop[first:last] = last
    return [(0, stop)]


def check(n: int, spans: Spans) -> None:
    for (_, stop), (start, _) in pairwise((*spans, (n, n))):
        require(
            stop <= start,
            f"spans: a span stops at {stop}, past {start}, where the next one starts or the {n} "
            "tokens end; give disjoint spans within the tokens",
            stop=stop,
            n=n,
        )


def captured(n: int, spans: Spans) -> Any:
    number = {row: i for i, (start, stop) in enumerate(spans) for row in range(start, stop)}
    return {"span": tuple(number.get(row, -1) for row in range(n))}


MASK = NamedMask(
    name="spans",
    doc="A query reads itself, all earlier tokens, and all of the span it stands in.",
    source="Zhou et al., Transfusion, arXiv:2408.11039",
    definition=past | same_span,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "spans": [[1, 3], [5, 8]]},
    parameters=(Parameter("spans", "where each bidirectional span starts and stops", pairs),),
    captured=captured,
    check=check,
)
