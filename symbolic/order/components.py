"""Classes: the strongly connected components of a relation, by Gabow's path-based search.

The search runs on bit sets: the set of unseen positions meets a row in one operation, so that the
cost is n²/64 words and not one step a pair. A row that reads a waiting position merges the groups
on the walk from that position on; a group is a class once its first position is left.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def transpose(rows: Sequence[int]) -> list[int]:
    """The columns of a square relation, as bit sets.

    >>> transpose((0b11, 0b00))
    [1, 1]
    """
    n = len(rows)
    if n < 64:
        return [sum((row >> k & 1) << q for q, row in enumerate(rows)) for k in range(n)]
    from attnproof.symbolic.masks.bits import pack, unpack

    return list(unpack(_transpose_packed(pack(rows, -(-n // 64) * 8))))[:n]


def _transpose_packed(packed: "NDArray[np.uint8]") -> "NDArray[np.uint8]":
    """Transpose a packed bit matrix (rows padded to 64) by 8×8 tiles, panel by panel."""
    import numpy as np

    width = packed.shape[1]
    n = width * 8
    square = np.zeros((n, width), np.uint8)
    square[: len(packed)] = packed
    out = np.empty((n, width), np.uint8)
    panel = 64
    swaps = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
    for start in range(0, width, panel):
        count = min(panel, width - start)
        tiles = square[8 * start : 8 * (start + count)].reshape(count, 8, width)
        words = np.ascontiguousarray(tiles.transpose(0, 2, 1)).view(np.uint64).reshape(count, width)
        for shift, mask in swaps:
            moved = (words >> np.uint64(shift) ^ words) & np.uint64(mask)
            words ^= moved
            words ^= moved << np.uint64(shift)
        tiles = words.view(np.uint8).reshape(count, width, 8).transpose(1, 2, 0)
        out[:, start : start + count] = tiles.reshape(n, count)
    return out


def components(rows: Sequence[int]) -> list[list[int]]:
    """The classes of mutually reaching positions; a class reads only later ones of the list.

    >>> components((0b010, 0b001, 0b111))
    [[2], [0, 1]]
    """
    unseen = (1 << len(rows)) - 1
    waiting = 0
    stack: list[int] = []
    walk: list[int] = []
    starts: list[int] = []
    groups: list[int] = []
    found: list[list[int]] = []
    while unseen:
        position = unseen.bit_length() - 1
        while position >= 0:
            own = 1 << position
            row = rows[position]
            start, group = len(stack), own
            back = row & waiting
            while back & ~group:
                start = starts.pop()
                group |= groups.pop()
            starts.append(start)
            groups.append(group)
            stack.append(position)
            walk.append(position)
            waiting |= own
            unseen ^= own
            fresh = row & unseen
            while not fresh and walk:
                if stack[starts[-1]] == walk.pop():
                    start = starts.pop()
                    waiting ^= groups.pop()
                    found.append(sorted(stack[start:]))
                    del stack[start:]
                fresh = rows[walk[-1]] & unseen if walk else 0
            position = fresh.bit_length() - 1
    found.reverse()
    return found
