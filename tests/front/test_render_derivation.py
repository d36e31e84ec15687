"""The picture of a merge: one diagram a task and one for what they are merged to."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import attnproof as ap
from attnproof.render.derivation import MOST, Step, scene
from attnproof.render.scene import Boxes, Scene, Text
from attnproof.symbolic.families.registry import build
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.merge import merge

FAMILIES: list[tuple[str, dict[str, Any]]] = [
    ("autoregressive", {"n": 4}),
    ("permutation", {"order": "all", "n": 3}),
    ("block", {"m": 3, "b": 2}),
    ("butterfly", {"n": 5}),
    ("crown", {"n": 4}),
    ("separating", {"n": 5}),
]


def texts(found: Scene) -> list[str]:
    """What is written, in the order in which it is drawn."""
    return [shape.text for shape in found.shapes if isinstance(shape, Text)]


def boxes(found: Scene) -> list[tuple[float, float, float, float]]:
    """The boxes of all classes."""
    return [box for shape in found.shapes if isinstance(shape, Boxes) for box in shape.boxes]


@pytest.mark.parametrize(("name", "parameters"), FAMILIES)
@pytest.mark.parametrize("step", Step)
def test_every_class_stands_once_in_its_diagram(
    name: str, parameters: dict[str, Any], step: Step
) -> None:
    """As many boxes as classes, none over another, all on the page."""
    merged = merge(build(name, **parameters))
    found = scene(merged, step)
    drawn = boxes(found)
    of_tasks = sum(len(Flow(task.setting()).classes) for task in merged.tasks)
    assert len(drawn) == of_tasks + (len(merged.classes) if step is Step.MERGED else 0)
    assert all(
        min(x, y) >= 0 and x + w <= found.width and y + h <= found.height for x, y, w, h in drawn
    )
    for level in {y for _, y, _, _ in drawn}:
        row = sorted((x, w) for x, y, w, _ in drawn if y == level)
        assert all(x + w <= after for (x, w), (after, _) in pairwise(row))


def test_equal_classes_have_one_letter() -> None:
    """Letters are those of the merged classes; a class that two tasks have is tinted in each."""
    found = scene(merge(build("block", m=3, b=2)), Step.MERGED)
    assert texts(found) == [
        *("task 0: x1..x2", "C  →x1 →x2"),
        *("task 1: x3..x4", "A  x1 x2", "D  →x3 →x4"),
        *("task 2: x5..x6", "A  x1 x2", "B  x3 x4", "E  →x5 →x6"),
        *("merged", "A  x1 x2", "B  x3 x4", "C  →x1 →x2", "D  →x3 →x4", "E  →x5 →x6"),
    ]
    roles = [shape.role for shape in found.shapes if isinstance(shape, Boxes)]
    named = [text for text in texts(found) if "  " in text]
    tinted = {text for text, role in zip(named, roles, strict=True) if role == "level3"}
    assert tinted == {"A  x1 x2"}


def test_messages(tmp_path: Path) -> None:
    """What was given, what is needed."""
    small = ap.merge(build("autoregressive", n=3))
    with pytest.raises(ap.InputError, match=r"cannot hold several diagrams; end the name in \.svg"):
        small.draw_tasks(str(tmp_path / "tasks.dot"))
    large = ap.merge(build("autoregressive", n=20))
    with pytest.raises(ap.InputError, match=f"have 209 classes, and at most {MOST} are drawn"):
        large.draw_derivation(str(tmp_path / "tasks.svg"))
    assert not list(tmp_path.iterdir())
