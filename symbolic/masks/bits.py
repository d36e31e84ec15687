"""A mask with one Python integer a row: exact, dependency-free, fast to some 64k positions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from struct import iter_unpack
from typing import TYPE_CHECKING

from attnproof.symbolic.masks.rows import RowRuns, bits_of, runs_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNK_BYTES = 1 << 26
_CHUNK_ROWS = 256
_PANEL = 64


@dataclass(frozen=True, slots=True)
class Bits:
    """Bit ``k`` of ``sets[q]`` is true when query ``q`` reads key ``k``.

    >>> Bits((0b1, 0b11), keys=2).count()
    3
    """

    sets: tuple[int, ...]
    keys: int

    def __len__(self) -> int:
        return len(self.sets)

    def row(self, q: int) -> int:
        return self.sets[q]

    def row_runs(self, q: int) -> RowRuns:
        return runs_of(self.sets[q])

    def reads(self, q: int, k: int) -> bool:
        return bool(self.sets[q] >> k & 1)

    def bits(self) -> tuple[int, ...]:
        return self.sets

    def runs(self) -> Iterator[RowRuns]:
        return map(runs_of, self.sets)

    def count(self) -> int:
        return sum(row.bit_count() for row in self.sets)

    @staticmethod
    def from_runs(rows: Iterable[Iterable[tuple[int, int]]], keys: int) -> "Bits":
        """Rows given as intervals.

        >>> Bits.from_runs([[(0, 1)], [(0, 2)]], keys=2).sets
        (1, 3)
        """
        return Bits(tuple(map(bits_of, rows)), keys)

    @staticmethod
    def from_dense(array: "NDArray[np.bool_]") -> "Bits":
        """From a Boolean array ``(queries, keys)``, in chunks: a memory map stays on disk."""
        import numpy as np

        queries, keys = array.shape
        step = max(1, _CHUNK_BYTES // max(1, keys))
        sets: list[int] = []
        for start in range(0, queries, step):
            sets += unpack(np.packbits(array[start : start + step], axis=1, bitorder="little"))
        return Bits(tuple(sets), keys)

    def dense(self) -> "NDArray[np.bool_]":
        """The Boolean array ``(queries, keys)``."""
        import numpy as np

        packed = pack(self.sets, (self.keys + 7) // 8)
        return np.unpackbits(packed, axis=1, count=self.keys, bitorder="little").view(np.bool_)


def pack(sets: Iterable[int], width: int) -> "NDArray[np.uint8]":
    """Bit sets as an array of ``width`` bytes each, lowest bit first.

    >>> pack([1, 0b100000011], 2).tolist()
    [[1, 0], [3, 1]]
    """
    import numpy as np

    raw = [row.to_bytes(width, "little") for row in sets]
    return np.frombuffer(b"".join(raw), np.uint8).reshape(len(raw), width)


def unpack(packed: "NDArray[np.uint8]") -> list[int]:
    """The bit sets of an array of bytes; the inverse of :func:`pack`."""
    import numpy as np

    count, width = packed.shape
    if not width:
        return [0] * count
    raw = np.ascontiguousarray(packed).reshape(-1).data
    return [int.from_bytes(row, "little") for (row,) in iter_unpack(f"{width}s", raw)]


def members_of_each(sets: Sequence[int], keys: int) -> list[list[int]]:
    """The elements of each bit set, smallest first; one Python integer a key, shared by all.

    >>> members_of_each([0b110, 0, 0b101], keys=3)
    [[1, 2], [], [0, 2]]
    """
    import numpy as np

    width = (keys + 7) // 8
    every = np.arange(keys).astype(object)
    lists: list[list[int]] = []
    for start in range(0, len(sets), _CHUNK_ROWS):
        packed = pack(sets[start : start + _CHUNK_ROWS], width)
        dense = np.unpackbits(packed, axis=1, count=keys, bitorder="little").view(np.bool_)
        lists += [every[row].tolist() for row in dense]
    return lists


def columns(sets: Sequence[int], keys: int) -> list[int]:
    """The columns of a matrix of bits: bit ``q`` of set ``k`` is bit ``k`` of the given set ``q``.

    >>> columns([0b011, 0b100], keys=3)
    [1, 1, 2]
    """
    if max(len(sets), keys) < 64:
        return [sum((row >> k & 1) << q for q, row in enumerate(sets)) for k in range(keys)]
    padding = [0] * (-len(sets) % 8)
    return unpack(_columns(pack([*sets, *padding], (keys + 7) // 8)))[:keys]


def _columns(packed: "NDArray[np.uint8]") -> "NDArray[np.uint8]":
    """Transpose a packed matrix, its rows a multiple of 8, by 8×8 tiles, panel by panel."""
    import numpy as np

    tall, width = len(packed) // 8, packed.shape[1]
    out = np.empty((8 * width, tall), np.uint8)
    swaps = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
    for start in range(0, tall, _PANEL):
        count = min(_PANEL, tall - start)
        tiles = packed[8 * start : 8 * (start + count)].reshape(count, 8, width)
        words = np.array(tiles.transpose(0, 2, 1), order="C").view(np.uint64).reshape(count, width)
        for shift, mask in swaps:
            moved = (words >> np.uint64(shift) ^ words) & np.uint64(mask)
            words ^= moved
            words ^= moved << np.uint64(shift)
        tiles = words.view(np.uint8).reshape(count, width, 8).transpose(1, 2, 0)
        out[:, start : start + count] = tiles.reshape(8 * width, count)
    return out
