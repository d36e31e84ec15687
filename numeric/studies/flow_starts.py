"""flow-starts: what attention at one loss depends on, by the gradient flow in closed form.

One part lets η_QK/η_OV grow, one the start β₀, and one follows each orbit, with a model of all
matrices trained along it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from attnproof.numeric.studies.figures import INK, quiet
from attnproof.numeric.studies.flow_figures import ATTENTION, COLOURS, KINDS, RATIO
from attnproof.numeric.studies.study import Cell, Record, Study, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnproof.symbolic.gradient.orbit import Orbit

BY_RATIO, BY_START, ALONG = "ratio", "start", "along"
#: The starts that the table shows; the figure has as many again between them.
STARTS = (1e-8, 1e-6, 1e-4, 1e-2, 1e-1, 1.0)
#: How many points of a curve, and how many of a training.
CURVE, TRAINED = 60, 12


@dataclass(frozen=True, slots=True)
class Point:
    """A parametrisation on K classes with one distinct token each, and what varies.

    ``values`` are ratios in the part "ratio" and starts β₀ in the part "start".
    """

    part: str
    kind: str
    values: tuple[float, ...] = ()
    ratio: float = 1.0
    beta0: float = 1e-6
    classes: int = 3
    common: int = 15
    scale: float = 0.5
    loss: float = 1e-3


def points(seed: int, quick: bool) -> list[Point]:
    """Three parts for each parametrisation; ``quick`` is fewer values and a greater loss.

    Nothing here is drawn at random but the directions of the embeddings, on which nothing depends.
    """
    ratios = tuple(10 ** (k / 8) for k in range(-16, 17, 8 if quick else 1))
    starts = tuple(10 ** (k / 4) for k in range(-32, 1, 8 if quick else 1))
    loss = 0.2 if quick else 1e-3
    return [
        made
        for kind in KINDS
        for made in (
            Point(BY_RATIO, kind, ratios, loss=loss),
            Point(BY_START, kind, starts, ratio=0.15, classes=5, scale=1.0, loss=loss),
            Point(ALONG, kind, loss=loss, common=4 if quick else 15),
        )
    ]


def run(point: Point) -> Record:
    """The states at the loss, or one orbit and a training beside it."""
    start = perf_counter()
    found = _along(point) if point.part == ALONG else _states(point)
    return {
        "part": point.part,
        "kind": point.kind,
        "classes": point.classes,
        "common": point.common,
        "scale": point.scale,
        "stop": point.loss,
        **found,
        "seconds": round(perf_counter() - start, 3),
    }


def _orbit(point: Point, ratio: float, beta0: float) -> "Orbit":
    """From β₀ where W_QK is a product, else from 0 but in the part that varies β₀."""
    from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    from attnproof.symbolic.gradient.data import Data
    from attnproof.symbolic.gradient.orbit import Orbit

    kind = Parametrisation(point.kind)
    circuits = Circuits(
        kind, Data(point.classes, 1, point.common, 1), scale=point.scale, eta_qk=ratio
    )
    given = kind.factorised_attention or point.part == BY_START
    return Orbit(circuits, beta0=beta0 if given else 0.0)


def _states(point: Point) -> Record:
    by_ratio = point.part == BY_RATIO
    rows = []
    for value in point.values:
        pair = (value, point.beta0) if by_ratio else (point.ratio, value)
        at = _orbit(point, *pair).at_loss(point.loss)
        rows.append([value, at.attention, at.alpha, at.beta, at.log_time])
    fixed = {"beta0": point.beta0} if by_ratio else {"ratio": point.ratio}
    return {**fixed, "columns": ["value", "attention", "alpha", "beta", "log time"], "rows": rows}


def _along(point: Point) -> Record:
    """(α, β) on the orbit; then α, β, R (Ψ - Ψ₀) and Φ - Φ₀ of the trained model."""
    from attnproof.numeric.circuits import AttentionCircuits
    from attnproof.numeric.descent import Descent, descend
    from attnproof.numeric.one_thread import one_thread
    from attnproof.symbolic.gradient.integrals import line_coordinates

    orbit = _orbit(point, point.ratio, point.beta0)
    circuits, end = orbit.circuits, orbit.at_loss(point.loss)
    h = 0.1 if circuits.parametrisation.factorised_value else 0.5
    with one_thread():
        model = AttentionCircuits(circuits, head_width=8).on_manifold(orbit.alpha0, orbit.beta0)
        every = max(1, int(end.time / h / TRAINED))
        done = descend(model, Descent(h), loss=point.loss, every=every, exactly=True)
    coordinates, slope = line_coordinates(circuits), float(circuits.slope)
    phi0, psi0 = coordinates(orbit.alpha0, orbit.beta0)
    trained = []
    for each in done.records[1:]:
        phi, psi = coordinates(each.alpha, each.beta)
        trained.append([each.alpha, each.beta, slope * (psi - psi0), phi - phi0])
    widest = max(end.alpha, done.last.alpha)
    alphas = [orbit.alpha0 + (widest - orbit.alpha0) * k / CURVE for k in range(CURVE + 1)]
    return {
        "ratio": point.ratio,
        "beta0": orbit.beta0,
        "curve": [[at.alpha, at.beta] for at in map(orbit.at_alpha, alphas)],
        "trained": trained,
        "step": h,
        "steps": done.last.steps,
        "attention": done.last.attention,
        "flow": end.attention,
        "off_manifold": max(each.residual for each in done.records),
        "drift": max(abs(risen - along) for *_, along, risen in trained),
    }


def tables(records: Sequence[Record]) -> list[Table]:
    """Equal learning rates by parametrisation, then attention by start."""
    along, starts = _part(records, ALONG), _part(records, BY_START)
    rows: list[tuple[Cell, ...]] = [
        (
            each["kind"],
            f"{each['flow']:.4f}",
            f"{each['attention']:.4f}",
            each["trained"][-1][0],
            each["trained"][-1][1],
            each["steps"],
            f"{each['drift']:.0e}",
        )
        for each in along
    ]
    shown = [row[0] for row in starts[0]["rows"] if any(_near(row[0], one) for one in STARTS)]
    by_start: list[tuple[Cell, ...]] = [
        (f"{value:.0e}", *(f"{_at(each, value):.4f}" for each in starts)) for value in shown
    ]
    first, second = along[0], starts[0]
    return [
        Table(
            f"Equal learning rates: attention at loss {first['stop']:g}",
            ("circuits", "flow", "trained", "alpha", "beta", "steps", "off the line"),
            tuple(rows),
        ),
        Table(
            f"Attention at loss {second['stop']:g} by start, eta_QK/eta_OV = {second['ratio']:g}",
            ("beta0", *(each["kind"] for each in starts)),
            tuple(by_start),
        ),
    ]


def _part(records: Sequence[Record], part: str) -> list[Record]:
    return [each for each in records if each["part"] == part]


def _near(a: float, b: float) -> bool:
    return abs(a / b - 1) < 1e-9


def _at(record: Record, value: float) -> float:
    found: float = next(row[1] for row in record["rows"] if _near(row[0], value))
    return found


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """Attention against the ratio and against the start; orbits and their straight lines."""
    return {"flow-starts": _attention(records), "flow-orbits": _orbits(records)}


def _attention(records: Sequence[Record]) -> "Figure":
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9.5, 4), layout="constrained")
    both = drawn.subplots(1, 2, sharey=True)
    for axes, part in zip(both, (BY_RATIO, BY_START), strict=True):
        for each in _part(records, part):
            values, attention = ([row[column] for row in each["rows"]] for column in (0, 1))
            axes.plot(values, attention, color=COLOURS[each["kind"]], linewidth=1.8)
        axes.set_xscale("log")
        axes.set_ylim(0, 1.03)
    stop = records[0]["stop"]
    quiet(both[0], f"the flow at loss {stop:g}, by ratio (K = 3, ς = 1/2)", RATIO, ATTENTION)
    quiet(both[1], f"the flow at loss {stop:g}, by start (K = 5, ratio 0.15)", "start β₀")
    _legend(drawn)
    return drawn


def _orbits(records: Sequence[Record]) -> "Figure":
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9.5, 4.2), layout="constrained")
    left, right = drawn.subplots(1, 2)
    longest = 0.0
    for each in _part(records, ALONG):
        colour = COLOURS[each["kind"]]
        left.plot(*_columns(each["curve"], 0, 1), color=colour, linewidth=1.6)
        left.plot(*_columns(each["trained"], 0, 1), "o", color=colour, markersize=4)
        right.plot(*_columns(each["trained"], 2, 3), "o", color=colour, markersize=4)
        longest = max(longest, each["trained"][-1][2])
    right.plot([0, longest], [0, longest], color=INK, linewidth=0.8, zorder=1)
    said = "closed form (lines) and trained models (dots)"
    quiet(left, said, "α, of output and value", "β, of attention")
    quiet(right, "the same dots: all on one straight line", "R·(Ψ(α) - Ψ(α₀))", "Φ(β) - Φ(β₀)")
    _legend(drawn)
    return drawn


def _columns(rows: Sequence[Sequence[float]], *columns: int) -> list[list[float]]:
    return [[row[column] for row in rows] for column in columns]


def _legend(drawn: "Figure") -> None:
    from matplotlib.lines import Line2D

    drawn.legend(
        handles=[Line2D([], [], color=COLOURS[kind], linewidth=2, label=kind) for kind in KINDS],
        loc="outside lower center",
        ncols=len(KINDS),
        frameon=False,
        fontsize=8,
    )


STUDY = Study(
    name="flow-starts",
    sentence="What attention at equal loss depends on, in closed form: it rises with the ratio of "
    "learning rates, and for factorised attention with the size of the start.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
)
