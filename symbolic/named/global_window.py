"""Window with global tokens: they read everything and everything reads them.

With ``causal = true`` the window looks back only. A global token still reads the future and is read
by all, so two layers carry any token to any query.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import Term, k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.kinds import at_least, flag
from attnproof.symbolic.named.named import NamedMask, Parameter

radius, global_tokens = variable("radius"), variable("global_tokens")
near = abs(q - k) <= radius
past = k <= q
reads_all = q < global_tokens
read_by_all = k < global_tokens


def definition(causal: bool, **_: object) -> Term:
    window = near & past if causal else near
    return window | reads_all | read_by_all


def row_runs(n: int, radius: int, global_tokens: int, causal: bool) -> Iterator[RowRuns]:
    for row in range(n):
        if row < global_tokens:
            yield ((0, n),)
        else:
            stop = row + 1 if causal else row + radius + 1
            yield union([(0, global_tokens), (row - radius, stop)], n)


def intervals(q: Any, n: int, radius: int, global_tokens: int, causal: bool) -> Intervals:
    reads_all = n * (q < global_tokens)
    return [
        (0, reads_all.clip(min=global_tokens)),
        (q - radius, q + 1 if causal else q + radius + 1),
    ]


MASK = NamedMask(
    name="global_window",
    doc="A query reads `radius` tokens to each side and the first `global_tokens`, which read all.",
    source="Beltagy et al., Longformer, arXiv:2004.05150",
    definition=definition,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "radius": 1, "global_tokens": 1},
    parameters=(
        Parameter("radius", "how many keys a query reads to each side", at_least(0)),
        Parameter("global_tokens", "how many first tokens read and are read by all", at_least(0)),
        Parameter("causal", "whether the window leaves out later keys", flag, False),
    ),
)
