"""The least common supergraph found by search: two formulas, two solvers, and the definition."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.families.registry import build
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.merged import Minimal
from attnproof.symbolic.tasks.minimal import Counted, fewest, is_there, orders
from attnproof.symbolic.tasks.task import Position, Task
from tests.laws.strategies import mask_of, rows
from tests.reference import closed, pairs_of_sets, sets_of_pairs
from tests.supergraphs import Labelled, least
from tests.symbolic.tasks.supergraph_orders import is_there_by_order


def family(name: str, **parameters: Any) -> tuple[Task, ...]:
    """The tasks of a builder."""
    return build(name, **parameters).tasks


#: Families of section 4.5, with the numbers of types, of pairs and of covers.
FAMILIES: dict[str, tuple[Sequence[Task], tuple[int, int, int]]] = {
    "autoregressive": (family("autoregressive", n=4), (3, 3, 2)),
    "order 213": (family("permutation", order=[1, 0, 2]), (5, 4, 3)),
    "orders 123 and 213": (
        (*family("permutation", n=3), *family("permutation", order=[1, 0, 2])),
        (10, 8, 6),
    ),
    "block 2, 2": (family("block", m=2, b=2), (3, 1, 1)),
    "block 3, 2": (family("block", m=3, b=2), (5, 4, 3)),
    "butterfly 2": (family("butterfly", n=2), (4, 2, 2)),
    "butterfly 3": (family("butterfly", n=3), (7, 8, 6)),
}


def letters(word: str, *drawn: str) -> Task:
    """A task of letters without position ids."""
    return Task.build(list(word), {}, drawn, pos_mode="none")


#: t1 and t2 on s1, s2 free; t1 on s1, t2 on s2.
TWINS = (
    letters("sstt", "1...", ".1..", "1.1.", "1..1"),
    letters("sstt", "1...", ".1..", "1.1.", ".1.1"),
)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_merged_task_is_least(name: str) -> None:
    """As many classes, pairs and covers as types have, there; one less, not, in any size."""
    tasks, expected = FAMILIES[name]
    flow = merge(tasks).flow
    assert len(flow.classes) == expected[0]
    assert len(flow.covers) == expected[2]
    for counted, number in zip(Counted, expected, strict=True):
        assert fewest(tasks, counted) == fewest(tasks, counted, injective=True) == number
        assert is_there(tasks, number, counted)
        assert not is_there(tasks, number - 1, counted)


@pytest.mark.parametrize("name", FAMILIES)
def test_z3_agrees_on_classes(name: str) -> None:
    """An order on as many vertices as there are types is found; on one less there is none."""
    tasks, (classes, _, _) = FAMILIES[name]
    assert is_there_by_order(tasks, classes, Counted.CLASSES)
    assert not is_there_by_order(tasks, classes - 1, Counted.CLASSES)


@pytest.mark.parametrize("name", ["autoregressive", "block 2, 2", "butterfly 2"])
@pytest.mark.parametrize("counted", [Counted.PAIRS, Counted.COVERS])
def test_z3_agrees_on_pairs_and_covers(name: str, counted: Counted) -> None:
    """With as many vertices as all classes together, so in every size."""
    tasks, expected = FAMILIES[name]
    number = expected[list(Counted).index(counted)]
    assert is_there_by_order(tasks, number, counted)
    assert not is_there_by_order(tasks, number - 1, counted)


def test_twins_kept_apart_need_more_than_types() -> None:
    """Two types; two vertices are enough where only what lies below one is kept apart, and five are
    needed, by both solvers, where each task keeps its twins apart."""
    for search in (is_there, is_there_by_order):
        for injective, number in ((False, 2), (True, 5)):
            near = (number - 1, number)
            found = [search(TWINS, k, Counted.CLASSES, injective=injective) for k in near]
            assert found == [False, True]
    assert fewest(TWINS, injective=True) == 5


def test_twins_below_one_are_kept() -> None:
    """Where twins lie below one class they stay two: no supergraph has as few classes as types."""
    tasks = [letters("sst", "1..", ".1.", "111")]
    assert fewest(tasks) == 3
    assert merge(tasks).minimal is Minimal.UNKNOWN


@st.composite
def small(draw: st.DrawFn) -> list[Task]:
    """One or two dense tasks with few letters."""
    return [draw(_dense()) for _ in range(draw(st.integers(1, 2)))]


@st.composite
def _dense(draw: st.DrawFn) -> Task:
    n = draw(st.integers(1, 3))
    relation = closed(pairs_of_sets(draw(rows(n))), n)
    positions = [Position((draw(st.sampled_from("ab")),)) for _ in range(n)]
    return Task.build(
        positions, {}, mask_of(sets_of_pairs(relation, n)), atoms=[*"ab"], pos_mode="none"
    )


def labelled(task: Task) -> Labelled:
    """The order of the classes of a task, from pairs."""
    relation = closed(pairs_of_sets(task.layers[0].rows.bits()), task.size)
    downs = sorted({frozenset(k for q, k in relation if q == p) for p in range(task.size)}, key=len)
    members = [
        [p for p in range(task.size) if {k for q, k in relation if q == p} == down]
        for down in downs
    ]
    labels = [tuple(sorted(task.positions[p].atoms[0] for p in inside)) for inside in members]
    pairs = {(d, e) for d, low in enumerate(downs) for e, high in enumerate(downs) if low < high}
    return Labelled(labels, frozenset(pairs))


@settings(max_examples=25)
@given(small(), st.booleans())
def test_search_agrees_with_the_definition(tasks: list[Task], injective: bool) -> None:
    """Against every way to identify classes, each checked pair by pair."""
    expected = least([labelled(task) for task in tasks], injective)
    for counted in Counted:
        assert fewest(tasks, counted, injective=injective) == expected[counted.value]


@settings(max_examples=8)
@given(small(), st.booleans(), st.sampled_from(Counted))
def test_the_solvers_agree(tasks: list[Task], injective: bool, counted: Counted) -> None:
    """At the least number and one below it."""
    number = fewest(tasks, counted, injective=injective)
    assert is_there_by_order(tasks, number, counted, injective=injective)
    assert not is_there_by_order(tasks, number - 1, counted, injective=injective)


@settings(max_examples=40)
@given(small())
def test_theorem_m(tasks: list[Task]) -> None:
    """Where the merge is proved least, search finds its numbers; else no more classes."""
    merged = merge(tasks)
    found = [fewest(tasks, counted) for counted in Counted]
    if merged.minimal is Minimal.PROVED:
        below = merged.flow.closure.rows
        pairs = sum(
            len({d for d, other in enumerate(merged.classes) if below[c[0]] >> other[0] & 1}) - 1
            for c in merged.classes
        )
        assert found == [len(merged.classes), pairs, len(merged.flow.covers)]
    assert found[0] <= len(merged.classes)


def test_what_is_no_labelled_order() -> None:
    """Sparse masks and differences of ids."""
    with pytest.raises(TaskError, match="a task is no labelled order: its mask is sparse; give"):
        orders([Task.build([*"abc"], {}, ["1..", "11.", ".11"])])
    with pytest.raises(TaskError, match="one is no labelled order: it sees differences of ids"):
        orders([Task.build([*"ab"], {}, "causal", name="one", pos_mode="relative")])
