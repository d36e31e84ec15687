"""Derivation: the Hasse diagram of every task of a family, and of the merged task, side by side.

A class is named by what its positions are given and predict. Classes that are one class of the
merged task have one letter; those that several tasks share are tinted.
"""

import os
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from attnproof.render.diagram import Diagram
from attnproof.render.draw import kind_of
from attnproof.render.heatmap import Part
from attnproof.render.layout import layout, span
from attnproof.render.png import png_of
from attnproof.render.scene import Boxes, Lines, Point, Scene, Shape, Text, moved, text_width
from attnproof.render.svg import svg_of
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.files import write_atomically
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.task import Task

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.merged import Merged

#: Classes of all diagrams together that are drawn.
MOST = 150
_COLUMN, _TALL, _STEP = 7.0, 24.0, 56.0
_MARGIN, _BETWEEN, _LINE, _WIDEST = 26.0, 40.0, 34.0, 980.0


class Step(Enum):
    """What is drawn: the tasks alone, or their classes and what they are merged to."""

    TASKS = "tasks"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One diagram: a title, names of classes, covers, and which classes are tinted."""

    title: str
    labels: tuple[str, ...]
    covers: tuple[tuple[int, int], ...]
    tinted: frozenset[int] = frozenset()


def draw_steps(path: str | os.PathLike[str], merged: "Merged", step: Step) -> None:
    """Write the picture as .svg or .png.

    Raises :class:`InputError` for another suffix, and for more classes than fit a page.
    """
    kind = kind_of(path)
    if kind not in (".svg", ".png"):
        raise InputError(
            f"{os.fspath(path)} cannot hold several diagrams; end the name in .svg or .png",
            path=str(path),
        )
    found = scene(merged, step)
    title = f"{merged.task.name}: {step.value}"
    said = f"Hasse diagrams of {len(merged.tasks)} tasks; flow goes upward."
    write_atomically(path, svg_of(found, title, said) if kind == ".svg" else png_of(found))


def scene(merged: "Merged", step: Step) -> Scene:
    """The diagrams in lines that fit a page, those of one line on one ground.

    >>> from attnproof.symbolic.tasks.merge import merge
    >>> texts = scene(merge([Task.build(["x1"], {0: "x2"}, "causal")]), Step.MERGED).shapes
    >>> [shape.text for shape in texts if isinstance(shape, Text)]
    ['task 0', 'A  x1→x2', 'merged', 'A  x1→x2']
    """
    flows = [*(Flow(task.setting()) for task in merged.tasks), merged.flow]
    count = sum(len(flow.classes) for flow in flows)
    if count > MOST:
        raise InputError(
            f"the tasks and what they are merged to have {count} classes, and at most {MOST} are "
            "drawn; give a smaller family",
            classes=count,
        )
    parts = [_part(one) for one in _diagrams(merged, flows, step)]
    lines: list[list[Part]] = [[]]
    used = 0.0
    for part in parts:
        if lines[-1] and used + part.width > _WIDEST:
            lines.append([])
            used = 0.0
        lines[-1].append(part)
        used += part.width + _BETWEEN
    shapes: list[Shape] = []
    y, widest = _MARGIN, 0.0
    for line in lines:
        x, tallest = _MARGIN, max(part.height for part in line)
        for part in line:
            shapes += moved(part.shapes, x, y + tallest - part.height)
            x += part.width + _BETWEEN
        widest = max(widest, x - _BETWEEN)
        y += tallest + _LINE
    return Scene(widest + _MARGIN, y - _LINE + _MARGIN, tuple(shapes))


def _diagrams(merged: "Merged", flows: list[Flow], step: Step) -> list[_Drawn]:
    letters = merged.flow.closure.class_of
    types = [
        [letters[mapped[members[0]]] for members in flow.classes]
        for mapped, flow in zip(merged.maps, flows, strict=False)
    ]
    met = Counter(kind for row in types for kind in set(row))
    shared = {kind for kind, times in met.items() if times > 1}
    found = []
    for t, (task, row) in enumerate(zip(merged.tasks, types, strict=True)):
        title = f"task {t}" + (f": {task.name}" if task.name else "")
        found.append(_drawn(title, task, flows[t], row, shared, step))
    if step is Step.MERGED:
        every = list(range(len(merged.flow.classes)))
        found.append(_drawn("merged", merged.task, merged.flow, every, shared, step))
    return found


def _drawn(
    title: str, task: Task, flow: Flow, types: list[int], shared: set[int], step: Step
) -> _Drawn:
    names = [" ".join(position_name(task, p) for p in members) for members in flow.classes]
    if step is Step.TASKS:
        return _Drawn(title, tuple(names), flow.covers)
    named = [f"{letter(kind)}  {name}" for kind, name in zip(types, names, strict=True)]
    tinted = frozenset(c for c, kind in enumerate(types) if kind in shared)
    return _Drawn(title, tuple(named), flow.covers, tinted)


def position_name(task: Task, p: int) -> str:
    """What a position is given, and what it predicts.

    >>> task = Task.build([["x1", "x3"], None], {0: "x2", 1: "x1"}, "causal")
    >>> position_name(task, 0), position_name(task, 1)
    ('x1+x3→x2', '→x1')
    """
    own = "+".join(task.positions[p].atoms)
    told = ",".join(label.atom for label in task.labelled.get(p, ()))
    return f"{own}→{told}" if told else own or task.positions[p].kind


def letter(kind: int) -> str:
    """The name of a class of the merged task.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A1')
    """
    times, which = divmod(kind, 26)
    return chr(ord("A") + which) + (str(times) if times else "")


def _part(one: _Drawn) -> Part:
    """A title over a diagram; flow goes upward."""
    count = len(one.labels)
    placed = layout(
        Diagram(one.labels, tuple(sorted(one.covers)), tuple((c,) for c in range(count)))
    )
    width = max(placed.width * _COLUMN, text_width(one.title, 12))
    left = (width - placed.width * _COLUMN) / 2
    bottom = 26 + (placed.height - 1) * _STEP + _TALL / 2

    def at(x: float, rank: float) -> Point:
        return left + x * _COLUMN, bottom - rank * _STEP

    shapes: list[Shape] = [Text(one.title, (width / 2, 10), 12, "quiet", "middle")]
    routes = tuple(tuple(at(x, rank) for x, rank in route) for route in placed.routes)
    if routes:
        shapes.append(Lines("edge", routes, 1.3))
    for c, label in enumerate(one.labels):
        x, y = at(placed.x[c], placed.rank[c])
        wide = max(span(label) * _COLUMN, 28.0)
        box = (x - wide / 2, y - _TALL / 2, wide, _TALL)
        shapes.append(Boxes("level3" if c in one.tinted else "node", (box,), "rim", 12.0))
        shapes.append(Text(label, (x, y + 4), 11.5, anchor="middle"))
    return Part(tuple(shapes), width, bottom + _TALL / 2)
