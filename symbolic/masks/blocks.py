"""A mask as tiles of keys and queries, as FlexAttention runs it: full, partial, or never loaded.

Convention: tile ``(i, j)`` holds queries ``i * block[0] ...`` and keys ``j * block[1] ...``; tiles
at the edge are cut off. A full tile reads every pair; equal partial tiles are kept once.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.symbolic.masks.line import expanded, stacked
from attnproof.symbolic.masks.rows import RowRuns, bits_of, runs_of
from attnproof.symbolic.masks.run_sets import moved, unite
from attnproof.symbolic.masks.runs import Runs, check_bits
from attnproof.symbolic.masks.sparse import Sparse

if TYPE_CHECKING:
    from attnproof.symbolic.masks.line import Positions

#: The rows of one tile as bit sets, bit 0 for its first key.
Tile = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Blocks:
    """``queries`` by ``keys`` in tiles of ``block``; ``full`` and ``partial`` list tiles by row.

    The content of the i-th partial tile is ``tiles[tile[i]]``, neither empty nor full.

    >>> from attnproof.symbolic.masks.tiling import tiled
    >>> causal = tiled(Runs.from_rows([[(0, q + 1)] for q in range(4)], keys=4), (2, 2))
    >>> list(causal.full.runs()), list(causal.partial.runs()), causal.tiles
    ([(), ((0, 1),)], [((0, 1),), ((1, 2),)], ((1, 3),))
    """

    queries: int
    keys: int
    block: tuple[int, int]
    full: Runs
    partial: Sparse
    tile: "array[int]"
    tiles: tuple[Tile, ...]

    def __len__(self) -> int:
        return self.queries

    def row(self, q: int) -> int:
        return bits_of(self.row_runs(q))

    def row_runs(self, q: int) -> RowRuns:
        """Row ``q`` as maximal runs."""
        i, r = divmod(q, self.block[0])
        width = self.block[1]
        runs = [(a * width, min(b * width, self.keys)) for a, b in self.full.row_runs(i)]
        for j, content in self.partial_tiles(i).items():
            runs += moved(runs_of(content[r]), j * width, self.keys)
        return unite(runs)

    def reads(self, q: int, k: int) -> bool:
        """Whether query ``q`` reads key ``k``."""
        (i, r), (j, c) = divmod(q, self.block[0]), divmod(k, self.block[1])
        content = self.partial_tiles(i).get(j)
        return self.full.reads(i, j) if content is None else bool(content[r] >> c & 1)

    def bits(self) -> tuple[int, ...]:
        """Every row as a bit set; raises :class:`ShapeError` where these are gigabytes."""
        check_bits(self.queries, self.keys)
        return tuple(map(bits_of, self.runs()))

    def runs(self) -> Iterator[RowRuns]:
        return self.as_runs().runs()

    def count(self) -> int:
        sizes = [sum(map(int.bit_count, content)) for content in self.tiles]
        whole = sum(
            self.height(i) * (min(b * self.block[1], self.keys) - a * self.block[1])
            for i, runs in enumerate(self.full.runs())
            for a, b in runs
        )
        return whole + sum(sizes[t] for t in self.tile)

    def height(self, i: int) -> int:
        """How many queries the tiles of block row ``i`` have."""
        return min(self.block[0], self.queries - i * self.block[0])

    def width(self, j: int) -> int:
        """How many keys the tiles of block column ``j`` have."""
        return min(self.block[1], self.keys - j * self.block[1])

    def partial_tiles(self, i: int) -> dict[int, Tile]:
        """The partial tiles of block row ``i`` by block column."""
        here = range(self.partial.ptr[i], self.partial.ptr[i + 1])
        return {self.partial.indices[at]: self.tiles[self.tile[at]] for at in here}

    def as_runs(self) -> Runs:
        """The same rows as runs, in one vectorised pass."""
        import numpy as np

        high, wide = self.block
        ptr, a, b = (ends.astype(np.int64) for ends in self.full.arrays())
        rows = expanded(_owners(ptr) * high, np.full(len(a), high))
        starts, stops = np.repeat(a * wide, high), np.repeat(b * wide, high)
        ptr, columns = self.partial.arrays()
        which, r, start, stop = self._tile_runs()
        kind = np.frombuffer(self.tile, np.int64)
        entry = np.repeat(np.arange(len(kind)), np.diff(which)[kind])
        at = expanded(which[kind], np.diff(which)[kind])
        left = columns[entry].astype(np.int64) * wide
        rows = np.append(rows, _owners(ptr)[entry] * high + r[at])
        starts, stops = np.append(starts, left + start[at]), np.append(stops, left + stop[at])
        inside = rows < self.queries
        return stacked(rows[inside], starts[inside], stops[inside], self.queries, self.keys)

    def _tile_runs(self) -> "tuple[Positions, Positions, Positions, Positions]":
        """Where the runs of each distinct tile start, and of every run its row and its ends."""
        import numpy as np

        runs = [
            [(r, *run) for r, row in enumerate(tile) for run in runs_of(row)] for tile in self.tiles
        ]
        which = np.cumsum([0, *map(len, runs)])
        flat = np.array([run for own in runs for run in own], np.int64).reshape(-1, 3)
        return which, flat[:, 0], flat[:, 1], flat[:, 2]


def _owners(ptr: "Positions") -> "Positions":
    """The row of each entry of a CSR array."""
    import numpy as np

    return np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))


def full_tile(height: int, width: int) -> Tile:
    """The tile that reads every pair.

    >>> full_tile(2, 3)
    (7, 7)
    """
    return ((1 << width) - 1,) * height
