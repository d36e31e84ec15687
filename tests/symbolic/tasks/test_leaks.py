"""Leak depths and judgements of tasks, against products of sets of pairs."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.proofs.checker import check_statement, check_text
from attnproof.proofs.emit import emit, state
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.judge import judge_task
from attnproof.symbolic.tasks.leaks import label_depths
from attnproof.symbolic.tasks.property import TaskProperty
from attnproof.symbolic.tasks.task import Label, Position, Task
from attnproof.symbolic.verdict import Verdict
from tests.reference import Pairs
from tests.symbolic.tasks.random_tasks import (
    allowed_at,
    content,
    determined,
    is_kept,
    product,
    products,
    tasks,
    with_arguments,
)

few = settings(max_examples=30)


def primitives(task: Task, item: str) -> set[str]:
    """The atoms that determine an item."""
    return with_arguments(task, item) - set(task.derived)


def seen(task: Task, held: Pairs, v: int) -> set[str]:
    """Everything that the positions held at ``v`` carry."""
    return set().union(*(content(task, k) for q, k in held if q == v))


def least_depth(task: Task, label: Label) -> int | None:
    """The first layer by which every atom that determines the label has been seen."""
    missing = primitives(task, label.atom)
    for depth, held in enumerate(products(task)):
        missing -= seen(task, held, label.position)
        if not missing:
            return depth
    return None


def labels_at(task: Task, p: int) -> list[Label | None]:
    """The labels of a position, or None in their place."""
    return [label for label in task.labels if label.position == p] or [None]


def is_violated(task: Task, held: Pairs) -> bool:
    """Is a label known that is not kept by design, or something there that is not allowed?"""
    for p in range(task.size):
        there = seen(task, held, p)
        for label in labels_at(task, p):
            allowed = allowed_at(task, label, p)
            if allowed is not None and not there <= allowed:
                return True
            if label and not is_kept(task, label) and label.atom in determined(task, there):
                return True
    return False


@few
@given(tasks())
def test_leak_depth_is_that_of_explicit_products(task: Task) -> None:
    """The depth of a label is the first product of layers that brings all that determines it."""
    found = {(one.label.position, one.label.head): one.depth for one in label_depths(task)}
    wanted = {(label.position, label.head): least_depth(task, label) for label in task.labels}
    assert found == wanted


@few
@given(tasks())
def test_source_of_a_leak_depth_brings_the_label(task: Task) -> None:
    """The source is held at the reader after that many layers and carries a part of the label."""
    for one in label_depths(task):
        if one.depth is not None:
            assert one.source is not None
            assert (one.label.position, one.source) in products(task)[one.depth]
            assert content(task, one.source) & with_arguments(task, one.label.atom)


@few
@given(tasks())
def test_label_known_from_own_input_exactly_at_depth_zero(task: Task) -> None:
    """At a leak depth of 1 or more the own input does not determine the label."""
    for one in label_depths(task):
        own = determined(task, content(task, one.label.position))
        assert (one.depth == 0) == (one.label.atom in own)


@few
@given(tasks(), st.data())
def test_more_atoms_never_make_a_label_safer(task: Task, data: st.DataObject) -> None:
    """Giving a position more atoms can only lower leak depths."""
    p = data.draw(st.integers(0, task.size - 1))
    atom = data.draw(st.sampled_from(task.atoms))
    own = task.positions[p]
    more = replace(own, atoms=(*own.atoms, atom))
    richer = replace(task, positions=(*task.positions[:p], more, *task.positions[p + 1 :]))
    for less, more_known in zip(label_depths(task), label_depths(richer), strict=True):
        if less.depth is not None:
            assert more_known.depth is not None
            assert more_known.depth <= less.depth


@few
@given(tasks())
def test_verdict_at_the_tasks_depth(task: Task) -> None:
    """The verdict fails exactly when the product of the executed layers breaks the task."""
    task = replace(task, depth=task.depth or 0)
    judged = judge_task(Flow(task.setting()), task)
    bad = is_violated(task, product(task, task.depth or 0))
    assert judged.verdict is (Verdict.FAILS if bad else Verdict.HOLDS)


@few
@given(tasks(residual=True))
def test_verdict_at_any_depth(task: Task) -> None:
    """With a residual the last product holds everything: it breaks the task or none does."""
    task = replace(task, depth=None)
    judged = judge_task(Flow(task.setting()), task)
    bad = is_violated(task, products(task)[-1])
    assert judged.verdict is (Verdict.FAILS if bad else Verdict.HOLDS)


@few
@given(tasks())
def test_checker_accepts_every_certificate(task: Task) -> None:
    """Whatever is judged of a task, the checker proves again from the certificate alone."""
    judged = judge_task(Flow(task.setting()), task)
    if judged.verdict is Verdict.UNKNOWN:
        assert task.depth is None
        assert not task.residual
        return
    assert judged.evidence is not None
    (result,) = check_text(json.dumps(emit(judged.evidence)))
    assert result.valid, result.reason


@few
@given(tasks())
def test_forbidden_pairs_are_those_of_one_carrier(task: Task) -> None:
    """A source is forbidden exactly where it alone carries a label, or what is not allowed."""
    wanted = TaskProperty(task)
    for q in range(task.size):
        labels = labels_at(task, q)
        for k in range(task.size):
            there, bad = content(task, k), False
            for label in labels:
                allowed = allowed_at(task, label, q)
                bad |= allowed is not None and not there <= allowed
                bad |= label is not None and not is_kept(task, label) and label.atom in there
            assert bool(wanted.forbidden(q) >> k & 1) == bad


def test_derived_label_waits_for_its_last_argument() -> None:
    """y = f(x1, x2) is known when both have arrived; one alone leaves it safe."""
    rows = ["11..", ".1..", "1.11", "...1"]
    inputs = [None, "x1", None, "x2"]
    task = Task.build(inputs, {2: "y"}, rows, derived={"y": ["x1", "x2"]})
    (found,) = label_depths(task)
    assert (found.depth, found.source) == (2, 1)
    assert found.status(1) == "safe only by depth"
    alone = Task.build(inputs, {2: "y"}, ["1...", ".1..", "1.11", "...1"], derived=task.derived)
    assert [one.status() for one in label_depths(alone)] == ["safe"]


def test_allowed_atoms_name_the_stranger() -> None:
    """Packing under a plain causal mask: no label leaks, the other document's atoms arrive."""
    own = {0: "ab", 1: "ab", 2: "cd", 3: "cd"}
    inputs = [
        Position((atom,), p, allowed_atoms=frozenset(own[p])) for p, atom in enumerate("abcd")
    ]
    packed = Task.build(inputs, {0: "b", 2: "d"}, "causal")
    found = judge_task(Flow(packed.setting()), packed).findings
    strangers = [(one.reader, one.source, one.details["atom"]) for one in found]
    assert strangers == [(2, 0, "a"), (2, 1, "b"), (3, 0, "a"), (3, 1, "b")]
    right = replace(packed, mask=Mask.from_rows(["1...", "11..", "..1.", "..11"]))
    assert judge_task(Flow(right.setting()), right).verdict is Verdict.HOLDS


def test_keep_position_is_a_note() -> None:
    """A position of kind "keep" that carries its label is reported and changes no verdict."""
    task = Task.build([Position(("x1",), 0, "keep"), "x2"], {0: "x1"}, ["11", "11"])
    judged = judge_task(Flow(task.setting()), task)
    assert judged.verdict is Verdict.HOLDS
    assert [(one.kind, one.severity, one.depth) for one in judged.findings] == [
        ("own_input", "note", 0)
    ]


def test_most_findings_are_listed_and_all_are_counted() -> None:
    """The number of listed findings is limited, their total is not."""
    n = 6
    task = Task.build([f"x{i}" for i in range(n)], {i: f"x{i}" for i in range(n)}, "full")
    judged = judge_task(Flow(task.setting()), task, most=2)
    assert (len(judged.findings), judged.total) == (2, 6)


@settings(max_examples=150)
@given(st.data())
def test_without_a_residual_parts_have_to_be_there_at_once(data: st.DataObject) -> None:
    """A derived label leaks where some number of layers brings all its parts together, counted in
    Boolean powers; what came and went again is no part. The checker accepts what is found."""
    n = data.draw(st.integers(2, 4))
    relation = st.lists(st.integers(0, (1 << n) - 1), min_size=n, max_size=n)
    layers = data.draw(st.lists(relation, min_size=1, max_size=2))
    inputs = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n, max_size=n))
    depth = data.draw(st.sampled_from([None, None, 1, 2, 3]))
    masks = [{"rows": ["".join(".1"[row >> k & 1] for k in range(n)) for row in rows]}
             for rows in layers]  # fmt: skip
    task = Task.build(
        inputs, {0: "z"}, {"layers": masks}, atoms=["a", "b"], derived={"z": ["a", "b"]},
        residual=False, depth=depth, pos_mode="none",
    )  # fmt: skip
    pairs = [{(q, k) for q in range(n) for k in range(n) if row[q] >> k & 1} for row in layers]
    reached, together = {(q, q) for q in range(n)}, []
    for level in range(60):
        arrived = {inputs[k] for q, k in reached if q == 0}
        together.append({"a", "b"} <= arrived)
        step = pairs[level % len(pairs)]
        reached = {(q, k) for q, m in step for p, k in reached if p == m}
    judged = judge_task(Flow(task.setting()), task)
    leaks = any(together) if depth is None else together[depth]
    assert (judged.verdict is Verdict.FAILS) == leaks
    if leaks:
        first = next(one for one in judged.findings if one.severity == "error")
        assert first.depth == together.index(True)
    if judged.evidence is not None:
        statement = json.loads(state(judged.evidence).canonical_json())
        assert check_statement(statement).reason == ""
