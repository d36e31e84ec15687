"""Quiet axes, as the figures of the studies have them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, QUIET = "#333333", "#666666"


def quiet(axes: "Axes", title: str, x: str, y: str = "") -> None:
    """A title on the left, named axes, a pale grid and no frame."""
    axes.set_title(title, size=9, color=INK, loc="left")
    axes.set_xlabel(x, color=INK, fontsize=9)
    axes.set_ylabel(y, color=INK, fontsize=9)
    axes.grid(color="#e6e6e6", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0, colors=INK, labelsize=8)
    axes.spines[:].set_visible(False)
