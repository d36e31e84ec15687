"""dtap: where attention and confidence lie, sequence by sequence, all models at one loss.

Models start at random and descend on all sequences of K classes, one distinct token each and M
common ones. The test sequences have a random number of the common tokens, 1 to M, the query among
them, so the attention that a model has learnt is seen at many odds. DTAP is the table of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.numeric.studies.flow_figures import KINDS
from attnproof.numeric.studies.study import Record, Study, Table

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from attnproof.numeric.circuits import AttentionCircuits

RATIO, GREATER = 0.15, 2.4
DEVIATION, SHARE = 0.01, 0.1


@dataclass(frozen=True, slots=True)
class Point:
    """A parametrisation, η_QK/η_OV, a seed, where training stops, and how large everything is."""

    kind: str
    ratio: float
    seed: int
    loss: float = 1e-3
    classes: int = 5
    common: int = 15
    sequences: int = 1000


def points(seed: int, quick: bool) -> list[Point]:
    """Four parametrisations at one ratio, and FAFO at a greater one; ``quick`` is smaller."""
    chosen = [*((kind, RATIO) for kind in KINDS), ("FAFO", GREATER)]
    if quick:
        return [Point(kind, ratio, seed, 0.2, 3, 4, 100) for kind, ratio in chosen]
    return [Point(kind, ratio, seed) for kind, ratio in chosen]


def run(point: Point) -> Record:
    """Train one model to the loss, and measure it on the test sequences."""
    from attnproof.numeric.circuits import AttentionCircuits
    from attnproof.numeric.descent import Descent, descend
    from attnproof.numeric.one_thread import one_thread
    from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    from attnproof.symbolic.gradient.data import Data

    kind = Parametrisation(point.kind)
    data = Data(point.classes, 1, point.common, 1)
    with one_thread():
        model = AttentionCircuits(
            Circuits(kind, data, eta_qk=point.ratio), head_width=8, seed=point.seed
        ).at_random(DEVIATION)
        done = descend(model, Descent(0.2 if kind.factorised_value else 2.0), loss=point.loss)
        found = measured(model, point)
    return {
        "kind": point.kind,
        "ratio": point.ratio,
        "seed": point.seed,
        "steps": done.last.steps,
        "loss": done.last.loss,
        "reached": done.reached,
        **found,
    }


def sequences(point: Point) -> "tuple[list[list[int]], list[int]]":
    """Tokens of every test sequence, the query last, and their labels.

    >>> sequences(Point("CACO", 1.0, seed=0, classes=2, common=3, sequences=2))
    ([[0, 3, 4, 2], [0, 4, 2]], [0, 0])

    Law: the distinct token of the label is first, the query is common token 1, none is met twice.
    """
    import random

    draw = random.Random(point.seed + 1)
    query = point.classes
    tokens, labels = [], []
    for _ in range(point.sequences):
        label, count = draw.randrange(point.classes), draw.randint(1, point.common)
        others = draw.sample(range(query + 1, query + point.common), count - 1)
        tokens.append([label, *others, query])
        labels.append(label)
    return tokens, labels


def measured(model: "AttentionCircuits", point: Point) -> Record:
    """The metrics of a model on the test sequences; a ranked rationale is a tenth of the tokens."""
    import numpy as np
    import torch

    from attnproof.numeric.attended import Attended
    from attnproof.numeric.faithfulness import faithfulness, ranked
    from attnproof.numeric.metrics import by_class, dtap, focus, sweep
    from attnproof.numeric.studies.attending import TAUS, plain

    tokens, labels = sequences(point)
    shape = len(tokens), point.common + 1
    numbers, valid = np.full(shape, point.classes), np.zeros(shape, bool)
    for row, some in enumerate(tokens):
        numbers[row, : len(some)], valid[row, : len(some)] = some, True
    embeddings = model.population.embeddings
    inputs = embeddings[torch.from_numpy(numbers)]
    asked = embeddings[point.classes].expand(len(tokens), -1)

    def predict(_batch: object, keep: "NDArray[np.bool_]") -> "NDArray[np.float64]":
        with torch.no_grad():
            logits = model(inputs, asked, torch.from_numpy(keep))
        return np.asarray(torch.softmax(logits, 1).numpy())

    with torch.no_grad():
        attention = model.weights(inputs, asked, torch.from_numpy(valid)).numpy()
    relevant = numbers == np.asarray(labels)[:, None]
    whole = Attended(attention, valid, relevant, predict(None, valid), labels)
    found, gold = (
        faithfulness(predict, None, whole, chosen) for chosen in (ranked(whole, SHARE), relevant)
    )
    return {
        "accuracy": float(np.mean(whole.probabilities.argmax(1) == whole.labels)),
        "focus": plain(focus(whole)),
        "classes": [plain(one) for one in by_class(whole)],
        "sweep": [list(row) for row in sweep(whole, TAUS)],
        "dtap": dtap(whole).tolist(),
        "sufficiency": found.sufficiency,
        "comprehensiveness": found.comprehensiveness,
        "gold_sufficiency": gold.sufficiency,
        "gold_comprehensiveness": gold.comprehensiveness,
    }


def tables(records: Sequence[Record]) -> list[Table]:
    """A row a model: both kinds of rationale, since the gold one says no more than the loss."""
    header = ("parametrisation", "η_QK/η_OV", "loss", "accuracy", "mass", "AC", "MC", "ACMC",
              "sufficiency", "comprehensiveness", "gold comprehensiveness")  # fmt: skip
    rows = tuple(
        (
            record["kind"],
            record["ratio"],
            record["loss"],
            record["accuracy"],
            *(record["focus"][name] for name in ("mass", "ac", "mc", "acmc")),
            record["sufficiency"],
            record["comprehensiveness"],
            record["gold_comprehensiveness"],
        )
        for record in records
    )
    return [Table("Test sequences with a random number of common tokens", header, rows)]


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """DTAP of every model: attention upwards, confidence to the right, the share as the colour."""
    import numpy as np
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(2.1 * len(records) + 0.6, 2.6), layout="constrained")
    panels = drawn.subplots(1, len(records), sharey=True, squeeze=False)[0]
    for axes, record in zip(panels, records, strict=True):
        shares = np.asarray(record["dtap"]) / np.sum(record["dtap"])
        axes.imshow(shares, origin="lower", extent=(0, 1, 0, 1), cmap="Blues", vmin=0, vmax=1)
        axes.set_title(f"{record['kind']}, η_QK/η_OV = {record['ratio']:g}", size=8)
        axes.set_xlabel("confidence", size=8)
    panels[0].set_ylabel("attention on the distinct token", size=8)
    return {"dtap": drawn}


STUDY = Study(
    name="dtap",
    sentence="Where attention and confidence lie on sequences with a random number of common "
    "tokens: models of one loss, all sure and right, differ in attention alone.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
)
