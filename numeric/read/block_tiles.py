"""The effective relation of a BlockMask: ``mask_mod`` is asked on the partial blocks alone.

Convention: heads of one layer are united; a block that is full in one head is full.
"""

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from attnproof.numeric.read.block_tables import BlockTables
from attnproof.numeric.read.callables import CHUNK, Rule, united
from attnproof.symbolic.masks.bits import Bits, unpack
from attnproof.symbolic.masks.blocks import Blocks, Tile
from attnproof.symbolic.masks.rows import runs_of
from attnproof.symbolic.masks.tiling import from_strips

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int64]


def tiles(tables: BlockTables, rule: Rule, batch: int, heads: range) -> Blocks:
    """What the kernel reads in one batch element, heads united.

    Law: row by row the full blocks, and the pairs of the partial blocks that the rule allows.
    """
    import numpy as np

    high = tables.block[0]
    full = united(tables.element(batch, heads)[0])
    i, j, h = np.nonzero(tables.asked(batch, heads).transpose(1, 2, 0))
    packed = _packed(tables, rule, batch, h + heads.start, i, j)
    different = np.append(True, (i[1:] != i[:-1]) | (j[1:] != j[:-1]))
    first = np.flatnonzero(different[: len(i)])
    if len(first) < len(i):
        packed = np.bitwise_or.reduceat(packed, first)

    @cache
    def rows(raw: bytes) -> Tile:
        """The bit sets of one block; equal blocks are unpacked once."""
        return tuple(unpack(np.frombuffer(raw, np.uint8).reshape(high, -1)))

    held = [rows(block.tobytes()) for block in packed]
    columns = j[first].tolist()
    ptr = np.searchsorted(i[first], np.arange(len(full) + 1)).tolist()
    strips = (
        (runs_of(own), dict(zip(columns[start:stop], held[start:stop], strict=True)))
        for own, (start, stop) in zip(Bits.from_dense(full).sets, pairwise(ptr), strict=True)
    )
    return from_strips(strips, queries=tables.queries, keys=tables.keys, block=tables.block)


def _packed(
    tables: BlockTables, rule: Rule, batch: int, heads: "Indices", i: "Indices", j: "Indices"
) -> "NDArray[np.uint8]":
    """The answers of the rule on each block, as bytes ``(block, query, 8 keys)``.

    Beyond the edge of the mask the last query and the last key are asked again.
    """
    import numpy as np

    high, wide = tables.block
    packed = np.empty((len(i), high, -(-wide // 8)), np.uint8)
    tall = min(high, max(1, CHUNK // wide))
    step = max(1, CHUNK // (tall * wide))
    for top in range(0, high, tall):
        within = np.arange(top, min(top + tall, high))
        for start in range(0, len(i), step):
            part = slice(start, start + step)
            q = np.minimum(i[part, None] * high + within, tables.queries - 1)
            k = np.minimum(j[part, None] * wide + np.arange(wide), tables.keys - 1)
            answers = rule.tiles(batch, heads[part], q, k)
            packed[part, within] = np.packbits(answers, axis=2, bitorder="little")
    return packed
