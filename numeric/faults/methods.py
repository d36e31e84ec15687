"""Six ways to look for a leak, each asked about the same model, with its cost."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import torch

from attnproof.numeric.dependency import Method as Measure
from attnproof.numeric.dependency import dependency
from attnproof.numeric.faults.audits import audited, dense, inspected
from attnproof.numeric.faults.specimen import Relation, Specimen
from attnproof.numeric.probe.structural import structural
from attnproof.symbolic.masks.mask import Mask

#: How many perturbations the longer audit makes, and runs whose fastest is the plain one.
MANY, RUNS = 8, 5


class Method(Enum):
    """Who is asked."""

    INSPECTION = "mask inspection"
    AUDIT = "two-pass audit, 1 perturbation"
    AUDITS = "two-pass audit, 8 perturbations"
    JACOBIAN = "Jacobian"
    PERTURBATION = "perturbation"
    STRUCTURE = "structural probe"


class Answer(Enum):
    """A leak, none, nothing that can be said, or nothing to look at."""

    LEAK = "leak"
    NONE = "none"
    UNKNOWN = "unknown"
    NOTHING = "not applicable"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a method answered, in how many seconds of CPU time.

    ``relation`` is what it took the model to read, where it says so; ``module`` where the leak is.
    """

    answer: Answer
    seconds: float = 0.0
    relation: Relation | None = None
    module: str | None = None


def ask(method: Method, specimen: Specimen, seed: int) -> Asked:
    """The answer of one method about one model."""
    began = time.process_time()
    found = _ASKED[method](specimen, seed)
    return Asked(found.answer, time.process_time() - began, found.relation, found.module)


def plain(specimen: Specimen, seed: int) -> float:
    """Seconds of CPU time of one forward pass."""
    inputs = specimen.inputs(seed)
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        with torch.no_grad():
            specimen.model(inputs)
        times.append(time.process_time() - began)
    return min(times)


def _inspection(specimen: Specimen, seed: int) -> Asked:
    relation = inspected(specimen)
    return Asked(Answer.NOTHING) if relation is None else _judged(specimen, relation)


def _audit(perturbations: int) -> Callable[[Specimen, int], Asked]:
    def audit(specimen: Specimen, seed: int) -> Asked:
        module = audited(specimen, specimen.inputs(seed), perturbations, seed + 1)
        return Asked(Answer.NONE if module is None else Answer.LEAK, module=module)

    return audit


def _measured(measure: Measure) -> Callable[[Specimen, int], Asked]:
    def measured(specimen: Specimen, seed: int) -> Asked:
        found = dependency(specimen.model, specimen.inputs(seed), measure, seed=seed)
        return _judged(specimen, dense(found.relation))

    return measured


def _structure(specimen: Specimen, seed: int) -> Asked:
    found = structural(specimen.model, specimen.inputs(seed))
    judged = _judged(specimen, dense(found.relation))
    if judged.answer is Answer.LEAK:
        origin = found.first_outside(Mask.from_dense(specimen.promise))
        module = None if origin is None else origin.module
        return Asked(Answer.LEAK, relation=judged.relation, module=module)
    answer = judged.answer if found.unconditional else Answer.UNKNOWN
    return Asked(answer, relation=judged.relation)


def _judged(specimen: Specimen, relation: Relation) -> Asked:
    beyond = bool((relation & ~specimen.promise).any())
    return Asked(Answer.LEAK if beyond else Answer.NONE, relation=relation)


_ASKED: dict[Method, Callable[[Specimen, int], Asked]] = {
    Method.INSPECTION: _inspection,
    Method.AUDIT: _audit(1),
    Method.AUDITS: _audit(MANY),
    Method.JACOBIAN: _measured(Measure.JACOBIAN),
    Method.PERTURBATION: _measured(Measure.PERTURBATION),
    Method.STRUCTURE: _structure,
}
