"""flow-attention: how sharp the attention of each parametrisation is, all at one population loss.

Each model starts on the invariant manifold or at random, and descends on all sequences or on
batches; the gradient flow says where a start on the manifold ends, as η_QK/η_OV grows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from time import perf_counter
from typing import TYPE_CHECKING, Any

from attnproof.numeric.studies.figures import QUIET, quiet
from attnproof.numeric.studies.flow_figures import ATTENTION, COLOURS, KINDS, RATIO
from attnproof.numeric.studies.study import Cell, Record, Study, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASE = 0.15
RATIOS = (0.0375, 0.15, 0.3, 0.6, 1.2, 2.4)
SEEDS = 3
#: Standard deviation of the entries at random, and sequences of a batch.
DEVIATION, BATCH = 0.01, 4
ALIGNED, RANDOM, BATCHES = "aligned", "random", "random, batches"


@dataclass(frozen=True, slots=True)
class Point:
    """A parametrisation, η_QK/η_OV, how it starts and descends, and the loss where it stops."""

    kind: str
    ratio: float
    way: str
    seed: int
    loss: float = 1e-3
    classes: int = 5
    common: int = 15


def points(seed: int, quick: bool) -> list[Point]:
    """Four parametrisations in three ways, then FAFO at six ratios; ``quick`` is fewer and to a
    greater loss."""
    if quick:
        return [
            Point(kind, BASE * factor, way, seed, loss=0.2, classes=3, common=4)
            for kind, way, factor in (
                *((kind, ALIGNED, 1) for kind in KINDS),
                ("CACO", RANDOM, 1),
                ("CACO", BATCHES, 1),
                ("FAFO", ALIGNED, 16),
            )
        ]
    found = [Point(kind, BASE, ALIGNED, seed) for kind in KINDS]
    found += [Point("FAFO", ratio, ALIGNED, seed) for ratio in RATIOS if ratio != BASE]
    found += [
        Point(kind, ratio, way, seed + each)
        for kind, ratio in (*((kind, BASE) for kind in KINDS), ("FAFO", RATIOS[-1]))
        for way in (RANDOM, BATCHES)
        for each in range(SEEDS)
    ]
    return found


def run(point: Point) -> Record:
    """Train one model to the loss, and evaluate the orbits of all four there.

    Law: from a start on the manifold the model stays on it, and ends on its orbit up to the step.
    """
    import torch

    from attnproof.numeric.circuits import AttentionCircuits
    from attnproof.numeric.descent import Descent, descend
    from attnproof.numeric.one_thread import one_thread
    from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    from attnproof.symbolic.gradient.data import Data
    from attnproof.symbolic.gradient.orbit import Orbit

    data = Data(point.classes, 1, point.common, 1)
    orbits = {
        kind: Orbit(Circuits(Parametrisation(kind), data, eta_qk=point.ratio)) for kind in KINDS
    }
    orbit = orbits[point.kind]
    product = orbit.circuits.parametrisation.factorised_value
    start = perf_counter()
    with one_thread():
        model = AttentionCircuits(orbit.circuits, head_width=8, seed=point.seed)
        if point.way == ALIGNED:
            model.on_manifold(orbit.alpha0, orbit.beta0)
        else:
            model.at_random(DEVIATION)
        how = Descent(
            0.2 if product else 2.0,
            batch=BATCH if point.way == BATCHES else None,
            seed=point.seed,
        )
        done = descend(model, how, loss=point.loss)
        population = model.population
        with torch.no_grad():
            logits = model(population.inputs, population.asked)
            right = logits.softmax(1)[torch.arange(len(logits)), population.labels]
    end, states = done.last, {kind: each.at_loss(point.loss) for kind, each in orbits.items()}
    return {
        "kind": point.kind,
        "ratio": point.ratio,
        "way": point.way,
        "seed": point.seed,
        "stop": point.loss,
        "reached": done.reached,
        "steps": end.steps,
        "loss": end.loss,
        "alpha": end.alpha,
        "beta": end.beta,
        "off_manifold": end.residual,
        "attention": end.attention,
        "least": end.least,
        "most": end.most,
        "probability": right.mean().item(),
        "accuracy": (logits.argmax(1) == population.labels).double().mean().item(),
        "orbits": {kind: state.attention for kind, state in states.items()},
        "orbit_alpha": states[point.kind].alpha,
        "seconds": round(perf_counter() - start, 3),
    }


def tables(records: Sequence[Record]) -> list[Table]:
    """By parametrisation at one ratio, then by ratio."""
    return [_by_kind(records), _by_ratio(records)]


def _by_kind(records: Sequence[Record]) -> Table:
    base = records[0]["ratio"]
    rows: list[tuple[Cell, ...]] = []
    for record in _some(records, way=ALIGNED, ratio=base):
        kind = record["kind"]
        others = [_spread(_some(records, kind=kind, ratio=base, way=w)) for w in (RANDOM, BATCHES)]
        rows.append(
            (
                kind,
                f"{record['orbits'][kind]:.4f}",
                f"{record['attention']:.4f}",
                *others,
                round(record["alpha"], 2),
                record["steps"],
                f"{record['probability']:.4f}",
            )
        )
    return Table(
        f"Attention on distinct tokens at loss {records[0]['stop']:g}, eta_QK/eta_OV = {base:g}",
        ("circuits", "flow", "descent", "from random", "in batches", "alpha", "steps", "p"),
        tuple(rows),
    )


def _by_ratio(records: Sequence[Record]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for ratio in sorted({record["ratio"] for record in records}):
        some = _some(records, ratio=ratio)
        found = _some(some, kind="FAFO", way=ALIGNED)
        rows.append(
            (
                ratio,
                *(f"{some[0]['orbits'][kind]:.4f}" for kind in KINDS),
                f"{found[0]['attention']:.4f}" if found else None,
                _spread(_some(some, kind="FAFO", way=RANDOM)),
            )
        )
    return Table(
        "The same as eta_QK/eta_OV grows: the flow, and FAFO trained",
        ("ratio", *KINDS, "FAFO by descent", "from random"),
        tuple(rows),
    )


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """Attention of each parametrisation in each way, and as the ratio of learning rates grows."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9.5, 4), layout="constrained")
    left, right = drawn.subplots(1, 2, sharey=True)
    base, stop = records[0]["ratio"], records[0]["stop"]
    shapes = {ALIGNED: ("o", "from the manifold"), RANDOM: ("s", RANDOM), BATCHES: ("^", BATCHES)}
    for number, (way, (shape, label)) in enumerate(shapes.items()):
        for each in _some(records, ratio=base, way=way):
            place, colour = KINDS.index(each["kind"]) + 0.15 * number, COLOURS[each["kind"]]
            left.vlines(place, each["least"], each["most"], colour, linewidth=0.8)
            left.scatter(place, each["attention"], color=colour, marker=shape, s=22)
        left.scatter([], [], color=QUIET, marker=shape, s=22, label=label)
    for place, kind in enumerate(KINDS):
        left.hlines(records[0]["orbits"][kind], place - 0.2, place + 0.5, COLOURS[kind])
    left.plot([], [], color=QUIET, label="the flow")
    left.set_xticks([place + 0.15 for place in range(len(KINDS))], KINDS)
    left.set_ylim(0, 1.03)
    left.legend(frameon=False, fontsize=8, labelcolor=QUIET, loc="lower left")
    ratios = sorted({record["ratio"] for record in records})
    firsts = [_some(records, ratio=ratio)[0]["orbits"] for ratio in ratios]
    for kind in KINDS:
        right.plot(ratios, [each[kind] for each in firsts], color=COLOURS[kind], label=kind)
    trained = _some(records, kind="FAFO", way=ALIGNED)
    right.scatter(
        [each["ratio"] for each in trained],
        [each["attention"] for each in trained],
        color=COLOURS["FAFO"],
        s=22,
        label="FAFO trained",
    )
    right.set_xscale("log")
    right.set_xticks(ratios, [f"{each:g}" for each in ratios])
    right.minorticks_off()
    right.legend(frameon=False, fontsize=8, labelcolor=QUIET, loc="lower right")
    quiet(left, f"at loss {stop:g}, η_QK/η_OV = {base:g}; bars: from class to class", "", ATTENTION)
    quiet(right, f"the flow at loss {stop:g} (lines)", RATIO)
    return {"flow-attention": drawn}


def _some(records: Sequence[Record], **wanted: Any) -> list[Record]:
    return [each for each in records if all(each[key] == one for key, one in wanted.items())]


def _spread(some: Sequence[Record]) -> str | None:
    """The mean over runs, and the extremes of a class over all of them."""
    if not some:
        return None
    middle = mean(each["attention"] for each in some)
    least, most = min(each["least"] for each in some), max(each["most"] for each in some)
    return f"{middle:.4f} [{least:.2f}, {most:.2f}]"


STUDY = Study(
    name="flow-attention",
    sentence="At equal loss a factorised output and value leave attention weak, and a higher "
    "learning rate of queries and keys makes up for it; descent ends where the flow says.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
)
