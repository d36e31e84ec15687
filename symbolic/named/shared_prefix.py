"""Several continuations of one prefix: each reads the prefix and itself, none reads another."""

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

from attnproof.symbolic.formula import at, k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, groups, labels, union
from attnproof.symbolic.named.kinds import at_least, integers
from attnproof.symbolic.named.named import NamedMask, Parameter

prefix = variable("prefix")
past = k <= q
in_prefix = k < prefix
same_branch = at("branch", q).eq(at("branch", k))


def row_runs(n: int, prefix: int, lengths: tuple[int, ...]) -> Iterator[RowRuns]:
    for row in range(prefix):
        yield ((0, row + 1),)
    for start, stop in pairwise(accumulate(lengths, initial=prefix)):
        for row in range(start, stop):
            yield union([(0, prefix), (start, row + 1)], n)


def intervals(q: Any, n: int, prefix: int, lengths: tuple[int, ...]) -> Intervals:
    start, _ = groups((prefix, *lengths))
    return [(0, (q + 1).clip(max=prefix)), (start, q + 1)]


def tokens(n: int | None, prefix: int, lengths: tuple[int, ...]) -> int:
    return prefix + sum(lengths)


def captured(n: int, prefix: int, lengths: tuple[int, ...]) -> Any:
    return {"branch": labels((prefix, *lengths))}


MASK = NamedMask(
    name="shared_prefix",
    doc="A query reads, among earlier tokens and itself, the prefix and its own continuation.",
    source="meta-pytorch, attention-gym, https://github.com/meta-pytorch/attention-gym",
    definition=past & (in_prefix | same_branch),
    row_runs=row_runs,
    intervals=intervals,
    example={"prefix": 3, "lengths": [3, 2]},
    parameters=(
        Parameter("prefix", "how many tokens all continuations share", at_least(0)),
        Parameter("lengths", "how many tokens each continuation has", integers(0)),
    ),
    tokens=tokens,
    captured=captured,
)
