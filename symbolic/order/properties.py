"""What a user may intend: which sources a reader must never be reached from.

Convention: bit ``k`` of ``forbidden(q)`` is set when ``q`` must not be reached from ``k``.
A leak-free mask is one whose reach relation meets no forbidden pair.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Protocol, runtime_checkable

from attnproof.symbolic.masks.rows import RowRuns, runs_of


@runtime_checkable
class Property(Protocol):
    """A forbidden relation on ``size`` positions, with the data that determines it."""

    @property
    def name(self) -> str:
        """Its name in reports and certificates."""
        ...

    @property
    def size(self) -> int:
        """How many positions it speaks of."""
        ...

    def forbidden(self, q: int) -> int:
        """The sources that must not reach ``q``, as a bit set."""
        ...

    def forbidden_runs(self, q: int) -> RowRuns:
        """The same as maximal runs."""
        ...

    @property
    def invariant(self) -> str | None:
        """The pairs that are allowed, in words, when they are reflexive and transitive: then one
        layer within them is enough for every depth. None when they are not."""
        ...

    def to_json(self) -> dict[str, object]:
        """What a certificate holds: the checker derives the forbidden pairs from it."""
        ...


@dataclass(frozen=True)
class Causal:
    """No query is reached from a later key.

    >>> bin(Causal(4).forbidden(1))
    '0b1100'
    """

    size: int
    name = "causal"
    invariant = "k <= q"

    def forbidden(self, q: int) -> int:
        return (1 << self.size) - (1 << (q + 1))

    def forbidden_runs(self, q: int) -> RowRuns:
        return ((q + 1, self.size),) if q + 1 < self.size else ()

    def to_json(self) -> dict[str, object]:
        return {"name": self.name}


@dataclass(frozen=True)
class NextToken:
    """Query ``q`` predicts token ``q + 1``: it is not reached from it.

    >>> bin(NextToken(4).forbidden(1)), NextToken(4).forbidden(3)
    ('0b100', 0)
    """

    size: int
    name = "next-token"
    invariant = None

    def forbidden(self, q: int) -> int:
        return 1 << (q + 1) if q + 1 < self.size else 0

    def forbidden_runs(self, q: int) -> RowRuns:
        return ((q + 1, q + 2),) if q + 1 < self.size else ()

    def to_json(self) -> dict[str, object]:
        return {"name": self.name}


@dataclass(frozen=True)
class Documents:
    """No flow between positions of different documents; ``ids[i]`` is the document of position i.

    >>> bin(Documents((0, 0, 1)).forbidden(0))
    '0b100'
    """

    ids: tuple[int, ...]
    name = "documents"
    invariant = "document[k] == document[q]"

    @property
    def size(self) -> int:
        return len(self.ids)

    @cached_property
    def _own(self) -> dict[int, int]:
        own: dict[int, int] = {}
        for i, document in enumerate(self.ids):
            own[document] = own.get(document, 0) | 1 << i
        return own

    def forbidden(self, q: int) -> int:
        return ((1 << self.size) - 1) & ~self._own[self.ids[q]]

    @cached_property
    def _own_runs(self) -> dict[int, list[tuple[int, int]]]:
        own: dict[int, list[tuple[int, int]]] = {}
        start = 0
        for document, same in groupby(self.ids):
            stop = start + sum(1 for _ in same)
            own.setdefault(document, []).append((start, stop))
            start = stop
        return own

    def forbidden_runs(self, q: int) -> RowRuns:
        stops = 0, *(stop for _, stop in self._own_runs[self.ids[q]])
        starts = *(start for start, _ in self._own_runs[self.ids[q]]), self.size
        return tuple((a, b) for a, b in zip(stops, starts, strict=True) if a < b)

    def to_json(self) -> dict[str, object]:
        return {"name": self.name, "ids": list(self.ids)}


@dataclass(frozen=True)
class Forbidden:
    """A forbidden relation given pair by pair: ``(reader, source)``.

    >>> bin(Forbidden.from_pairs([(0, 2), (0, 1)], 3).forbidden(0))
    '0b110'
    """

    sets: Mapping[int, int]
    size: int
    name = "forbid"
    invariant = None

    @staticmethod
    def from_pairs(pairs: Sequence[tuple[int, int]], size: int) -> "Forbidden":
        sets: dict[int, int] = {}
        for reader, source in pairs:
            sets[reader] = sets.get(reader, 0) | 1 << source
        return Forbidden(sets, size)

    def forbidden(self, q: int) -> int:
        return self.sets.get(q, 0)

    def forbidden_runs(self, q: int) -> RowRuns:
        return runs_of(self.forbidden(q))

    def to_json(self) -> dict[str, object]:
        runs = {str(q): [list(run) for run in runs_of(row)] for q, row in self.sets.items() if row}
        return {"name": self.name, "pairs": runs}
