"""The heads of one layer, united: the output projection mixes what they read.

Convention: a head is ``(query, key)``, true where it reads. A row that one head leaves empty while
another reads is *partly empty*; where an empty row is uniform, that head reads every key there.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.setting import EmptyRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(slots=True)
class HeadUnion:
    """The union of heads, which are added in parts of whole rows.

    >>> import numpy as np
    >>> union = HeadUnion(2, 2, EmptyRow.UNIFORM)
    >>> union.add(0, np.array([[[True, False], [True, False]], [[True, False], [False, False]]]))
    >>> union.rows(), union.partly_empty
    ((1, 3), {1})

    Law: a row that every head leaves empty stays empty; with ``EmptyRow.ZERO`` every row is the
    union of its rows. Source: ours.
    """

    queries: int
    keys: int
    empty_row: EmptyRow = EmptyRow.ZERO
    _union: list[int] = field(init=False)
    _empty: set[int] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._union = [0] * self.queries

    def add(self, start: int, heads: "NDArray[np.bool_]") -> None:
        """Take the rows ``(head, query, key)`` of the queries from ``start`` on."""
        for head in heads:
            for q, row in enumerate(Bits.from_dense(head).sets, start):
                self._union[q] |= row
                if not row:
                    self._empty.add(q)

    @property
    def partly_empty(self) -> set[int]:
        """The rows that some head leaves empty while another reads."""
        return {q for q in self._empty if self._union[q]}

    def rows(self) -> tuple[int, ...]:
        """What the layer reads, as a bit set a query."""
        rows = list(self._union)
        if self.empty_row is EmptyRow.UNIFORM:
            for q in self.partly_empty:
                rows[q] = (1 << self.keys) - 1
        return tuple(rows)


def any_head_reads(heads: "NDArray[np.bool_]", k: int, empty_row: EmptyRow) -> bool:
    """Whether some head of a row ``(head, key)`` reads the key, or is empty and averages.

    >>> import numpy as np
    >>> any_head_reads(np.array([[True, False], [False, False]]), 1, EmptyRow.UNIFORM)
    True
    """
    if heads[:, k].any():
        return True
    reading = heads.any(axis=1)
    return empty_row is EmptyRow.UNIFORM and bool(reading.any()) and not reading.all()
