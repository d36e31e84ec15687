"""Mask: which query reads which key, as a frozen exact value.

Convention: ``mask[q, k]`` is true when query ``q`` reads key ``k``; query ``i`` stands at position
``offset + i``. The mask is kept as given: the residual (diagonal) is added by the order.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks import algebra, composition, rearrange
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.digest import digest
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

_SHOWN = 32
#: Entries of an array that is made of a mask.
_DENSE = 1 << 32


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
                    f"row {q} has {counted(len(text), 'entry')}, row 0 has {keys}; give every row "
                    "the same",
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

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Mask is frozen; {name!r} cannot be deleted")

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

    @property
    def shape(self) -> tuple[int, int]:
        """``(queries, keys)``."""
        return self.queries, self.keys

    def dense(self) -> "NDArray[np.bool_]":
        """The Boolean array ``(queries, keys)``, true where the query reads the key.

        >>> Mask.from_rows(["1.", "11"]).dense().tolist()
        [[True, False], [True, True]]

        Law: ``Mask.from_dense(m.dense(), offset=m.offset) == m``, and ``numpy.array(m)`` is the
        same array. Raises :class:`ShapeError` above 2**32 entries.
        """
        if self.queries * self.keys > _DENSE:
            raise ShapeError(
                f"a mask of {self.queries}×{self.keys} has {self.queries * self.keys} entries; an "
                f"array is made of at most {_DENSE}: ask for single pairs, as in mask[q, k]",
                queries=self.queries,
                keys=self.keys,
            )
        rows = self.rows if isinstance(self.rows, Bits) else Bits(self.rows.bits(), self.keys)
        return rows.dense()

    def __array__(
        self, dtype: "DTypeLike | None" = None, copy: bool | None = None
    ) -> "NDArray[Any]":
        """What numpy makes of a mask: :meth:`dense`."""
        if copy is False:
            raise ValueError("a Mask holds no array: numpy cannot have it without a copy")
        found = self.dense()
        return found if dtype is None else found.astype(dtype)

    @property
    def _shape(self) -> tuple[int, int, int]:
        return self.queries, self.keys, self.offset

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical form; equal for equal masks of any representation."""
        return digest(self.rows, self.offset)

    @cached_property
    def empty_rows(self) -> tuple[int, ...]:
        """The queries that read nothing, in order."""
        rows = self.rows.sets if isinstance(self.rows, Bits) else self.rows.runs()
        return tuple(q for q, row in enumerate(rows) if not row)

    def __getitem__(self, pair: tuple[int, int]) -> bool:
        q, k = pair
        if not (0 <= q < self.queries and 0 <= k < self.keys):
            raise IndexError(f"({q}, {k}) is outside {self.queries}×{self.keys}")
        return self.rows.reads(q, k)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mask):
            return NotImplemented
        if self._shape != other._shape:
            return False
        for form in (Bits, Runs):
            if isinstance(self.rows, form) and isinstance(other.rows, form):
                return self.rows == other.rows
        return all(a == b for a, b in zip(self.rows.runs(), other.rows.runs(), strict=True))

    def __hash__(self) -> int:
        return hash((self._shape, self.rows.count()))

    def __repr__(self) -> str:
        head = f"Mask {self.queries}×{self.keys}"
        head += f" at offset {self.offset}" if self.offset else ""
        if max(self.queries, self.keys) > _SHOWN:
            return f"<{head}, {self.rows.count()} pairs read>"
        grid = (
            "".join("#" if r >> k & 1 else "·" for k in range(self.keys)) for r in self.rows.bits()
        )
        return "\n".join([f"{head} (row = query)", *grid])

    def __or__(self, other: "Mask") -> Self:
        """The pairs that either mask reads.

        >>> Mask.from_rows(["1.", ".1"], name="own") | Mask.from_rows(["..", "1."], name="first")
        Mask 2×2 (row = query)
        #·
        ##

        Law: masks of one shape and offset are a Boolean algebra under ``|``, ``&`` and ``~``.
        Raises :class:`ShapeError` for masks of two shapes or offsets.
        """
        return self._combined(other, algebra.UNION)

    def __and__(self, other: "Mask") -> Self:
        """The pairs that both masks read."""
        return self._combined(other, algebra.INTERSECTION)

    def __sub__(self, other: "Mask") -> Self:
        """The pairs that this mask reads and the other does not."""
        return self._combined(other, algebra.DIFFERENCE)

    def __xor__(self, other: "Mask") -> Self:
        """The pairs that one mask reads and the other does not."""
        return self._combined(other, algebra.SYMMETRIC_DIFFERENCE)

    def __invert__(self) -> Self:
        """The pairs that the mask does not read."""
        return self._of(algebra.complement(self.rows), f"~{composition.operand(self.name)}")

    def shift(self, *, keys: int = 0, queries: int = 0) -> Self:
        """Pair ``(q, k)`` becomes ``(q + queries, k + keys)``; those that leave are dropped.

        >>> Mask.from_rows(["1..", "11.", "111"]).shift(keys=-1)
        Mask 3×3 (row = query)
        ···
        #··
        ##·
        """
        moved = algebra.shift(self.rows, keys=keys, queries=queries)
        return self._of(moved, composition.called("shift", self.name))

    def permute(self, order: Iterable[int]) -> Self:
        """The positions in another order: position ``i`` is the old ``order[i]``.

        >>> Mask.from_rows(["1..", "11.", "111"]).permute([2, 1, 0])
        Mask 3×3 (row = query)
        ###
        ·##
        ··#

        Law: ``m.permute(a).permute(b)`` is ``m.permute([a[i] for i in b])``; the flow of both is
        the same but for the names of positions. Raises :class:`ShapeError` unless the mask is
        square with offset 0 and ``order`` a permutation of its positions.
        """
        places = composition.order_of(order, self._shape)
        return self._of(
            rearrange.permuted(self.rows, places), composition.called("permute", self.name)
        )

    def transpose(self) -> Self:
        """Queries and keys exchanged: pair ``(q, k)`` becomes ``(k, q)``.

        Raises :class:`ShapeError` for a mask with an offset, whose keys would need one.
        """
        composition.check_no_offset("transpose", self.offset)
        return self._of(rearrange.transposed(self.rows), composition.called("transpose", self.name))

    @classmethod
    def block_diagonal(cls, masks: Iterable["Mask"]) -> Self:
        """The masks one after the other, each on positions of its own.

        >>> Mask.block_diagonal([Mask.from_rows(["1"]), Mask.from_rows(["1.", "11"])])
        Mask 3×3 (row = query)
        #··
        ·#·
        ·##

        Law: nothing flows between two of them. Raises :class:`ShapeError` for no mask at all, and
        for one that is not square with offset 0.
        """
        each = tuple(masks)
        composition.check_blocks([mask._shape for mask in each])
        name = composition.called("block_diagonal", *(mask.name for mask in each))
        return cls.of(algebra.block_diagonal([mask.rows for mask in each]), name=name)

    def _combined(self, other: "Mask", operation: algebra.Operation) -> Self:
        if not isinstance(other, Mask):
            return NotImplemented
        composition.check_shapes(self._shape, other._shape, operation.symbol)
        names = map(composition.operand, (self.name, other.name))
        return self._of(
            algebra.combine(self.rows, other.rows, operation),
            f" {operation.symbol} ".join(names),
        )

    def _of(self, rows: Rows, name: str) -> Self:
        return self.of(rows, offset=self.offset, name=composition.short(name))
