"""The closure of a relation with very many covers, compiled with numba (extra ``fast``).

The pass is that of ``closure``, over 64-bit words. Up to some hundred covers a row Python integers
are as fast: packing, compiling and unpacking cost more than they save.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from attnproof.symbolic.masks.bits import members_of_each, pack, unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Places = NDArray[np.int64]

_ONE = np.uint64(1)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel as machine code, kept on disk between processes."""
    from numba import njit

    return cast("Callable[..., Any]", njit(cache=True, nogil=True)(function))


def closed(
    rows: Sequence[int],
    classes: Sequence[Sequence[int]],
    class_of: Sequence[int],
    *,
    upward: bool,
) -> tuple[list[int], list[tuple[int, ...]]]:
    """What reaches each class, and its covers, for classes that read only earlier ones.

    ``upward`` says that the highest position not covered yet is mostly the nearest. Law: the
    result is that of ``closure``, which calls this.
    """
    reads = []
    for positions in classes:
        joined = rows[positions[0]]
        for p in positions[1:]:
            joined |= rows[p]
        reads.append(joined)
    packed = words(reads, len(rows))
    starts = np.cumsum([0, *map(len, classes)])
    members = np.array([p for positions in classes for p in positions])
    covers = words([0] * len(classes), len(classes))
    compiled(join)(packed, starts, members, np.array(class_of), upward, covers)
    if not (upward and list(class_of) == list(range(len(rows)))):
        compiled(keep_maximal)(packed, starts, members, covers)
    down = unpack(packed.view(np.uint8))
    below = members_of_each(unpack(covers.view(np.uint8)), len(classes))
    shared = [row if row == reach else reach for row, reach in zip(reads, down, strict=True)]
    return shared, list(map(tuple, below))


def words(sets: Sequence[int], size: int) -> "Words":
    """Bit sets as 64-bit words (sets, size / 64), lowest bit first."""
    return pack(sets, -(-size // 64) * 8).view(np.uint64).copy()


def join(
    reads: "Words",
    starts: "Places",
    members: "Places",
    class_of: "Places",
    upward: bool,
    covers: "Words",
) -> None:
    """Close row after row of ``reads`` in place and set the bits of the classes it joined.

    The members of class ``c`` are ``members[starts[c]:starts[c + 1]]``; ``upward`` says that the
    highest position not covered yet is the nearest. ``covers`` without columns stays as it is.

    >>> reads, covers, every = words((0b001, 0b011, 0b110), 3), words((0, 0, 0), 3), np.arange(4)
    >>> join(reads, every, every, every, True, covers)
    >>> reads.ravel().tolist(), covers.ravel().tolist()
    ([1, 3, 7], [0, 1, 2])
    """
    classes, width = reads.shape
    wanted = covers.shape[1] > 0
    reached = np.zeros(width, np.uint64)
    stops = np.zeros(classes, np.int64)
    for c in range(classes):
        span = width
        while span and not reads[c, span - 1]:
            span -= 1
        top = span
        for i in range(starts[c], starts[c + 1]):
            reached[members[i] >> 6] |= _ONE << np.uint64(members[i] & 63)
            top = max(top, (members[i] >> 6) + 1)
        for step in range(span):
            w = span - 1 - step if upward else step
            open_ = reads[c, w] & ~reached[w]
            while open_:
                bit = 0
                rest = open_ if upward else open_ & (~open_ + _ONE)
                for half in (32, 16, 8, 4, 2, 1):
                    if rest >> np.uint64(half):
                        rest >>= np.uint64(half)
                        bit += half
                d = class_of[(w << 6) + bit]
                if wanted:
                    covers[c, d >> 6] |= _ONE << np.uint64(d & 63)
                top = max(top, stops[d])
                for v in range(stops[d]):
                    reached[v] |= reads[d, v]
                open_ = reads[c, w] & ~reached[w]
        for v in range(top):
            reads[c, v] = reached[v]
            reached[v] = 0
        stops[c] = top


def keep_maximal(closed: "Words", starts: "Places", members: "Places", covers: "Words") -> None:
    """Remove from ``covers`` what another class in the same row reaches."""
    classes, width = closed.shape
    covered = np.zeros(width, np.uint64)
    for c in range(classes):
        covered[:] = 0
        for step in range(covers.shape[1]):
            w = covers.shape[1] - 1 - step
            for back in range(64):
                own = _ONE << np.uint64(63 - back)
                if covers[c, w] & own:
                    d = (w << 6) + 63 - back
                    p = members[starts[d]]
                    if (covered[p >> 6] >> np.uint64(p & 63)) & _ONE:
                        covers[c, w] ^= own
                    else:
                        for v in range(width):
                            covered[v] |= closed[d, v]
