"""The heat map of a mask: row = query, column = key, a tint for every depth, the leak as a path.

The path is drawn as a cobweb: token ``k`` stands on the diagonal; the step ``k -> q`` runs along
column ``k`` to the cell ``(q, k)`` that query ``q`` reads, then along row ``q`` to token ``q``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from attnproof.render.grid import Cell, Grid, grid, hops, outline, runs
from attnproof.render.picture import Picture
from attnproof.render.scene import Boxes, Dots, Lines, Point, Shape, Text, text_width

_SIDE = 440.0
_SMALLEST, _LARGEST = 3.4, 34.0
_LEFT, _TOP = 58.0, 46.0
_ROOM_FOR_NAMES = 18.0
_TICKS = 17


@dataclass(frozen=True)
class Part:
    """Some shapes and the room they take, from their own upper left corner."""

    shapes: tuple[Shape, ...]
    width: float
    height: float


@dataclass(frozen=True)
class _Frame:
    """Where the cells stand: ``dx`` by ``dy`` pixels a cell."""

    cells: Grid
    dx: float
    dy: float

    @property
    def width(self) -> float:
        return self.cells.columns * self.dx

    @property
    def height(self) -> float:
        return self.cells.rows * self.dy

    def x(self, key: float) -> float:
        """The middle of the column of a key."""
        return _LEFT + (key + 0.5) / self.cells.block * self.dx

    def y(self, position: float) -> float:
        """The middle of the row of the query at a position; above the grid for a cached one."""
        row = position - self.cells.first
        return _TOP + (row + 0.5) / self.cells.block * self.dy if row >= 0 else _TOP - self.dy / 2


def heatmap(picture: Picture) -> Part:
    """The heat map of a picture with axes and legend.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> part = heatmap(Picture("", Mask.from_rows(["1.", "11"])))
    >>> [shape.text for shape in part.shapes if isinstance(shape, Text)][:2]
    ['key (source)', 'row = query (reader)']
    """
    frame = _frame(grid(picture))
    legend = _legend(picture, frame)
    shapes = (*_axes(picture, frame), *_cells(frame), *_path(picture, frame), *legend.shapes)
    right = frame.dx if _LEFT + frame.width < legend.width else 8.0
    return Part(
        shapes,
        max(_LEFT + frame.width + right, legend.width),
        max(_TOP + frame.height + legend.height, _TOP + 116),
    )


def _frame(cells: Grid) -> _Frame:
    dx = _side(_SIDE / max(cells.columns, cells.rows))
    flat = cells.rows * 4 < cells.columns
    return _Frame(cells, dx, _side(_SIDE / 4 / cells.rows) if flat else dx)


def _side(wanted: float) -> float:
    """A multiple of half a pixel, so that neighbouring cells meet without a seam."""
    return round(2 * min(_LARGEST, max(_SMALLEST, wanted))) / 2


def _axes(picture: Picture, frame: _Frame) -> list[Shape]:
    cells = frame.cells
    middle = _LEFT + frame.width / 2, _TOP + frame.height / 2
    shapes: list[Shape] = [
        Text("key (source)", (max(middle[0], _LEFT + 32), 14), 12, anchor="middle"),
        Text(
            "row = query (reader)",
            (16, max(middle[1], _TOP + 56)),
            12,
            anchor="middle",
            turned=True,
        ),
    ]
    step = 1
    room = text_width(str(cells.positions), 10.5) + 8
    while cells.positions > _TICKS * step or step * frame.dx / cells.block < room:
        step *= 2
    marked = {token for hop in hops(picture) for token in hop}
    if picture.finding and picture.finding.reader is not None:
        marked |= {picture.finding.reader, picture.finding.source or 0}
    named = frame.dx >= _ROOM_FOR_NAMES
    for p in range(0, cells.positions, step):
        hot = named and p in marked
        role = "leak" if hot else "quiet"
        at = frame.x(p), _TOP - 7
        shapes.append(Text(str(p), at, 10.5, role, "middle", bold=hot))
        if cells.first <= p < cells.first + cells.queries:
            left = _LEFT - 7, frame.y(p) + 3.6
            shapes.append(Text(str(p), left, 10.5, role, "end", bold=hot))
    return shapes


def _cells(frame: _Frame) -> list[Shape]:
    boxes: dict[int, list[tuple[float, float, float, float]]] = {}
    for r, line in enumerate(frame.cells.cells):
        for start, stop, cell in runs(line):
            box = (
                _LEFT + start * frame.dx,
                _TOP + r * frame.dy,
                (stop - start) * frame.dx,
                frame.dy,
            )
            boxes.setdefault(cell, []).append(box)
    ground = (_LEFT, _TOP, frame.width, frame.height)
    shapes: list[Shape] = [Boxes("empty", (ground,))]
    shapes += [
        Boxes(role_of(cell), tuple(boxes[cell])) for cell in sorted(boxes) if cell != Cell.NOT_READ
    ]
    if frame.dx >= 9:
        shapes.append(Lines("paper", _rules(frame), 1.4 if frame.dx > 16 else 0.8))
    shapes.append(Boxes("none", (ground,), rim="hair", width=1.0))
    if frame.cells.leaked:
        edges = tuple(
            (
                (_LEFT + a[0] * frame.dx, _TOP + a[1] * frame.dy),
                (_LEFT + b[0] * frame.dx, _TOP + b[1] * frame.dy),
            )
            for a, b in outline(frame.cells.leaked)
        )
        shapes.append(Lines("leak", edges, 2.0 if frame.dx > 16 else 1.3 if frame.dx > 6 else 0.9))
    return shapes


def _rules(frame: _Frame) -> tuple[tuple[Point, ...], ...]:
    right, bottom = _LEFT + frame.width, _TOP + frame.height
    columns = [_LEFT + c * frame.dx for c in range(1, frame.cells.columns)]
    rows = [_TOP + r * frame.dy for r in range(1, frame.cells.rows)]
    return (*(((x, _TOP), (x, bottom)) for x in columns), *(((_LEFT, y), (right, y)) for y in rows))


def role_of(cell: int) -> str:
    """The role of a cell's colour.

    >>> role_of(Cell.READ), role_of(Cell.LEVEL + 1)
    ('read', 'level1')
    """
    if cell >= Cell.LEVEL:
        return f"level{cell - Cell.LEVEL}"
    return {Cell.READ: "read", Cell.PARTLY_READ: "partly", Cell.ADDED: "added"}.get(
        Cell(cell), "empty"
    )


def _path(picture: Picture, frame: _Frame) -> list[Shape]:
    steps = hops(picture)
    finding = picture.finding
    if not steps:
        if finding is None or finding.reader is None or finding.reader != finding.source:
            return []
        own = finding.reader
        return [Dots("none", ((frame.x(own), frame.y(own)),), max(4.0, frame.dx * 0.42), "leak")]
    named = frame.dx >= _ROOM_FOR_NAMES
    radius = frame.dx * 0.36 if named else 0.0
    corners = tuple((frame.x(k), frame.y(q)) for k, q in steps)
    lines = [_hop(frame, k, q, radius) for k, q in steps]
    if not named:
        whole = [point for line in lines for point in line]
        lines = [tuple(p for i, p in enumerate(whole) if i == 0 or p != whole[i - 1])]
    width = 2.0 if named else 1.5
    shapes: list[Shape] = [
        Lines("paper", tuple(lines), width + 2.4),
        Lines("leak", tuple(lines), width, arrow=True),
    ]
    if frame.dx >= 6:
        shapes.append(Dots("leak", corners, min(4.4, frame.dx * 0.2), "paper"))
    tokens = [steps[0][0], *(q for _, q in steps)]
    if named:
        spots = tuple((frame.x(t), frame.y(t)) for t in tokens)
        shapes.append(Dots("paper", spots, radius, "leak"))
        shapes += [
            Text(str(t), (x, y + 3.8), 10.5, "leak", "middle", bold=True)
            for t, (x, y) in zip(tokens, spots, strict=True)
        ]
    else:
        start = (frame.x(tokens[0]), frame.y(tokens[0]))
        shapes.append(Dots("paper", (start,), 3.2, "leak"))
    return shapes


def _hop(frame: _Frame, k: int, q: int, radius: float) -> tuple[Point, ...]:
    start, corner, end = (
        (frame.x(k), frame.y(k)),
        (frame.x(k), frame.y(q)),
        (frame.x(q), frame.y(q)),
    )
    away = 1 if corner[1] > start[1] else -1
    along = 1 if end[0] > corner[0] else -1
    return (start[0], start[1] + away * radius), corner, (end[0] - along * radius, end[1])


def _legend(picture: Picture, frame: _Frame) -> Part:
    shapes: list[Shape] = []
    x, y = _LEFT, _TOP + frame.height + 30
    width = 0.0
    for role, rim, words in _entries(picture, frame):
        room = 20 + text_width(words, 11.5) + 18
        if x > _LEFT and x + room - 18 > _LEFT + max(frame.width, 380):
            x, y = _LEFT, y + 20
        shapes.append(Boxes(role, ((x, y - 10, 12, 12),), rim=rim, round=2, width=1.6))
        shapes.append(Text(words, (x + 19, y), 11.5, "quiet"))
        width = max(width, x + room)
        x += room
    return Part(tuple(shapes), width, y - _TOP - frame.height + 8)


def _entries(picture: Picture, frame: _Frame) -> list[tuple[str, str | None, str]]:
    """Role, rim and words of every kind of cell that the map shows."""
    shown = {cell for line in frame.cells.cells for cell in line}
    blocks = frame.cells.block > 1
    entries: list[tuple[str, str | None, str]] = []
    if Cell.READ in shown:
        entries.append(("read", None, "all pairs read" if blocks else "read, as given"))
    if Cell.PARTLY_READ in shown:
        entries.append(("partly", None, "some pairs read"))
    if Cell.ADDED in shown:
        entries.append(("added", None, _added(picture)))
    for i, level in enumerate(picture.levels):
        if Cell.LEVEL + i in shown:
            entries.append((f"level{i}", None, f"reached in {level.label}"))
    if Cell.NOT_READ in shown:
        entries.append(("empty", "hair", "not reached" if picture.layers else "not read"))
    if frame.cells.leaked:
        words = "holds a forbidden pair, reached" if blocks else "forbidden, and reached"
        entries.append(("none", "leak", words))
    return entries


def _added(picture: Picture) -> str:
    mask = picture.mask
    for rows in picture.layers:
        for q in _sample(mask.queries):
            p = mask.offset + q
            if rows[p] & ~mask.rows.row(q) & ~(1 << p):
                return "added by the order: diagonal, uniform rows"
    return "residual diagonal, added by the order"


def _sample(count: int) -> Sequence[int]:
    return range(count) if count <= 4096 else ()
