"""What one layer reads that a property forbids: found row by row, no closure taken.

Where the allowed pairs are closed, a layer within them shows the property for every depth. Where a
layer is not, its forbidden pairs are leaks already.
"""

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.masks import forms
from attnproof.symbolic.masks.line import combined
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.properties import Causal, Documents, Property
from attnproof.symbolic.order.run_arrays import pairs
from attnproof.symbolic.setting import EmptyRow, Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]


def is_within(setting: Setting, property: Property) -> bool:
    """Does no layer read a forbidden pair, of a property whose allowed pairs are closed?

    >>> is_within(Setting((Mask.from_rows(["1.", "11"]),)), Causal(2))
    True
    """
    if not isinstance(property, (Causal, Documents)):
        return False
    bound = _Bound.of(property)
    return all(_mask_within(mask, setting.empty_row, bound) for mask in setting.layers)


def document_numbers(property: Documents) -> "Places":
    """Position to the number of its document, counted as they first come.

    >>> document_numbers(Documents((7, 7, 3))).tolist()
    [0, 0, 1]
    """
    number = {document: i for i, document in enumerate(dict.fromkeys(property.ids))}
    return np.fromiter(map(number.__getitem__, property.ids), np.int64, property.size)


class _Bound:
    """Until where each position's allowed keys go on from a key: the stretches of one document."""

    def __init__(self, document: "Places | None", stop: "Places | None") -> None:
        self._document, self._stop = document, stop

    @staticmethod
    def of(property: Causal | Documents) -> "_Bound":
        if isinstance(property, Causal):
            return _Bound(None, None)
        ids = document_numbers(property)
        ends = np.append(np.flatnonzero(np.diff(ids)) + 1, len(ids))
        return _Bound(ids, np.repeat(ends, np.diff(ends, prepend=0)))

    def holds(self, reader: "Places", starts: "Places", stops: "Places") -> bool:
        if self._document is None or self._stop is None:
            return bool((stops <= reader + 1).all())
        same = self._document[starts] == self._document[reader]
        return bool((same & (stops <= self._stop[starts])).all())


def _mask_within(mask: Mask, empty_row: EmptyRow, bound: _Bound) -> bool:
    position = mask.offset
    for part in forms.parts(mask.rows):
        ptr, starts, stops = part.arrays()
        per_row = np.diff(ptr)
        at = np.arange(position, position + len(part))
        if not bound.holds(np.repeat(at, per_row), starts, stops):
            return False
        empty = at[per_row == 0]
        if empty_row is EmptyRow.UNIFORM and len(empty):
            zero = np.zeros_like(empty)
            if not bound.holds(empty, zero, zero + mask.keys):
                return False
        position += len(part)
    return True


def direct_leaks(mask: Mask, forbidden: Runs, most: int) -> tuple[list[tuple[int, int]], int]:
    """The first (reader, source) that a mask reads though forbidden, and how many there are.

    >>> direct_leaks(Mask.from_rows(["11", ".1"]), Runs.from_rows([[(1, 2)], []], 2), 9)
    ([(0, 1)], 1)
    """
    found: list[tuple[int, int]] = []
    total, position = 0, mask.offset
    for part in forms.parts(mask.rows):
        ptr, starts, stops = part.arrays()
        wide = Runs.from_arrays(ptr, starts, stops, forbidden.keys)
        leaks = combined(wide, forbidden.part(position, position + len(part)), {3})
        here = islice(pairs(leaks), most - len(found))
        found += [(position + q, k) for q, k in here]
        total += leaks.count()
        position += len(part)
    return found, total
