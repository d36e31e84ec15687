"""One pass over the rows of a mask: what can be said of them without holding any.

Convention: query ``i`` stands at position ``offset + i``, and its own key is the key there.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnproof.symbolic.masks import forms
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import integers


@dataclass(frozen=True)
class Survey:
    """Counts of a mask: pairs, own keys, keys of a query; which positions read nothing.

    ``back`` says that no query reads a later key, ``next_before`` counts the queries that read the
    key just before them. ``first_open`` is the first position that does not read all keys up to
    itself, its own key put aside.
    """

    edges: int
    own: int
    least: int
    most: int
    empty: Sequence[int]
    back: bool
    next_before: int
    first_open: int | None


def survey(mask: Mask) -> Survey:
    """Read the rows once, a million runs at a time.

    >>> found = survey(Mask.from_rows(["1..", "11.", ".11"]))
    >>> found.edges, found.own, found.back, found.next_before, found.first_open
    (5, 3, True, 2, 2)
    """
    edges = own = most = next_before = 0
    least, empty, back, first_open = mask.keys, array("q"), True, None
    position = mask.offset
    for part in forms.parts(mask.rows):
        ptr, starts, stops = part.arrays()
        per_row = np.diff(ptr)
        at = np.arange(position, position + len(part))
        reader = np.repeat(at, per_row)
        lengths = np.append(0, np.cumsum(stops - starts, dtype=np.int64))
        keys = np.diff(lengths[ptr])
        holds = (starts <= reader) & (reader < stops)
        behind = np.minimum(stops, reader) - np.minimum(starts, reader)
        behind = np.diff(np.append(0, np.cumsum(behind, dtype=np.int64))[ptr])
        short = np.flatnonzero(behind < at)
        if first_open is None and len(short):
            first_open = position + int(short[0])
        edges += int(lengths[-1])
        own += int(holds.sum())
        least = min(least, int(keys.min(initial=least)))
        most = max(most, int(keys.max(initial=0)))
        empty.extend(integers(position + np.flatnonzero(per_row == 0)))
        back = back and bool((stops <= reader + 1).all())
        next_before += int(((starts < reader) & (reader <= stops)).sum())
        position += len(part)
    return Survey(edges, own, least, most, empty, back, next_before, first_open)


def is_chain(mask: Mask, found: Survey) -> bool:
    """Does every position read the one before it and no later one? Then all earlier ones reach it.

    >>> window = Mask.from_rows(["1..", "11.", ".11"])
    >>> is_chain(window, survey(window))
    True
    """
    square = mask.offset == 0 and mask.queries == mask.keys
    return square and found.back and found.next_before == mask.size - 1
