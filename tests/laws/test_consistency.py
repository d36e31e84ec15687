"""Laws of inference programs: single tasks as calls, and states kept while positions grow."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.tasks.consistency import consistent
from attnproof.symbolic.tasks.decoding import growing, in_turn, open_reads
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.task import Label, Task
from attnproof.symbolic.verdict import Verdict
from tests.nodes import are_equivalent, side_of
from tests.reference import closed
from tests.symbolic.tasks.random_nodes import models, tasks

HOLDS = Verdict.HOLDS


@st.composite
def steps_of(draw: st.DrawFn) -> tuple[Task, list[list[int]]]:
    """A task, and some of its positions in steps; a query that a step leaves no key is refused."""
    filled = models().filter(lambda x: x["diag_in_softmax"] or x["empty_row"] is EmptyRow.ZERO)
    task = draw(filled.flatmap(lambda model: tasks(model, 5)))
    order = draw(st.permutations(range(task.size)))
    chosen = order[: draw(st.integers(1, task.size))]
    cuts = sorted(draw(st.sets(st.integers(1, len(chosen)), max_size=3)) | {len(chosen)})
    starts = [0, *cuts[:-1]]
    return task, [list(chosen[a:b]) for a, b in zip(starts, cuts, strict=True)]


@given(steps_of())
def test_states_are_kept_exactly_for_down_sets(case: tuple[Task, list[list[int]]]) -> None:
    """C2 of the program that grows holds if and only if each set of positions is a down-set of the
    final relation, read off its closure pair by pair."""
    task, steps = case
    kept = growing(task, steps)
    side = side_of(kept.calls[-1].under(task), 0)
    pairs = {pair for layer in side.layers for head in layer for pair in head}
    reach = closed(frozenset(pairs), kept.calls[-1].size)
    final = sorted(p for step in steps for p in step)
    held: set[int] = set()
    down = True
    for step in steps:
        held |= set(step)
        down &= all(final[k] in held for q, k in reach if final[q] in held)
    found = consistent(task, kept)
    assert (found.verdicts["C2"] is HOLDS) == down == (open_reads(task, steps) == ())


@settings(max_examples=30)
@given(st.data())
def test_single_tasks_are_consistent_with_the_merged_task(data: st.DataObject) -> None:
    """C1, C2 and C4 hold where the merged task embeds the single ones; C3 holds with all given."""
    model = {**data.draw(models()), "depth": None}
    family = []
    for _ in range(data.draw(st.integers(1, 3))):
        task = data.draw(tasks(model, 4))
        places = data.draw(st.sets(st.integers(0, task.size - 1), max_size=2))
        family.append(replace(task, labels=tuple(Label(p, "x") for p in sorted(places))))
    merged = merge(family)
    found = consistent(merged.task, in_turn(family, given=["x"]))
    assert set(found.verdicts.values()) == {HOLDS}


@settings(max_examples=30)
@given(st.data())
def test_pairings_are_equivalences(data: st.DataObject) -> None:
    """Each pairing that is listed is an equivalence by its definition, and each emit and each
    reused state is either listed or found wrong."""
    model = data.draw(models())
    family = [data.draw(tasks(model, 4)) for _ in range(2)]
    family = [replace(task, labels=(Label(task.size - 1, "x"),)) for task in family]
    trained = data.draw(st.sampled_from(family))
    program = in_turn(family, given=["x"])
    found = consistent(trained, program)
    calls = [call.under(trained) for call in program.calls]
    for pair in (*found.trained, *found.kept):
        other = trained if pair.earlier is None else calls[pair.earlier]
        assert are_equivalent(
            side_of(other, pair.other), side_of(calls[pair.call], pair.position), "iso", None
        )
    wrong = [finding.property for finding in found.findings]
    emits = sum(len(call.emits) for call in program.calls)
    assert len(found.trained) + wrong.count("C1") == emits
    assert len(found.kept) + wrong.count("C2") == sum(len(call.reuse) for call in program.calls)
