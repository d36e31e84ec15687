"""What the studies of the gradient flow share: four parametrisations, one colour each, quiet axes.

Blue is one matrix of output and value, orange a product; dark is one matrix of attention.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("CACO", "FACO", "CAFO", "FAFO")
COLOURS = dict(zip(KINDS, ("#0b3954", "#3f9bc8", "#a23e12", "#eb9f45"), strict=True))
INK, QUIET = "#333333", "#666666"
#: What attention is called on an axis, and the ratio of learning rates.
ATTENTION = "attention on the distinct tokens, s"
RATIO = "ratio of learning rates, η_QK/η_OV"


def quiet(axes: "Axes", title: str, x: str, y: str = "") -> None:
    """A title on the left, named axes, a pale grid and no frame."""
    axes.set_title(title, size=9, color=INK, loc="left")
    axes.set_xlabel(x, color=INK, fontsize=9)
    axes.set_ylabel(y, color=INK, fontsize=9)
    axes.grid(color="#e6e6e6", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0, colors=INK, labelsize=8)
    axes.spines[:].set_visible(False)
