"""Masks in run-coded form, and the layer relation that attention executes on them.

Convention: bit ``k`` of row ``q`` is set when position ``q`` reads position ``k``.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from .envelope import (
    MOST_POSITIONS,
    Fields,
    Invalid,
    array,
    boolean,
    integer,
    need,
    record,
)

Relation = tuple[int, ...]
SETTING = frozenset({"layers", "depth", "residual", "empty_row", "origin"})
_EMPTY_ROWS = ("zero", "uniform", "nan")


@dataclass(frozen=True)
class Layer:
    """One mask as given: ``rows[i]`` belongs to the query at position ``offset + i``."""

    queries: int
    keys: int
    offset: int
    rows: Relation

    @property
    def size(self) -> int:
        """How many positions there are."""
        return max(self.keys, self.offset + self.queries)

    @cached_property
    def given(self) -> Relation:
        """The pairs as given, on positions: what is no query reads nothing."""
        before, after = self.offset, self.size - self.offset - self.queries
        return (0,) * before + self.rows + (0,) * after

    def executed(self, residual: bool, empty_row: str) -> Relation:
        """The layer relation. What is no query keeps its own state; with a residual a query keeps
        its own state too; a row that reads nothing is uniform over all keys where that is said."""
        every_key = (1 << self.keys) - 1
        own = [1 << p for p in range(self.size)]
        for i, row in enumerate(self.rows):
            position = self.offset + i
            read = every_key if not row and empty_row == "uniform" else row
            own[position] = read | own[position] if residual else read
        return tuple(own)


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
    def executed(self) -> tuple[Relation, ...]:
        """The relation of every layer of one period."""
        return tuple(layer.executed(self.residual, self.empty_row) for layer in self.layers)

    @cached_property
    def union(self) -> Relation:
        """What some layer reads, and the diagonal."""
        rows = [1 << p for p in range(self.size)]
        for layer in self.executed:
            rows = [a | b for a, b in zip(rows, layer, strict=True)]
        return tuple(rows)


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
    queries = integer(found["queries"], MOST_POSITIONS + 1, "queries")
    keys = integer(found["keys"], MOST_POSITIONS + 1, "keys")
    offset = integer(found["offset"], MOST_POSITIONS + 1, "offset")
    rows = read_rows(found["rows"], queries, keys, "rows")
    layer = Layer(queries, keys, offset, rows)
    need(0 < layer.size <= MOST_POSITIONS, "the number of positions is out of range")
    canonical = json.dumps([[queries, keys], offset, found["rows"]], separators=(",", ":"))
    own = hashlib.sha256(canonical.encode()).hexdigest()
    need(own == digest, "the digest of the subject is not that of the mask")
    return layer


def read_rows(value: object, count: int, keys: int, where: str) -> Relation:
    """``count`` rows, each the list of its maximal runs ``[start, stop)``, in order."""
    rows = array(value, where)
    need(len(rows) == count, f"{where} does not hold {count} rows")
    return tuple(read_runs(row, keys, where) for row in rows)


def read_runs(value: object, keys: int, where: str) -> int:
    """The bit set of some maximal runs within ``keys``."""
    row, last = 0, -1
    for run in array(value, where):
        if not isinstance(run, list) or len(run) != 2:
            raise Invalid(f"{where} holds a run that is no pair")
        start, stop = run
        if type(start) is not int or type(stop) is not int:
            raise Invalid(f"{where} holds a run that is no pair of integers")
        if not last < start < stop <= keys:
            raise Invalid(f"{where} holds runs that are not maximal, in order and in range")
        row |= (1 << stop) - (1 << start)
        last = stop
    return row
