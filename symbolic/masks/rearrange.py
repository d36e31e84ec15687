"""Masks with their positions in another order, and with queries and keys exchanged.

Convention: ``permuted(m, order)[i, j]`` is ``m[order[i], order[j]]``: position ``i`` of the new
mask is position ``order[i]`` of the old one.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits, columns, pack, unpack
from attnproof.symbolic.masks.forms import as_runs, best
from attnproof.symbolic.masks.line import combined, expanded, in_turn, line_of, rows_of, stacked
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.masks.runs import Runs

if TYPE_CHECKING:
    from attnproof.symbolic.masks.line import Positions

#: The most runs that a mask may be broken into: some 0.5 GB.
PIECES = 1 << 23
_CELLS = 1 << 24


def permuted(rows: Rows, order: Sequence[int]) -> Rows:
    """A square mask with its positions in another order.

    >>> permuted(Bits((0b001, 0b011, 0b111), 3), [2, 1, 0]).bits()
    (7, 6, 4)

    Raises :class:`ShapeError` for an order that breaks the runs of a large mask into millions.
    """
    import numpy as np

    old = np.asarray(order, np.int64)
    if isinstance(rows, Bits):
        return Bits(_permuted_sets(rows, old), rows.keys)
    new = np.empty_like(old)
    new[old] = np.arange(len(old))
    runs = as_runs(rows)
    ptr, starts, stops = runs.arrays()
    bounds = np.flatnonzero(np.abs(np.diff(new, prepend=-9, append=-9)) != 1)
    first = np.searchsorted(bounds, starts, side="right") - 1
    counts = np.searchsorted(bounds, stops - 1, side="right") - first
    _check_pieces(int(counts.sum()), "this order breaks the mask into", len(runs))
    at = np.repeat(np.arange(len(starts)), counts)
    segment = expanded(first, counts)
    low = new[np.maximum(starts[at], bounds[segment])]
    high = new[np.minimum(stops[at], bounds[segment + 1]) - 1]
    owner = new[np.repeat(np.arange(len(runs)), np.diff(ptr))][at]
    ends = np.minimum(low, high), np.maximum(low, high) + 1
    return best(stacked(owner, *ends, len(runs), runs.keys))


def transposed(rows: Rows) -> Rows:
    """Queries and keys exchanged: pair ``(q, k)`` becomes ``(k, q)``.

    >>> transposed(Bits((0b01, 0b11), 2)).bits()
    (3, 2)
    """
    if isinstance(rows, Bits):
        return Bits(tuple(columns(rows.sets, rows.keys)), len(rows))
    what = "with queries and keys exchanged the mask has"
    return best(turned(as_runs(rows), lambda pieces: _check_pieces(pieces, what, len(rows))))


def turned(rows: Runs, check: Callable[[int], None]) -> Runs:
    """The columns as rows; ``check`` is given how many runs these have, and may refuse them.

    >>> list(turned(Runs.from_rows([[(0, 2)], []], 3), lambda pieces: None).runs())
    [((0, 1),), ((0, 1),), ()]

    Law: a run of a column begins and ends where a row differs from the one before it.
    """
    import numpy as np

    nothing = Runs.from_rows([()], rows.keys)
    after, before = in_turn([rows, nothing], rows.keys), in_turn([nothing, rows], rows.keys)
    changes = combined(after, before, {1, 2})
    check(changes.count() // 2)
    starts, stops = line_of(changes)
    q, k = np.divmod(expanded(starts, stops - starts), rows.keys + 1)
    ends = np.sort(k * (len(rows) + 1) + q)
    return rows_of((ends[::2], ends[1::2]), rows.keys, len(rows))


def _check_pieces(pieces: int, what: str, positions: int) -> None:
    if pieces > PIECES:
        raise ShapeError(
            f"{what} {pieces} runs at {positions} positions; the limit is {PIECES}: take fewer "
            "positions",
            pieces=pieces,
            limit=PIECES,
        )


def _permuted_sets(rows: Bits, old: "Positions") -> tuple[int, ...]:
    import numpy as np

    step = max(1, _CELLS // max(1, rows.keys))
    sets: list[int] = []
    for first in range(0, len(old), step):
        chosen = [rows.sets[q] for q in old[first : first + step].tolist()]
        packed = pack(chosen, (rows.keys + 7) // 8)
        dense = np.unpackbits(packed, axis=1, count=rows.keys, bitorder="little")[:, old]
        sets += unpack(np.packbits(dense, axis=1, bitorder="little"))
    return tuple(sets)
