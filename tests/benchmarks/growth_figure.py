"""The figure of how cost grows: time and memory against n, both axes logarithmic."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

_OURS = {"bits": "#1b6ca8", "runs": "#0b3954", "blocks": "#3d9a8b", "sparse": "#7a5195"}
_PEER = "#8c8c8c"
_MARKERS = {"networkx": "s", "rustworkx": "^", "igraph": "v", "scipy": "D", "torch": "x"}
_INK = "#333333"
_PANELS = (
    (
        "seconds",
        "CPU time",
        ((1e-3, "1 ms"), (1e-2, "10 ms"), (0.1, "0.1 s"), (1, "1 s"), (10, "10 s")),
    ),
    ("bytes", "memory", ((1e6, "1 MB"), (1e7, "10 MB"), (1e8, "100 MB"), (1e9, "1 GB"))),
)
_LENGTHS = (
    (1 << 7, "128"),
    (1 << 10, "1024"),
    (1 << 13, "8192"),
    (1 << 17, "131072"),
    (1 << 20, "1048576"),
)

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "growth",
    "svg.fonttype": "none",
    "font.size": 9,
    "text.color": _INK,
}


def figure(growth: Mapping[str, Any]) -> bytes:
    """The measured series as SVG; the same numbers give the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcParams.update(_STYLE)
        drawn = Figure(figsize=(10.5, 4.6), layout="constrained")
        for axes, (kind, title, ticks) in zip(drawn.subplots(1, 2), _PANELS, strict=True):
            _panel(axes, growth["series"], kind, title, ticks)
        out = io.BytesIO()
        drawn.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def _panel(
    axes: Any,
    series: Sequence[Mapping[str, Any]],
    kind: str,
    title: str,
    ticks: Sequence[tuple[float, str]],
) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_title(title, loc="left", color=_INK)
    axes.set_xlabel("n, positions", color=_INK)
    axes.set_xticks([n for n, _ in _LENGTHS], [text for _, text in _LENGTHS])
    axes.set_yticks([value for value, _ in ticks], [text for _, text in ticks])
    axes.minorticks_off()
    axes.grid(color="#e6e6e6", linewidth=0.7)
    axes.tick_params(length=0, colors=_INK)
    axes.spines[:].set_visible(False)
    least = ticks[0][0] / 3
    ends = []
    for one in series:
        points = [(p["n"], p[kind]) for p in one["points"] if p[kind] > least]
        if not points:
            continue
        ours = one["name"] in _OURS
        axes.plot(
            *zip(*points, strict=True),
            color=_OURS.get(one["name"], _PEER),
            linewidth=1.8 if ours else 0.9,
            marker=_MARKERS.get(one["name"], "o"),
            markersize=3.2,
            label=None if ours else _label(one, kind),
        )
        if ours:
            ends.append((points[-1], _label(one, kind), _OURS[one["name"]]))
    axes.set_xlim(96, 1 << 24)
    axes.set_ylim(least, ticks[-1][0] * 6)
    axes.legend(loc="lower right", frameon=False, labelcolor="#666666", fontsize=8)
    _labels(axes, ends)


def _label(one: Mapping[str, Any], kind: str) -> str:
    exponent = one["exponents"][kind]
    if exponent is None:
        return str(one["name"])
    return f"{one['name']}  $n^{{{exponent:.1f}}}$"


def _labels(axes: Any, ends: Sequence[tuple[tuple[float, float], str, str]]) -> None:
    """A label at the last point of each line, none over another."""
    placed: list[tuple[float, float]] = []
    for (n, value), text, colour in sorted(ends, key=lambda end: end[0][1]):
        height = value
        while any(apart(height, y) < 1.6 and n == x for x, y in placed):
            height *= 1.08
        placed.append((n, height))
        last = n == _LENGTHS[-1][0]
        axes.annotate(
            text,
            (n, height),
            color=colour,
            xytext=(6, 0) if last else (-7, 4),
            textcoords="offset points",
            ha="left" if last else "right",
            va="center",
        )


def apart(a: float, b: float) -> float:
    """How many times the less is the greater.

    >>> apart(2.0, 6.0)
    3.0
    """
    return max(a, b) / min(a, b)
