"""Mask: which query reads which key, as a frozen exact value.

Convention: ``mask[q, k]`` is true when query ``q`` reads key ``k``; query ``i`` stands at position
``offset + i``. The mask is kept as given: the residual (diagonal) is added by the order.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.digest import digest
from attnproof.symbolic.masks.rows import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SHOWN = 32


class Mask:
    """Queries by keys, over any representation of rows.

    >>> m = Mask.from_rows(["1..", "11.", "111"])
    >>> m[2, 0], m[0, 2]
    (True, False)
    >>> m
    Mask 3×3 (row = query)
    #··
    ##·
    ###

    Equality is equality of shape, offset and pairs, whatever the representation.
    """

    rows: Rows
    offset: int
    name: str

    @classmethod
    def of(cls, rows: Rows, *, offset: int = 0, name: str = "") -> Self:
        """A mask over given rows."""
        if offset < 0:
            raise ShapeError(f"the query offset is {offset}; it must be 0 or more", offset=offset)
        mask = cls.__new__(cls)
        mask.__dict__.update(rows=rows, offset=offset, name=name)
        return mask

    @classmethod
    def from_rows(cls, rows: Sequence[str], *, offset: int = 0, name: str = "") -> Self:
        """A mask from one string a row: ``1`` or ``#`` reads, ``0`` or ``.`` does not."""
        keys = len(rows[0]) if rows else 0
        sets = []
        for q, text in enumerate(rows):
            if len(text) != keys:
                raise ShapeError(
                    f"row {q} has {len(text)} entries, row 0 has {keys}; give every row the same",
                    row=q,
                )
            if set(text) - set("1#0."):
                bad = sorted(set(text) - set("1#0."))[0]
                raise ShapeError(
                    f"row {q} holds {bad!r}; write 1 or # for a key that is read, 0 or . for one "
                    "that is not",
                    row=q,
                )
            sets.append(sum(1 << k for k, x in enumerate(text) if x in "1#"))
        return cls.of(Bits(tuple(sets), keys), offset=offset, name=name)

    @classmethod
    def from_dense(cls, array: "NDArray[np.bool_]", *, offset: int = 0, name: str = "") -> Self:
        """A mask from a Boolean array ``(queries, keys)``."""
        return cls.of(Bits.from_dense(array), offset=offset, name=name)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Mask is frozen; {name!r} cannot be set")

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return len(self.rows)

    @property
    def keys(self) -> int:
        """How many keys there are."""
        return self.rows.keys

    @property
    def size(self) -> int:
        """How many positions there are: ``max(keys, offset + queries)``."""
        return max(self.keys, self.offset + self.queries)

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical form; equal for equal masks of any representation."""
        return digest(self.rows, self.offset)

    @cached_property
    def empty_rows(self) -> tuple[int, ...]:
        """The queries that read nothing, in order."""
        return tuple(q for q, row in enumerate(self.rows.bits()) if not row)

    def __getitem__(self, pair: tuple[int, int]) -> bool:
        q, k = pair
        if not (0 <= q < self.queries and 0 <= k < self.keys):
            raise IndexError(f"({q}, {k}) is outside {self.queries}×{self.keys}")
        return bool(self.rows.row(q) >> k & 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mask):
            return NotImplemented
        return (self.queries, self.keys, self.offset) == (
            other.queries,
            other.keys,
            other.offset,
        ) and all(a == b for a, b in zip(self.rows.runs(), other.rows.runs(), strict=True))

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        head = f"Mask {self.queries}×{self.keys}"
        head += f" at offset {self.offset}" if self.offset else ""
        if max(self.queries, self.keys) > _SHOWN:
            return f"<{head}, {self.rows.count()} pairs read>"
        grid = (
            "".join("#" if r >> k & 1 else "·" for k in range(self.keys)) for r in self.rows.bits()
        )
        return "\n".join([f"{head} (row = query)", *grid])
