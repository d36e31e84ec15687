"""What is said of a merge: what went wrong, what to do about it, and what to know.

Errors are ``not_locally_rigid``, ``label_conflict`` and the leaks of the result; the others are
notes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.progress import tick
from attnproof.symbolic.tasks.gluing import Clash
from attnproof.symbolic.tasks.partition import Partition
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.tasks.types import Classes, is_dense
from attnproof.symbolic.tasks.united import LabelConflict
from attnproof.symbolic.tasks.upstream import name_of
from attnproof.symbolic.verdict import Finding, Severity


def fed(task: Task, positions: Sequence[int]) -> str:
    """What some positions are fed, in words.

    >>> fed(Task.build(["x1", None], {}, "causal"), [0, 1])
    '{x1, mask}'
    """
    said = ("+".join(task.positions[p].atoms) or task.positions[p].kind for p in positions)
    return "{" + ", ".join(said) + "}" if len(positions) > 1 else next(iter(said))


def of_rigidity(tasks: Sequence[Task], classes: Sequence[Classes]) -> Iterator[Finding]:
    """Twins: below one node, which no quotient keeps apart; or elsewhere in a task."""
    for t, found in enumerate(classes):
        if found.twins_below is not None:
            node, a, b = (found.members[c] for c in found.twins_below)
            yield Finding(
                "not_locally_rigid",
                f"{name_of(tasks, t)}: positions {list(a)} and {list(b)} are equivalent and both "
                f"below {list(node)}; one vertex for both would count them once in softmax, so the "
                "task keeps positions of its own; or take the weighted quotient, which adds the "
                "logarithm of how often each is read to the logits",
                details={"task": t, "node": list(node), "twins": [list(a), list(b)]},
            )
        elif found.twins is not None:
            a, b = (found.members[c] for c in found.twins)
            yield Finding(
                "twins",
                f"{name_of(tasks, t)}: positions {list(a)} and {list(b)} are equivalent and share "
                "one vertex; what lies below each position is kept, the task as a whole is not "
                "embedded one to one (that may take more vertices than there are types)",
                severity="note",
                details={"task": t, "twins": [list(a), list(b)]},
            )


def of_clashes(tasks: Sequence[Task], clashes: Sequence[Clash]) -> Iterator[Finding]:
    """Tasks that could not share what their types would let them share."""
    for clash in clashes:
        name = name_of(tasks, clash.task)
        if clash.positions is not None:
            yield Finding(
                "not_locally_rigid",
                f"{name}: the class {list(clash.positions)} or one below it has equivalent "
                "positions that different tasks read in different ways; no match was found that "
                "keeps the keys of all, so the task keeps positions of its own; make the masks "
                "dense, or give the positions different inputs",
                details={"task": clash.task, "node": list(clash.positions)},
            )
        else:
            yield Finding(
                "positions_clash",
                f"{name}: no position ids keep the differences that it and other tasks see; the "
                "task keeps positions of its own, so there may be fewer classes",
                severity="note",
                details={"task": clash.task},
            )


def of_labels(
    tasks: Sequence[Task], found: Sequence[LabelConflict], severity: Severity
) -> Iterator[Finding]:
    """Labels that no one state can predict."""
    for conflict in found:
        places = ", ".join(
            f"{atom} ({name_of(tasks, t)}, position {p})" for atom, (t, p) in conflict.told
        )
        t, p = conflict.told[0][1]
        way = (
            "give them different inputs, such as the place of the token that is asked for (pos = "
            "3), or different heads (head = 1), or take both labels, the second with a head of its "
            'own (--labels multi, labels="multi")'
        )
        if severity != "error":
            way = "both labels are kept, the second with a head of its own"
        yield Finding(
            "label_conflict",
            f"one state must predict {' and '.join(conflict.atoms)} with head {conflict.head}: "
            f"{places}; these positions are equivalent; {way}",
            severity=severity,
            details={
                "atoms": list(conflict.atoms),
                "head": conflict.head,
                "positions_of_tasks": [list(place) for _, place in conflict.told],
                "input": fed(tasks[t], [p]),
            },
        )


def of_masks(tasks: Sequence[Task]) -> Iterator[Finding]:
    """Sparse masks, whose Hasse diagrams do not say what is computed."""
    sparse = [t for t, task in enumerate(tasks) if not is_dense(task)]
    if sparse:
        yield Finding(
            "sparse_mask",
            f"{name_of(tasks, sparse[0])} does not read all that is below each position"
            + (f", nor do {len(sparse) - 1} others" if len(sparse) > 1 else "")
            + "; equal Hasse diagrams are not enough there, so positions are shared where their "
            "masks are isomorphic; or make the masks dense, merge, and ask for layers",
            severity="note",
            details={"tasks": sparse},
        )


def of_inputs(tasks: Sequence[Task], classes: Sequence[Classes]) -> Iterator[Finding]:
    """Equal inputs within a class: all are kept, since softmax counts them."""
    for t, found in enumerate(classes):
        for positions, kind in zip(found.members, found.types, strict=True):
            times = max(Counter(kind).values())
            if times > 1:
                yield Finding(
                    "equal_inputs",
                    f"{name_of(tasks, t)}: {times} positions of the class {list(positions)} have "
                    "equal inputs; all are kept, since softmax counts each",
                    severity="note",
                    details={"task": t, "positions": list(positions)},
                )
                return


def of_cycles(tasks: Sequence[Task], classes: Sequence[Classes]) -> Iterator[Finding]:
    """Inputs that would read each other, were positions with equal inputs united."""
    numbers: dict[object, int] = {}
    where: list[tuple[int, int]] = []
    rows: list[int] = []
    for t, (task, found) in enumerate(zip(tasks, classes, strict=True)):
        tick(t, len(tasks))
        own = []
        for c, positions in enumerate(found.members):
            key = tuple(sorted(map(repr, (task.executed.inputs[p] for p in positions))))
            if key not in numbers:
                numbers[key] = len(rows)
                where.append((t, c))
                rows.append(0)
            own.append(numbers[key])
            for d in found.below(c):
                rows[own[c]] |= 1 << own[d]
    cyclic = next((one for one in closure(rows).classes if len(one) > 1), None)
    if cyclic is not None:
        said = [fed(tasks[t], classes[t].members[c]) for t, c in map(where.__getitem__, cyclic)]
        yield Finding(
            "kept_apart",
            f"{' and '.join(said[:4])} read each other in different tasks; united by input alone "
            "they would be one class and leak, so they are united only where what lies below them "
            "is equal too",
            severity="note",
            details={"inputs": said},
        )


def of_undecided(found: Partition) -> Iterator[Finding]:
    """Pairs for which the search for an isomorphism spent its budget."""
    if found.undecided:
        (t, p), (s, q) = found.undecided[0]
        yield Finding(
            "undecided",
            f"position {p} of task {t} and position {q} of task {s} may be equivalent: the search "
            f"for an isomorphism spent its budget ({len(found.undecided)} such pairs); they are "
            "kept apart, so there may be fewer classes; give more with --budget",
            severity="note",
            details={"pairs": len(found.undecided)},
        )
