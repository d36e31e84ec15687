"""A merged task with few keys: the same Hasse diagram under a mask that needs K layers.

The sparse mask is another function than the dense one. Trained with it, the single tasks must run
with it too: each gets the mask that its map pulls back, and is then embedded as before.
"""

from collections.abc import Sequence
from dataclasses import replace

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.evidence import CommonSupergraph
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.sparse.explicit import explicit
from attnproof.symbolic.tasks.embedding import first_broken
from attnproof.symbolic.tasks.findings import findings as leaks
from attnproof.symbolic.tasks.masks import Heads, Layers
from attnproof.symbolic.tasks.merged import Merged
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.tasks.upstream import name_of
from attnproof.symbolic.verdict import Finding
from attnproof.symbolic.words import counted


def sparse_merged(merged: Merged, layers: int) -> Merged:
    """The merged task under a sparse mask, and each single task under its part of it.

    Raises :class:`TaskError` as :func:`sparse` does. A finding says which single tasks compute
    something else than under their own masks.
    """
    task = sparse(merged.task, layers)
    tasks = tuple(
        pulled_back(one, mapped, task)
        for one, mapped in zip(merged.tasks, merged.maps, strict=True)
    )
    kept = [one for one in merged.findings if one.property is None]
    changed = [
        (t, broken)
        for t, one in enumerate(merged.tasks)
        if (broken := first_broken(one, task, merged.maps[t])) is not None
    ]
    if changed:
        t, p = changed[0]
        kept.append(
            Finding(
                "another_function",
                f"the sparse mask has the Hasse diagram of the dense one, reached in {layers} "
                f"layers, but position {p} of {name_of(merged.tasks, t)} has other keys there "
                "than under its own mask: run the single tasks with the same sparse mask too",
                severity="note",
                details={"layers": layers, "tasks": [t for t, _ in changed]},
            )
        )
    return replace(
        merged,
        tasks=tasks,
        task=task,
        findings=tuple(sorted([*kept, *leaks(task)], key=Finding.rank)),
        closed=merged.closed if task.mask == merged.task.mask else None,
        evidence=tuple(
            replace(one, tasks=tasks, task=task) if isinstance(one, CommonSupergraph) else one
            for one in merged.evidence
        ),
    )


def sparse(task: Task, layers: int) -> Task:
    """The same task under a mask whose ``layers``-fold product is its order.

    >>> sparse(Task.build([*"abc"], {}, "causal"), 2).mask
    Mask 3×3 (row = query)
    #··
    ##·
    ·##

    Raises :class:`TaskError` for fewer than one layer, for more than the task runs, and for a task
    with several heads or layers. Law: the closure, hence every leak, stays as it is.
    """
    if layers < 1:
        raise TaskError(f"layers is {layers}; give 1 or more", where="layers", layers=layers)
    if task.depth is not None and task.depth < layers:
        raise TaskError(
            f"the tasks run {counted(task.depth, 'layer')}, and a mask for {layers} was asked "
            "for; give at "
            "most as many",
            where="layers",
            layers=layers,
        )
    if isinstance(task.mask, Heads | Layers):
        raise TaskError(
            "the tasks have several heads or layers with masks of their own; a sparse mask is made "
            "for one head in one layer, used again",
            where="layers",
        )
    (rows,) = explicit(Flow(task.setting()).closure, layers, False)
    return replace(task, mask=Mask.of(Bits(rows, task.size)))


def pulled_back(task: Task, mapped: Sequence[int], onto: Task) -> Task:
    """A task under the mask of ``onto``: a query has the keys below it whose images its image has.

    >>> chain = sparse(Task.build([*"abc"], {}, "causal"), 2)
    >>> pulled_back(Task.build([*"ab"], {}, "causal"), [0, 1], chain).mask
    Mask 2×2 (row = query)
    #·
    ##
    """
    read = onto.layers[0].rows.bits()
    rows = tuple(
        sum(1 << k for k in members(below) if read[mapped[q]] >> mapped[k] & 1)
        for q, below in enumerate(task.executed.below)
    )
    return replace(task, mask=Mask.of(Bits(rows, task.size)))
