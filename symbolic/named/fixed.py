"""Fixed sparse attention: the query's chunk, and the last ``summary`` tokens of earlier chunks."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter, require

stride, summary = variable("stride"), variable("summary")
past = k <= q
same_chunk = (q // stride).eq(k // stride)
in_summary = k % stride >= stride - summary


def row_runs(n: int, stride: int, summary: int) -> Iterator[RowRuns]:
    for row in range(n):
        own = row // stride * stride
        summaries = ((stop - summary, stop) for stop in range(stride, own + 1, stride))
        yield union([*summaries, (own, row + 1)], n)


def check(n: int, stride: int, summary: int) -> None:
    require(
        summary <= stride,
        f"fixed: {summary} summary tokens of a chunk of {stride}; give summary of at most stride",
        summary=summary,
        stride=stride,
    )


def scattered(q: Any, n: int, stride: int, summary: int) -> Intervals:
    own = q // stride * stride
    stops = range(stride, n, stride)
    return [(own, q + 1), *((stop - summary, stop * (stop <= own)) for stop in stops)]


def density(n: int, stride: int, summary: int) -> float:
    return 1 if summary == stride else max(1, n / (2 * stride))


MASK = NamedMask(
    name="fixed",
    doc="A query reads its chunk so far, and the last `summary` tokens of each earlier chunk.",
    source="Child et al., Sparse transformers, arXiv:1904.10509",
    definition=past & (same_chunk | in_summary),
    row_runs=row_runs,
    scattered=scattered,
    density=density,
    example={"n": 12, "stride": 4, "summary": 1},
    parameters=(
        Parameter("stride", "how many tokens a chunk has", at_least(1)),
        Parameter("summary", "how many last tokens of a chunk all later ones read", at_least(1), 1),
    ),
    check=check,
)
