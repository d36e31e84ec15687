"""SVG: a scene as one self-contained text, light or dark as the reader prefers."""

from collections.abc import Iterable
from html import escape

from attnproof.render.figure import figure, summary
from attnproof.render.palette import DARK, LIGHT
from attnproof.render.picture import Picture
from attnproof.render.scene import Boxes, Dots, Lines, Scene, Shape, Text, head

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def svg(picture: Picture) -> str:
    """The figure of a picture.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> "row = query" in svg(Picture("two tokens", Mask.from_rows(["1.", "11"])))
    True
    """
    return svg_of(figure(picture), picture.title, summary(picture))


def svg_of(scene: Scene, title: str, description: str) -> str:
    """A scene with the words that screen readers say."""
    width, height = _number(scene.width), _number(scene.height)
    body = "\n".join(part for shape in scene.shapes for part in _shape(shape))
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" class="attnproof" role="img" width="{width}" \
height="{height}" viewBox="0 0 {width} {height}" font-family="{escape(_FONT)}">
<title>{escape(title)}</title>
<desc>{escape(description)}</desc>
<style>
{_style()}
</style>
<rect class="paper" width="{width}" height="{height}" rx="6"/>
{body}
</svg>
"""


def _style() -> str:
    def colours(palette: dict[str, str]) -> str:
        return " ".join(f"--attnproof-{role}: {colour};" for role, colour in palette.items())

    rules = [f"svg.attnproof {{ {colours(LIGHT)} max-width: 100%; height: auto; }}"]
    rules.append("@media (prefers-color-scheme: dark) { svg.attnproof { " + colours(DARK) + " } }")
    for role in LIGHT:
        rules.append(
            f"svg.attnproof .{role} {{ fill: var(--attnproof-{role}); }} "
            f"svg.attnproof .on-{role} {{ stroke: var(--attnproof-{role}); }}"
        )
    rules.append("svg.attnproof .none { fill: none; }")
    return "\n".join(rules)


def _shape(shape: Shape) -> Iterable[str]:
    match shape:
        case Boxes():
            yield from _boxes(shape)
        case Lines():
            yield _lines(shape)
            if shape.arrow:
                yield _heads(shape)
        case Dots():
            rim = ' stroke-width="1.8"' if shape.rim else ""
            for x, y in shape.centres:
                yield (
                    f'<circle class="{shape.role}{_on(shape.rim)}" cx="{_number(x)}" '
                    f'cy="{_number(y)}" r="{_number(shape.radius)}"{rim}/>'
                )
        case Text():
            yield _text(shape)


def _boxes(shape: Boxes) -> Iterable[str]:
    name = f"{shape.role}{_on(shape.rim)}"
    line = f' stroke-width="{_number(shape.width)}"' if shape.rim else ""
    if shape.round:
        for x, y, w, h in shape.boxes:
            yield (
                f'<rect class="{name}" x="{_number(x)}" y="{_number(y)}" width="{_number(w)}" '
                f'height="{_number(h)}" rx="{_number(min(shape.round, h / 2))}"{line}/>'
            )
    else:
        path = "".join(
            f"M{_number(x)} {_number(y)}h{_number(w)}v{_number(h)}h{_number(-w)}z"
            for x, y, w, h in shape.boxes
        )
        crisp = "" if shape.rim else ' shape-rendering="crispEdges"'
        yield f'<path class="{name}" d="{path}"{line}{crisp}/>'


def _lines(shape: Lines) -> str:
    path = "".join(
        "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in line) for line in shape.lines
    )
    dash = ' stroke-dasharray="4 4"' if shape.dashed else ""
    return (
        f'<path class="none on-{shape.role}" d="{path}" stroke-width="{_number(shape.width)}" '
        f'stroke-linecap="round" stroke-linejoin="round"{dash}/>'
    )


def _heads(shape: Lines) -> str:
    path = "".join(
        "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in head(line, shape.width)) + "z"
        for line in shape.lines
    )
    return f'<path class="{shape.role}" d="{path}"/>'


def _text(shape: Text) -> str:
    x, y = _number(shape.at[0]), _number(shape.at[1])
    anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
    weight = ' font-weight="600"' if shape.bold else ""
    turn = f' transform="rotate(-90 {x} {y})"' if shape.turned else ""
    return (
        f'<text class="{shape.role}" x="{x}" y="{y}" font-size="{_number(shape.size)}"'
        f"{anchor}{weight}{turn}>{escape(shape.text)}</text>"
    )


def _on(rim: str | None) -> str:
    return f" on-{rim}" if rim else ""


def _number(value: float) -> str:
    """A number with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))
