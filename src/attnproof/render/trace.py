"""A run of a net in the plane: a panel a phase, a colour a sequence, rings where targets are.

Every panel has scales of its own, one for each axis, that show all its tokens and the range they
span.
"""

import os
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from pathlib import Path

from attnproof.render.figure import wrapped
from attnproof.render.png import check_installed, png_of
from attnproof.render.scene import Boxes, Dots, Lines, Point, Scene, Shape, Text, moved, text_width
from attnproof.render.svg import svg_of
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.files import write_atomically
from attnproof.symbolic.interpolation.data import Token
from attnproof.symbolic.interpolation.trace import Stage, Trace
from attnproof.symbolic.words import counted

_SIDE, _BETWEEN, _MARGIN, _INSET = 220.0, 34.0, 26.0, 18.0
_IN_A_ROW = 4
_COLOURS = ("read", "level0", "leak", "partly", "good", "unsure", "quiet", "ink")
TITLE = "A run of the net, phase by phase"
#: Sequences beyond this many would share a colour.
MOST = len(_COLOURS)


def trace_svg(trace: Trace, title: str = TITLE) -> str:
    """The figure as SVG.

    >>> from fractions import Fraction
    >>> one = ((Fraction(1), Fraction(2)),)
    >>> svg = trace_svg(Trace((Stage("input", 0, (one,)),), (one,)))
    >>> svg.count("<circle"), "input: 1 point" in svg
    (3, True)

    Raises :class:`InputError` for tokens outside the plane and for more sequences than colours.
    """
    return svg_of(scene(trace, title), title, said(trace))


def draw(path: str | os.PathLike[str], trace: Trace) -> None:
    """Write the figure as .svg or .png.

    Raises :class:`InputError` for another suffix, and as :func:`trace_svg`.
    """
    kind = check_kind(path)
    content = trace_svg(trace) if kind == ".svg" else png_of(scene(trace, TITLE))
    write_atomically(path, content)


def check_kind(path: str | os.PathLike[str]) -> str:
    """The suffix of a file that can hold the figure; :class:`InputError` for another."""
    kind = Path(path).suffix.lower()
    if kind not in (".svg", ".png"):
        raise InputError(
            f"{os.fspath(path)} cannot hold a run of a net; end the name in .svg or .png",
            path=str(path),
        )
    if kind == ".png":
        check_installed()
    return kind


def scene(trace: Trace, title: str) -> Scene:
    """All panels on one page, at most four in a row."""
    _check(trace)
    shapes: list[Shape] = [Text(title, (_MARGIN, 40), 16, bold=True)]
    rows = -(-len(trace.stages) // _IN_A_ROW)
    columns = -(-len(trace.stages) // rows)
    inner = max(columns * (_SIDE + _BETWEEN) - _BETWEEN, text_width(title, 16), 420.0)
    high = _SIDE + 62
    for number, stage in enumerate(trace.stages):
        x = _MARGIN + (number % columns) * (_SIDE + _BETWEEN)
        y = 62 + (number // columns) * high
        last = number == len(trace.stages) - 1
        shapes += moved(_panel(stage, trace.targets if last else ()), x, y)
    y = 62 + rows * high
    x = _MARGIN
    for j in range(len(trace.targets)):
        name = f"sequence {j}"
        if x + 22 + text_width(name, 12) > inner + _MARGIN:
            x, y = _MARGIN, y + 20
        shapes += [Dots(_COLOURS[j], ((x + 5, y - 4),), 4.5), Text(name, (x + 16, y), 12)]
        x += 34 + text_width(name, 12)
    note = (
        "Rings are targets; a dot with a rim holds several tokens of its sequence, and dots around "
        "each other are tokens of several sequences. Each panel has its own scales; its corners "
        "say the ranges."
    )
    for line in wrapped(note, inner, 10.5):
        y += 18
        shapes.append(Text(line, (_MARGIN, y), 10.5, "quiet"))
    return Scene(inner + 2 * _MARGIN, y + 20, tuple(shapes))


def said(trace: Trace) -> str:
    """The figure in words."""
    return ". ".join(
        f"{stage.phase}: {counted(stage.points, 'point')}"
        + (f" after {counted(stage.blocks, 'block')}" if stage.blocks else "")
        for stage in trace.stages
    )


def _check(trace: Trace) -> None:
    dimensions = {len(token) for sequence in trace.targets for token in sequence}
    if dimensions != {2}:
        raise InputError(
            f"tokens have {max(dimensions, default=0)} coordinates and the figure is in the plane; "
            "draw data with 2 coordinates"
        )
    if len(trace.targets) > MOST:
        raise InputError(
            f"{len(trace.targets)} sequences are too many to tell apart by colour; draw at most "
            f"{MOST}"
        )


def _panel(stage: Stage, targets: Sequence[Sequence[Token]]) -> list[Shape]:
    axes = list(zip(*chain(*stage.states, *targets), strict=True))
    spans = [(min(axis), max(axis)) for axis in axes]

    def at(token: Token) -> Point:
        x, y = (_share(token[axis], *spans[axis]) for axis in (0, 1))
        inside = _SIDE - 2 * _INSET
        return _INSET + x * inside, 22 + _SIDE - _INSET - y * inside

    shapes: list[Shape] = [
        Text(stage.phase, (0, 12), 13, bold=True),
        Boxes("empty", ((0, 22, _SIDE, _SIDE),), rim="hair", round=4),
        Text(_blocks(stage), (_SIDE, 12), 11, "quiet", "end"),
    ]
    for axis in (0, 1):
        shapes += _ends(axis, *spans[axis])
    if spans[1][0] < 0 < spans[1][1]:
        y = at((spans[0][0], Fraction(0)))[1]
        shapes.append(Lines("hair", (((0, y), (_SIDE, y)),)))
    if spans[0][0] < 0 < spans[0][1]:
        x = at((Fraction(0), spans[1][0]))[0]
        shapes.append(Lines("hair", (((x, 22), (x, 22 + _SIDE)),)))
    for token, own in _held(targets).items():
        for around, j in enumerate(own):
            shapes.append(Dots("none", (at(token),), 9.5 + 3 * around, _COLOURS[j]))
    for token, own in _held(stage.states).items():
        for j in own:
            radius = 4 + 2.4 * (len(own) - 1 - own.index(j))
            several = stage.states[j].count(token) > 1
            shapes.append(Dots(_COLOURS[j], (at(token),), radius, "ink" if several else None))
    return shapes


def _held(states: Sequence[Sequence[Token]]) -> dict[Token, list[int]]:
    """The sequences that hold each token, in order."""
    found: dict[Token, list[int]] = {}
    for j, sequence in enumerate(states):
        for token in dict.fromkeys(sequence):
            found.setdefault(token, []).append(j)
    return found


def _share(value: Fraction, low: Fraction, high: Fraction) -> float:
    return float((value - low) / (high - low)) if high > low else 0.5


def _ends(axis: int, low: Fraction, high: Fraction) -> list[Shape]:
    """The range of an axis, at its ends."""
    if axis == 0:
        y = 22 + _SIDE + 14
        if low == high:
            return [Text(_number(low), (_SIDE / 2, y), 10.5, "quiet", "middle")]
        return [
            Text(_number(low), (0, y), 10.5, "quiet"),
            Text(_number(high), (_SIDE, y), 10.5, "quiet", "end"),
        ]
    if low == high:
        return [Text(_number(low), (4, 22 + _SIDE / 2 - 4), 10.5, "quiet")]
    return [
        Text(_number(low), (4, 22 + _SIDE - 5), 10.5, "quiet"),
        Text(_number(high), (4, 22 + 12), 10.5, "quiet"),
    ]


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 and abs(value) < 10**6 else f"{float(value):.4g}"


def _blocks(stage: Stage) -> str:
    return counted(stage.blocks, "block") if stage.blocks else ""
