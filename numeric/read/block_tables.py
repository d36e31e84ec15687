"""The block tables of a BlockMask: which blocks are full, which are partial.

Convention: block ``[i, j]`` holds queries ``i * block[0] ...`` and keys ``j * block[1] ...``, cut
off at the edge of the mask. A block that is listed twice is full; one that is not is never loaded.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BlockTables:
    """Tables ``(batch, head, query block, key block)`` of ``queries`` by ``keys``.

    Batches and heads of the mask beyond those of the tables repeat them, as in the kernel.
    """

    queries: int
    keys: int
    block: tuple[int, int]
    full: "Flags"
    partial: "Flags"

    @staticmethod
    def of(mask: Any, queries: int, keys: int) -> "BlockTables":
        """The tables of a BlockMask."""
        import numpy as np

        high, wide = map(int, mask.BLOCK_SIZE)
        count = -(-queries // high), -(-keys // wide)
        partial = _table(mask.kv_num_blocks, mask.kv_indices, count)
        full = partial & False
        if mask.full_kv_num_blocks is not None:
            full = _table(mask.full_kv_num_blocks, mask.full_kv_indices, count)
        full, partial = np.broadcast_arrays(full, partial & ~full)
        return BlockTables(queries, keys, (high, wide), full, partial)

    def element(self, batch: int, heads: range) -> "tuple[Flags, Flags]":
        """The full and the partial blocks ``(head, query block, key block)`` of a batch element."""
        b, h = batch % self.full.shape[0], [head % self.full.shape[1] for head in heads]
        return self.full[b, h], self.partial[b, h]

    def asked(self, batch: int, heads: range) -> "Flags":
        """The blocks ``(head, query block, key block)`` whose pairs ``mask_mod`` settles: partial
        ones that are full in no head."""
        full, partial = self.element(batch, heads)
        flags: Flags = partial & ~full.any(axis=0)
        return flags

    def count(self, table: "Flags") -> int:
        """How many pairs the blocks of a table ``(head, query block, key block)`` have."""
        import numpy as np

        (high, wide), (_, rows, columns) = self.block, table.shape
        heights = np.minimum(high, self.queries - np.arange(rows) * high)
        widths = np.minimum(wide, self.keys - np.arange(columns) * wide)
        return int(heights @ (table.sum(axis=0) @ widths))

    def on_pairs(self, table: "Flags", queries: "Indices", keys: "Indices") -> "Flags":
        """A table ``(head, query block, key block)`` on pairs ``(head, query, key)``."""
        rows: Flags = table[:, queries // self.block[0]]
        return rows[:, :, keys // self.block[1]]

    def lists(self, table: "Flags", batch: int, head: int, q: int, k: int) -> bool:
        """Whether a table has the block of one pair."""
        b, h = batch % table.shape[0], head % table.shape[1]
        return bool(table[b, h, q // self.block[0], k // self.block[1]])


def _table(counts: Any, indices: Any, size: tuple[int, int]) -> "Flags":
    """The listed blocks; block rows that are missing list none."""
    import numpy as np

    where = indices.detach().cpu().numpy()
    where = where.reshape((1,) * (4 - where.ndim) + where.shape)[:, :, : size[0]]
    count = counts.detach().cpu().numpy().reshape((*where.shape[:2], -1))[:, :, : size[0]]
    listed = np.arange(where.shape[-1]) < count[..., None]
    listed &= (where >= 0) & (where < size[1])
    table = np.zeros((*where.shape[:2], *size), dtype=np.bool_)
    place = np.nonzero(listed)
    table[(*place[:-1], where[place])] = True
    return table
