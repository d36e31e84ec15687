"""Random questions for ``verify``, in every form of a mask, and their answers by definition.

Convention: a pair is (reader, source); nothing here is shared with the package.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from hypothesis import strategies as st

import attnproof as ap
from attnproof.symbolic.verdict import Path
from tests.reference import Pair, Pairs, after, identity, lifted, multiplied, pairs_of_text

STRUCTURE = ("reflexive", "transitive", "antisymmetric", "no-empty-rows")
FORMS = ("mask", "rows", "booleans", "biases", "blocked")


@dataclass(frozen=True)
class Question:
    """Layers as text on ``queries`` × ``keys``, how they run, and the pairs that are forbidden."""

    layers: tuple[tuple[str, ...], ...]
    keys: int
    offset: int
    depth: int | None
    residual: bool
    empty_row: str
    asked: dict[str, Any]

    @property
    def queries(self) -> int:
        return len(self.layers[0])

    @property
    def n(self) -> int:
        return max(self.keys, self.offset + self.queries)

    @property
    def executed(self) -> list[Pairs]:
        shape = {"queries": self.queries, "keys": self.keys, "offset": self.offset}
        return [
            lifted(
                pairs_of_text(rows),
                **shape,
                residual=self.residual,
                uniform=self.empty_row == "uniform",
            )
            for rows in self.layers
        ]

    @property
    def held(self) -> list[Pairs]:
        """The pairs as given, on all positions."""
        return [
            frozenset((self.offset + q, k) for q, k in pairs_of_text(rows)) for rows in self.layers
        ]


def shapes() -> st.SearchStrategy[tuple[int, int, int]]:
    """Queries, keys and offset: square ones, rectangles, cached keys."""
    square = st.integers(1, 5).map(lambda n: (n, n, 0))
    return square | st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(0, 2))


@st.composite
def texts(draw: st.DrawFn, queries: int, keys: int) -> tuple[str, ...]:
    """Rows of a mask; few pairs as often as many, empty rows among them."""
    sparse = draw(st.booleans())
    entry = st.sampled_from("...1" if sparse else ".1")
    return tuple(
        "".join(draw(entry) for _ in range(keys)) if draw(st.integers(0, 5)) else "." * keys
        for _ in range(queries)
    )


@st.composite
def questions(draw: st.DrawFn, most_layers: int = 3) -> Question:
    """Any layers, any conventions, some of the properties."""
    queries, keys, offset = draw(shapes())
    n = max(keys, offset + queries)
    layers = [draw(texts(queries, keys)) for _ in range(draw(st.integers(1, most_layers)))]
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    asked: dict[str, Any] = {}
    for name, values in {
        "causal": st.just(True),
        "next_token": st.just(True),
        "documents": st.lists(st.integers(0, 2), min_size=n, max_size=n),
        "forbid": st.lists(pair, max_size=6, unique=True),
        "properties": st.lists(
            st.sampled_from([*STRUCTURE, "depth=0", "depth=1", "depth=2"]), unique=True
        ),
    }.items():
        if draw(st.booleans()):
            asked[name] = draw(values)
    if len(layers) == 1 and draw(st.booleans()):
        again = st.just(layers[0]) | texts(queries, keys)
        asked["equals"] = draw(again)
    return Question(
        tuple(layers),
        keys,
        offset,
        draw(st.none() | st.integers(0, 4)),
        draw(st.booleans()),
        draw(st.sampled_from(["zero", "uniform", "nan"])),
        asked,
    )


def as_held(question: Question, form: str) -> tuple[list[object], dict[str, Any]]:
    """The layers in one of their forms, and how they must be read."""
    shape: dict[str, Any] = {"q_offset": question.offset}
    if form == "mask":
        return [ap.Mask(list(rows), **shape) for rows in question.layers], {}
    if form == "rows":
        return [list(rows) for rows in question.layers], shape
    reads = [np.array([[x == "1" for x in row] for row in rows]) for rows in question.layers]
    if form == "booleans":
        return list(reads), shape
    if form == "blocked":
        return [(~one).astype(np.int8) for one in reads], {**shape, "encoding": "block"}
    return [np.where(one, 0.0, -np.inf) for one in reads], {**shape, "encoding": "additive"}


def ask(question: Question, form: str) -> ap.Report:
    sources, how = as_held(question, form)
    asked = dict(question.asked)
    if "equals" in asked:
        asked["equals"] = ap.Mask(list(asked["equals"]), q_offset=question.offset)
    return ap.verify(
        *sources,
        **how,
        **asked,
        per_layer=len(sources) > 1,
        layers=question.depth,
        residual=question.residual,
        empty_row=question.empty_row,
        max_findings=1000,
    )


def ever(layers: Sequence[Pairs], n: int) -> Pairs:
    """What some number of layers reaches: the union of all products."""
    reached: Pairs = frozenset()
    seen = set()
    held, level = identity(n), 0
    while (held, level % len(layers)) not in seen:
        seen.add((held, level % len(layers)))
        reached |= held
        held = multiplied(layers[level % len(layers)], held)
        level += 1
    return reached


def settles(layers: Sequence[Pairs], n: int) -> int | None:
    """The least number of layers after which one more period changes nothing, if there is one."""
    seen = set()
    for depth in count():
        held = after(layers, depth, n)
        if held == after(layers, depth + len(layers), n):
            return depth
        if (held, depth % len(layers)) in seen:
            return None
        seen.add((held, depth % len(layers)))
    raise AssertionError("the count has no end")


def forbidden(question: Question) -> dict[str, set[Pair]]:
    """The forbidden pairs of each property, by its definition."""
    n, asked = question.n, question.asked
    found: dict[str, set[Pair]] = {}
    if "causal" in asked:
        found["causal"] = {(q, k) for q in range(n) for k in range(n) if k > q}
    if "next_token" in asked:
        found["next-token"] = {(q, q + 1) for q in range(n - 1)}
    if "documents" in asked:
        ids = asked["documents"]
        found["documents"] = {(q, k) for q in range(n) for k in range(n) if ids[q] != ids[k]}
    if "forbid" in asked:
        found["forbid"] = set(asked["forbid"])
    return found


def structure(question: Question, name: str) -> bool:
    """Has every layer the structural property, by its definition?"""
    n = question.n
    if name == "reflexive":
        own = {(question.offset + q, question.offset + q) for q in range(question.queries)}
        return all(own <= held for held in question.held)
    if name == "no-empty-rows":
        return all("1" in row for rows in question.layers for row in rows)
    if name == "transitive":
        layers = [one | identity(n) for one in question.executed]
        return all(multiplied(one, one) <= one for one in layers)
    if name == "antisymmetric":
        return not any((k, q) in one for one in question.executed for q, k in one if q != k)
    settled = settles(question.executed, n)
    return settled is not None and settled <= int(name.partition("=")[2])


def timed(path: Path) -> list[tuple[int, int]]:
    """A path as (token, layer after which it holds)."""
    steps: Sequence[int | tuple[int, int]] = path
    return [(step, level) if isinstance(step, int) else step for level, step in enumerate(steps)]
