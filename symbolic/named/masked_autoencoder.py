"""Masked autoencoder: every query reads the visible tokens; masked ones are read in one variant.

``masked = "clique"``: masked positions read each other too. ``masked = "cross"``: each reads itself
and the visible tokens only.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import Term, holds, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, singles
from attnproof.symbolic.named.kinds import choice, integers
from attnproof.symbolic.named.named import NamedMask, Parameter, require

key_visible, query_visible = holds("visible", k), holds("visible", q)


def definition(masked: str, **_: object) -> Term:
    return key_visible | (~query_visible if masked == "clique" else k.eq(q))


def row_runs(n: int, visible: tuple[int, ...], masked: str) -> Iterator[RowRuns]:
    seen = set(visible)
    encoder = singles(seen, n)
    for row in range(n):
        if row in seen:
            yield encoder
        else:
            yield ((0, n),) if masked == "clique" else singles([*seen, row], n)


def check(n: int, visible: tuple[int, ...], masked: str) -> None:
    require(
        all(x < n for x in visible),
        f"masked_autoencoder: visible names position {max(visible, default=0)} of {n}; positions "
        f"are 0..{n - 1}",
        visible=visible,
        n=n,
    )


def captured(n: int, visible: tuple[int, ...], masked: str) -> Any:
    seen = set(visible)
    return {"visible": tuple(x in seen for x in range(n))}


def intervals(q: Any, n: int, visible: tuple[int, ...], masked: str) -> Intervals:
    import numpy as np

    hidden = ~np.isin(q, np.array(visible, np.int64))
    own = [(0, n * hidden)] if masked == "clique" else [(q, q + hidden)]
    return [*own, *singles(set(visible), n)]


def density(n: int, visible: tuple[int, ...], masked: str) -> float:
    seen, runs = len(set(visible)), len(singles(set(visible), n))
    hidden = 1 if masked == "clique" else runs + 1
    return (seen * runs + (n - seen) * hidden) / n


MASK = NamedMask(
    name="masked_autoencoder",
    doc="Visible tokens read each other; masked ones read them and, as said, each other.",
    source="He et al., Masked autoencoders, arXiv:2111.06377",
    definition=definition,
    row_runs=row_runs,
    intervals=intervals,
    density=density,
    example={"n": 6, "visible": [0, 3]},
    parameters=(
        Parameter("visible", "the positions that keep their token, counted from 0", integers(0)),
        Parameter("masked", "what masked tokens read too", choice("clique", "cross"), "clique"),
    ),
    captured=captured,
    check=check,
)
