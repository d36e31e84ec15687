"""Butterfly: a chain forwards, a chain backwards, and a centre for each token that reads both.

Positions: ``f_1 .. f_{n-1}``, ``g_2 .. g_n``, ``t_1 .. t_n``, where the index is the token. ``f_a``
reads ``f_c`` for ``c <= a``, ``g_a`` reads ``g_c`` for ``c >= a``, and ``t_i`` reads ``f_c`` for
``c < i``, ``g_c`` for ``c > i`` and itself: all tokens but its own.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import ite, k, n, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.named import NamedMask

centres = 2 * n - 2
query_forward, key_forward = q < n - 1, k < n - 1
query_backward, key_backward = (q >= n - 1) & (q < centres), (k >= n - 1) & (k < centres)
query_token = ite(query_forward, q + 1, ite(query_backward, q - n + 3, q - centres + 1))
key_token = ite(key_forward, k + 1, ite(key_backward, k - n + 3, k - centres + 1))
itself = k.eq(q)
reads_left = key_forward & ~query_backward & (key_token < query_token)
reads_right = key_backward & ~query_forward & (key_token > query_token)


def row_runs(n: int) -> Iterator[RowRuns]:
    centres = 2 * n - 2
    for row in range(n - 1):
        yield ((0, row + 1),)
    for row in range(n - 1, centres):
        yield ((row, centres),)
    for i in range(1, n + 1):
        own = centres + i - 1
        yield union([(0, i - 1), (n - 2 + i, centres), (own, own + 1)], centres + n)


def size(n: int) -> int:
    return 3 * n - 2


def intervals(q: Any, n: int) -> Intervals:
    centres = 2 * n - 2
    forward, centre = q < n - 1, q >= centres
    token = q - centres + 1
    left = (q + 1) * forward + (token - 1) * centre
    right = q * ~centre + (n - 2 + token) * centre
    return [(0, left), (right, centres * ~forward), (q, q + 1)]


MASK = NamedMask(
    name="butterfly",
    doc="Two chains, one each way, and centres that read all tokens but their own.",
    source="arXiv:2606.09951 (reconstruction ours)",
    definition=itself | reads_left | reads_right,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 4},
    size=size,
    positions_doc="n - 1 forward, n - 1 backward, n centres",
)
