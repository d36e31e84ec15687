"""agreement: subject-verb agreement by template, where an attractor stands before the query.

Tokens and positions have orthonormal vectors, AdamW trains the circuits, and every model is
measured at the same training loss. The number of the first noun is the label, so attention on it
explains every answer; a model may also attend it for one number alone and take the other by
default, which only AC by class shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from attnproof.numeric.studies.flow_figures import KINDS
from attnproof.numeric.studies.study import Cell, Record, Study, Table

RATIOS = (0.1, 1.0, 10.0)
SEEDS = 3
RATE, STOP = 1e-3, 0.02


@dataclass(frozen=True, slots=True)
class Point:
    """A parametrisation, the ratio η_QK/η_OV, a seed, and how long it may take."""

    parametrisation: str
    ratio: float
    seed: int
    sentences: int = 1500
    steps: int = 3000


def points(seed: int, quick: bool) -> list[Point]:
    """Four parametrisations at three ratios, three seeds each; ``quick`` is two short runs."""
    if quick:
        return [Point(kind, 1.0, seed, 300, 400) for kind in ("CACO", "FAFO")]
    return [
        Point(kind, ratio, seed + each)
        for kind in KINDS
        for ratio in RATIOS
        for each in range(SEEDS)
    ]


def run(point: Point) -> Record:
    """Train one model to a loss of 0.02 nats, and measure it on a third of the sentences."""
    from attnproof.numeric.classifier import Classifier, Embedding, Encoded, Hyperparameters, train
    from attnproof.numeric.datasets import templates
    from attnproof.numeric.datasets.text import Vocabulary
    from attnproof.numeric.one_thread import one_thread
    from attnproof.numeric.studies.attending import guessed, measured
    from attnproof.symbolic.gradient.circuits import Parametrisation

    known = Vocabulary.of(example.tokens for example in templates.load(4000, seed=0).examples)
    learnt, test = templates.load(point.sentences, point.seed).split(point.seed, share=1 / 3)
    with one_thread():
        model = Classifier(
            Parametrisation(point.parametrisation),
            len(known),
            length=6,
            classes=2,
            embedding=Embedding.ONE_HOT,
            seed=point.seed,
        )
        settings = Hyperparameters(RATE, point.ratio, point.steps, stop=STOP)
        trained = train(model, Encoded.of(learnt, known), settings, point.seed)
        found = measured(model, Encoded.of(test, known), test)
    return {
        "parametrisation": point.parametrisation,
        "ratio": point.ratio,
        "seed": point.seed,
        "steps": trained.steps,
        "loss": trained.losses[-1],
        "guessed": guessed(learnt, test),
        **found,
    }


def tables(records: Sequence[Record]) -> list[Table]:
    """Means over seeds, with the least and the most, by parametrisation and ratio."""
    groups: dict[tuple[str, float], list[Record]] = {}
    for record in records:
        groups.setdefault((record["parametrisation"], record["ratio"]), []).append(record)
    header = ("parametrisation", "η_QK/η_OV", "runs", "loss", "accuracy", "mass on the subject",
              "AC", "AC singular", "AC plural", "ACMC", "comprehensiveness",
              "sufficiency")  # fmt: skip
    rows = tuple((*key, len(some), *_row(some)) for key, some in groups.items())
    return [Table("Agreement by template: mean over seeds (least to most)", header, rows)]


def _row(some: Sequence[Record]) -> list[Cell]:
    focus = [record["focus"] for record in some]
    return [
        mean(record["loss"] for record in some),
        mean(record["score"] for record in some),
        spread([each["mass"] for each in focus]),
        spread([each["ac"] for each in focus]),
        *(spread([record["classes"][label]["ac"] for record in some]) for label in range(2)),
        spread([each["acmc"] for each in focus]),
        mean(record["comprehensiveness"] for record in some),
        mean(record["sufficiency"] for record in some),
    ]


def spread(values: Sequence[float]) -> str:
    """The mean, and the least and the most where there are several.

    >>> spread([0.5, 1.0]), spread([0.25])
    ('0.75 (0.50 to 1.00)', '0.25')
    """
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{mean(values):.2f} ({min(values):.2f} to {max(values):.2f})"


STUDY = Study(
    name="agreement",
    sentence="Whether a one-layer attention that gets the number of a verb right attends to its "
    "subject, by parametrisation and ratio of learning rates, for each number.",
    points=points,
    run=run,
    tables=tables,
    needs=(("torch", "torch"),),
)
