"""The forbidden pairs that a property implies; a certificate's own list is never trusted.

Convention: bit ``k`` of ``forbidden(q)`` is set when ``q`` must not be reached from ``k``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .envelope import Fields, Invalid, array, need, record
from .masks import read_runs
from .tasks import Task, read_task


@dataclass(frozen=True)
class Property:
    """A forbidden relation; a task forbids more than pairs."""

    forbidden: Callable[[int], int]
    task: Task | None = None

    def holds(self, rows: Sequence[int]) -> bool:
        """Does a relation meet no forbidden pair, and does no label follow from its arguments?"""
        if any(row & self.forbidden(q) for q, row in enumerate(rows)):
            return False
        return self.task is None or not self.task.derives(rows)


def read_property(value: object, size: int) -> Property:
    """A property on ``size`` positions, from its name and data."""
    name = value.get("name") if isinstance(value, dict) else None
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is None:
        raise Invalid("the property has no name that is known")
    keys, read = reader
    return read(record(value, {"name", *keys}, "the property"), size)


def _causal(_: Fields, size: int) -> Property:
    return Property(lambda q: (1 << size) - (1 << (q + 1)))


def _next_token(_: Fields, size: int) -> Property:
    return Property(lambda q: 1 << (q + 1) if q + 1 < size else 0)


def _documents(found: Fields, size: int) -> Property:
    ids = [_document(one) for one in array(found["ids"], "ids")]
    need(len(ids) == size, "there are not as many document ids as positions")
    others = dict.fromkeys(ids, (1 << size) - 1)
    for p, document in enumerate(ids):
        others[document] ^= 1 << p
    return Property(lambda q: others[ids[q]])


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
        sets[int(reader)] = read_runs(runs, size, "pairs")
    return Property(lambda q: sets.get(q, 0))


def _task(found: Fields, size: int) -> Property:
    task = read_task(found["task"], size)
    return Property(lambda q: task.forbidden.get(q, 0), task)


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Fields, int], Property]]] = {
    "causal": ((), _causal),
    "next-token": ((), _next_token),
    "documents": (("ids",), _documents),
    "forbid": (("pairs",), _forbid),
    "task": (("task",), _task),
}
