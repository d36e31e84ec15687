"""The executed relation of one layer: ``A = M or I`` on all positions.

Convention: bit ``k`` of row ``q`` is set when position ``q`` holds information of position ``k``
after the layer.
"""

from collections.abc import Sequence

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow, Setting


def relation(
    mask: Mask, *, residual: bool = True, empty_row: EmptyRow = EmptyRow.ZERO
) -> tuple[int, ...]:
    """The layer relation on ``mask.size`` positions.

    Query ``i`` stands at position ``offset + i``. A position that is no query (a cached key) keeps
    its own state. An empty query row adds nothing, or, where softmax turns it into a uniform one,
    all keys.

    >>> [bin(row) for row in relation(Mask.from_rows([".1", ".."]))]
    ['0b11', '0b10']
    """
    uniform = (1 << mask.keys) - 1 if empty_row is EmptyRow.UNIFORM else 0
    rows = [1 << p for p in range(mask.offset)]
    rows += (row or uniform for row in mask.rows.bits())
    rows += (1 << p for p in range(len(rows), mask.size))
    if residual:
        rows = [row if row >> p & 1 else row | 1 << p for p, row in enumerate(rows)]
    return tuple(rows)


def relations(setting: Setting) -> tuple[tuple[int, ...], ...]:
    """The relation of every layer of one period."""
    return tuple(
        relation(mask, residual=setting.residual, empty_row=setting.empty_row)
        for mask in setting.layers
    )


def union(layers: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The relation of the pairs that some layer has.

    >>> union([(0b01, 0b10), (0b01, 0b11)])
    (1, 3)
    """
    first, *others = layers
    rows = list(first)
    for layer in others:
        rows = [a | b for a, b in zip(rows, layer, strict=True)]
    return tuple(rows)
