"""The figure of a picture: title and finding, the heat map, beside it the Hasse diagram."""

import textwrap

from attnproof.render.diagram import diagram
from attnproof.render.grid import grid
from attnproof.render.hasse import LIMITS, hasse
from attnproof.render.heatmap import Part, heatmap
from attnproof.render.labels import caption
from attnproof.render.picture import Picture
from attnproof.render.scene import Scene, Shape, Text, moved, text_width
from attnproof.symbolic.words import counted

_MARGIN = 26.0
_BETWEEN = 44.0


def figure(picture: Picture) -> Scene:
    """All shapes of a picture on one page.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> figure(Picture("two tokens", Mask.from_rows(["1.", "11"]))).shapes[0].text
    'two tokens'
    """
    parts = [heatmap(picture), *([hasse(picture)] if picture.classes else [])]
    inner = sum(part.width for part in parts) + _BETWEEN * (len(parts) - 1)
    inner = max(inner, text_width(picture.title, 16), 420.0)
    shapes: list[Shape] = [Text(picture.title, (_MARGIN, 40), 16, bold=True)]
    y = 40.0
    for line in wrapped(caption(picture.finding), inner, 13) if picture.finding else ():
        y += 21
        shapes.append(Text(line, (_MARGIN, y), 13, "leak"))
    y += 22
    tallest = max(part.height for part in parts)
    x = _MARGIN
    for part in parts:
        shapes += moved(part.shapes, x, y)
        x += part.width + _BETWEEN
    y += tallest + 4
    for note in notes(picture):
        for line in wrapped(note, inner, 10.5):
            y += 16
            shapes.append(Text(line, (_MARGIN, y), 10.5, "quiet"))
    return Scene(inner + 2 * _MARGIN, y + 20, tuple(shapes))


def only(part: Part) -> Scene:
    """One part alone on a page."""
    return Scene(part.width + 2 * 12, part.height + 2 * 12, moved(part.shapes, 12, 12))


def notes(picture: Picture) -> list[str]:
    """What a reader must know to read the figure right."""
    cells = grid(picture)
    found = list(picture.notes)
    if cells.block > 1:
        found.append(f"Each cell is a block of {cells.block} × {cells.block} pairs.")
        if picture.levels:
            found[-1] += " Where none is read, the tint is the least depth at which one is reached."
    if picture.mask.offset:
        found.append(
            f"Query i stands at position {picture.mask.offset} + i; both axes show positions. "
            "Cached positions have no row: what they read earlier is not checked."
        )
    if picture.classes:
        abridged = diagram(picture.classes, picture.covers, LIMITS).note
        found += [abridged] if abridged else []
    return found


def wrapped(text: str, width: float, size: float) -> list[str]:
    """The lines of a text that fit a width.

    >>> wrapped("reads and reaches", 80, 10)
    ['reads and', 'reaches']
    """
    return textwrap.wrap(text, max(8, int(width / text_width("x", size)))) or [""]


def summary(picture: Picture) -> str:
    """The figure in words, for those who do not see it.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> summary(Picture("", Mask.from_rows(["1.", "11"])))
    'Heat map of a mask of 2 queries by 2 keys, row = query; 3 pairs are read.'
    """
    mask = picture.mask
    words = (
        f"Heat map of a mask of {counted(mask.queries, 'query')} by {counted(mask.keys, 'key')}, "
        f"row = query; {mask.rows.count()} pairs are read."
    )
    if picture.classes:
        words += (
            f" Beside it the Hasse diagram of its flow: {len(picture.classes)} classes, "
            f"{len(picture.covers)} covers."
        )
    return f"{words} {caption(picture.finding)}." if picture.finding else words
