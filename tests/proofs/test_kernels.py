"""What each kernel refuses, and how it says so."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.proofs.checker import check_statement
from attnproof.proofs.emit import emit
from attnproof.symbolic.evidence import (
    Equal,
    Evidence,
    Leak,
    Safe,
    Structure,
    Unequal,
)
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.properties import Causal, Forbidden
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.tasks.judge import judge_task
from attnproof.symbolic.tasks.task import Label, Position, Task
from tests.mutation.claims import is_true


def setting(*rows: str, depth: int | None = None) -> Setting:
    """One layer."""
    return Setting((Mask.from_rows(rows),), depth)


WINDOW = setting("1...", "11..", ".11.", "..11")
RING = setting("..1", "1..", ".1.")
CLOSED = (0b0001, 0b0011, 0b0111, 0b1111)
FAR = Forbidden.from_pairs([(3, 0)], 4)
LEAK = Leak(WINDOW, FAR, 3, 0, 3, (0, 1, 2, 3))
FACTS = Flow(WINDOW).facts()
V = Flow(setting("1..", ".1.", "111")).facts()

REFUSED: list[tuple[Evidence, str]] = [
    (Safe(WINDOW, FAR, CLOSED), "a forbidden pair is reached"),
    (Safe(WINDOW, Causal(4), None), "any number of layers needs a relation"),
    (Safe(WINDOW, Causal(4), CLOSED[:3]), "relation does not hold 4 rows"),
    (Safe(WINDOW, Causal(4), (1, 3, 7, 11)), "does not contain every layer"),
    (Safe(WINDOW, Causal(4), (1, 3, 6, 12)), "the relation is not closed"),
    (Safe(replace(WINDOW, depth=3), FAR, None), "a forbidden pair is reached"),
    (replace(LEAK, property=Causal(4)), "the pair is not forbidden"),
    (replace(LEAK, depth=4, path=(0, 1, 2, 3, 3)), "not the least number of layers"),
    (replace(LEAK, path=(0, 1, 3, 3)), "the path is not read"),
    (replace(LEAK, path=(1, 1, 2, 3)), "does not start at the source"),
    (replace(LEAK, path=(0, 1, 2)), "does not end at the reader"),
    (replace(LEAK, path=()), "the path is empty"),
    (replace(LEAK, setting=replace(WINDOW, depth=2)), "not there after as many layers as run"),
    (replace(LEAK, atom="x"), "only a task has atoms and heads"),
    (replace(FACTS, relation=(1, 3, 7, 9)), "does not contain every layer"),
    (replace(FACTS, relation=(15, 15, 15, 15)), "the relation contains more than the flow"),
    (replace(FACTS, transitive=True), "transitive is wrong"),
    (replace(FACTS, antisymmetric=False), "antisymmetric is wrong"),
    (replace(FACTS, depth=2), "convergence is wrong"),
    (replace(FACTS, depth=None), "convergence is wrong"),
    (replace(FACTS, height=3), "height is wrong"),
    (replace(FACTS, classes=((1,), (0,), (2,), (3,))), "not what is below a class"),
    (replace(FACTS, covers=((0, 1), (1, 1), (2, 3))), "stands before one that reaches it"),
    (replace(FACTS, classes=((0, 1), (2,), (3,)), covers=()), "a class is not one of the flow"),
    (replace(FACTS, classes=((0,), (1,), (2,)), covers=()), "a position is in no class"),
    (replace(FACTS, classes=((0,), (1,), (1,), (3,))), "a position is in two classes"),
    (replace(FACTS, covers=((0, 1), (2, 3))), "not what is below a class"),
    (replace(FACTS, covers=((0, 1), (0, 2), (1, 2), (2, 3))), "a cover is not a direct one"),
    (replace(FACTS, covers=((0, 1), (0, 1), (1, 2), (2, 3))), "not pairs in ascending order"),
    (replace(FACTS, antichain=None), "the width is missing"),
    (replace(V, antichain=(0,), chains=((0, 2), (1,))), "width is wrong"),
    (replace(V, antichain=(0, 2)), "the antichain is none"),
    (replace(V, chains=((0, 1), (2,))), "not one below the other"),
    (replace(V, chains=((0, 2), (1, 2))), "do not hold every class once"),
    (replace(V, chains=((0, 1, 2), ())), "a chain is empty"),
    (Structure(WINDOW, "transitive", True), "some layer does not have it"),
    (Structure(WINDOW, "transitive", False, None, (1, 0, 3)), "no counterexample in any layer"),
    (Structure(WINDOW, "transitive", False), "a counterexample is missing"),
    (Structure(WINDOW, "reflexive", True, None, (0,)), "what holds has no counterexample"),
    (Structure(WINDOW, "reflexive", True, 3), "only depth has a bound"),
    (Structure(WINDOW, "symmetric", True), "no name that is known"),
    (Structure(WINDOW, "depth", True, 2), "the depth does not agree"),
    (Structure(WINDOW, "depth", False, 2, (0, 1, 2)), "the bound suffices for the witness"),
    (Structure(WINDOW, "depth", False, 2, (0, 2, 3)), "the witness is no path"),
    (Equal(WINDOW, RING, "edges"), "different sizes"),
    (Equal(WINDOW, setting("1...", "11..", "111.", "1111"), "edges"), "the pairs differ"),
    (Equal(WINDOW, WINDOW, "flow", (15, 15, 15, 15)), "contains more than the flow"),
    (Equal(WINDOW, WINDOW, "flow"), "relation is not a list"),
    (Unequal(WINDOW, WINDOW, "edges", "a", 1, 0), "not in one of the two only"),
    (Unequal(WINDOW, WINDOW, "flow", "a", 1, 0, (0, 1)), "the other flow has the pair too"),
    (Unequal(WINDOW, WINDOW, "flow", "a", 2, 0, (0, 2)), "the path is not read"),
]


@pytest.mark.parametrize(("evidence", "reason"), REFUSED, ids=lambda case: str(case)[:40])
def test_refused(evidence: Evidence, reason: str) -> None:
    """Evidence that does not show its claim is refused, and the reason is named."""
    result = check_statement(json.loads(json.dumps(emit(evidence))))
    assert not result.valid
    assert reason in result.reason


def test_the_unchanged_evidence_is_accepted() -> None:
    """Otherwise the table above would show nothing."""
    for evidence in (LEAK, FACTS, V):
        assert check_statement(emit(evidence)).reason == ""


def test_a_large_cycle_in_any_order_is_one_class() -> None:
    """1500 positions on one cycle, scattered: the whole is one class of depth 1499."""
    n = 1500
    place = [(p * 701) % n for p in range(n)]
    cycle = [0] * n
    for p in range(n):
        cycle[place[p]] = 1 << place[p - 1]
    given_setting = Setting((Mask.of(Bits(tuple(cycle), n)),))
    full = (1 << n) - 1
    facts = Equal(given_setting, given_setting, "flow", (full,) * n)
    assert check_statement(emit(facts)).reason == ""
    cycle[place[0]] = 1 << place[0]
    broken = Setting((Mask.of(Bits(tuple(cycle), n)),))
    facts = Equal(broken, broken, "flow", (full,) * n)
    assert check_statement(emit(facts)).reason == "the relation contains more than the flow"


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """A few positions that carry, keep, derive and predict."""
    n = draw(st.integers(1, 4))
    names = ["x1", "x2", "x3", "y", "z"]
    some = st.lists(st.sampled_from(names), max_size=2, unique=True)
    positions = [
        Position(tuple(draw(some)), kind=draw(st.sampled_from(["tok", "tok", "keep"])))
        for _ in range(n)
    ]
    allowed = st.one_of(st.none(), st.none(), st.frozensets(st.sampled_from(names)))
    labels = [
        Label(p, draw(st.sampled_from(names)), head, draw(allowed))
        for p in range(n)
        for head in range(draw(st.integers(0, 2)))
    ]
    rows = [[draw(st.booleans()) for _ in range(n)] for _ in range(n)]
    return Task.build(
        positions,
        labels,
        ["".join("#" if x else "." for x in row) for row in rows],
        atoms=["x1", "x2", "x3"],
        derived={"y": ["x1", "x2"], "z": ["y", "x3"]},
        depth=draw(st.one_of(st.none(), st.integers(0, 3))),
        residual=draw(st.sampled_from([True, True, False])),
    )


@given(tasks())
@settings(max_examples=150)
def test_tasks(task: Task) -> None:
    """What the package finds about a random task is accepted, and so by the definitions."""
    evidence = judge_task(Flow(task.setting()), task).evidence
    if evidence is not None:
        statement: Any = json.loads(json.dumps(emit(evidence)))
        assert check_statement(statement).reason == ""
        assert is_true(statement)


def test_flow_facts_of_a_flow_are_named_as_the_checker_names_them() -> None:
    """The depth of convergence stands beside the number of layers that run."""
    predicate: Any = emit(Flow(replace(WINDOW, depth=7)).facts())["predicate"]
    assert (predicate["depth"], predicate["convergence"]) == (7, 3)
