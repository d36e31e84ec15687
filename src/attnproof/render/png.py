"""PNG: a scene drawn by matplotlib, in light colours; the same figure as the SVG."""

import io
from typing import TYPE_CHECKING

from attnproof.render.figure import figure
from attnproof.render.palette import LIGHT
from attnproof.render.picture import Picture
from attnproof.render.scene import Boxes, Dots, Lines, Scene, Shape, Text, head
from attnproof.symbolic.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DPI = 192
#: Pixels of the scene are CSS pixels, 96 an inch; text sizes are points, 72 an inch.
_INCH = 96.0
_POINTS = 72 / _INCH
#: DejaVu Sans is wider than the faces that the estimate of text widths is for.
_NARROW = 0.9


def png(picture: Picture) -> bytes:
    """The figure of a picture.

    Raises :class:`MissingExtra` when matplotlib is not installed.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> png(Picture("two tokens", Mask.from_rows(["1.", "11"])))[:4]
    b'\\x89PNG'
    """
    return png_of(figure(picture))


def check_installed() -> None:
    """Raise :class:`MissingExtra` where matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra("a .png picture", "plot") from None


def png_of(scene: Scene) -> bytes:
    """A scene as the bytes of a PNG file."""
    check_installed()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    page = Figure(figsize=(scene.width / _INCH, scene.height / _INCH), dpi=_DPI)
    FigureCanvasAgg(page)
    page.set_facecolor(LIGHT["paper"])
    axes = page.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    for order, shape in enumerate(scene.shapes):
        _draw(axes, shape, order + 1)
    out = io.BytesIO()
    page.savefig(out, format="png", dpi=_DPI, metadata={"Software": None})
    return out.getvalue()


def _draw(axes: "Axes", shape: Shape, order: int) -> None:
    match shape:
        case Boxes():
            _boxes(axes, shape, order)
        case Lines():
            _lines(axes, shape, order)
        case Dots():
            _dots(axes, shape, order)
        case Text():
            _text(axes, shape, order)


def _boxes(axes: "Axes", shape: Boxes, order: int) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import FancyBboxPatch, Patch, Rectangle

    patches: list[Patch] = []
    for x, y, w, h in shape.boxes:
        if shape.round:
            style = f"round,pad=0,rounding_size={min(shape.round, h / 2)}"
            patches.append(FancyBboxPatch((x, y), w, h, boxstyle=style))
        else:
            patches.append(Rectangle((x, y), w, h))
    axes.add_collection(
        PatchCollection(
            patches,
            facecolor=LIGHT.get(shape.role, "none"),
            edgecolor=LIGHT[shape.rim] if shape.rim else "none",
            linewidth=shape.width * _POINTS if shape.rim else 0.0,
            antialiased=bool(shape.rim),
            zorder=order,
        ),
        autolim=False,
    )


def _lines(axes: "Axes", shape: Lines, order: int) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    axes.add_collection(
        LineCollection(
            [list(line) for line in shape.lines],
            colors=LIGHT[shape.role],
            linewidths=shape.width * _POINTS,
            linestyles=(0, (4, 4)) if shape.dashed else "solid",
            capstyle="round",
            joinstyle="round",
            zorder=order,
        ),
        autolim=False,
    )
    if shape.arrow:
        heads = [head(line, shape.width) for line in shape.lines]
        axes.add_collection(
            PolyCollection(heads, facecolors=LIGHT[shape.role], edgecolors="none", zorder=order),
            autolim=False,
        )


def _dots(axes: "Axes", shape: Dots, order: int) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    axes.add_collection(
        PatchCollection(
            [Circle(centre, shape.radius) for centre in shape.centres],
            facecolor=LIGHT.get(shape.role, "none"),
            edgecolor=LIGHT[shape.rim] if shape.rim else "none",
            linewidth=1.8 * _POINTS if shape.rim else 0.0,
            zorder=order,
        ),
        autolim=False,
    )


def _text(axes: "Axes", shape: Text, order: int) -> None:
    axes.text(
        *shape.at,
        shape.text,
        fontsize=shape.size * _POINTS * _NARROW,
        fontfamily="sans-serif",
        fontweight="bold" if shape.bold else "normal",
        color=LIGHT[shape.role],
        horizontalalignment={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
        verticalalignment="baseline",
        rotation=90.0 if shape.turned else 0.0,
        rotation_mode="anchor",
        zorder=order,
        parse_math=False,
    )
