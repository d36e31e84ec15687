"""Rows as Python integers, one a position: bit ``k`` of row ``q`` is set when ``k`` is in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from . import bit_levels, relations
from .limits import Steps
from .properties import Property
from .rows import Rows


@dataclass(frozen=True)
class BitRows(Rows):
    """The relation of the integers."""

    rows: relations.Relation

    def __len__(self) -> int:
        return len(self.rows)

    def has(self, q: int, k: int) -> bool:
        return bool(self.rows[q] >> k & 1)

    def bits(self, q: int) -> int:
        return self.rows[q]

    def has_empty_row(self) -> bool:
        return not all(self.rows)

    def placed(self, offset: int, size: int) -> Self:
        after = size - offset - len(self.rows)
        return type(self)((0,) * offset + self.rows + (0,) * after)

    def filled(self, keys: int) -> Self:
        every_key = (1 << keys) - 1
        return type(self)(tuple(row or every_key for row in self.rows))

    def with_own(self, positions: Sequence[range]) -> Self:
        rows = list(self.rows)
        for some in positions:
            for p in some:
                rows[p] |= 1 << p
        return type(self)(tuple(rows))

    def united(self, other: Self) -> Self:
        return type(self)(tuple(a | b for a, b in zip(self.rows, other.rows, strict=True)))

    def contains(self, other: Self) -> bool:
        return relations.contains(self.rows, other.rows)

    def avoids(self, wanted: Property) -> bool:
        return not any(row & wanted.forbidden(q) for q, row in enumerate(self.rows))

    def is_closed(self) -> bool:
        return relations.is_closed(self.rows)

    def is_generated(self, rows: Self) -> bool:
        return relations.is_generated(self.rows, rows.rows)

    def is_antisymmetric(self) -> bool:
        return relations.is_antisymmetric(self.rows)

    def are_equal(self, positions: Sequence[int]) -> bool:
        return len({self.rows[p] for p in positions}) == 1

    def is_joined(self, q: int, positions: Sequence[int], others: Sequence[int]) -> bool:
        row = 0
        for p in positions:
            row |= 1 << p
        for p in others:
            row |= self.rows[p]
        return row == self.rows[q]

    def is_antichain(self, positions: Sequence[int]) -> bool:
        every = sum(1 << p for p in positions)
        return all(self.rows[p] & every == 1 << p for p in positions)

    def readers(self, held: int) -> int:
        return sum(1 << q for q, row in enumerate(self.rows) if row & held)

    def distance(self, source: int, reader: int) -> int | None:
        return relations.distance(self.rows, source, reader)

    def identity(self) -> Self:
        return type(self)(relations.identity(len(self.rows)))

    def product(self, lower: Self, steps: Steps) -> Self:
        steps.take(len(self.rows) + sum(row.bit_count() for row in self.rows))
        return type(self)(relations.product(self.rows, lower.rows))

    def power(self, layers: Sequence[Self], depth: int) -> Self | None:
        return None

    def closure(self) -> Self:
        return type(self)(relations.closure(self.rows))

    def settling(self, layers: Sequence[Self], limit: Callable[[], Self]) -> int:
        given = [layer.rows for layer in layers]
        return bit_levels.settling(given, lambda: limit().rows)

    def is_aperiodic(self) -> bool:
        return bit_levels.is_aperiodic(self.rows)
