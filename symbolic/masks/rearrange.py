"""Masks with their positions in another order, and with queries and keys exchanged.

Convention: ``permuted(m, order)[i, j]`` is ``m[order[i], order[j]]``: position ``i`` of the new
mask is position ``order[i]`` of the old one.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits, pack, unpack
from attnproof.symbolic.masks.forms import as_runs, best
from attnproof.symbolic.masks.line import combined, expanded, line_of, rows_of, stacked
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
        return Bits(_transposed_sets(rows), len(rows))
    runs = as_runs(rows)
    ptr, starts, stops = runs.ptr, runs.starts, runs.stops
    here = Runs(ptr + ptr[-1:], starts, stops, runs.keys)
    above = Runs(ptr[:1] + ptr, starts, stops, runs.keys)
    gained = combined(here, above, (False, True, False, False))
    lost = combined(above, here, (False, True, False, False))
    line = _columns_first(gained), _columns_first(lost)
    return best(rows_of(line, runs.keys, len(runs)))


def _columns_first(changes: Runs) -> "Positions":
    """The pairs ``(q, k)`` of a mask as integers ``k * queries + q``, in order."""
    import numpy as np

    _check_pieces(changes.count(), "with queries and keys exchanged the mask has", len(changes))
    starts, stops = line_of(changes)
    q, k = np.divmod(expanded(starts, stops - starts), changes.keys + 1)
    return np.sort(k * len(changes) + q)


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


def _transposed_sets(rows: Bits) -> tuple[int, ...]:
    import numpy as np

    packed = pack(rows.sets, (rows.keys + 7) // 8)
    step = max(1, _CELLS // 8 // max(1, len(rows)))
    sets: list[int] = []
    for first in range(0, packed.shape[1], step):
        dense = np.unpackbits(packed[:, first : first + step], axis=1, bitorder="little")
        sets += unpack(np.packbits(dense.T, axis=1, bitorder="little"))
    return tuple(sets[: rows.keys])
