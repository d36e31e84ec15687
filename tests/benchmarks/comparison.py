"""Ours against its peers: one cell a mask, a length and a library."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.order.closure import Closure, closure
from tests.benchmarks.masks import CASES, Case, Dense
from tests.benchmarks.peers import PEERS, Peer
from tests.benchmarks.timing import seconds, short


@dataclass(frozen=True)
class Line:
    """One row of the table: a length, what is measured, and a text a mask."""

    n: int
    what: str
    cells: tuple[str, ...]


def everything(rows: Sequence[int]) -> Closure:
    """Closure, classes, covers, and whether the relation is transitive."""
    found = closure(rows)
    _ = found.transitive
    return found


def lines(lengths: Sequence[int], limit: float) -> Iterator[Line]:
    """The table, length by length; a peer that would need more than ``limit`` seconds is cut."""
    last: dict[tuple[str, str], tuple[int, float]] = {}
    for n in lengths:
        dense = [case.dense(n) for case in CASES]
        rows = [Bits.from_dense(mask).sets for mask in dense]
        ours = [seconds(lambda r=r: everything(r)) for r in rows]  # type: ignore[misc]
        convert = [seconds(lambda m=m: Bits.from_dense(m)) for m in dense]  # type: ignore[misc]
        yield Line(n, "attnproof", tuple(map(short, ours)))
        yield Line(n, "  dense to rows", tuple(map(short, convert)))
        for peer in PEERS:
            cells = tuple(
                _cell(peer, case, mask, n, own, limit, last)
                for case, mask, own in zip(CASES, dense, ours, strict=True)
            )
            yield Line(n, peer.module, cells)


def _cell(
    peer: Peer,
    case: Case,
    mask: Dense,
    n: int,
    ours: float,
    limit: float,
    last: dict[tuple[str, str], tuple[int, float]],
) -> str:
    if not peer.installed:
        return "not installed"
    before, took = last.get((peer.module, case.name), (n, 0.0))
    too_long = took * (n / before) ** 3 > limit
    if too_long or int(np.count_nonzero(mask)) > peer.most_edges:
        last[peer.module, case.name] = (before, took if too_long else limit)
        return f"> {limit / ours:,.0f}x"
    graph = peer.build(mask)
    took = seconds(lambda: peer.run(graph, case), repeats=3, enough=limit / 4)
    last[peer.module, case.name] = (n, took)
    return times(took / ours)


def times(ratio: float) -> str:
    """A ratio to two figures, a large one to the unit.

    >>> times(1234.5), times(2.34), times(0.044)
    ('1,234x', '2.3x', '0.044x')
    """
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"
