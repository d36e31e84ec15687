"""Embedding: a map of one task into another that keeps all that lies below each position.

Below every position the map is one to one, keeps what positions are fed, and carries the keys of
every query, in each head of each layer, to the keys of its image.
"""

from collections.abc import Sequence
from math import lcm

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.tasks.gluing import carried
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.tasks.upstream import check_comparable


def first_broken(task: Task, into: Task, mapped: Sequence[int]) -> int | None:
    """The first position at which the map is no embedding; None where it is one.

    >>> chain = Task.build([*"abc"], {}, "causal")
    >>> first_broken(Task.build([*"ab"], {}, "causal"), chain, [0, 1])
    >>> first_broken(Task.build([*"ab"], {}, ["1.", ".1"]), chain, [0, 1])
    1

    Raises :class:`~attnproof.symbolic.errors.TaskError` for tasks that no one model runs.
    """
    check_comparable([task, into])
    ours, theirs = task.executed, into.executed
    period = lcm(len(ours.layers), len(theirs.layers))
    everywhere = range(into.size)
    for p, slot in enumerate(mapped):
        below = list(members(ours.below[p]))
        if (
            ours.inputs[p] != theirs.inputs[slot]
            or len({mapped[u] for u in below}) < len(below)
            or carried(task, p, mapped, period) != carried(into, slot, everywhere, period)
            or not _keeps_distances(task, into, mapped, p)
        ):
            return p
    return None


def _keeps_distances(task: Task, into: Task, mapped: Sequence[int], p: int) -> bool:
    ours, theirs = task.executed.places, into.executed.places
    if ours is None or theirs is None:
        return True
    return all(
        ours[p] - ours[k] == theirs[mapped[p]] - theirs[mapped[k]]
        for heads in task.executed.layers
        for rows in heads
        for k in members(rows[p])
    )
