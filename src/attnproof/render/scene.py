"""Scene: a figure as a list of shapes, in pixels from the upper left corner.

Every shape names the role of its colour; SVG and PNG are written from the same scene.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Point = tuple[float, float]


@dataclass(frozen=True)
class Boxes:
    """Filled rectangles ``(x, y, width, height)`` of one role; ``rim`` is the role of the line."""

    role: str
    boxes: tuple[tuple[float, float, float, float], ...]
    rim: str | None = None
    round: float = 0.0
    width: float = 1.2


@dataclass(frozen=True)
class Lines:
    """Open polylines of one role; the last one of an ``arrow`` ends in a head."""

    role: str
    lines: tuple[tuple[Point, ...], ...]
    width: float = 1.0
    dashed: bool = False
    arrow: bool = False


@dataclass(frozen=True)
class Dots:
    """Circles of one role; ``rim`` is the role of the line, when there is one."""

    role: str
    centres: tuple[Point, ...]
    radius: float
    rim: str | None = None


@dataclass(frozen=True)
class Text:
    """One line of text; ``at`` is on its baseline."""

    text: str
    at: Point
    size: float = 12.0
    role: str = "ink"
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False
    turned: bool = False


Shape = Boxes | Lines | Dots | Text


@dataclass(frozen=True)
class Scene:
    """Shapes, back to front, on a page of paper."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


def text_width(text: str, size: float) -> float:
    """An estimate of the width of a line of text in a sans serif face.

    >>> text_width("abcd", 10)
    22.4
    """
    return round(0.56 * size * len(text), 3)


def head(line: Sequence[Point], width: float) -> tuple[Point, ...]:
    """The triangle at the end of a line.

    >>> head(((0, 0), (10, 0)), 1)
    ((10.0, 0.0), (4.0, 2.5), (4.0, -2.5))
    """
    (x0, y0), (x1, y1) = line[-2], line[-1]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1.0
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    long, half = min(4 + 2 * width, max(length, 4.0)), 2 + width / 2
    back = x1 - long * ux, y1 - long * uy
    return (
        (float(x1), float(y1)),
        (back[0] - half * uy, back[1] + half * ux),
        (back[0] + half * uy, back[1] - half * ux),
    )


def moved(shapes: Sequence[Shape], dx: float, dy: float) -> tuple[Shape, ...]:
    """The same shapes, shifted.

    >>> moved([Text("a", (1, 2))], 10, 20)[0].at
    (11, 22)
    """
    return tuple(_moved(shape, dx, dy) for shape in shapes)


def _moved(shape: Shape, dx: float, dy: float) -> Shape:
    match shape:
        case Boxes():
            return replace(shape, boxes=tuple((x + dx, y + dy, w, h) for x, y, w, h in shape.boxes))
        case Lines():
            lines = tuple(tuple((x + dx, y + dy) for x, y in line) for line in shape.lines)
            return replace(shape, lines=lines)
        case Dots():
            return replace(shape, centres=tuple((x + dx, y + dy) for x, y in shape.centres))
        case Text():
            return replace(shape, at=(shape.at[0] + dx, shape.at[1] + dy))
