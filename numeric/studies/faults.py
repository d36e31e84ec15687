"""Faults: which of them each way to look for a leak finds, and what it takes for one.

The models, what they promise and what they read are :mod:`attnproof.numeric.faults`.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from attnproof.numeric.studies.study import Cell, Record, Study, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnproof.numeric.faults.catalogue import Chosen
    from attnproof.numeric.faults.specimen import Specimen

#: Each method and its short name, in the order in which they are asked.
METHODS = {
    "mask inspection": "masks",
    "two-pass audit, 1 perturbation": "audit",
    "two-pass audit, 8 perturbations": "audit × 8",
    "Jacobian": "Jacobian",
    "perturbation": "perturbation",
    "structural probe": "structure",
}
_COLOURS = {"leak": "#1b6ca8", "unknown": "#8fb8d6", "none": "#d9d9d9", "not applicable": "#f4f4f4"}
_WORDS = {"leak": "found", "unknown": "unknown", "none": "missed", "not applicable": "no mask"}


def points(seed: int, quick: bool) -> "list[Chosen]":
    """The faulty models, then as many that keep their promise."""
    from attnproof.numeric.faults.catalogue import clean, faults

    return [*faults(seed, quick), *clean(seed, quick)]


def run(chosen: "Chosen") -> Record:
    """One model, and what every method says about it."""
    from attnproof.numeric.faults.catalogue import made
    from attnproof.numeric.faults.methods import Method, ask, plain
    from attnproof.numeric.one_thread import one_thread

    with one_thread():
        specimen = made(chosen)
        where = _name(specimen, chosen.layer)
        seconds = {"plain": plain(specimen, chosen.seed)}
        answers: dict[str, dict[str, Any]] = {}
        for method in Method:
            found = ask(method, specimen, chosen.seed)
            seconds[method.value] = found.seconds
            answers[method.value] = {"answer": found.answer.value}
            if found.relation is not None:
                seen, beyond = found.relation & specimen.leaks, found.relation & ~specimen.truth
                counts = {"seen": int(seen.sum()), "beyond": int(beyond.sum())}
                answers[method.value] |= counts
            if found.module is not None:
                answers[method.value]["module"] = found.module
                answers[method.value]["right"] = f"{found.module}.".startswith(f"{where}.")
    return {
        "architecture": chosen.architecture,
        "kind": chosen.kind,
        "layer": chosen.layer,
        "seed": chosen.seed,
        "leaks": int(specimen.leaks.sum()),
        "answers": answers,
        "seconds": {name: round(each, 6) for name, each in seconds.items()},
    }


def _name(specimen: "Specimen", layer: int) -> str:
    """What the model calls a layer."""
    wanted = specimen.slots[layer].layer
    modules = specimen.model.named_modules()
    return next(str(name) for name, each in modules if each is wanted)


def tables(records: Sequence[Record]) -> tuple[Table, ...]:
    """By method, by fault, by harmless change, by architecture."""
    faulty, clean = _split(records)
    return (
        Table(
            f"{len(faulty)} faults and {len(clean)} clean models, by method",
            ("method", "found", "unknown", "missed", "no mask", "false alarms", "unknown on clean",
             "leaking pairs seen, %", "named right, %", "cost, forward passes"),
            tuple(_by_method(method, faulty, clean) for method in METHODS),
        ),
        Table(
            "Faults found, by kind",
            ("fault", "models", *METHODS.values()),
            tuple(_found(kind, some) for kind, some in _groups(faulty, "kind")),
        ),
        Table(
            "Faults found, by architecture",
            ("architecture", "models", *METHODS.values()),
            tuple(_found(name, some) for name, some in _groups(faulty, "architecture")),
        ),
        Table(
            "False alarms, by kind of clean model",
            ("model", "models", *METHODS.values()),
            tuple(_found(kind, some) for kind, some in _groups(clean, "kind")),
        ),
    )  # fmt: skip


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """How many faults each method finds, and how many clean models it takes for faulty."""
    from matplotlib.figure import Figure

    faulty, clean = _split(records)
    drawn = Figure(figsize=(7.5, 2.6), layout="constrained")
    left, right = drawn.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    names = list(METHODS)
    for axes, some, words in ((left, faulty, _WORDS), (right, clean, {})):
        starts = [0] * len(names)
        for answer, colour in _COLOURS.items():
            if some is clean and answer not in ("leak", "unknown"):
                continue
            counts = [_count(some, name, answer) for name in names]
            axes.barh(names, counts, left=starts, color=colour, label=words.get(answer))
            starts = [start + count for start, count in zip(starts, counts, strict=True)]
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    left.invert_yaxis()
    left.set_xlabel(f"of {len(faulty)} faults")
    right.set_xlabel(f"alarms on {len(clean)} clean models")
    drawn.legend(loc="outside lower center", ncols=len(_WORDS), frameon=False, fontsize=8)
    return {"faults": drawn}


def _by_method(method: str, faulty: Sequence[Record], clean: Sequence[Record]) -> tuple[Cell, ...]:
    relations = [each for each in faulty if "seen" in each["answers"][method]]
    seen = sum(each["answers"][method]["seen"] for each in relations)
    named = [each["answers"][method] for each in faulty if "right" in each["answers"][method]]
    asked = [
        each["seconds"][method] / each["seconds"]["plain"]
        for each in (*faulty, *clean)
        if each["answers"][method]["answer"] != "not applicable"
    ]
    return (
        method,
        *(_count(faulty, method, answer) for answer in ("leak", "unknown", "none")),
        _count(faulty, method, "not applicable"),
        *(_count(clean, method, answer) for answer in ("leak", "unknown")),
        round(100 * seen / sum(each["leaks"] for each in relations)) if relations else None,
        round(100 * sum(each["right"] for each in named) / len(named)) if named else None,
        float(f"{median(asked):.2g}") if asked else None,
    )


def _found(name: str, some: Sequence[Record]) -> tuple[Cell, ...]:
    """Alarms by method; what is only unknown stands behind a question mark."""
    cells: list[Cell] = [name, len(some)]
    for method in METHODS:
        unknown = _count(some, method, "unknown")
        nothing = _count(some, method, "not applicable") == len(some)
        alarms = _count(some, method, "leak")
        cells.append(None if nothing else f"{alarms} + {unknown}?" if unknown else alarms)
    return tuple(cells)


def _count(some: Sequence[Record], method: str, answer: str) -> int:
    return sum(each["answers"][method]["answer"] == answer for each in some)


def _split(records: Iterable[Record]) -> tuple[list[Record], list[Record]]:
    faulty: list[Record] = []
    clean: list[Record] = []
    for each in records:
        (faulty if each["leaks"] else clean).append(each)
    return faulty, clean


def _groups(some: Sequence[Record], key: str) -> Iterable[tuple[str, list[Record]]]:
    for name in dict.fromkeys(each[key] for each in some):
        yield name, [each for each in some if each[key] == name]


STUDY = Study(
    name="faults",
    sentence="Leaks put into small models by construction: what mask inspection, the two-pass "
    "audit, the numeric and the structural probe find of them, and what they mistake for one.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"), ("transformers", "hf")),
)
