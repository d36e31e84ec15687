"""Sequences of tuples that are made as they are asked for, over numpy arrays.

A million classes as tuples are 60 MB; as arrays they are 16.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

_CHUNK = 1 << 16


class Classes(Sequence[tuple[int, ...]]):
    """Sets of positions, members ascending: set ``c`` is ``members[ptr[c]:ptr[c + 1]]``.

    >>> classes = Classes.numbered(np.array([0, 1, 0]), 2)
    >>> list(classes), len(classes), classes[-1], classes[:1]
    ([(0, 2), (1,)], 2, (1,), ((0, 2),))
    """

    def __init__(self, ptr: "Places", members: "Places") -> None:
        self.ptr, self.members = ptr, members

    @staticmethod
    def numbered(class_of: "Places", count: int) -> "Classes":
        """The positions of each class number."""
        ptr = np.append(0, np.cumsum(np.bincount(class_of, minlength=count)))
        return Classes(ptr, np.argsort(class_of, kind="stable"))

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @overload
    def __getitem__(self, index: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[int, ...], ...]: ...
    def __getitem__(self, index: int | slice) -> tuple[int, ...] | tuple[tuple[int, ...], ...]:
        if isinstance(index, slice):
            return tuple(self[c] for c in range(len(self))[index])
        c = range(len(self))[index]
        return tuple(self.members[self.ptr[c] : self.ptr[c + 1]].tolist())

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for first in range(0, len(self), _CHUNK):
            ptr = self.ptr[first : first + _CHUNK + 1]
            members = self.members[ptr[0] : ptr[-1]].tolist()
            ends = (ptr - ptr[0]).tolist()
            for start, stop in pairwise(ends):
                yield tuple(members[start:stop])


class Covers(Sequence[tuple[int, int]]):
    """Edges (source, reader) in order.

    >>> covers = Covers(np.array([0, 1]), np.array([1, 2]))
    >>> list(covers), covers[1], covers[1:]
    ([(0, 1), (1, 2)], (1, 2), ((1, 2),))
    """

    def __init__(self, sources: "Places", readers: "Places") -> None:
        self.sources, self.readers = sources, readers

    def __len__(self) -> int:
        return len(self.sources)

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[int, int], ...]: ...
    def __getitem__(self, index: int | slice) -> tuple[int, int] | tuple[tuple[int, int], ...]:
        if isinstance(index, slice):
            ends = self.sources[index].tolist(), self.readers[index].tolist()
            return tuple(zip(*ends, strict=True))
        return int(self.sources[index]), int(self.readers[index])

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for first in range(0, len(self), _CHUNK):
            yield from self[first : first + _CHUNK]
