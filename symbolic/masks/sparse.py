"""A mask as the list of keys of each row (CSR): for few, scattered keys.

Convention: row ``q`` reads ``indices[ptr[q]] < ... < indices[ptr[q + 1] - 1]``.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.symbolic.masks.rows import RowRuns, bits_of
from attnproof.symbolic.masks.runs import Runs, check_bits, integers, positions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Sparse:
    """Rows as sorted keys in flat arrays: 4 bytes a pair, 8 a row.

    >>> strided = Sparse.from_rows([[(0, 1)], [(1, 2)], [(0, 1), (2, 3)]], keys=3)
    >>> strided.indices, strided.row_runs(2), strided.reads(2, 1)
    (array('i', [0, 1, 0, 2]), ((0, 1), (2, 3)), False)
    """

    ptr: "array[int]"
    indices: "array[int]"
    keys: int

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def row(self, q: int) -> int:
        return bits_of(self.row_runs(q))

    def row_runs(self, q: int) -> RowRuns:
        """Row ``q`` as maximal runs."""
        runs: list[tuple[int, int]] = []
        for k in self.indices[self.ptr[q] : self.ptr[q + 1]]:
            if runs and runs[-1][1] == k:
                runs[-1] = (runs[-1][0], k + 1)
            else:
                runs.append((k, k + 1))
        return tuple(runs)

    def reads(self, q: int, k: int) -> bool:
        """Whether query ``q`` reads key ``k``."""
        last = self.ptr[q + 1]
        i = bisect_left(self.indices, k, self.ptr[q], last)
        return i < last and self.indices[i] == k

    def bits(self) -> tuple[int, ...]:
        """Every row as a bit set; raises :class:`ShapeError` where these are gigabytes."""
        check_bits(len(self), self.keys)
        return tuple(map(bits_of, self.runs()))

    def runs(self) -> Iterator[RowRuns]:
        return self.as_runs().runs()

    def count(self) -> int:
        return len(self.indices)

    @staticmethod
    def from_rows(rows: Iterable[Iterable[tuple[int, int]]], keys: int) -> "Sparse":
        """Rows given as maximal runs, one after the other: only their keys are kept."""
        ptr, indices = array("q", [0]), positions(keys)
        for runs in rows:
            for start, stop in runs:
                indices.extend(range(start, stop))
            ptr.append(len(indices))
        return Sparse(ptr, indices, keys)

    @staticmethod
    def from_arrays(
        ptr: "NDArray[np.integer]", indices: "NDArray[np.integer]", keys: int
    ) -> "Sparse":
        """Rows given as numpy arrays, as in ``scipy.sparse.csr_array`` with sorted indices."""
        return Sparse(integers(ptr), positions(keys, indices), keys)

    def arrays(self) -> "tuple[NDArray[np.int64], NDArray[np.signedinteger]]":
        """``ptr`` and ``indices`` as numpy arrays over the same memory."""
        import numpy as np

        kind = np.dtype(self.indices.typecode)
        return np.frombuffer(self.ptr, np.int64), np.frombuffer(self.indices, kind)

    def as_runs(self) -> Runs:
        """The same rows as runs."""
        import numpy as np

        ptr, indices = self.arrays()
        begins = np.ones(len(indices) + 1, np.bool_)
        begins[1:-1] = indices[1:] != indices[:-1] + 1
        begins[ptr] = True
        before = np.append(0, np.cumsum(begins[:-1]))
        return Runs.from_arrays(
            before[ptr], indices[begins[:-1]], indices[begins[1:]] + 1, self.keys
        )
