"""Masks in run-coded form, and the layer relation that attention executes on them.

Convention: position ``k`` is in row ``q`` when ``q`` reads ``k``.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from . import limits
from .bit_rows import BitRows
from .envelope import Fields, Invalid, array, boolean, integer, need, record
from .intervals import bits_of, read_intervals
from .rows import Rows
from .run_rows import RunRows
from .runs import Runs

#: Rows that are hashed at once.
_CHUNK = 1 << 10

SETTING = frozenset({"layers", "depth", "residual", "empty_row", "origin"})
_EMPTY_ROWS = ("zero", "uniform", "nan")


@dataclass(frozen=True)
class Layer:
    """One mask as given: row ``i`` of ``rows`` belongs to the query at position ``offset + i``."""

    queries: int
    keys: int
    offset: int
    rows: Rows

    @property
    def size(self) -> int:
        """How many positions there are."""
        return max(self.keys, self.offset + self.queries)

    @property
    def asked(self) -> range:
        """The positions of the queries."""
        return range(self.offset, self.offset + self.queries)

    @cached_property
    def given(self) -> Rows:
        """The pairs as given, on positions: what is no query reads nothing."""
        return self.rows.placed(self.offset, self.size)

    def executed(self, residual: bool, empty_row: str) -> Rows:
        """The layer relation. What is no query keeps its own state; with a residual a query keeps
        its own state too; a row that reads nothing is uniform over all keys where that is said."""
        rows = self.rows
        if empty_row == "uniform":
            rows = rows.filled(self.keys)
        every = range(self.size)
        keeping = [every] if residual else [every[: self.offset], every[self.asked.stop :]]
        return rows.placed(self.offset, self.size).with_own(keeping)


@dataclass(frozen=True)
class Setting:
    """The layers of one period, how many run (None is any number), and the conventions."""

    layers: tuple[Layer, ...]
    depth: int | None
    residual: bool
    empty_row: str

    @property
    def size(self) -> int:
        """How many positions every layer has."""
        return self.layers[0].size

    @cached_property
    def executed(self) -> tuple[Rows, ...]:
        """The relation of every layer of one period."""
        return tuple(layer.executed(self.residual, self.empty_row) for layer in self.layers)

    @cached_property
    def union(self) -> Rows:
        """What some layer reads, and the diagonal."""
        first, *others = self.executed
        for layer in others:
            first = first.united(layer)
        return first.with_own([range(self.size)])

    def relation(self, value: object, where: str = "relation") -> Rows:
        """A relation on the positions, from its rows."""
        return read_rows(value, self.size, self.size, self.size, where)


def read_setting(found: Fields, digests: Sequence[str]) -> Setting:
    """The setting among the fields of a predicate; its masks must be the subjects, in order."""
    layers = array(found["layers"], "layers")
    need(len(layers) == len(digests), "there are not as many subjects as layers")
    masks = tuple(_read_layer(layer, digest) for layer, digest in zip(layers, digests, strict=True))
    need(bool(masks), "there is no layer")
    need(len({mask.size for mask in masks}) == 1, "the layers have different sizes")
    depth = None if found["depth"] == "any" else integer(found["depth"], None, "depth")
    residual = boolean(found["residual"], "residual")
    empty_row = found["empty_row"]
    if not isinstance(empty_row, str) or empty_row not in _EMPTY_ROWS:
        raise Invalid("empty_row is neither zero nor uniform nor nan")
    need(isinstance(found["origin"], dict), "origin is not an object")
    return Setting(masks, depth, residual, empty_row)


def _read_layer(value: object, digest: str) -> Layer:
    found = record(value, {"queries", "keys", "offset", "rows"}, "a layer")
    queries = integer(found["queries"], limits.MOST_POSITIONS + 1, "queries")
    keys = integer(found["keys"], limits.MOST_POSITIONS + 1, "keys")
    offset = integer(found["offset"], limits.MOST_POSITIONS + 1, "offset")
    size = max(keys, offset + queries)
    need(0 < size <= limits.MOST_POSITIONS, "the number of positions is out of range")
    rows = read_rows(found["rows"], queries, keys, size, "rows")
    own = hashlib.sha256(f"[[{queries},{keys}],{offset},[".encode())
    for text in _texts(found["rows"]):
        own.update(text.encode())
    own.update(b"]]")
    need(own.hexdigest() == digest, "the digest of the subject is not that of the mask")
    return Layer(queries, keys, offset, rows)


def read_rows(value: object, count: int, keys: int, size: int, where: str) -> Rows:
    """``count`` rows, each the list of its maximal runs ``[start, stop)``, in order and up to
    ``keys``; as bits or as runs, whichever ``size`` positions take."""
    need(isinstance(value, list | Runs), f"{where} is not a list")
    rows = value if isinstance(value, list | Runs) else []
    need(len(rows) == count, f"{where} does not hold {count} rows")
    if size <= limits.MOST_BITS:
        return BitRows(tuple(bits_of(read_intervals(row, keys, where)) for row in rows))
    found = rows if isinstance(rows, Runs) else Runs.read(rows, where)
    need(found.stop <= keys, f"{where} holds runs that are not maximal, in order and in range")
    few = len(found.starts) <= limits.MOST_RUNS * max(count, 1)
    need(
        few or size <= limits.MOST_FRAGMENTED,
        f"{where} holds more than {limits.MOST_RUNS} runs a row",
    )
    return RunRows(found)


def _texts(rows: object) -> Iterator[str]:
    """The canonical text of rows that have been read, without the outer brackets, in pieces."""
    if isinstance(rows, Runs):
        yield from rows.texts()
    elif isinstance(rows, list):
        for at in range(0, len(rows), _CHUNK):
            text = json.dumps(rows[at : at + _CHUNK], separators=(",", ":"))[1:-1]
            yield text if at == 0 else f",{text}"
