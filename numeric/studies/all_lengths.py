"""All lengths: what is decided of masks for every length, and what a check written apart says.

Masks of practice and masks with one mistake, each asked for its promise and for the structural
properties; random formulas; and what reaches what, as a formula.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

from attnproof.numeric.studies.length_checks import agrees
from attnproof.numeric.studies.study import Cell, Record, Study, Table

Kind = Literal["mask", "fault", "formula"]
#: Masks, faults and random formulas of the short form; all and 1000 of the long one.
QUICK = (6, 4, 6)
FORMULAS = 1000


@dataclass(frozen=True, slots=True)
class Point:
    """A mask or a fault by its place, or a random formula by its seed."""

    kind: Kind
    place: int
    seed: int


def points(seed: int, quick: bool) -> list[Point]:
    """Every mask and every fault, then random formulas."""
    from attnproof.numeric.studies.length_faults import FAULTS
    from attnproof.numeric.studies.length_masks import CASES

    counts = QUICK if quick else (len(CASES), len(FAULTS), FORMULAS)
    totals = (len(CASES), len(FAULTS), FORMULAS)
    kinds: tuple[Kind, ...] = ("mask", "fault", "formula")
    return [
        Point(kind, place * total // count, seed)
        for kind, count, total in zip(kinds, counts, totals, strict=True)
        for place in range(count)
    ]


def run(point: Point) -> Record:
    """The verdicts on one mask, each with what it took and whether the check agrees."""
    from attnproof.numeric.studies.length_faults import FAULTS
    from attnproof.numeric.studies.length_formulas import random_problem
    from attnproof.numeric.studies.length_masks import CASES
    from attnproof.symbolic.lengths.closure import closure
    from attnproof.symbolic.lengths.decide import decide
    from attnproof.symbolic.lengths.properties import (
        Depth,
        Property,
        antisymmetric,
        causal,
        no_empty_rows,
        reflexive,
        transitive,
    )

    if point.kind == "formula":
        name, problem = f"formula {point.place}", random_problem(point.seed, point.place)
        asked: list[Property] = [causal, reflexive, transitive, antisymmetric]
    else:
        case = (CASES if point.kind == "mask" else FAULTS)[point.place]
        name, problem = case.name, case.problem
        others: tuple[Property, ...] = (
            reflexive,
            transitive,
            antisymmetric,
            no_empty_rows,
            Depth(1),
            Depth(2),
        )
        asked = [case.promise, *(each for each in others if each != case.promise)]
    answers, seconds = [], {}
    for property in asked:
        start = perf_counter()
        answer = decide(problem, property)
        seconds[property.name] = perf_counter() - start
        answers.append(
            {
                "property": property.name,
                "verdict": answer.verdict.value,
                "grade": answer.grade,
                "steps": answer.steps,
                "n": answer.counterexample and answer.counterexample.n,
                "agrees": agrees(problem, property, answer),
            }
        )
    record: Record = {"kind": point.kind, "name": name, "answers": answers, "seconds": seconds}
    if point.kind != "formula":
        start = perf_counter()
        found = closure(problem)
        seconds["closure"] = perf_counter() - start
        kind = "none" if found.relation is None else "exact" if found.is_exact else "sound"
        record["closure"] = {
            "kind": kind,
            "relation": repr(found.relation),
            "steps": found.steps,
            "agrees": agrees(problem, found, None),
        }
    return record


def tables(records: Sequence[Record]) -> list[Table]:
    """What was decided, by property; the promises; the reach relations; the random formulas."""
    masks = [record for record in records if record["kind"] != "formula"]
    formulas = [record for record in records if record["kind"] == "formula"]
    header = ("property", "asked", "holds", "fails", "unknown", "contradicted", "steps", "s")
    return [
        Table("Masks and faults, by property", header, tuple(_by_property(masks))),
        Table("Random formulas, by property", header, tuple(_by_property(formulas))),
        Table(
            "Promises",
            ("mask", "property", "verdict", "grade", "n", "steps", "s"),
            tuple(map(_promise, masks)),
        ),
        Table(
            "What reaches what, for every length",
            ("mask", "proved", "steps", "s", "where"),
            tuple(map(_closure, masks)),
        ),
    ]


def _by_property(records: Iterable[Record]) -> Iterable[tuple[Cell, ...]]:
    found: dict[str, list[tuple[Record, float]]] = {}
    for record in records:
        for answer in record["answers"]:
            taken = record["seconds"][answer["property"]]
            found.setdefault(answer["property"], []).append((answer, taken))
    for name, answers in found.items():
        verdicts = [answer["verdict"] for answer, _ in answers]
        yield (
            name,
            len(answers),
            *(verdicts.count(verdict) for verdict in ("holds", "fails", "unknown")),
            sum(not answer["agrees"] for answer, _ in answers),
            sum(answer["steps"] for answer, _ in answers),
            sum(taken for _, taken in answers),
        )


def _promise(record: Record) -> tuple[Cell, ...]:
    answer = record["answers"][0]
    return (
        record["name"],
        answer["property"],
        answer["verdict"],
        answer["grade"],
        answer["n"],
        answer["steps"],
        record["seconds"][answer["property"]],
    )


def _closure(record: Record) -> tuple[Cell, ...]:
    found = record["closure"]
    where = found["relation"]
    return (
        record["name"],
        found["kind"],
        found["steps"],
        record["seconds"]["closure"],
        where if len(where) <= 60 else where[:57] + "...",
    )


STUDY = Study(
    name="all-lengths",
    sentence="Masks of practice, masks with one mistake and random formulas: what is decided of "
    "them for every length, and whether any small length contradicts it.",
    points=points,
    run=run,
    tables=tables,
    needs=(("cvc5", "prove"),),
)
