"""XLNet's two streams: content positions know their token, query positions know only their place.

Positions: the content of every token but the last of ``order``, in sequence order, then one query a
token, in sequence order: ``2n - 1`` in all (``2n`` with ``keep_last``, which keeps the content that
nothing reads). A content position reads the content up to itself in ``order``, a query the content
strictly before it; every position reads itself.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import at, k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named import perm
from attnproof.symbolic.named.intervals import Intervals, growing, union
from attnproof.symbolic.named.kinds import flag, permutation
from attnproof.symbolic.named.named import NamedMask, Parameter

itself = k.eq(q)
reads_content = k < variable("content")
earlier = at("rank", k) < at("rank", q)

Order = tuple[int, ...] | None


def streams(n: int, order: Order, keep_last: bool) -> tuple[list[int], list[int]]:
    """The order, and the rank of each position: content first, then queries."""
    sequence = list(range(n)) if order is None else list(order)
    ranks = [0] * n
    for place, token in enumerate(sequence):
        ranks[token] = place
    content = [rank for rank in ranks if keep_last or rank < n - 1]
    return sequence, content + ranks


def row_runs(n: int, order: Order, keep_last: bool) -> Iterator[RowRuns]:
    sequence, rank = streams(n, order, keep_last)
    content = len(rank) - n
    last = n if keep_last else sequence[-1]
    so_far = list(growing(token - (token > last) for token in sequence if token != last))
    for row in range(len(rank)):
        yield union([*so_far[min(rank[row], content)], (row, row + 1)], len(rank))


def intervals(q: Any, n: int, order: Order, keep_last: bool) -> Intervals | None:
    content = n if keep_last else n - 1
    if order is not None and order != tuple(range(n)):
        return None
    rank = q - content * (q >= content)
    return [(0, rank.clip(max=content)), (q, q + 1)]


def size(n: int, order: Order, keep_last: bool) -> int:
    return 2 * n if keep_last else 2 * n - 1


def tokens(n: int | None, order: Order, keep_last: bool) -> int | None:
    return n if order is None else len(order)


def captured(n: int, order: Order, keep_last: bool) -> Any:
    _, rank = streams(n, order, keep_last)
    return {"rank": tuple(rank), "content": len(rank) - n}


def density(n: int, order: Order, keep_last: bool) -> float:
    return 2 if order is None else perm.density(n, order) + 1


MASK = NamedMask(
    name="two_stream",
    doc="Content reads content up to itself in the order; a query reads content before itself.",
    source="Yang et al., XLNet, arXiv:1906.08237",
    definition=itself | (reads_content & earlier),
    row_runs=row_runs,
    intervals=intervals,
    density=density,
    example={"n": 5, "order": [2, 0, 3, 1, 4]},
    parameters=(
        Parameter("order", "the tokens in the order of prediction", permutation, None),
        Parameter("keep_last", "whether the unread content of the last token stays", flag, False),
    ),
    size=size,
    tokens=tokens,
    captured=captured,
    positions_doc="n - 1 content positions, then n queries",
)
