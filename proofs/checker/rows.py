"""Rows: which positions each position reads, or is reached from; all that kernels ask of them.

Two representations answer alike: ``BitRows`` hold one integer a row, ``RunRows`` maximal intervals,
for lengths at which a bit a pair does not fit into memory. ``masks.read_rows`` chooses.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Self

from .limits import Steps
from .properties import Property


class Rows(ABC):
    """A relation: row ``q`` is a set of positions. Equal relations are equal values."""

    @abstractmethod
    def __len__(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def has(self, q: int, k: int) -> bool:
        """Is ``k`` in row ``q``?"""

    @abstractmethod
    def bits(self, q: int) -> int:
        """Row ``q`` as a set of bits."""

    @abstractmethod
    def has_empty_row(self) -> bool:
        """Is some row empty?"""

    @abstractmethod
    def placed(self, offset: int, size: int) -> Self:
        """The rows at positions ``offset`` and on, of ``size``; other positions read nothing."""

    @abstractmethod
    def filled(self, keys: int) -> Self:
        """Every empty row holds all ``keys`` positions instead."""

    @abstractmethod
    def with_own(self, positions: Sequence[range]) -> Self:
        """Every position in some of the ranges is in its own row too."""

    @abstractmethod
    def united(self, other: Self) -> Self:
        """The pairs of either relation."""

    @abstractmethod
    def contains(self, other: Self) -> bool:
        """Is every pair of ``other`` a pair of this relation?"""

    @abstractmethod
    def avoids(self, wanted: Property) -> bool:
        """Is no pair forbidden?"""

    @abstractmethod
    def is_closed(self) -> bool:
        """Is the relation reflexive and transitive?"""

    @abstractmethod
    def is_generated(self, rows: Self) -> bool:
        """Is this closed relation, which contains ``rows``, the least that does?"""

    @abstractmethod
    def is_antisymmetric(self) -> bool:
        """Do no two different positions read each other?"""

    @abstractmethod
    def are_equal(self, positions: Sequence[int]) -> bool:
        """Do all these positions have one row?"""

    @abstractmethod
    def is_joined(self, q: int, positions: Sequence[int], others: Sequence[int]) -> bool:
        """Is row ``q`` the union of these positions and of the rows of the others?"""

    @abstractmethod
    def is_antichain(self, positions: Sequence[int]) -> bool:
        """Is none of the positions in the row of another?"""

    @abstractmethod
    def readers(self, held: int) -> int:
        """The positions that read some position of a set of bits."""

    @abstractmethod
    def distance(self, source: int, reader: int) -> int | None:
        """The length of a shortest path, None if there is none."""

    @abstractmethod
    def identity(self) -> Self:
        """Every position with itself, as many as there are rows."""

    @abstractmethod
    def product(self, lower: Self, steps: Steps) -> Self:
        """What this relation reads of what ``lower`` holds: first ``lower`` runs, then this."""

    @abstractmethod
    def power(self, layers: Sequence[Self], depth: int) -> Self | None:
        """The product of ``depth`` layers of a schedule, if a theorem gives it at once."""

    @abstractmethod
    def closure(self) -> Self:
        """The least closed relation that contains this reflexive one."""

    @abstractmethod
    def settling(self, layers: Sequence[Self], limit: Callable[[], Self]) -> int:
        """The least number of reflexive layers whose product is the limit, the closure of all."""

    @abstractmethod
    def is_aperiodic(self) -> bool:
        """Do the powers of the relation settle?"""
