"""The Hasse diagram of a flow: classes as nodes, covers as lines, flow drawn upward."""

from attnproof.render.diagram import Limits, diagram
from attnproof.render.heading import hot_nodes
from attnproof.render.heatmap import Part
from attnproof.render.layout import Layout, layout, span
from attnproof.render.picture import Picture
from attnproof.render.scene import Boxes, Lines, Point, Shape, Text, text_width
from attnproof.symbolic.words import counted

LIMITS = Limits(most=64, tallest=12, widest=12)
_COLUMN = 7.0
_TALL = 24.0
_STEP = 52.0
_HEAD = 46.0


def hasse(picture: Picture) -> Part:
    """The diagram with its heading; the classes on the leak path are rimmed in red.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> part = hasse(Picture("", Mask.from_rows(["1"]), classes=((0,),)))
    >>> [shape.text for shape in part.shapes if isinstance(shape, Text)]
    ['Hasse diagram of the flow', 'flow goes upward · 1 class, 0 covers', '0']
    """
    drawn = diagram(picture.classes, picture.covers, LIMITS)
    placed = layout(drawn)
    words = counts(len(picture.classes), len(picture.covers))
    shapes: list[Shape] = [
        Text("Hasse diagram of the flow", (0, 14), 12),
        Text(f"flow goes upward · {words}", (0, 31), 10.5, "quiet"),
    ]
    room = max(text_width("Hasse diagram of the flow", 12), text_width(words, 10.5) + 98)
    width = placed.width * _COLUMN
    left = max(0.0, (room - width) / 2)
    bottom = _HEAD + (placed.height - 1) * _STEP + _TALL / 2 + 6
    shapes += _drawn(placed, left, bottom, hot_nodes(picture, drawn))
    return Part(tuple(shapes), max(room, left + width), bottom + _TALL / 2 + 4)


def counts(classes: int, covers: int) -> str:
    """
    >>> counts(1, 3)
    '1 class, 3 covers'
    """
    return f"{counted(classes, 'class')}, {counted(covers, 'cover')}"


def _drawn(placed: Layout, left: float, bottom: float, hot: set[int]) -> list[Shape]:
    drawn = placed.diagram

    def at(x: float, rank: float) -> Point:
        return left + x * _COLUMN, bottom - rank * _STEP

    routes = [tuple(at(x, rank) for x, rank in route) for route in placed.routes]
    covers, links = routes[: len(drawn.covers)], routes[len(drawn.covers) :]
    shapes: list[Shape] = []
    if covers:
        shapes.append(Lines("edge", tuple(covers), 1.3))
    if links:
        shapes.append(Lines("edge", tuple(links), 1.1, dashed=True))
    for i, label in enumerate(drawn.labels):
        x, y = at(placed.x[i], placed.rank[i])
        leaks = i in hot
        rest = label.startswith("…")
        wide = max(span(label) * _COLUMN, 28.0)
        box = (x - wide / 2, y - _TALL / 2, wide, _TALL)
        rim = "leak" if leaks else "hair" if rest else "rim"
        shapes.append(Boxes("paper" if rest else "node", (box,), rim, 12.0, 1.8 if leaks else 1.2))
        role = "leak" if leaks else "quiet" if rest else "ink"
        shapes.append(Text(label, (x, y + 4), 11.5, role, "middle"))
    return shapes
