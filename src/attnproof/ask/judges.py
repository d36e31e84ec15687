"""Judges: one question for each property that the user asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from attnproof.ask import intent
from attnproof.flow import flow_of
from attnproof.source import Reading, read
from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.order.compare import judge_equal
from attnproof.symbolic.order.judge import Judgement, judge
from attnproof.symbolic.order.properties import Causal, NextToken, Property
from attnproof.symbolic.order.structure import judge_structure
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.order.flow import Flow
    from attnproof.symbolic.order.run_flow import RunFlow
    from attnproof.symbolic.tasks.task import Task

Judge = Callable[["Flow | RunFlow"], Judgement]


@dataclass(frozen=True)
class Intent:
    """What was asked, as the user gave it; ``equals`` is the other mask as it was read."""

    causal: bool = False
    next_token: bool = False
    documents: object = None
    forbid: object = None
    task: "Task | None" = None
    equals: Reading | None = None
    structure: tuple[str, ...] = ()
    params: Mapping[str, object] = field(default_factory=dict)


def judges(asked: Intent, setting: Setting, most: int, batch: Sequence[int] = (0,)) -> list[Judge]:
    """One judge a property; everything the user gave is read before anything is computed. ``batch``
    lists the batch elements that have this setting."""
    size = setting.size
    wanted: list[Property] = []
    if asked.causal:
        wanted.append(Causal(size))
    if asked.next_token:
        wanted.append(NextToken(size))
    if asked.documents is not None:
        wanted.append(intent.documents(asked.documents, size))
    if asked.forbid is not None:
        wanted.append(intent.forbid(asked.forbid, size, asked.params))
    found: list[Judge] = [partial(judge, property=one, most=most) for one in wanted]
    if asked.task is not None:
        from attnproof.symbolic.tasks.judge import judge_task

        if asked.task.size != size:
            raise ShapeError(
                f"the task has {counted(asked.task.size, 'position')}, the mask {size}; give a "
                "mask of the task's length",
                task=asked.task.size,
                size=size,
            )
        task = asked.task
        found.append(lambda flow: judge_task(_in_bits(flow), task, most=most))
    if asked.equals is not None:
        found.append(_equals(asked.equals, setting, most, batch))
    found += [partial(judge_structure, text=text, most=most) for text in asked.structure]
    return found


def _in_bits(flow: "Flow | RunFlow") -> "Flow":
    from attnproof.symbolic.order.flow import Flow

    return flow if isinstance(flow, Flow) else flow.in_bits("a task is judged")


def read_equal(
    source: object,
    setting: Setting,
    n: int | None,
    *,
    elements: int,
    heads: int | None,
    batches: int | None,
    batch: int | None,
) -> Reading:
    """The mask to equal, read for as many positions and heads; one, or one for each of so many
    batch elements."""
    mine, *more = setting.layers
    if more:
        raise InputError(
            "equals compares one mask with another; a schedule has several, so leave per_layer out"
        )
    rectangular = mine.queries != mine.keys or mine.offset > 0
    other = read(
        source,
        n=n if n is not None else setting.size,
        q_offset=mine.offset if rectangular else None,
        heads=heads,
        batches=batches,
        batch=batch if callable(source) or _names_rule(source) else None,
    )
    held = sum(len(indices) for indices, _ in other.masks)
    if len(other.masks) > 1 and held != elements:
        raise InputError(
            f"{other.name} has {len(other.masks)} distinct masks and {counted(held, 'element')} in "
            f"its batch, the mask has {elements}; give one mask to equal, or as many elements"
        )
    return other


def _names_rule(source: object) -> bool:
    from attnproof.numeric.read.objects import names_object

    return isinstance(source, str) and names_object(source)


def _equals(other: Reading, setting: Setting, most: int, batch: Sequence[int]) -> Judge:
    mine = setting.layers[0]
    held = [mask for indices, mask in other.masks if set(indices) & set(batch)]
    fitting = held if len(other.masks) > 1 else [mask for _, mask in other.masks]
    if len(fitting) != 1:
        raise InputError(
            f"{other.name} has other masks for batch elements that share one here; take one batch "
            "element (--batch)"
        )
    (theirs,) = fitting
    if (mine.queries, mine.keys) != (theirs.queries, theirs.keys):
        raise ShapeError(
            f"the mask is {mine.queries}×{mine.keys}, {other.name} is "
            f"{theirs.queries}×{theirs.keys}; give two masks of the same shape",
            shapes=((mine.queries, mine.keys), (theirs.queries, theirs.keys)),
        )
    against = flow_of(Setting((theirs,), None, setting.residual, setting.empty_row))
    return partial(judge_equal, other=against, name=other.name, most=most)
