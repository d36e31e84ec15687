"""Boolean products and powers of relations in runs.

A run of ``w`` keys is covered by two stretches of ``2^t <= w`` rows; what every such stretch holds
comes from halves, level by level, for all rows at once.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from attnproof.symbolic.masks.line import stacked
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.run_arrays import Fragmented, check_fragments, flat, taken
from attnproof.symbolic.order.run_relation import run_union
from attnproof.symbolic.progress import tick

T = TypeVar("T")

#: The most runs of a relation whose powers are taken one by one.
MOST_POWERS = 1 << 19


def run_product(upper: Runs, lower: Runs) -> Runs:
    """What ``upper`` reads of what ``lower`` holds, row by row.

    >>> reads = Runs.from_rows([[(0, 1)], [(0, 2)], [(1, 3)]], 3)
    >>> list(run_product(reads, reads).runs())
    [((0, 1),), ((0, 2),), ((0, 3),)]

    Raises :class:`Fragmented` where the rows fall into too many runs.
    """
    owner, starts, stops = flat(upper)
    level = np.frexp(stops - starts)[1] - 1
    levels = int(level.max(initial=-1)) + 1
    held, found = lower, []
    for t in range(levels):
        tick(t, levels)
        if t:
            half, count = 1 << (t - 1), len(held)
            held = run_union([held.part(0, count - half), held.part(half, count)])
            check_fragments(len(held.starts), len(lower))
        chosen = np.flatnonzero(level == t)
        for at in (starts[chosen], stops[chosen] - (1 << t))[: 2 if t else 1]:
            rows = taken(held, at)
            counts = np.diff(rows.arrays()[0])
            found.append((np.repeat(owner[chosen], counts), *flat(rows)[1:]))
    if not found:
        return Runs.from_rows(((),) * len(upper), lower.keys)
    owner, starts, stops = map(np.concatenate, zip(*found, strict=True))
    runs = stacked(owner, starts, stops, len(upper), lower.keys)
    check_fragments(len(runs.starts), len(runs))
    return runs


def check_powers(layers: Sequence[Runs]) -> None:
    """Raise :class:`Fragmented` where the powers of the layers would take minutes and gigabytes.

    >>> check_powers([Runs.from_rows([[(0, 1)]], 1)])
    """
    runs, n = sum(len(layer.starts) for layer in layers), len(layers[0])
    if runs > MOST_POWERS:
        raise Fragmented(
            f"the powers of relations of {runs} runs on {n} positions are too large; give at most "
            f"{MOST_POWERS} runs, or at most 65536 positions, where bit sets are used",
            runs=runs,
            n=n,
        )


def power(layers: Sequence[T], depth: int, product: Callable[[T, T], T]) -> T:
    """The product of ``depth`` >= 1 layers of a cyclic schedule, the last one leftmost.

    >>> power(["a", "b"], 5, lambda upper, lower: upper + lower)
    'ababa'
    """
    periods, rest = divmod(depth, len(layers))
    held = None
    square = None
    while periods:
        square = _period(layers, product) if square is None else product(square, square)
        if periods & 1:
            held = square if held is None else product(square, held)
        periods >>= 1
    for layer in layers[:rest]:
        held = layer if held is None else product(layer, held)
    if held is None:
        raise ValueError("no layers were asked for")
    return held


def _period(layers: Sequence[T], product: Callable[[T, T], T]) -> T:
    held = layers[0]
    for layer in layers[1:]:
        held = product(layer, held)
    return held


def least_depth(
    layers: Sequence[T], product: Callable[[T, T], T], settled: Callable[[T], bool]
) -> int:
    """The least number of layers, at least 1, whose product is settled, by doubling and halving.

    Once a product is settled, so are those of more layers.

    >>> least_depth([1, 2], lambda upper, lower: upper + lower, lambda total: total >= 10)
    7
    """
    powers = [_period(layers, product)]
    while not settled(powers[-1]):
        powers.append(product(powers[-1], powers[-1]))
    held, depth = None, 0
    for t in range(len(powers) - 2, -1, -1):
        more = powers[t] if held is None else product(powers[t], held)
        if not settled(more):
            held, depth = more, depth + (len(layers) << t)
        del powers[t]
    for layer in layers:
        held = layer if held is None else product(layer, held)
        depth += 1
        if settled(held):
            break
    return depth
