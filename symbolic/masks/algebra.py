"""The Boolean algebra of masks of one shape, and their composition, on every representation.

Bit sets combine as bit sets, tiles of one size tile by tile, and everything else as runs. Laws: the
masks of one shape are a Boolean algebra, whatever represents each of them.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.blocks import Blocks, Tile, full_tile
from attnproof.symbolic.masks.forms import SMALL, as_runs, best
from attnproof.symbolic.masks.line import combined, stacked
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.masks.run_sets import difference, unite
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.masks.tiling import Strip, from_strips


@dataclass(frozen=True, slots=True)
class Operation:
    """``of_sets`` combines two bit sets; a pair is kept for ``(in a) + 2 (in b)`` in ``keep``."""

    symbol: str
    of_sets: Callable[[int, int], int]
    keep: frozenset[int]


UNION = Operation("|", operator.or_, frozenset({1, 2, 3}))
INTERSECTION = Operation("&", operator.and_, frozenset({3}))
DIFFERENCE = Operation("-", lambda a, b: a & ~b, frozenset({1}))
SYMMETRIC_DIFFERENCE = Operation("^", operator.xor, frozenset({1, 2}))


def combine(a: Rows, b: Rows, operation: Operation) -> Rows:
    """The pairs for which the operation holds; both have one shape.

    >>> combine(Bits((0b01, 0b11), 2), Bits((0b10, 0b10), 2), UNION).bits()
    (3, 3)
    """
    if isinstance(a, Bits) or isinstance(b, Bits):
        sets = zip(a.bits(), b.bits(), strict=True)
        return Bits(tuple(operation.of_sets(x, y) for x, y in sets), a.keys)
    if isinstance(a, Blocks) and isinstance(b, Blocks) and a.block == b.block:
        return from_strips(_strips(a, b, operation), queries=len(a), keys=a.keys, block=a.block)
    return best(combined(as_runs(a), as_runs(b), operation.keep))


def complement(rows: Rows) -> Rows:
    """The pairs that are not read.

    >>> complement(Bits((0b01, 0b11), 2)).bits()
    (2, 0)
    """
    return combine(full(rows), rows, DIFFERENCE)


def full(like: Rows) -> Rows:
    """Every pair, in the representation of another mask of the shape."""
    queries, keys = len(like), like.keys
    if isinstance(like, Bits):
        return Bits(((1 << keys) - 1,) * queries, keys)
    if isinstance(like, Blocks):
        high, wide = like.block
        strip: Strip = (((0, -(-keys // wide)),) if keys else (), {})
        rows = [strip] * -(-queries // high)
        return from_strips(rows, queries=queries, keys=keys, block=like.block)
    return Runs.from_rows([((0, keys),) if keys else ()] * queries, keys)


def shift(rows: Rows, *, keys: int = 0, queries: int = 0) -> Rows:
    """Pair ``(q, k)`` becomes ``(q + queries, k + keys)``; pairs that leave the mask are dropped.

    >>> shift(Bits((0b01, 0b11), 2), keys=1).bits(), shift(Bits((0b01, 0b11), 2), queries=1).bits()
    ((2, 2), (0, 1))
    """
    count = len(rows)
    if isinstance(rows, Bits):
        every = (1 << rows.keys) - 1
        moved = [(row << keys if keys >= 0 else row >> -keys) & every for row in rows.sets]
        at = range(-queries, count - queries)
        return Bits(tuple(moved[q] if 0 <= q < count else 0 for q in at), rows.keys)
    import numpy as np

    ptr, starts, stops = as_runs(rows).arrays()
    to_row = np.repeat(np.arange(count) + queries, np.diff(ptr))
    here = (to_row >= 0) & (to_row < count)
    starts, stops = (ends[here].astype(np.int64) + keys for ends in (starts, stops))
    return best(stacked(to_row[here], starts, stops, count, rows.keys))


def block_diagonal(masks: Sequence[Rows]) -> Rows:
    """The masks one after the other, with no pair between two of them.

    >>> block_diagonal([Bits((0b1,), 1), Bits((0b01, 0b11), 2)]).bits()
    (1, 2, 6)
    """
    keys, queries = sum(rows.keys for rows in masks), sum(map(len, masks))
    before = list(accumulate((rows.keys for rows in masks), initial=0))
    if max(keys, queries) <= SMALL:
        rows = zip((own.bits() for own in masks), before, strict=False)
        return Bits(tuple(row << left for own, left in rows for row in own), keys)
    import numpy as np

    arrays = [as_runs(own).arrays() for own in masks]
    counts = [np.diff(ptr) for ptr, _, _ in arrays]
    starts, stops = (
        np.concatenate([own[i] + left for own, left in zip(arrays, before, strict=False)])
        for i in (1, 2)
    )
    return best(
        Runs.from_arrays(np.append(0, np.cumsum(np.concatenate(counts))), starts, stops, keys)
    )


def _strips(a: Blocks, b: Blocks, operation: Operation) -> Iterator[Strip]:
    """Block row by block row: partial tiles pair by pair, the others as runs of blocks."""
    whole = combined(a.full, b.full, operation.keep)
    known: dict[tuple[Tile, Tile], Tile] = {}
    for i, runs in enumerate(whole.runs()):
        height, left, right = a.height(i), a.partial_tiles(i), b.partial_tiles(i)
        tiles: dict[int, Tile] = {}
        for j in left.keys() | right.keys():
            ones = full_tile(height, a.width(j))
            none = (0,) * height
            one = left.get(j) or (ones if a.full.reads(i, j) else none)
            other = right.get(j) or (ones if b.full.reads(i, j) else none)
            if (one, other) not in known:
                known[one, other] = tuple(map(operation.of_sets, one, other))
            tiles[j] = known[one, other]
        yield difference(runs, unite((j, j + 1) for j in tiles)), tiles
