"""Laws of the merged task, each map checked pair by pair by a second definition."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnproof.proofs.checker import check_statement
from attnproof.proofs.emit import state
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.density import context
from attnproof.symbolic.tasks.equivalence import Mode
from attnproof.symbolic.tasks.masks import Heads
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.merged import Merged, Minimal
from attnproof.symbolic.tasks.quotient import quotient, stable_colours
from attnproof.symbolic.tasks.task import Label, Position, PosMode, Task
from tests.laws.strategies import mask_of, rows
from tests.nodes import is_isomorphism, isomorphic, side_of
from tests.reference import closed, pairs_of_sets, sets_of_pairs
from tests.symbolic.tasks.random_nodes import models, renumberings, tasks

ATOMS = ("a", "b", "c", "d")
#: What a quotient can be written for.
PLAIN = {"pos_mode": PosMode.NONE, "diag_in_softmax": True}


@st.composite
def families(draw: st.DrawFn, /, **model: Any) -> list[Task]:
    """One to three tasks that one model runs; some are others with their positions renumbered."""
    settings_of = {**draw(models()), **model}
    found = [draw(tasks(settings_of, 4)) for _ in range(draw(st.sampled_from([2, 1])))]
    if draw(st.booleans()):
        again, _ = draw(renumberings(found[0]))
        found.append(again)
    return found


@st.composite
def labelled(draw: st.DrawFn) -> list[Task]:
    """Dense tasks with atoms and labels, without position ids."""
    return [draw(_labelled()) for _ in range(draw(st.sampled_from([2, 3, 1])))]


@st.composite
def _labelled(draw: st.DrawFn) -> Task:
    n = draw(st.sampled_from([3, 4, 2, 1]))
    inputs = [draw(st.sampled_from(["a", (), "a", "b"])) for _ in range(n)]
    labels = [
        Label(p, atom)
        for p in range(n)
        if (atom := draw(st.sampled_from([None, None, *ATOMS]))) is not None
    ]
    position = st.integers(0, n - 1)
    read = draw(st.lists(st.tuples(position, position), max_size=n))
    fan = frozenset((n - 1, k) for k in range(n))
    relation = draw(st.sampled_from([pairs_of_sets(draw(rows(n))), frozenset(read), fan]))
    mask = mask_of(sets_of_pairs(closed(relation, n), n))
    positions = [Position(tuple(one), kind="tok" if one else "mask") for one in inputs]
    return Task.build(positions, labels, mask, atoms=ATOMS, pos_mode="none")


def kinds(merged: Merged) -> Counter[str]:
    """The kinds of findings."""
    return Counter(finding.kind for finding in merged.findings)


def is_shared(merged: Merged) -> bool:
    """Did every task share what its types let it share?"""
    return not kinds(merged).keys() & {"not_locally_rigid", "positions_clash"}


def first_of_each_class(task: Task) -> list[int]:
    """One position of each class of a task."""
    below = task.executed.below
    return [p for p in range(task.size) if below.index(below[p]) == p]


@given(st.one_of(families(), labelled()))
def test_every_map_embeds_what_lies_below_each_position(family: list[Task]) -> None:
    """Bijective below each position, with inputs, keys in every head and layer, and distances kept;
    and every position of the result comes from a task."""
    merged = merge(family)
    for task, mapped in zip(family, merged.maps, strict=True):
        for p in range(task.size):
            a, b = side_of(task, p), side_of(merged.task, mapped[p])
            assert is_isomorphism(a, b, {u: mapped[u] for u in a.below})
    assert {slot for mapped in merged.maps for slot in mapped} == set(range(merged.task.size))


@given(st.one_of(families(), labelled()))
def test_there_is_one_class_for_each_type(family: list[Task]) -> None:
    """As many as there are classes of all tasks that networkx tells apart, where it is proved."""
    merged = merge(family)
    types: list[tuple[Task, int]] = []
    for task in family:
        for p in first_of_each_class(task):
            own = [u for u in range(task.size) if task.executed.below[u] == task.executed.below[p]]
            seen = (
                isomorphic(side_of(task, u), side_of(other, q)) for other, q in types for u in own
            )
            if not any(seen):
                types.append((task, p))
    assert len(merged.classes) >= len(types)
    assert (merged.minimal is Minimal.PROVED) == is_shared(merged)
    if is_shared(merged):
        assert len(merged.classes) == len(types)


@given(labelled())
def test_twins_below_one_position_are_found(family: list[Task]) -> None:
    """A dense family is refused exactly where two equivalent classes lie below one position."""
    merged = merge(family)
    assert ("not_locally_rigid" in kinds(merged)) == any(map(_has_twins_below, family))


def _has_twins_below(task: Task) -> bool:
    firsts = first_of_each_class(task)
    below = task.executed.below
    own = {p: [u for u in range(task.size) if below[u] == below[p]] for p in firsts}
    return any(
        a != b and any(isomorphic(side_of(task, a), side_of(task, u)) for u in own[b])
        for v in firsts
        for a in firsts
        for b in firsts
        if below[v] >> a & 1 and below[v] >> b & 1
    )


@given(families())
def test_merging_twice_changes_nothing(family: list[Task]) -> None:
    """A task twice is a task once; the merged task merged is itself."""
    merged = merge(family)
    assume(is_shared(merged))
    assert merge([*family, *family]).task == merged.task
    assert merge([merged.task]).task.size == merged.task.size
    assert len(merge([merged.task]).classes) == len(merged.classes)


@given(families())
def test_the_order_of_tasks_does_not_matter(family: list[Task]) -> None:
    """Merged in another order it is the same but for the numbers of positions: both merged into one
    are as large as each."""
    merged, other = merge(family), merge(family[::-1])
    assume(is_shared(merged) and is_shared(other))
    assert _as_large(merged.task, other.task)


@given(families())
def test_what_is_merged_may_be_merged_on(family: list[Task]) -> None:
    """Some tasks merged, then the others: as all at once."""
    merged = merge(family)
    first = merge(family[:1])
    assume(is_shared(merged) and is_shared(first))
    onward = merge([first.task, *family[1:]])
    assume(is_shared(onward))
    assert _as_large(merged.task, onward.task)


def _as_large(one: Task, other: Task) -> bool:
    both = merge([one, replace(other, name=one.name)])
    return not is_shared(both) or both.task.size == one.size == other.size


@given(labelled())
def test_what_is_known_and_what_leaks_stays(family: list[Task]) -> None:
    """At the image of a position the same atoms are known, and each label leaks at the same depth;
    the merged task leaks exactly when a task does."""
    merged = merge(family, labels="multi")
    flow, leaking = merged.flow, False
    found = {(one.label.position, one.label.atom): one.depth for one in merged.task.leak_depths()}
    for task, mapped in zip(family, merged.maps, strict=True):
        own = Flow(task.setting())
        for p in range(task.size):
            assert context(task, own, p) == context(merged.task, flow, mapped[p])
        for one in task.leak_depths():
            assert found[mapped[one.label.position], one.label.atom] == one.depth
            leaking |= one.depth is not None
    assert bool(kinds(merged).keys() & {"leak", "own_input"}) == leaking


@given(labelled())
def test_no_label_is_lost_or_added(family: list[Task]) -> None:
    """A position predicts what the positions mapped to it do; a conflict is told exactly where
    equivalent positions must predict two atoms."""
    merged = merge(family)
    told = {
        (mapped[label.position], label.atom)
        for task, mapped in zip(family, merged.maps, strict=True)
        for label in task.labels
    }
    assert told == {(label.position, label.atom) for label in merged.task.labels}
    labels = [(task, label) for task in family for label in task.labels]
    differ = any(
        a.atom != b.atom and isomorphic(side_of(task, a.position), side_of(other, b.position))
        for task, a in labels
        for other, b in labels
    )
    assert ("label_conflict" in kinds(merged)) == differ


@given(st.one_of(families(), labelled()))
def test_the_checker_accepts_the_certificate(family: list[Task]) -> None:
    """Embedding, minimality where it is proved, and conflicts."""
    for evidence in merge(family).evidence:
        assert check_statement(json.loads(state(evidence).canonical_json())).reason == ""


def test_a_task_that_is_kept_apart_shares_nothing() -> None:
    """Two tasks that are one up to renaming, but read equal keys in different ways: the number of
    a class of the second is not taken for a type of the first."""
    plain = Task.build(
        [Position(())] * 4, {}, Heads((mask_of([0] * 4),) * 2), atoms=["x"], diag_in_softmax=False
    )
    first, second = (
        replace(plain, mask=Heads((mask_of([0] * 4), mask_of(read))))
        for read in ([0, 0b100, 0b1100, 0b100], [0, 0b1000, 0b1000, 0b1100])
    )
    single = replace(plain, positions=plain.positions[:1], mask=Heads((mask_of([0]),) * 2))
    merged = merge([first, single, second])
    assert merged.maps[1] == merged.maps[0][:1]
    assert not {*merged.maps[0]} & {*merged.maps[2]}
    assert merged.minimal is Minimal.UNKNOWN
    assert kinds(merged)["not_locally_rigid"] == 1


@given(families(**PLAIN), st.sampled_from([Mode.WL, Mode.SOFTMAX]))
@settings(max_examples=40)
def test_the_quotient_counts_keys_by_colour(family: list[Task], mode: Mode) -> None:
    """Whichever position of a colour is asked: as many keys of each colour, for softmax up to a
    common factor."""
    found, colours = quotient(family, mode), stable_colours(family, mode)
    for t, task in enumerate(family):
        for level, heads in enumerate(found.weights):
            for head, weights in enumerate(heads):
                relation = task.executed.layers[level % len(task.executed.layers)][head]
                for p in range(task.size):
                    seen = Counter(colours.of[t][k] for k in members(relation[p]))
                    assert _proportional(weights[colours.of[t][p]], seen, exact=mode is Mode.WL)


def _proportional(row: Sequence[int], seen: Counter[int], *, exact: bool) -> bool:
    total, other = (1, 1) if exact else (sum(row), sum(seen.values()))
    return all(times * other == seen[colour] * total for colour, times in enumerate(row))


@given(families(**PLAIN), st.sampled_from([Mode.WL, Mode.SOFTMAX]))
@settings(max_examples=40)
def test_coarser_modes_have_no_more_positions(family: list[Task], mode: Mode) -> None:
    """A quotient has a position for each colour; where colours are types, the merge is the same."""
    fine, coarse = merge(family), merge(family, mode)
    assert coarse.task.size <= fine.task.size
    if coarse.weights is None:
        assert coarse.task == fine.task


@given(families(heads=1, depth=None), st.integers(1, 3))
@settings(max_examples=40)
def test_a_sparse_merge_has_the_same_diagram(family: list[Task], layers: int) -> None:
    """The K-fold product of the sparse mask is the order; the tasks with their part of it are
    embedded, and the checker accepts that."""
    dense = [one for one in family if len(one.layers) == 1]
    assume(dense)
    merged, found = merge(dense), merge(dense, layers=layers)
    assert found.flow.closure.rows == merged.flow.closure.rows
    assert Flow(replace(found.task, depth=layers).setting()).depth in range(layers + 1)
    assert found.maps == merged.maps
    for evidence in found.evidence:
        assert check_statement(json.loads(state(evidence).canonical_json())).reason == ""
