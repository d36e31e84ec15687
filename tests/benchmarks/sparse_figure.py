"""``python -m tests.benchmarks.sparse_figure``: edges against layers, docs/sparse.json and .svg.

``--draw`` draws the file that is there again.
"""

import argparse
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attnproof import __version__
from attnproof.ask.sparsify import sparsify
from attnproof.symbolic.files import write_atomically

DOCS = Path(__file__).resolve().parents[2] / "docs"
LENGTHS = (8, 12, 16)
LAYERS = range(1, 9)
BUDGET = 20_000

_COLOURS = {8: "#3d9a8b", 12: "#1b6ca8", 16: "#0b3954"}
_INK = "#333333"
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "sparse",
    "svg.fonttype": "none",
    "font.size": 9,
    "text.color": _INK,
}


def main() -> None:
    """Count, unless only the picture is wanted, and draw."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.sparse_figure", description=__doc__
    )
    parser.add_argument("--draw", action="store_true", help="draw docs/sparse.json again")
    if not parser.parse_args().draw:
        write_atomically(DOCS / "sparse.json", json.dumps(counted(), indent=1) + "\n")
    write_atomically(DOCS / "sparse.svg", figure(json.loads((DOCS / "sparse.json").read_text())))


def counted() -> dict[str, Any]:
    """The fewest edges of a causal mask, for each length and number of layers."""
    return {
        "attnproof": __version__,
        "mask": "causal",
        "edges": "pairs off the diagonal; a schedule adds those of its layers",
        "budget": BUDGET,
        "points": list(points()),
    }


def points() -> Iterator[dict[str, Any]]:
    """One point a length, a kind and a number of layers; ``bounds`` are equal where proved."""
    for n in LENGTHS:
        for per_layer in (False, True):
            for layers in LAYERS:
                found = sparsify("causal", n=n, layers=layers, per_layer=per_layer, budget=BUDGET)
                bounds = [found.fewest, found.edges_off_diagonal]
                point = {"n": n, "layers": layers, "per_layer": per_layer, "bounds": bounds}
                print(point)
                yield point


def figure(data: Mapping[str, Any]) -> bytes:
    """Edges against layers as SVG; the same numbers give the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcParams.update(_STYLE)
        drawn = Figure(figsize=(7.5, 4.2), layout="constrained")
        axes = drawn.subplots()
        for n, colour in _COLOURS.items():
            for per_layer in (False, True):
                some = [p for p in data["points"] if (p["n"], p["per_layer"]) == (n, per_layer)]
                axes.plot(
                    [p["layers"] for p in some],
                    [p["bounds"][1] for p in some],
                    color=colour,
                    linestyle="--" if per_layer else "-",
                    marker="o",
                    markersize=3.5,
                    linewidth=1.5,
                    label=f"n = {n}, {'a mask a layer' if per_layer else 'one mask'}",
                )
        axes.set_yscale("log", base=2)
        ticks = (8, 16, 32, 64, 128)
        axes.set_yticks(ticks, [str(tick) for tick in ticks])
        axes.set_xlabel("layers", color=_INK)
        axes.set_ylabel("edges off the diagonal", color=_INK)
        axes.grid(color="#e6e6e6", linewidth=0.7)
        axes.tick_params(length=0, colors=_INK)
        axes.spines[:].set_visible(False)
        axes.legend(frameon=False, labelcolor="#666666", fontsize=8)
        out = io.BytesIO()
        drawn.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


if __name__ == "__main__":
    main()
