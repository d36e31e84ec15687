"""Rows that are an interval around their position: their powers are powers of the two ends.

Let row ``q`` hold an interval ``first[q] .. last[q]`` around ``q``, both ends never decreasing, and
nothing else. Then ``L`` layers reach ``first applied L times .. last applied L times``: consecutive
intervals overlap, since each holds its own position.

Sinks. Let row ``q`` hold besides ``I(q) = first[q] .. last[q]`` a set ``H(q)``, where

* what the members of ``H(q)`` read, ``q`` reads, and
* ``H(m)`` is within row ``q`` for every ``m`` in ``I(q)``.

Then ``L >= 1`` layers reach ``H(q)`` and ``L``-fold ``I(q)``. By induction on L: a path whose first
step goes to ``m`` in ``H(q)`` can skip ``m``, as ``q`` reads what ``m`` reads, and so stays within
L layers; the paths that begin in ``I(q)`` reach ``H(m)``, which ``q`` reads, and ``L``-fold
``I(m)``, whose union over ``m`` is ``L + 1``-fold ``I(q)``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.masks.line import stacked
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.run_arrays import around, flat, least_within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ends:
    """First and last position of the interval around each position."""

    first: "Places"
    last: "Places"

    def after(self, lower: "Ends") -> "Ends":
        """The ends of the product, this the upper layer."""
        return Ends(lower.first[self.first], lower.last[self.last])


@dataclass(frozen=True, eq=False)
class Sinks:
    """At most one run a row beside the interval: ``starts[i] .. stops[i] - 1`` in ``owner[i]``."""

    owner: "Places"
    starts: "Places"
    stops: "Places"


def monotone(layers: Sequence[Runs]) -> "tuple[list[Ends], Sinks] | None":
    """The ends of each layer, if the powers are those of the ends; sinks only in a lone layer.

    >>> window = Runs.from_rows([[(0, 1)], [(0, 2)], [(1, 3)]], 3)
    >>> ends, sinks = monotone([window])
    >>> ends[0].first.tolist(), ends[0].last.tolist(), sinks.owner.tolist()
    ([0, 0, 1], [0, 1, 2], [])
    """
    ends = []
    for layer in layers:
        owner, starts, stops = flat(layer)
        own = around(layer)
        if len(own) < len(layer):
            return None
        found = Ends(starts[own], stops[own] - 1)
        if (np.diff(found.first) < 0).any() or (np.diff(found.last) < 0).any():
            return None
        ends.append(found)
    beside = np.ones(len(owner), np.bool_)
    beside[own] = False
    sinks = Sinks(owner[beside], starts[beside], stops[beside])
    if any(len(layer.starts) > len(layer) for layer in layers) and (
        len(layers) > 1 or not _read_along(layers[0], ends[0], sinks)
    ):
        return None
    return ends, sinks


def _read_along(layer: Runs, ends: Ends, sinks: Sinks) -> bool:
    """Do the sinks satisfy both conditions, one sink a row, and lie before the interval?"""
    n = len(layer)
    owner, starts, stops = sinks.owner, sinks.starts, sinks.stops
    if (np.diff(owner) == 0).any() or (starts > ends.first[owner]).any():
        return False
    ptr, low, high = layer.arrays()
    least = least_within(low[ptr[:-1]].astype(np.int64), starts, stops)
    most = -least_within(-high[ptr[1:] - 1].astype(np.int64), starts, stops)
    if (least < starts).any() or (most > stops).any():
        return False
    low, high = np.full(n, n), np.zeros(n, np.int64)
    low[owner], high[owner] = starts, stops
    least = least_within(low, ends.first, ends.last + 1)
    most = -least_within(-high, ends.first, ends.last + 1)
    in_sink = (low <= least) & (most <= high)
    in_interval = (ends.first <= least) & (most <= ends.last + 1)
    return bool((in_sink | in_interval | (most == 0)).all())


def rows_of(ends: Ends, sinks: Sinks) -> Runs:
    """The rows that hold the intervals and the sinks."""
    n = len(ends.first)
    return stacked(
        np.concatenate([sinks.owner, np.arange(n)]),
        np.concatenate([sinks.starts, ends.first]),
        np.concatenate([sinks.stops, ends.last + 1]),
        n,
        n,
    )


def goals(limit: Runs, sinks: Sinks) -> Ends:
    """The ends at which the intervals and the sinks fill the rows of ``limit``."""
    _, starts, stops = flat(limit)
    own = around(limit)
    first, last = starts[own], stops[own] - 1
    merged = first[sinks.owner] == sinks.starts
    first[sinks.owner[merged]] = sinks.stops[merged]
    return Ends(first, last)
