"""real-data: attention on the tokens that decide, in text that people wrote and labelled.

Embeddings are learned, AdamW trains on batches, and every model is measured when its training loss
is a fifth of the entropy of the labels, or when its steps are over: the loss says which. Without
files the text is the language reference of this Python, and templates.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from attnproof.numeric.studies.agreement import RATIOS, SEEDS, spread
from attnproof.numeric.studies.flow_figures import KINDS
from attnproof.numeric.studies.study import Cell, DataFiles, Record, Study, Table
from attnproof.symbolic.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnproof.numeric.datasets.dataset import Dataset

FORMATS = {
    "squad": "SQuAD v1.1 or v2.0 (JSON)",
    "hatexplain": "dataset.json of HateXplain",
    "hatexplain-divisions": "post_id_divisions.json of HateXplain, beside hatexplain",
    "linzen": "agr_50_mostcommon_10K.tsv or .tsv.gz",
    "colorless-green": "a .text, with its .gold and .eval beside it",
}
BUILT_IN = ("english", "templates")
DIVISIONS = "hatexplain-divisions"
#: How many sentences of a table are read; it may hold more than a million.
FIRST = 20_000
RATE, SIZE = 1e-3, 64
_COLOURS = {"CACO": "#0b3954", "FACO": "#8fb8d6", "CAFO": "#b3541e", "FAFO": "#f2c49b"}


@dataclass(frozen=True, slots=True)
class Point:
    """A data set and its files, a parametrisation, the ratio η_QK/η_OV, a seed, and how much."""

    data: str
    paths: tuple[str, ...]
    parametrisation: str
    ratio: float
    seed: int
    examples: int = 8000
    tokens: int = 64
    steps: int = 3000


def points(seed: int, quick: bool) -> list[Point]:
    """Those of the text that needs no file."""
    return _points(dict.fromkeys(BUILT_IN, ()), seed, quick)


def points_of(seed: int, quick: bool, files: Mapping[str, str]) -> list[Point]:
    """Those of some files; each is read once, so that what does not fit is said at once."""
    if DIVISIONS in files and "hatexplain" not in files:
        raise InputError(f"{DIVISIONS} goes with hatexplain; give that file too", name=DIVISIONS)
    chosen: dict[str, tuple[str, ...]] = {
        name: (path,) for name, path in files.items() if name != DIVISIONS
    }
    if DIVISIONS in files:
        chosen["hatexplain"] = (files["hatexplain"], files[DIVISIONS])
    found = _points(chosen, seed, quick)
    for name, paths in chosen.items():
        load(name, paths).split(seed)
    return found


def _points(chosen: Mapping[str, tuple[str, ...]], seed: int, quick: bool) -> list[Point]:
    ratios, seeds = ((1.0,), 1) if quick else (RATIOS, SEEDS)
    size = (400, 32, 300) if quick else (8000, 64, 3000)
    return [
        Point(name, paths, kind, ratio, seed + each, *size)
        for name, paths in chosen.items()
        for kind in KINDS
        for ratio in ratios
        for each in range(seeds)
    ]


@functools.lru_cache(maxsize=1)
def load(name: str, paths: tuple[str, ...]) -> "Dataset":
    """A data set by the name of its format."""
    from attnproof.numeric.datasets import agreement, english, hatexplain, squad, templates

    match name:
        case "squad":
            return squad.load(*paths)
        case "hatexplain":
            return hatexplain.load(*paths)
        case "english":
            return english.load()
        case "templates":
            return templates.load()
        case _:
            return agreement.load(paths[0], FIRST)


def run(point: Point) -> Record:
    """Train one model on a data set, and measure it on the part that it has not seen."""
    from attnproof.numeric.classifier import Classifier, Encoded, Hyperparameters, train
    from attnproof.numeric.datasets.text import Vocabulary
    from attnproof.numeric.one_thread import one_thread
    from attnproof.numeric.studies.attending import entropy, guessed, measured
    from attnproof.symbolic.gradient.circuits import Parametrisation

    whole = load(point.data, point.paths)
    sample = whole.at_most(point.tokens, point.examples, point.seed)
    learnt, test = sample.split(point.seed)
    known = Vocabulary.of((example.tokens for example in learnt.examples), least=2, most=5000)
    with one_thread():
        model = Classifier(
            Parametrisation(point.parametrisation),
            len(known),
            length=point.tokens,
            classes=len(whole.labels),
            seed=point.seed,
        )
        settings = Hyperparameters(
            RATE,
            point.ratio,
            point.steps,
            size=SIZE,
            stop=entropy(learnt) / 5,
            look=max(10, len(learnt.examples) // (4 * SIZE)),
        )
        trained = train(model, Encoded.of(learnt, known), settings, point.seed)
        found = measured(model, Encoded.of(test, known), test)
    return {
        "data": point.data,
        "built_in": not point.paths,
        "parametrisation": point.parametrisation,
        "ratio": point.ratio,
        "seed": point.seed,
        "trained_on": len(learnt.examples),
        "tested_on": len(test.examples),
        "dropped": dict(sample.dropped),
        "words": len(known),
        "steps": trained.steps,
        "loss": trained.losses[-1],
        "wanted_loss": settings.stop,
        "guessed": guessed(learnt, test),
        **found,
    }


def tables(records: Sequence[Record]) -> list[Table]:
    """Means over seeds by parametrisation and ratio; AC by class and by threshold; the data."""
    built_in = all(record["built_in"] for record in records)
    place = " (no files given: the language reference of this Python, and templates)"
    suffix = place if built_in else ""
    groups: dict[tuple[str, str, float], list[Record]] = {}
    for record in records:
        key = record["data"], record["parametrisation"], record["ratio"]
        groups.setdefault(key, []).append(record)
    key_names = ("data", "parametrisation", "η_QK/η_OV")
    taus: list[list[float]] = next((record["sweep"] for record in records if record["sweep"]), [])
    return [
        Table(
            f"Attention, predictions and rationales{suffix}",
            (*key_names, "runs", "loss", "score", "mass", "AC", "MC", "ACMC",
             "sufficiency", "comprehensiveness", "AOPC comp."),
            tuple((*key, len(some), *_row(some)) for key, some in groups.items()),
        ),
        Table(
            f"AC by class{suffix}",
            (*key_names, "class", "instances", "AC", "ACMC", "mass"),
            tuple((*key, *row) for key, some in groups.items() for row in _classes(some)),
        ),
        Table(
            f"AC by its threshold τ{suffix}",
            (*key_names, *(f"τ = {row[0]}" for row in taus)),
            tuple((*key, *_sweep(some)) for key, some in groups.items() if some[0]["sweep"]),
        ),
        Table(
            f"Data{suffix}",
            ("data", "trained on", "tested on", "judged by", "most frequent label",
             "tested, nothing relevant", "tested, all relevant", "left out of the file"),
            tuple(_data([r for r in records if r["data"] == name])
                  for name in dict.fromkeys(record["data"] for record in records)),
        ),
    ]  # fmt: skip


def _row(some: Sequence[Record]) -> list[Cell]:
    focus = [record["focus"] for record in some if record["focus"]]
    return [
        mean(record["loss"] for record in some),
        spread([record["score"] for record in some]),
        *(
            spread([each[name] for each in focus]) if focus else None
            for name in ("mass", "ac", "mc", "acmc")
        ),
        mean(record["sufficiency"] for record in some),
        mean(record["comprehensiveness"] for record in some),
        mean(record["aopc"]["comprehensiveness"] for record in some),
    ]


def _classes(some: Sequence[Record]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for place, first in enumerate(some[0]["classes"]):
        found = [one for one in (r["classes"][place] for r in some) if "ac" in one]
        counted = sum(one["instances"] for one in found)
        numbers = (spread([one[name] for one in found]) if found else None
                   for name in ("ac", "acmc", "mass"))  # fmt: skip
        rows.append([first["label"], counted, *numbers])
    return rows


def _sweep(some: Sequence[Record]) -> list[Cell]:
    """The mean of AC over seeds at each threshold."""
    columns = zip(*(record["sweep"] for record in some if record["sweep"]), strict=True)
    return [mean(row[1] for row in column) for column in columns]


def _data(some: Sequence[Record]) -> tuple[Cell, ...]:
    first = some[0]
    focus = first["focus"]
    left = ", ".join(f"{count} {reason}" for reason, count in first["dropped"].items())
    return (
        first["data"],
        first["trained_on"],
        first["tested_on"],
        first["judged_by"],
        f"{first['guessed']:.2f}",
        focus["excluded"] if focus else first["tested_on"],
        focus["whole"] if focus else None,
        left or "nothing",
    )


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """AC and the score against the ratio, a column for each data set."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(record["data"] for record in records))
    drawn = Figure(figsize=(3.2 * len(names) + 0.6, 4.6), layout="constrained")
    panels = drawn.subplots(2, len(names), sharex=True, squeeze=False)
    for column, name in enumerate(names):
        for kind, colour in _COLOURS.items():
            some = [r for r in records if (r["data"], r["parametrisation"]) == (name, kind)]
            ratios = sorted({record["ratio"] for record in some})
            for row, value in enumerate((_ac, _score)):
                means = [mean(value(r) for r in some if r["ratio"] == each) for each in ratios]
                panels[row, column].plot(ratios, means, color=colour, marker="o", label=kind)
        panels[0, column].set_title(name, size=9)
        panels[1, column].set(xscale="log", xlabel="η_QK/η_OV")
    panels[0, 0].set_ylabel("AC(0.5)")
    panels[1, 0].set_ylabel("score")
    for axes in panels.flat:
        axes.set_ylim(-0.03, 1.03)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e6e6e6", linewidth=0.7)
    panels[0, 0].legend(frameon=False, fontsize=8)
    return {"real-data": drawn}


def _ac(record: Record) -> float:
    """AC, not a number where nothing is relevant."""
    return float(record["focus"].get("ac", "nan"))


def _score(record: Record) -> float:
    return float(record["score"])


STUDY = Study(
    name="real-data",
    sentence="How much of the attention lies on the tokens that decide, how sure the predictions "
    "are, and what they lose without what is attended, in real text, by parametrisation and ratio "
    "of learning rates.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
    data=DataFiles(FORMATS, points_of),
)
