"""The forbidden pairs that a property implies; a certificate's own list is never trusted.

Convention: bit ``k`` of ``forbidden(q)`` is set when ``q`` must not be reached from ``k``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from .envelope import Fields, Invalid, array, need, record
from .intervals import Intervals, bits_of, read_intervals
from .limits import MOST_FRAGMENTED
from .tasks import Task, read_task


@dataclass(frozen=True, kw_only=True)
class Property(ABC):
    """A forbidden relation on ``size`` positions; a task forbids more than pairs.

    ``allowed_is_closed``: are the allowed pairs reflexive and transitive?
    """

    size: int
    allowed_is_closed: ClassVar[bool] = False
    task: Task | None = None

    @abstractmethod
    def forbidden(self, q: int) -> int:
        """The positions that must not reach ``q``, as bits."""

    @abstractmethod
    def allows(self, q: int, start: int, stop: int) -> bool:
        """May each of ``start .. stop - 1``, which is not empty, reach ``q``?"""


@dataclass(frozen=True, kw_only=True)
class _Causal(Property):
    """``k <= q`` is an order."""

    allowed_is_closed: ClassVar[bool] = True

    def forbidden(self, q: int) -> int:
        return (1 << self.size) - (1 << (q + 1))

    def allows(self, q: int, start: int, stop: int) -> bool:
        return stop <= q + 1


@dataclass(frozen=True, kw_only=True)
class _NextToken(Property):
    def forbidden(self, q: int) -> int:
        return 1 << (q + 1) if q + 1 < self.size else 0

    def allows(self, q: int, start: int, stop: int) -> bool:
        return not start <= q + 1 < stop


@dataclass(frozen=True, kw_only=True)
class _Documents(Property):
    """To have one id is an equivalence."""

    ids: Sequence[int]
    allowed_is_closed: ClassVar[bool] = True

    @cached_property
    def _others(self) -> dict[int, int]:
        others = dict.fromkeys(self.ids, (1 << self.size) - 1)
        for p, document in enumerate(self.ids):
            others[document] ^= 1 << p
        return others

    @cached_property
    def _stops(self) -> list[int]:
        """Position to the first one after it that has another id."""
        stops = [self.size] * self.size
        for p in reversed(range(self.size - 1)):
            stops[p] = stops[p + 1] if self.ids[p] == self.ids[p + 1] else p + 1
        return stops

    def forbidden(self, q: int) -> int:
        return self._others[self.ids[q]]

    def allows(self, q: int, start: int, stop: int) -> bool:
        return self.ids[start] == self.ids[q] and stop <= self._stops[start]


@dataclass(frozen=True, kw_only=True)
class _Forbidden(Property):
    sets: Mapping[int, Intervals]

    def forbidden(self, q: int) -> int:
        return bits_of(self.sets.get(q, ()))

    def allows(self, q: int, start: int, stop: int) -> bool:
        return all(last <= start or stop <= first for first, last in self.sets.get(q, ()))


@dataclass(frozen=True, kw_only=True)
class _Labels(Property):
    task: Task

    def forbidden(self, q: int) -> int:
        return self.task.forbidden.get(q, 0)

    def allows(self, q: int, start: int, stop: int) -> bool:
        return not self.forbidden(q) >> start & ((1 << (stop - start)) - 1)


def read_property(value: object, size: int) -> Property:
    """A property on ``size`` positions, from its name and data."""
    name = value.get("name") if isinstance(value, dict) else None
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is None:
        raise Invalid("the property has no name that is known")
    keys, read = reader
    return read(record(value, {"name", *keys}, "the property"), size)


def _causal(_: Fields, size: int) -> Property:
    return _Causal(size=size)


def _next_token(_: Fields, size: int) -> Property:
    return _NextToken(size=size)


def _documents(found: Fields, size: int) -> Property:
    ids = [_document(one) for one in array(found["ids"], "ids")]
    need(len(ids) == size, "there are not as many document ids as positions")
    return _Documents(size=size, ids=ids)


def _document(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Invalid("a document id is not an integer")
    return value


def _forbid(found: Fields, size: int) -> Property:
    pairs = found["pairs"]
    if not isinstance(pairs, dict):
        raise Invalid("pairs is not an object")
    sets = {}
    for reader, runs in pairs.items():
        need(reader.isascii() and reader.isdecimal() and len(reader) < 9, "a reader is no number")
        need(str(int(reader)) == reader and int(reader) < size, "a reader is out of range")
        sets[int(reader)] = read_intervals(runs, size, "pairs")
    return _Forbidden(size=size, sets=sets)


def _task(found: Fields, size: int) -> Property:
    need(size <= MOST_FRAGMENTED, "a task has too many positions")
    return _Labels(size=size, task=read_task(found["task"], size))


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Fields, int], Property]]] = {
    "causal": ((), _causal),
    "next-token": ((), _next_token),
    "documents": (("ids",), _documents),
    "forbid": (("pairs",), _forbid),
    "task": (("task",), _task),
}
