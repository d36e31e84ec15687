"""The minimal merged task: several tasks in one, sharing every position that they can share.

A common supergraph of tasks holds each of them so that all that lies below a position is kept, and
nothing is added to it: no position gains or loses what it depends on. The least has one class for
each type.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.evidence import CommonSupergraph, Conflict
from attnproof.symbolic.families.family import ClosedForm, Family
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks import merge_findings as told
from attnproof.symbolic.tasks import united
from attnproof.symbolic.tasks.building import choice
from attnproof.symbolic.tasks.equivalence import BUDGET, Mode, equivalent
from attnproof.symbolic.tasks.findings import findings as leaks
from attnproof.symbolic.tasks.gluing import Clash, Glued, carried, glue
from attnproof.symbolic.tasks.masks import MaskSpec, written
from attnproof.symbolic.tasks.merged import Merged, Minimal
from attnproof.symbolic.tasks.partition import Partition, Place, partition
from attnproof.symbolic.tasks.quotient import Quotient, quotient, stable_colours
from attnproof.symbolic.tasks.sharing import nothing_shared
from attnproof.symbolic.tasks.sparse_merge import sparse_merged
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.tasks.types import Classes, all_classes
from attnproof.symbolic.verdict import Finding, Severity, Verdict


class Policy(Enum):
    """Whether different labels for one head of equivalent positions are an error; in both cases
    the second gets a head of its own."""

    ERROR = "error"
    MULTI = "multi"


def merge(
    tasks: Family | Iterable[Task],
    mode: Mode | str = Mode.ISO,
    *,
    labels: Policy | str = Policy.ERROR,
    layers: int | None = None,
    budget: int = BUDGET,
) -> Merged:
    """The least common supergraph of some tasks, as a task with the maps into it.

    ``mode`` says which positions are the same. ``ISO`` keeps everything that lies below a position
    and gives a mask. ``WL`` and ``SOFTMAX`` give the weighted quotient by stable colours where
    these are coarser. ``layers`` asks for a sparse mask that needs so many layers. ``budget`` is
    for each search for an isomorphism.

    >>> one = Task.build(["x1"], {0: "x2"}, "causal")
    >>> merge([one, Task.build(["x1", "x2"], {1: "x3"}, "causal")]).task
    Task merged: 2 positions, 2 labels, 3 atoms
      0  x1 -> x2  #·
      1  x2 -> x3  ##

    Raises :class:`TaskError` for no task, and for tasks that no one model runs.

    Theorem: where no two equivalent classes lie below one position (local rigidity), every common
    supergraph has at least as many classes, order pairs and Hasse edges, and one with as many
    classes is this one up to renaming. Source: the construction, the paper; the hypothesis and the
    proof, ours. Laws: independent of the order of the tasks up to renaming; idempotent; the merged
    task is free of leaks exactly when every task is.
    """
    family = tasks if isinstance(tasks, Family) else Family("", tuple(tasks))
    if not family.tasks:
        raise TaskError("there is no task to merge; give one or more", where="task")
    kind = choice(Mode, mode, "mode")
    policy = choice(Policy, labels, "labels")
    found = partition(family.tasks, Mode.ISO, budget=budget)
    classes = all_classes(family.tasks, found)
    if kind is not Mode.ISO:
        coarse = stable_colours(family.tasks, kind)
        rigid = all(one.twins_below is None for one in classes)
        if coarse.of != found.of or not rigid:
            if layers is not None:
                raise TaskError(
                    f'layers goes with mode = "iso": the quotient for {kind.value} needs a bias '
                    "that no mask says",
                    where="layers",
                )
            return _quotient(family, quotient(family.tasks, kind), coarse, kind, policy)
    merged = _glued(family, found, classes, kind, policy)
    return merged if layers is None else sparse_merged(merged, layers)


def _glued(
    family: Family, found: Partition, classes: Sequence[Classes], kind: Mode, policy: Policy
) -> Merged:
    tasks = family.tasks
    apart = {t for t, one in enumerate(classes) if one.twins_below is not None}
    rigid = not apart
    clashes: list[Clash] = []
    while True:
        try:
            glued = glue(tasks, classes, found, frozenset(apart))
            break
        except Clash as clash:
            clashes.append(clash)
            apart.add(clash.task)
    slots = _places(family.closed, glued) or range(len(glued.first))
    maps = tuple(tuple(slots[slot] for slot in mapped) for mapped in glued.maps)
    task = _task(family, glued, slots, maps)
    conflicts = united.conflicts(tasks, found)
    proved = not apart and not found.undecided
    notes = [
        *told.of_rigidity(tasks, classes),
        *told.of_clashes(tasks, clashes),
        *told.of_labels(tasks, conflicts, _severity(policy)),
        *told.of_masks(tasks),
        *told.of_inputs(tasks, classes),
        *told.of_cycles(tasks, classes),
        *nothing_shared(tasks, found),
        *told.of_undecided(found),
    ]
    closed = family.closed
    return Merged(
        tasks,
        task,
        maps,
        kind,
        Minimal.PROVED if proved else Minimal.UNKNOWN,
        _sorted([*notes, *leaks(task)]),
        quotient=None if rigid else _repair(family, policy),
        closed=closed if closed is not None and task.mask == closed.mask() else None,
        evidence=_evidence(tasks, task, maps, conflicts, kind, proved),
    )


def _places(closed: ClosedForm | None, glued: Glued) -> list[int] | None:
    """Where a builder puts each slot; None where it does not say so one to one."""
    if closed is None:
        return None
    found: dict[int, set[int]] = {slot: set() for slot in range(len(glued.first))}
    for mapped, places in zip(glued.maps, closed.places, strict=True):
        for slot, place in zip(mapped, places, strict=True):
            found[slot].add(place)
    order = [min(places) for places in found.values()]
    sure = all(len(places) == 1 for places in found.values())
    return order if sure and sorted(order) == list(range(len(order))) else None


def _task(
    family: Family, glued: Glued, slots: Sequence[int], maps: Sequence[Sequence[int]]
) -> Task:
    """The merged task; slot ``i`` stands at position ``slots[i]``."""
    at = sorted(range(len(slots)), key=slots.__getitem__)
    first = [glued.first[slot] for slot in at]
    keys = [carried(family.tasks[t], p, maps[t], glued.period) for t, p in first]
    layers = tuple(
        tuple(
            Mask.of(
                Bits(tuple(row[level][head] | 1 << p for p, row in enumerate(keys)), len(first))
            )
            for head in range(len(keys[0][level]))
        )
        for level in range(glued.period)
    )
    places = [glued.places[slot] for slot in at]
    return _united(family, maps, first, places, written(layers))


def _united(
    family: Family,
    maps: Sequence[Sequence[int]],
    first: Sequence[Place],
    places: Sequence[int | None],
    mask: MaskSpec,
) -> Task:
    tasks = family.tasks
    items = united.vocabulary(tasks)
    return replace(
        tasks[0],
        atoms=items.atoms,
        derived=items.derived,
        positions=united.positions(tasks, maps, first, places, items),
        labels=united.labels(tasks, maps, items),
        mask=mask,
        name=family.name or "merged",
        allowed_atoms=None,
    )


def _repair(family: Family, policy: Policy) -> Merged | None:
    """The weighted quotient; None where it cannot be written."""
    try:
        found = quotient(family.tasks, Mode.WL)
    except TaskError:
        return None
    return _quotient(family, found, stable_colours(family.tasks, Mode.WL), Mode.WL, policy)


def _quotient(
    family: Family, made: Quotient, colours: Partition, kind: Mode, policy: Policy
) -> Merged:
    tasks = family.tasks
    places = [tasks[t].positions[p].pos for t, p in made.first]
    size = len(made.first)
    layers = [
        [
            Mask.of(
                Bits(
                    tuple(
                        sum(1 << k for k, times in enumerate(row) if times) | 1 << q
                        for q, row in enumerate(rows)
                    ),
                    size,
                )
            )
            for rows in heads
        ]
        for heads in made.weights
    ]
    task = _united(family, made.maps, made.first, places, written(layers))
    conflicts = united.conflicts(tasks, colours)
    notes = [*told.of_labels(tasks, conflicts, _severity(policy)), *leaks(task)]
    if not made.is_plain:
        notes.append(
            Finding(
                "weighted",
                "some positions stand for several: add the logarithm of the weights to the logits, "
                "or softmax counts them once",
                severity="note",
            )
        )
    return Merged(
        tasks,
        task,
        made.maps,
        kind,
        Minimal.UNKNOWN,
        _sorted(notes),
        weights=made.weights,
        evidence=tuple(_conflicts(tasks, conflicts, kind)),
    )


def _evidence(
    tasks: Sequence[Task],
    task: Task,
    maps: Sequence[Sequence[int]],
    conflicts: Sequence[united.LabelConflict],
    kind: Mode,
    proved: bool,
) -> tuple[CommonSupergraph | Conflict, ...]:
    """The embedding, unless a label had to move to another head; the conflicts."""
    placed = {(label.position, label.head): label.atom for label in task.labels}
    kept = all(
        placed[mapped[label.position], label.head] == label.atom
        for one, mapped in zip(tasks, maps, strict=True)
        for label in one.labels
    )
    embedded = (CommonSupergraph(tasks, task, maps, proved),) if kept else ()
    return (*embedded, *_conflicts(tasks, conflicts, kind))


def _conflicts(
    tasks: Sequence[Task], found: Sequence[united.LabelConflict], kind: Mode
) -> Iterator[Conflict]:
    for one in found:
        (atom, (t, p)), (other, (s, q)) = one.told[:2]
        same = equivalent(tasks[t], p, tasks[s], q, kind)
        if same.verdict is Verdict.HOLDS:
            yield Conflict(same.a, same.b, kind.value, same.map, one.head, (atom, other))


def _severity(policy: Policy) -> Severity:
    return "error" if policy is Policy.ERROR else "note"


def _sorted(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=Finding.rank))
