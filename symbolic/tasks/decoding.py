"""Programs that follow from tasks: one call a task, or one task computed in several steps.

What is equivalent to a position of an earlier call is taken from there. Steps are sets of positions
that grow; their states can be kept exactly when each set is a down-set of the order: what a kept
position reads is kept.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import index

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.tasks.masks import MaskSpec, each_head, written
from attnproof.symbolic.tasks.partition import partition
from attnproof.symbolic.tasks.program import Call, Emit, Kept, Program
from attnproof.symbolic.tasks.task import Task


def in_turn(tasks: Iterable[Task], *, given: Iterable[str] = (), name: str = "") -> Program:
    """The program that does one task a call, emits its labels, and keeps what recurs.

    >>> in_turn([Task.build([f"x{i}" for i in range(1, k + 1)], {k - 1: f"x{k + 1}"}, "causal")
    ...          for k in (1, 2, 3)], given=["x1"])
    Program: 3 calls, 3 positions computed, 3 reused, given x1

    Law: for locally rigid tasks it is consistent with their merged task in C1, C2 and C4. Source:
    inference as the single tasks, the paper; the construction ours.
    """
    calls: list[Call] = []
    held: dict[int, Kept] = {}
    listed = tuple(tasks)
    for c, (task, classes) in enumerate(zip(listed, partition(listed).of, strict=True)):
        reuse = {p: held[number] for p, number in enumerate(classes) if number in held}
        emits = tuple(Emit(label.position, label.atom, label.head) for label in task.labels)
        calls.append(Call(task.positions, task.mask, reuse, emits, task.name))
        held.update({number: (c, p) for p, number in enumerate(classes)})
    return Program.build(calls, given=given, name=name)


def growing(task: Task, steps: Iterable[Iterable[int]], *, given: Iterable[str] = ()) -> Program:
    """The program that computes a task in steps, each with the states of all before it.

    Call ``t`` holds the positions of the steps up to ``t``, in their order in the task, and emits
    the labels of those that are new.

    >>> growing(Task.build(["x1", "x2"], {0: "x2", 1: "x3"}, "causal"), [[0], [1]], given=["x1"])
    Program: 2 calls, 2 positions computed, 1 reused, given x1

    Law: its C2 holds exactly when :func:`open_reads` finds nothing.
    """
    calls: list[Call] = []
    before: tuple[int, ...] = ()
    for c, now in enumerate(_unions(task, steps)):
        reuse = {now.index(p): (c - 1, at) for at, p in enumerate(before)}
        emits = tuple(
            Emit(now.index(label.position), label.atom, label.head)
            for label in task.labels
            if label.position in now and label.position not in before
        )
        positions = tuple(task.positions[p] for p in now)
        calls.append(Call(positions, restricted(task, now), reuse, emits))
        before = now
    return Program.build(calls, given=given, name=task.name)


@dataclass(frozen=True, slots=True)
class OpenRead:
    """After step ``step`` a kept position ``reader`` still depends on ``source``, which comes
    later."""

    step: int
    reader: int
    source: int


def open_reads(task: Task, steps: Iterable[Iterable[int]]) -> tuple[OpenRead, ...]:
    """Why the states of growing sets of positions cannot be kept; empty where they can.

    For each step the first such pair: cached states stay valid if and only if each set is a
    down-set of the order of all positions that are ever computed.

    >>> ahead = Task.build(["a", "b", "c"], {}, ["11.", ".1.", "111"])
    >>> open_reads(ahead, [[1], [0], [2]]), open_reads(ahead, [[0], [1, 2]])
    ((), (OpenRead(step=0, reader=0, source=1),))

    Source: ours.
    """
    unions = list(_unions(task, steps))
    if not unions:
        return ()
    last = _set(unions[-1])
    below = restricted_below(task, unions[-1])
    found = []
    for step, kept in enumerate(unions[:-1]):
        missing = ((q, below[q] & last & ~_set(kept)) for q in kept)
        first = next(((q, row) for q, row in missing if row), None)
        if first is not None:
            found.append(OpenRead(step, first[0], next(members(first[1]))))
    return tuple(found)


def restricted_below(task: Task, positions: Sequence[int]) -> dict[int, int]:
    """Position to those of the positions that it depends on when only these are there."""
    there = tuple(task.positions[p] for p in positions)
    within = replace(task, positions=there, labels=(), mask=restricted(task, positions))
    rows = within.executed.below
    return {p: sum(1 << positions[k] for k in members(rows[at])) for at, p in enumerate(positions)}


def restricted(task: Task, positions: Sequence[int]) -> MaskSpec:
    """The mask of a task between some of its positions, heads and layers kept apart."""
    layers = each_head(task.mask, task.size)
    return written([[_part(mask, positions) for mask in heads] for heads in layers])


def _part(mask: Mask, positions: Sequence[int]) -> Mask:
    rows = list(mask.rows.bits())
    kept = (sum(1 << at for at, k in enumerate(positions) if rows[q] >> k & 1) for q in positions)
    return Mask.of(Bits(tuple(kept), len(positions)))


def _unions(task: Task, steps: Iterable[Iterable[int]]) -> Iterable[tuple[int, ...]]:
    held: set[int] = set()
    for step in steps:
        new = [index(p) for p in step]
        for p in new:
            if not 0 <= p < task.size or p in held:
                raise TaskError(
                    f"step position {p} "
                    + ("is computed twice" if p in held else "is no position of the task")
                    + f"; give each step new positions, from 0 to {task.size - 1}",
                    where="steps",
                    position=p,
                )
            held.add(p)
        yield tuple(sorted(held))


def _set(positions: Iterable[int]) -> int:
    return sum(1 << p for p in positions)
