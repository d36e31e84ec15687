"""The executed relation of one layer, ``A = M or I`` on all positions, as runs.

Convention: row ``q`` holds the positions whose information position ``q`` has after the layer.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.masks import forms
from attnproof.symbolic.masks.line import stacked
from attnproof.symbolic.masks.made import Made
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.run_arrays import check_fragments, flat
from attnproof.symbolic.setting import EmptyRow, Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]


def run_relation(mask: Mask, *, residual: bool = True, empty_row: EmptyRow = EmptyRow.ZERO) -> Runs:
    """The layer relation on ``mask.size`` positions, as :func:`relation.relation` defines it.

    >>> list(run_relation(Mask.from_rows([".1", ".."])).runs())
    [((0, 2),), ((1, 2),)]
    """
    given = given_rows(mask)
    every = np.arange(mask.size)
    asked = (every >= mask.offset) & (every < mask.offset + mask.queries)
    if empty_row is EmptyRow.UNIFORM:
        empty = every[asked & (np.diff(given.arrays()[0]) == 0)]
        given = with_intervals(given, empty, np.zeros_like(empty), np.full_like(empty, mask.keys))
    return with_own(given, every if residual else every[~asked])


def run_relations(setting: Setting) -> tuple[Runs, ...]:
    """The relation of every layer of one period."""
    return tuple(
        run_relation(mask, residual=setting.residual, empty_row=setting.empty_row)
        for mask in setting.layers
    )


def as_runs(mask: Mask) -> Runs:
    """The rows of a mask as runs, whatever holds them."""
    if isinstance(mask.rows, Made):
        for runs in accumulate(len(part.starts) for part in mask.rows.parts()):
            check_fragments(runs, mask.size)
    found = forms.as_runs(mask.rows)
    check_fragments(len(found.starts), mask.size)
    return found


def given_rows(mask: Mask) -> Runs:
    """The pairs as given, each query in the row of its position, on ``mask.size`` positions."""
    rows = as_runs(mask)
    if len(rows) == rows.keys == mask.size:
        return rows
    ptr, starts, stops = rows.arrays()
    after = mask.size - mask.offset - mask.queries
    padded = np.pad(ptr, (mask.offset, after), "edge")
    return Runs.from_arrays(padded, starts, stops, mask.size)


def run_union(layers: Sequence[Runs]) -> Runs:
    """The relation of the pairs that some layer has.

    >>> a, b = Runs.from_rows([[(0, 1)]], 3), Runs.from_rows([[(1, 2)]], 3)
    >>> list(run_union([a, b]).runs())
    [((0, 2),)]
    """
    first, *others = layers
    if not others:
        return first
    owner, starts, stops = map(np.concatenate, zip(*map(flat, layers), strict=True))
    return stacked(owner, starts, stops, len(first), first.keys)


def with_own(rows: Runs, positions: "Places") -> Runs:
    """The rows, and at each of ``positions`` the position itself.

    >>> list(with_own(Runs.from_rows([[(1, 2)], []], 2), np.array([0])).runs())
    [((0, 2),), ()]
    """
    owner, starts, stops = flat(rows)
    holds = np.zeros(len(rows), np.bool_)
    holds[owner[(starts <= owner) & (owner < stops)]] = True
    missing = positions[~holds[positions]]
    return with_intervals(rows, missing, missing, missing + 1)


def with_intervals(
    rows: Runs,
    owner: "Places",
    starts: "Places",
    stops: "Places",
) -> Runs:
    """The rows, and one more interval in each of the rows ``owner``."""
    if not len(owner):
        return rows
    both = zip(flat(rows), (owner, starts, stops), strict=True)
    owner, starts, stops = map(np.concatenate, both)
    return stacked(owner, starts, stops, len(rows), rows.keys)
