"""The masks that a statement speaks of, as sets of pairs (reader, source)."""

import hashlib
import json
from dataclasses import dataclass
from itertools import count, groupby
from typing import Any

from tests.reference import Pairs, after, closed, identity, lifted, multiplied

Json = dict[str, Any]


@dataclass(frozen=True)
class World:
    """The layers of a setting as pairs (reader, source)."""

    n: int
    given: list[Pairs]
    queries: list[range]
    executed: list[Pairs]
    depth: int | None
    residual: bool

    def at(self, depth: int) -> Pairs:
        """What the first ``depth`` layers let through; many layers repeat every 60 periods once
        so many have run, since no cycle on at most 6 positions is of another length."""
        most, repeat = 100 * len(self.executed), 60 * len(self.executed)
        if depth > most and self.n <= 6:
            depth = most + (depth - most) % repeat
        return after(self.executed, depth, self.n)

    @property
    def union(self) -> Pairs:
        return frozenset().union(*self.executed)

    @property
    def reached(self) -> Pairs:
        """What is reached at the depth in question."""
        return closed(self.union, self.n) if self.depth is None else self.at(self.depth)

    def first(self, reader: int, source: int) -> int:
        """The least number of layers after which the source reaches the reader."""
        least = range(len(self.executed) * self.n + 1)
        return next((d for d in least if (reader, source) in self.at(d)), 1 << 60)

    def settles(self) -> int | None:
        """The least depth from which a whole period changes nothing."""
        period = len(self.executed)
        known: dict[tuple[Pairs, int], int] = {}
        held = identity(self.n)
        seen = []
        for level in count():
            seen.append(held)
            if level >= period and seen[level - period] == held:
                return level - period
            if (held, level % period) in known:
                return None
            known[held, level % period] = level
            held = multiplied(self.executed[level % period], held)
        raise AssertionError


def world(setting: Json, digests: list[str]) -> World:
    """The setting, if its masks are those with the digests."""
    given, executed, sizes, queries = [], [], set(), []
    for layer, digest in zip(setting["layers"], digests, strict=True):
        asked, keys, offset = layer["queries"], layer["keys"], layer["offset"]
        pairs = {
            (q, k)
            for q, runs in enumerate(layer["rows"])
            for start, stop in runs
            for k in range(start, stop)
        }
        if len(layer["rows"]) != asked or min(asked, keys, offset) < 0:
            raise ValueError
        if not all(0 <= k < keys for _, k in pairs) or digest != digest_of(layer, pairs):
            raise ValueError
        uniform = {"zero": False, "nan": False, "uniform": True}[setting["empty_row"]]
        executed.append(
            lifted(
                pairs,
                queries=asked,
                keys=keys,
                offset=offset,
                residual=setting["residual"],
                uniform=uniform,
            )
        )
        given.append(frozenset((offset + q, k) for q, k in pairs))
        sizes.add(max(keys, offset + asked))
        queries.append(range(offset, offset + asked))
    (n,) = sizes
    depth = None if setting["depth"] == "any" else range(1 << 60)[setting["depth"]]
    return World(n, given, queries, executed, depth, setting["residual"] is True)


def digest_of(layer: Json, pairs: set[tuple[int, int]] | None = None) -> str:
    """The digest of a layer, its runs found again from its pairs."""
    if pairs is None:
        rows = layer["rows"]
    else:
        rows = []
        for q in range(layer["queries"]):
            keys = sorted(k for reader, k in pairs if reader == q)
            grouped = groupby(enumerate(keys), key=lambda place: place[1] - place[0])
            blocks = [[k for _, k in group] for _, group in grouped]
            rows.append([[block[0], block[-1] + 1] for block in blocks])
    form = [[layer["queries"], layer["keys"]], layer["offset"], rows]
    return hashlib.sha256(json.dumps(form).replace(" ", "").encode()).hexdigest()


def two(predicate: Json, digests: list[str]) -> tuple[World, World]:
    """Two settings of one size; the first digests are those of ``a``."""
    split = len(predicate["a"]["layers"])
    a, b = world(predicate["a"], digests[:split]), world(predicate["b"], digests[split:])
    if a.n != b.n:
        raise ValueError
    return a, b


def rows(value: list[list[list[int]]], n: int) -> Pairs:
    """A relation from its rows, each a list of runs."""
    found = {(q, k) for q, runs in enumerate(value) for a, b in runs for k in range(a, b)}
    if len(value) != n or not all(0 <= k < n for _, k in found):
        raise ValueError
    return frozenset(found)
