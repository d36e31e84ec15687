"""Elements: the distinct masks or schedules of a batch, each with its setting and its replay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from attnproof.ask.replay import Reads
from attnproof.source import Reading
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow, Setting

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.task import Task


@dataclass(frozen=True)
class Element:
    """The batch indices that share a setting; ``reads`` asks the user's object of each layer."""

    batch: tuple[int, ...]
    setting: Setting
    reads: Sequence[Reads] | None = None


def elements(
    readings: Sequence[Reading],
    task: "Task | None",
    *,
    layers: int | None,
    residual: bool | None,
    empty_row: str | None,
) -> Iterator[Element]:
    """Every distinct schedule of the batch; what is not given is the task's, or the usual.

    Raises :class:`~attnproof.errors.TaskError` where a task takes a query the one key that it
    reads, and that is not nothing.
    """
    kept = residual if residual is not None else task is None or task.residual
    emptied = _empty_row(empty_row, task)
    depth = layers if layers is not None or task is None else task.depth
    if task is not None and not task.diag_in_softmax:
        from attnproof.symbolic.tasks.upstream import check_rows

        run = [mask for reading in readings for _, mask in reading.masks] or task.setting().layers
        check_rows(replace(task, empty_row=emptied), run)
    if not readings and task is not None:
        origin: dict[str, object] = {"source": task.name or "task", "encoding": "attend"}
        own = task.setting()
        yield Element(
            (0,), replace(own, depth=depth, residual=kept, empty_row=emptied, origin=origin)
        )
        return
    for batch, schedule in _schedules(readings):
        origin = {
            "source": [reading.name for reading in readings],
            "encoding": [reading.encoding for reading in readings],
            "read": dict(readings[0].parameters),
        }
        setting = Setting(schedule, depth, kept, emptied, origin)
        yield Element(batch, setting, [_reads(reading, batch[0]) for reading in readings])


def _empty_row(given: str | None, task: "Task | None") -> EmptyRow:
    if given is None and task is not None:
        return task.empty_row
    return EmptyRow.of(given)


def _schedules(readings: Sequence[Reading]) -> list[tuple[tuple[int, ...], tuple[Mask, ...]]]:
    """Each distinct schedule with the batch indices that have it; a batch of one fits any."""
    held = [
        {index: mask for indices, mask in reading.masks for index in indices}
        for reading in readings
    ]
    batches = sorted({tuple(sorted(masks)) for masks in held if len(masks) > 1})
    if len(batches) > 1:
        raise ShapeError(
            f"the layers have batches of {sorted(map(len, batches))} elements; give every layer "
            "the same, or choose one element with batch"
        )
    indices = batches[0] if batches else tuple(held[0])
    found: dict[tuple[Mask, ...], list[int]] = {}
    for index in indices:
        schedule = tuple(masks[index if len(masks) > 1 else next(iter(masks))] for masks in held)
        found.setdefault(schedule, []).append(index)
    return [(tuple(batch), schedule) for schedule, batch in found.items()]


def _reads(reading: Reading, index: int) -> Reads:
    known = [i for indices, _ in reading.masks for i in indices]
    element = index if index in known else known[0]
    return lambda q, k: reading.replay(element, q, k)
