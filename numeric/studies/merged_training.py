"""merged-training: a merged task trained in one pass, against its single tasks as a family.

The loss of a family is summed over its tasks; in the merged task each label counts as often as
tasks have it. So one step is the same step, and what is measured is rounding and time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from attnproof.numeric.studies.figures import INK, QUIET
from attnproof.numeric.studies.study import Record, Study, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOKENS = 8
MERGED, ONE_BY_ONE, PADDED = "merged", "one call a task", "one padded batch"


@dataclass(frozen=True, slots=True)
class Point:
    """A family, and how long a model of some width is trained on how many texts a step."""

    family: str
    parameters: Mapping[str, Any]
    seed: int
    steps: int
    texts: int
    width: int
    rate: float = 3e-3


def points(seed: int, quick: bool) -> list[Point]:
    """Block Two-Stream and Butterfly; ``quick`` is smaller and shorter."""
    if quick:
        return [
            Point("block", {"m": 3, "b": 2}, seed, steps=5, texts=4, width=8),
            Point("butterfly", {"n": 4}, seed, steps=5, texts=4, width=8),
        ]
    return [
        Point("block", {"m": 6, "b": 4}, seed, steps=100, texts=32, width=48),
        Point("butterfly", {"n": 12}, seed, steps=100, texts=32, width=48),
    ]


def run(point: Point) -> Record:
    """Train one model in each way, step by step in turn, on the same texts.

    Law: the losses of all ways agree at every step within rounding.
    """
    import torch

    from attnproof.numeric.markov import MarkovChain
    from attnproof.numeric.one_thread import one_thread
    from attnproof.numeric.predictor import Batch, Predictor, Vocabulary
    from attnproof.numeric.training import Training, differences, multiplicities
    from attnproof.numeric.transformer import Architecture, Norm
    from attnproof.symbolic.families.registry import build
    from attnproof.symbolic.tasks.merge import merge

    merged = merge(build(point.family, **point.parameters))
    known = Vocabulary.of([*merged.tasks, merged.task])
    counted = multiplicities(merged)
    labels = sum(counted.values())
    shape = Architecture(
        layers=2,
        width=point.width,
        heads=4,
        head_width=point.width // 4,
        hidden=2 * point.width,
        norm=Norm.RMS,
    )
    batches = {
        MERGED: [Batch.of([merged.task], known, counted)],
        ONE_BY_ONE: [Batch.of([task], known) for task in merged.tasks],
        PADDED: [Batch.of(merged.tasks, known)],
    }
    chain, random = MarkovChain.of(TOKENS, point.seed), torch.Generator().manual_seed(point.seed)
    with one_thread():
        runs = {
            way: Training(
                Predictor(known, TOKENS, shape, seed=point.seed),
                each,
                labels=labels,
                rate=point.rate,
            )
            for way, each in batches.items()
        }
        for _ in range(point.steps):
            texts = chain.texts(point.texts, len(known.atoms), random)
            for training in runs.values():
                training.step(texts)
    return {
        "family": point.family,
        "parameters": dict(point.parameters),
        "texts_a_step": point.texts,
        "tokens_a_text": len(known.atoms),
        "labels": labels,
        "least_loss": chain.least(merged.task, counted),
        "positions": {way: training.positions for way, training in runs.items()},
        "losses": {way: training.losses for way, training in runs.items()},
        "differences": differences(runs),
        "seconds": {way: median(training.seconds) for way, training in runs.items()},
    }


def speed(record: Record, way: str) -> float:
    """Tokens of text a second, by the median step.

    >>> speed({"texts_a_step": 4, "tokens_a_text": 10, "seconds": {"merged": 0.5}}, "merged")
    80.0
    """
    tokens = record["texts_a_step"] * record["tokens_a_text"]
    return float(tokens / record["seconds"][way])


def tables(records: Sequence[Record]) -> list[Table]:
    """A row for each family and way."""
    header = ("family", "trained as", "positions", "last loss", "least", "tokens/s", "times")
    rows = [
        (
            record["family"],
            way,
            record["positions"][way],
            losses[-1],
            record["least_loss"],
            round(speed(record, way)),
            speed(record, way) / speed(record, ONE_BY_ONE),
        )
        for record in records
        for way, losses in record["losses"].items()
    ]
    apart = Table(
        "Largest difference of two losses at one step",
        ("family", "steps", "nats"),
        tuple((r["family"], len(r["differences"]), max(r["differences"])) for r in records),
    )
    return [
        Table("Losses in nats a label, and tokens of text a second", header, tuple(rows)),
        apart,
    ]


_COLOURS = {"block": ("#0b3954", "#8fb8d6"), "butterfly": ("#b3541e", "#f2c49b")}


def figures(records: Sequence[Record]) -> "dict[str, Figure]":
    """The losses merged and task by task, how far apart they are, and tokens a second."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(10.5, 3.6), layout="constrained")
    losses, apart, speeds = drawn.subplots(1, 3)
    bars: list[tuple[str, float, str]] = []
    for record in records:
        name = record["family"]
        dark, light = _COLOURS[name]
        single, merged = record["losses"][ONE_BY_ONE], record["losses"][MERGED]
        losses.plot(single, color=light, linewidth=4, label=f"{name}: {ONE_BY_ONE}")
        losses.plot(merged, color=dark, linewidth=1, label=f"{name}: {MERGED}")
        losses.axhline(record["least_loss"], color=dark, linewidth=1, linestyle=":")
        scaled = [1e15 * each for each in record["differences"]]
        apart.plot(scaled, color=dark, linestyle="none", marker="o", markersize=2.5, label=name)
        for way in record["losses"]:
            bars.append((f"{name}: {way}", speed(record, way), dark if way == MERGED else light))
    losses.set(title="loss, nats a label; dotted: the least expected", xlabel="step")
    apart.set(title="largest difference of losses, 10⁻¹⁵ nats", xlabel="step")
    places = range(len(bars))[::-1]
    speeds.barh(places, [bar[1] for bar in bars], color=[bar[2] for bar in bars])
    speeds.set_yticks(places, [bar[0] for bar in bars])
    speeds.set_title("tokens of text a second")
    for axes in (losses, apart, speeds):
        axes.title.set(size=9, color=INK)
        axes.grid(color="#e6e6e6", linewidth=0.7, axis="x" if axes is speeds else "both")
        axes.set_axisbelow(True)
        axes.tick_params(length=0, colors=INK, labelsize=8)
        axes.spines[:].set_visible(False)
    for axes in (losses, apart):
        axes.legend(frameon=False, labelcolor=QUIET, fontsize=8)
    return {"merged-training": drawn}


STUDY = Study(
    name="merged-training",
    sentence="A merged task trained in one pass has the losses of its single tasks trained as a "
    "family, in less time.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
)
