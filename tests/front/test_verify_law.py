"""``verify`` against definitions written with sets of pairs, for whatever can be asked at once.

Every verdict is that of the definition, every path can be walked, every claim is accepted by the
checker, and the grade says which of both it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

import attnproof as ap
from attnproof.symbolic.verdict import Verdict
from tests.reference import (
    Pair,
    Pairs,
    after,
    closed,
    first_depths,
    identity,
    lifted,
    multiplied,
    order,
    pairs_of_text,
)

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
    shape = {"q_offset": question.offset}
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


@given(questions(), st.sampled_from(FORMS))
@settings(max_examples=400)
def test_every_verdict_is_that_of_the_definition(question: Question, form: str) -> None:
    """Whatever is asked, of whatever layers, under whatever conventions, in whatever form.

    The one question left open is a schedule without residual at any depth.
    """
    report = ask(question, form)
    n, layers = question.n, question.executed
    reached = ever(layers, n) if question.depth is None else after(layers, question.depth, n)
    undecided = len(layers) > 1 and not question.residual and question.depth is None
    expected: dict[str, set[Verdict]] = {}
    for name, pairs in forbidden(question).items():
        expected[name] = {Verdict.FAILS if reached & pairs else Verdict.HOLDS}
        expected[name] |= {Verdict.UNKNOWN} if undecided else set()
    if "equals" in question.asked:
        equal = pairs_of_text(question.asked["equals"]) == pairs_of_text(question.layers[0])
        expected["equals"] = {Verdict.HOLDS if equal else Verdict.FAILS}
    for name in question.asked.get("properties", ()):
        expected[name] = {Verdict.HOLDS if structure(question, name) else Verdict.FAILS}
    assert set(report.verdicts) == set(expected)
    for name, verdict in report.verdicts.items():
        assert verdict in expected[name], name
    empty = any("1" not in row for rows in question.layers for row in rows)
    poisoned = [Verdict.FAILS] if question.empty_row == "nan" and empty else []
    assert report.verdict is Verdict.worst([*report.verdicts.values(), *poisoned])
    codes = {None: 0, Verdict.HOLDS: 0, Verdict.FAILS: 1, Verdict.UNKNOWN: 3}
    assert report.exit_code == codes[report.verdict]
    event(f"{report.verdict}, grade {report.grade}")


@given(questions(), st.sampled_from(FORMS))
@settings(max_examples=300)
def test_every_claim_is_accepted_and_graded(question: Question, form: str) -> None:
    """One accepted claim a decided property, one about the flow where nothing was asked, and one
    for NaN rows that nobody asked about. The grade is "replayed" for a path that was walked on the
    mask as held, "certified" for what the checker accepted, and nothing for what is unknown."""
    report = ask(question, form)
    results = report.certificate.check()
    assert all(result.valid for result in results), [r.reason for r in results]
    decided = sum(verdict is not Verdict.UNKNOWN for verdict in report.verdicts.values())
    empty = any("1" not in row for rows in question.layers for row in rows)
    unasked = (
        question.empty_row == "nan"
        and empty
        and "no-empty-rows" not in question.asked.get("properties", ())
    )
    assert len(results) == unasked + (decided if report.verdicts else 1)
    walked = any(one.path for one in report.findings if one.severity == "error")
    expected = "replayed" if walked else "certified"
    assert report.grade == (None if report.verdict is Verdict.UNKNOWN else expected)


@given(questions(), st.sampled_from(FORMS))
@settings(max_examples=300)
def test_every_leak_is_found_with_its_least_depth_and_a_walk(question: Question, form: str) -> None:
    """The findings of a property are its forbidden pairs that are reached, least depth first; each
    path starts at the source, ends at the reader, and every step is read by its layer."""
    report = ask(question, form)
    n, layers = question.n, question.executed
    reached = ever(layers, n) if question.depth is None else after(layers, question.depth, n)
    for name, pairs in forbidden(question).items():
        if report.verdicts[name] is Verdict.UNKNOWN:
            continue
        found = [f for f in report.findings if f.property == name]
        listed = [(f.depth, f.reader, f.source) for f in found]
        limit = len(layers) * n
        assert listed == sorted(first_depths(layers, pairs & reached, n, limit))
        for finding in found:
            assert finding.path is not None
            steps = [(x, i) if isinstance(x, int) else x for i, x in enumerate(finding.path)]
            assert steps[0] == (finding.source, 0)
            assert steps[-1] == (finding.reader, finding.depth)
            for (source, begin), (reader, end) in pairwise(steps):
                assert begin < end
                waits = range(begin, end - 1)
                assert all((source, source) in layers[level % len(layers)] for level in waits)
                assert (reader, source) in layers[(end - 1) % len(layers)]


@given(questions(most_layers=1))
@settings(max_examples=150)
def test_the_flow_is_that_of_the_limit(question: Question) -> None:
    """The flow of a report is that of any number of layers, whatever number was asked about."""
    flow: Any = ask(question, "mask").to_json()["flow"]
    n, (layer,) = question.n, question.executed
    known = order(layer, n)
    assert closed(layer, n) == known.reach
    pairs = question.held[0]
    empty = [question.offset + q for q, row in enumerate(question.layers[0]) if "1" not in row]
    assert flow == {
        "transitive": known.transitive,
        "antisymmetric": len(known.classes) == n,
        "depth": settles([layer], n),
        "classes": len(known.classes),
        "covers": len(known.covers),
        "height": known.height,
        "width": known.width,
        "edges": len(pairs),
        "edges_off_diagonal": len({(q, k) for q, k in pairs if q != k}),
        "empty_rows": empty,
    }


@given(questions(), st.data())
@settings(max_examples=100)
def test_a_task_forbids_what_its_pairs_forbid(question: Question, data: st.DataObject) -> None:
    """With one atom a position, a label forbids exactly the position that carries it."""
    n = question.n
    labels = data.draw(st.dictionaries(st.integers(0, n - 1), st.integers(0, n - 1), min_size=1))
    task = ap.Task.build(
        [f"x{i}" for i in range(n)], {q: f"x{k}" for q, k in labels.items()}, "causal"
    )
    sources, how = as_held(question, "booleans")
    how |= {
        "per_layer": len(sources) > 1,
        "layers": question.depth,
        "residual": question.residual,
        "empty_row": question.empty_row,
    }
    by_task = ap.verify(*sources, **how, task=task)
    by_pairs = ap.verify(*sources, **how, forbid=list(labels.items()))
    if Verdict.UNKNOWN in (by_task.verdict, by_pairs.verdict):
        assert len(sources) > 1
        return
    assert by_task.verdict is by_pairs.verdict
    told = [
        [(f.depth, f.reader, f.source) for f in one.findings if f.depth is not None]
        for one in (by_task, by_pairs)
    ]
    assert told[0] == told[1]
    assert all(result.valid for result in by_task.certificate.check())


@given(st.lists(texts(3, 3), min_size=1, max_size=4), st.booleans())
@settings(max_examples=60)
def test_a_batch_is_each_of_its_masks(batch: list[tuple[str, ...]], causal: bool) -> None:
    """Each distinct mask of a batch has the verdict that it has alone; the report is the worst."""
    array = np.array([[[x == "1" for x in row] for row in rows] for rows in batch])
    report = ap.verify(array, causal=causal)
    alone = [ap.verify(list(rows), causal=causal) for rows in batch]
    masks = (report, *report.others)
    assert sorted(i for one in masks for i in one.batch) == list(range(len(batch)))
    assert len(masks) == len(set(batch))
    for one in masks:
        for i in one.batch:
            assert one.verdict is alone[i].verdict
            assert one.findings == alone[i].findings
    assert report.findings_total == max(one.findings_total for one in alone)
    assert report.exit_code == max(one.exit_code for one in alone)
    assert all(result.valid for result in report.certificate.check())
