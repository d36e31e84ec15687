"""Depth of convergence, and the reach of a given number of layers, for relations in runs.

Where the powers are those of the ends of intervals, a level costs one look-up a position; otherwise
products of rows are taken, which is exact and slow. Either way levels are doubled and halved.
"""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.masks.line import stacked
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import fast_runs
from attnproof.symbolic.order.run_arrays import around, first_difference, flat, identity
from attnproof.symbolic.order.run_closure import run_closure
from attnproof.symbolic.order.run_ends import Ends, goals, monotone, rows_of
from attnproof.symbolic.order.run_product import (
    check_powers,
    least_depth,
    power,
    run_product,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

_WALKS = 4096
#: So many positions that read everything are looked at.
_HUBS = 8


def run_depth(layers: Sequence[Runs], limit: Runs) -> int:
    """The least number of layers after which the reach relation is ``limit``.

    ``layers`` are reflexive; ``limit`` is the closure of their union.

    >>> window = Runs.from_rows([[(0, 1)], [(0, 2)], [(1, 3)]], 3)
    >>> run_depth([window], Runs.from_rows([[(0, 1)], [(0, 2)], [(0, 3)]], 3))
    2
    """
    if len(layers) == 1 and fast_runs.ready(0):
        depth = fast_runs.window_depth(layers[0])
        if depth is not None:
            return depth
    if first_difference(identity(len(limit)), limit) is None:
        return 0
    if first_difference(layers[0], limit) is None:
        return 1
    found = monotone(layers)
    if found is None:
        if len(layers) == 1 and has_hub(layers[0]):
            return 2
        check_powers(layers)
        return least_depth(layers, run_product, lambda held: first_difference(held, limit) is None)
    ends, sinks = found
    goal, last = goals(limit, sinks), len(limit) - 1
    back = _end_depth([layer.first for layer in ends], goal.first)
    ahead = _end_depth([last - layer.last[::-1] for layer in ends], last - goal.last[::-1])
    return max(back, ahead)


def has_hub(layer: Runs) -> bool:
    """Does some position read everything, and everything it? Then two layers reach everything.

    >>> has_hub(Runs.from_rows([[(0, 3)], [(0, 2)], [(0, 1), (2, 3)]], 3))
    True
    """
    n = len(layer)
    owner, starts, stops = flat(layer)
    hubs = owner[(starts == 0) & (stops == n)][:_HUBS].tolist()
    return any(int(((starts <= hub) & (hub < stops)).sum()) == n for hub in hubs)


def _end_depth(layers: "list[Places]", goal: "Places") -> int:
    """How many layers take every position, end to end, to its goal or below.

    Ends never decrease: of the positions with one goal the last needs the most layers.
    """
    hardest = np.flatnonzero(np.append(goal[1:] != goal[:-1], True))
    if (hardest <= goal[hardest]).all():
        return 0
    if len(layers) > 1 or len(hardest) > _WALKS:
        return least_depth(
            layers, lambda upper, lower: lower[upper], lambda held: _all_at(held, goal)
        )
    ends = array("q", layers[0].tobytes())
    most = 0
    for position, end in zip(hardest.tolist(), goal[hardest].tolist(), strict=True):
        steps = 0
        while position > end:
            position = ends[position]
            steps += 1
        most = max(most, steps)
    return most


def _all_at(held: "Places", goal: "Places") -> bool:
    return bool((held <= goal).all())


def run_reach(layers: Sequence[Runs], depth: int) -> Runs:
    """The reach relation after exactly ``depth`` layers.

    >>> window = Runs.from_rows([[(0, 1)], [(0, 2)], [(1, 3)]], 3)
    >>> list(run_reach([window], 2).runs())[2]
    ((0, 3),)
    """
    if depth == 0:
        return identity(len(layers[0]))
    found = monotone(layers)
    if found is None:
        return power(layers, depth, run_product)
    ends, sinks = found
    return rows_of(power(ends, depth, Ends.after), sinks)


def run_ever(layers: Sequence[Runs]) -> Runs:
    """What is reached after some number of layers: the union of all products.

    A walk through a schedule of P layers is a walk in the graph of (position, layers so far mod P).

    >>> list(run_ever([Runs.from_rows([[], [(0, 1)]], 2), Runs.from_rows([[], []], 2)]).runs())
    [((0, 1),), ((0, 2),)]

    Law: for one layer it is the closure.
    """
    n, period = len(layers[0]), len(layers)
    below = [(phase - 1) % period for phase in range(period)]
    parts = [flat(layers[one]) for one in below]
    walked = run_closure(
        stacked(
            np.concatenate([owner + phase * n for phase, (owner, _, _) in enumerate(parts)]),
            np.concatenate([part[1] + one * n for one, part in zip(below, parts, strict=True)]),
            np.concatenate([part[2] + one * n for one, part in zip(below, parts, strict=True)]),
            n * period,
            n * period,
        )
    ).rows
    owner, starts, stops = flat(walked)
    return stacked(owner % n, np.minimum(starts, n), np.minimum(stops, n), n, n)


def is_reflexive(layer: Runs) -> bool:
    """Does every row hold its own position?

    >>> is_reflexive(Runs.from_rows([[(0, 1)], [(0, 1)]], 2))
    False
    """
    return len(around(layer)) == len(layer)
