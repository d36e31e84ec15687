"""Picture: everything a drawing of a mask and its flow shows, as one frozen value.

Convention: row = query. Bit ``k`` of row ``p`` of a relation is set when position ``p`` holds
information of position ``k``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.render.ranks import Edge
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.properties import Property
from attnproof.symbolic.verdict import Finding
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.order.flow import Flow

Relation = tuple[int, ...]

#: Depths are told apart up to this many positions; above, only the limit is drawn.
_TOLD_APART = 2048
_STEPS = (2, 3, 4, 8)


@dataclass(frozen=True)
class Level:
    """The pairs that are reached by some depth; ``label`` says in how many layers."""

    label: str
    rows: Relation


@dataclass(frozen=True)
class Picture:
    """A mask, the layers that are executed, what is reached by depth, and one finding.

    ``layers`` holds the relation of each layer of one period, residual included. ``levels`` grow;
    ``leaked`` is, position by position, the set of forbidden sources that reach it.

    >>> Picture("two tokens", Mask.from_rows(["1.", "11"])).layers
    ()
    """

    title: str
    mask: Mask
    classes: tuple[tuple[int, ...], ...] = ()
    covers: tuple[Edge, ...] = ()
    layers: tuple[Relation, ...] = ()
    levels: tuple[Level, ...] = ()
    leaked: Relation = ()
    finding: Finding | None = None
    notes: tuple[str, ...] = ()


def picture(
    mask: Mask,
    flow: "Flow",
    finding: Finding | None = None,
    property: Property | None = None,
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
) -> Picture:
    """The picture of a mask and its flow.

    ``mask`` is what is drawn as read; for a schedule, the union of its layers. With ``property``
    the forbidden pairs that are reached are marked.

    >>> from attnproof.symbolic.order.flow import Flow
    >>> from attnproof.symbolic.setting import Setting
    >>> window = Mask.from_rows(["1...", "11..", ".11.", "..11"], name="window")
    >>> [level.label for level in picture(window, Flow(Setting((window,)))).levels]
    ['2 layers', '3 layers']
    """
    from attnproof.symbolic.order.judge import reached_relation

    reached = reached_relation(flow) or ()
    leaked = tuple(row & property.forbidden(p) for p, row in enumerate(reached)) if property else ()
    several = (
        (f"Schedule of {len(flow.layers)} masks: a cell is read when one of them reads it.",)
        if len(flow.layers) > 1
        else ()
    )
    return Picture(
        title=_title(mask) if title is None else title,
        mask=mask,
        classes=flow.classes,
        covers=flow.covers,
        layers=flow.layers,
        levels=_levels(flow, reached),
        leaked=leaked if any(leaked) else (),
        finding=finding,
        notes=(*several, *notes),
    )


def _title(mask: Mask) -> str:
    place = f" at offset {mask.offset}" if mask.offset else ""
    return f"{mask.name or 'Mask'}, {mask.queries} × {mask.keys}{place}"


def _levels(flow: "Flow", reached: Relation) -> tuple[Level, ...]:
    """What more than one layer reaches, told apart by depth; the last level is ``reached``."""
    from attnproof.symbolic.order.relation import union
    from attnproof.symbolic.order.schedule import levels

    asked = flow.setting.depth
    seen = union(flow.layers)
    if not reached or not _adds(reached, seen):
        return ()
    if flow.setting.size > _TOLD_APART or not flow.setting.residual:
        return (Level("some depth" if asked is None else counted(asked, "layer"), reached),)
    found: list[Level] = []
    last = 1
    for depth, held in enumerate(levels(flow.layers, flow.closure.rows)):
        done = depth > 1 and held == reached
        if (done or depth in _STEPS) and _adds(held, seen):
            found.append(Level(_between(last + 1, depth), held))
            seen = held
        if done:
            break
        if depth in _STEPS:
            last = depth
        if depth == _STEPS[-1]:
            found.append(Level(_between(last + 1, flow.depth if asked is None else asked), reached))
            break
    return tuple(found)


def _adds(rows: Relation, seen: Relation) -> bool:
    return any(row & ~old for row, old in zip(rows, seen, strict=True))


def _between(first: int, last: int | None) -> str:
    if last is None:
        return f"{first} or more layers"
    return counted(last, "layer") if first == last else f"{first} to {last} layers"
