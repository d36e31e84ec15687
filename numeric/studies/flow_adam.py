"""flow-adam: what the gradient flow does not say of Adam, and the line of sign descent.

Each model starts at random, all in one way, and is trained by Adam or, for comparison, by gradient
descent at the same ratio of learning rates. Attention is told for each class: a class that is not
attended can still be predicted, as the only one of which nothing is seen.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from time import perf_counter
from typing import TYPE_CHECKING

from attnproof.numeric.studies.figures import INK, QUIET, quiet
from attnproof.numeric.studies.flow_figures import ATTENTION, COLOURS, KINDS
from attnproof.numeric.studies.study import Cell, Record, Study, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The learning rate of output and value, and the ratios of that of attention to it.
RATE, RATIOS = 1e-3, (1, 3, 10)
#: Standard deviation of the entries at the start, and the loss where training ends.
DEVIATION, STOP = 0.02, 1e-3
MOST_STEPS, LINE_STEPS = 10_000, 400
#: A class below this attention is not attended.
UNATTENDED = 0.01
ADAM, GRADIENT, SIGN = "Adam", "gradient descent", "sign descent"
ONE_HOT, ROTATED = "one-hot", "rotated"


@dataclass(frozen=True, slots=True)
class Point:
    """A parametrisation, a method, the ratio of learning rates, and the seed of the start.

    With ``embeddings`` it starts at 0 and takes a number of steps; else at random, up to a loss.
    """

    kind: str
    method: str
    ratio: float
    seed: int
    embeddings: str | None = None
    steps: int = MOST_STEPS
    stop: float = STOP
    rate: float = RATE


def points(seed: int, quick: bool) -> list[Point]:
    """Eight seeds of Adam and four of gradient descent, at every ratio where output and value are
    factorised and at the highest one where they are not; and the lines. ``quick`` is one seed, and
    a greater loss."""
    if quick:
        trained = [
            Point("CAFO", method, 10, seed, stop=0.1, rate=1e-2) for method in (ADAM, GRADIENT)
        ]
        return [*trained, *_lines(seed, 40)]
    settings = [
        *((kind, ratio) for kind in ("CAFO", "FAFO") for ratio in RATIOS),
        *((kind, RATIOS[-1]) for kind in ("CACO", "FACO")),
    ]
    trained = [
        Point(kind, method, ratio, seed + k)
        for method, seeds in ((ADAM, 8), (GRADIENT, 4))
        for kind, ratio in settings
        for k in range(seeds)
    ]
    return [*trained, *_lines(seed, LINE_STEPS)]


def _lines(seed: int, steps: int) -> list[Point]:
    return [
        Point("CACO", method, ratio, seed, embeddings, steps, rate=0.01)
        for method, embeddings in ((SIGN, ONE_HOT), (ADAM, ONE_HOT), (SIGN, ROTATED))
        for ratio in (0.5, 2)
    ]


def run(point: Point) -> Record:
    """Train one model: attention of each class at the end, or α and β on the way."""
    import torch

    from attnproof.numeric.circuit_data import Population
    from attnproof.numeric.circuits import AttentionCircuits
    from attnproof.numeric.descent import Descent, Method, descend
    from attnproof.numeric.one_thread import one_thread
    from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    from attnproof.symbolic.gradient.data import Data

    line = point.embeddings is not None
    data = Data(3, 1, 4, 1) if line else Data(5, 1, 15, 1)
    circuits = Circuits(Parametrisation(point.kind), data, eta_qk=point.ratio)
    population = Population.of(data, seed=point.seed, rotated=point.embeddings != ONE_HOT)
    start = perf_counter()
    with one_thread():
        model = AttentionCircuits(circuits, population=population, head_width=8, seed=point.seed)
        if not line:
            model.at_random(DEVIATION)
        step = 0.2 if circuits.parametrisation.factorised_value else 2.0
        how = Descent(step if point.method == GRADIENT else point.rate, Method(point.method))
        limit, every = (None, point.steps // 20) if line else (point.stop, None)
        done = descend(model, how, steps=point.steps, loss=limit, every=every)
        with torch.no_grad():
            right = model(model.inputs, model.asked).argmax(1) == model.labels
    end = done.last
    return {
        "kind": point.kind,
        "method": point.method,
        "ratio": point.ratio,
        "seed": point.seed,
        "embeddings": point.embeddings,
        "reached": done.reached,
        "steps": end.steps,
        "loss": end.loss,
        "accuracy": right.double().mean().item(),
        "attention": model.attention().tolist(),
        "path": [[each.alpha, each.beta] for each in done.records] if line else [],
        "seconds": round(perf_counter() - start, 3),
    }


def unattended(record: Record) -> int:
    """How many classes are not attended.

    >>> unattended({"attention": [0.99, 0.001, 1.0]})
    1
    """
    return sum(each < UNATTENDED for each in record["attention"])


def tables(records: Sequence[Record]) -> list[Table]:
    """Runs with a class that is not attended, by method and ratio; the runs that stall; lines."""
    return [_missed(records), _stalled(records), _slopes(records)]


def _trained(records: Sequence[Record]) -> list[Record]:
    return [each for each in records if each["embeddings"] is None]


def _missed(records: Sequence[Record]) -> Table:
    groups: dict[tuple[str, str, float], list[Record]] = {}
    for each in _trained(records):
        groups.setdefault((each["method"], each["kind"], each["ratio"]), []).append(each)
    rows: list[tuple[Cell, ...]] = []
    for (method, kind, ratio), some in groups.items():
        missed = [unattended(each) for each in some]
        eliminated = [
            count == 1 and each["accuracy"] == 1 for count, each in zip(missed, some, strict=True)
        ]
        rows.append(
            (
                method,
                kind,
                ratio,
                len(some),
                sum(count > 0 for count in missed),
                sum(eliminated),
                sum(count > 1 for count in missed),
                mean(mean(each["attention"]) for each in some),
                min(min(each["attention"]) for each in some),
                f"{sum(each['reached'] for each in some)} of {len(some)}",
            )
        )
    header = (
        "method", "circuits", "ratio", "runs", "a class missed", "by elimination", "two missed",
        "mean s", "least s", "at the loss",
    )  # fmt: skip
    return Table("Attention of each class at the end", header, tuple(rows))


def _stalled(records: Sequence[Record]) -> Table:
    """Two of K classes are told by chance: the loss is (2/K) log 2."""
    rows: list[tuple[Cell, ...]] = []
    for each in _trained(records):
        if unattended(each) > 1:
            parts = ", ".join(f"{one:.2g}" for one in each["attention"])
            loss = f"{each['loss']:.4f}"
            rows.append((each["kind"], each["ratio"], each["seed"], loss, each["accuracy"], parts))
    return Table(
        f"Runs that stall with two classes missed; (2/5) log 2 = {0.4 * math.log(2):.4f}",
        ("circuits", "ratio", "seed", "loss", "accuracy", "s of each class"),
        tuple(rows),
    )


def _slopes(records: Sequence[Record]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in records:
        if each["embeddings"] is not None:
            (first, low), (alpha, beta) = each["path"][1], each["path"][-1]
            slope = f"{(beta - low) / (alpha - first):.4f}"
            rows.append((each["method"], each["embeddings"], each["ratio"], slope, beta / alpha))
    return Table(
        "CACO from zero: the slope of β against α, from the first part to the end",
        ("method", "embeddings", "ratio", "slope", "beta/alpha"),
        tuple(rows),
    )


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """Attention of each class by run, for Adam and gradient descent; and β against α."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(12.5, 4.2), layout="constrained")
    places = drawn.subplots(1, 3, width_ratios=(1.35, 1.35, 1))
    for axes, method in zip(places[:2], (ADAM, GRADIENT), strict=True):
        _dots(axes, [each for each in _trained(records) if each["method"] == method])
        quiet(axes, f"{method}: a dot is a class of a run", "circuits, and η_QK/η_OV")
        axes.grid(visible=False, axis="x")
        axes.tick_params(axis="x", labelsize=7)
    places[0].set_ylabel(ATTENTION, color=INK, fontsize=9)
    _paths(places[2], [each for each in records if each["embeddings"] is not None])
    quiet(places[2], "CACO from zero", "α, of output and value", "β, of attention")
    places[2].legend(frameon=False, fontsize=7, labelcolor=QUIET, loc="upper left")
    return {"flow-adam": drawn}


def _dots(axes: "Axes", some: Sequence[Record]) -> None:
    groups = sorted({(KINDS.index(each["kind"]), each["ratio"]) for each in some})
    for place, (kind, ratio) in enumerate(groups):
        runs = [e for e in some if (KINDS.index(e["kind"]), e["ratio"]) == (kind, ratio)]
        for number, each in enumerate(runs):
            x = place + 0.7 * ((number + 0.5) / len(runs) - 0.5)
            colour = COLOURS[KINDS[kind]]
            axes.vlines(x, min(each["attention"]), max(each["attention"]), colour, linewidth=0.5)
            axes.scatter([x] * len(each["attention"]), each["attention"], color=colour, s=11)
    labels = [f"{KINDS[kind]}\n{ratio:g}" for kind, ratio in groups]
    axes.set_xticks(range(len(groups)), labels)
    axes.set_ylim(-0.04, 1.04)


def _paths(axes: "Axes", some: Sequence[Record]) -> None:
    styles = {(SIGN, ONE_HOT): "-", (ADAM, ONE_HOT): "--", (SIGN, ROTATED): ":"}
    colours = ("#0b3954", "#a23e12")
    ratios = sorted({each["ratio"] for each in some})
    for each in some:
        path = [pair for pair in each["path"] if pair[0] < 8.05]
        colour = colours[ratios.index(each["ratio"])]
        axes.plot(
            [alpha for alpha, _ in path],
            [beta for _, beta in path],
            styles[each["method"], each["embeddings"]],
            color=colour,
            linewidth=1.5,
        )
    for ratio, colour in zip(ratios, colours, strict=True):
        axes.plot([], [], color=colour, label=f"η_QK/η_OV = {ratio:g}")
    for (method, embeddings), style in styles.items():
        axes.plot([], [], style, color=QUIET, label=f"{method}, {embeddings}")


STUDY = Study(
    name="flow-adam",
    sentence="Under Adam, from a random start, a model may leave classes unattended: one is told "
    "by elimination, with two training stalls; gradient descent attends to all.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
)
