"""``verify`` against definitions written with sets of pairs, for whatever can be asked at once.

Every verdict is that of the definition, every path can be walked, every claim is accepted by the
checker, and the grade says which of both it was.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

import attnproof as ap
from attnproof.symbolic.verdict import Verdict
from tests.front.questions import (
    FORMS,
    Question,
    as_held,
    ask,
    ever,
    forbidden,
    questions,
    settles,
    structure,
    texts,
    timed,
)
from tests.reference import after, closed, first_depths, order, pairs_of_text


@given(questions(), st.sampled_from(FORMS))
@settings(max_examples=250)
def test_every_verdict_is_that_of_the_definition(question: Question, form: str) -> None:
    """Whatever is asked, of whatever layers, under whatever conventions, in whatever form.

    Left open is a schedule without residual at any depth that leaks nothing, while the closure of
    its layers does: no relation then shows it.
    """
    report = ask(question, form)
    n, layers = question.n, question.executed
    reached = ever(layers, n) if question.depth is None else after(layers, question.depth, n)
    closure = closed(frozenset().union(*layers), n) if question.depth is None else reached
    expected: dict[str, Verdict] = {}
    for name, pairs in forbidden(question).items():
        safe = Verdict.UNKNOWN if closure & pairs else Verdict.HOLDS
        expected[name] = Verdict.FAILS if reached & pairs else safe
    if "equals" in question.asked:
        equal = pairs_of_text(question.asked["equals"]) == pairs_of_text(question.layers[0])
        expected["equals"] = Verdict.HOLDS if equal else Verdict.FAILS
    for name in question.asked.get("properties", ()):
        expected[name] = Verdict.HOLDS if structure(question, name) else Verdict.FAILS
    assert report.verdicts == expected
    empty = any("1" not in row for rows in question.layers for row in rows)
    poisoned = [Verdict.FAILS] if question.empty_row == "nan" and empty else []
    assert report.verdict is Verdict.worst([*report.verdicts.values(), *poisoned])
    codes = {None: 0, Verdict.HOLDS: 0, Verdict.FAILS: 1, Verdict.UNKNOWN: 3}
    assert report.exit_code == codes[report.verdict]
    event(f"{report.verdict}, grade {report.grade}")


@given(questions(), st.sampled_from(FORMS))
@settings(max_examples=150)
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
    walked = any(one.kind == "leak" for one in report.findings)
    expected = "replayed" if walked else "certified"
    assert report.grade == (None if report.verdict is Verdict.UNKNOWN else expected)


@given(questions(), st.sampled_from(FORMS))
@settings(max_examples=150)
def test_every_leak_is_found_with_its_least_depth_and_a_walk(question: Question, form: str) -> None:
    """The findings of a property are its forbidden pairs that are reached, least depth first; each
    path starts at the source, ends at the reader, and every step is read by its layer."""
    report = ask(question, form)
    n, layers = question.n, question.executed
    reached = ever(layers, n) if question.depth is None else after(layers, question.depth, n)
    for name, pairs in forbidden(question).items():
        found = [f for f in report.findings if f.property == name]
        listed = [(f.depth, f.reader, f.source) for f in found]
        limit = len(layers) * n
        assert listed == sorted(first_depths(layers, pairs & reached, n, limit))
        for finding in found:
            assert finding.path is not None
            steps = timed(finding.path)
            assert steps[0] == (finding.source, 0)
            assert steps[-1] == (finding.reader, finding.depth)
            for (source, begin), (reader, end) in pairwise(steps):
                assert begin < end
                waits = range(begin, end - 1)
                assert all((source, source) in layers[level % len(layers)] for level in waits)
                assert (reader, source) in layers[(end - 1) % len(layers)]


@given(questions(most_layers=1))
@settings(max_examples=100)
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
@settings(max_examples=60)
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
    assert by_task.verdict is by_pairs.verdict
    told = [
        [(f.depth, f.reader, f.source) for f in one.findings if f.depth is not None]
        for one in (by_task, by_pairs)
    ]
    assert told[0] == told[1]
    assert all(result.valid for result in by_task.certificate.check())


@given(st.lists(texts(3, 3), min_size=1, max_size=4), st.booleans())
@settings(max_examples=40)
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
