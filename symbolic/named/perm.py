"""Causal attention in another order: a query reads the tokens that do not come after it in it."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import at, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import growing
from attnproof.symbolic.named.kinds import permutation
from attnproof.symbolic.named.named import NamedMask, Parameter


def row_runs(n: int, order: tuple[int, ...]) -> Iterator[RowRuns]:
    so_far = list(growing(order))
    for rank in ranks(order):
        yield so_far[rank + 1]


def ranks(order: tuple[int, ...]) -> tuple[int, ...]:
    """The place of each position in the order, the inverse permutation."""
    places = {position: place for place, position in enumerate(order)}
    return tuple(places[position] for position in range(len(order)))


def tokens(n: int | None, order: tuple[int, ...]) -> int:
    return len(order)


def captured(n: int, order: tuple[int, ...]) -> Any:
    return {"rank": ranks(order)}


def density(n: int, order: tuple[int, ...]) -> float:
    """A position adds a run, unless a neighbour was there before it; between two it joins them."""
    import numpy as np

    rank = np.full(n + 2, n)
    rank[np.array(order) + 1] = np.arange(n)
    own = rank[1:-1]
    more = 1 - (rank[:-2] < own).astype(int) - (rank[2:] < own)
    return float(np.cumsum(more[np.array(order)]).mean())


MASK = NamedMask(
    name="perm",
    doc="A query reads itself and the tokens before it in the given order.",
    source="Yang et al., XLNet, arXiv:1906.08237",
    definition=at("rank", k) <= at("rank", q),
    row_runs=row_runs,
    density=density,
    example={"order": [2, 0, 3, 1]},
    parameters=(Parameter("order", "the positions in the order in which they come", permutation),),
    tokens=tokens,
    captured=captured,
)
