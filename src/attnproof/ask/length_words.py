"""What was read for every length, and where it fails, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from attnproof.ask.length_report import Shown
from attnproof.ask.length_sources import Reading, Subject, symbols
from attnproof.parameters import for_certificate
from attnproof.render.words import shortened
from attnproof.symbolic.evidence import Evidence, Leak, Structure, Unequal
from attnproof.symbolic.formula import Term, variables
from attnproof.symbolic.lengths.assumptions import Assumption
from attnproof.symbolic.lengths.instances import Counterexample
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.verdict import Finding

#: The longest tensor that is shown whole, in characters.
_SHOWN = 60


def told_at(
    shown: Shown, found: Counterexample, problem: Problem, names: Sequence[str]
) -> Judgement:
    """The judgement at one length as one for every length: its first finding, and where."""
    (judged,) = shown.report.judgements
    details = {
        "n": found.n,
        "parameters": _parameters(found, problem),
        "tensors": lists(found.tensors),
    }
    findings = tuple(
        replace(
            finding,
            message=f"{finding.message}, at {values_of(found, problem)}",
            details={**details, **finding.details},
        )
        for finding in judged.findings[:1]
    )
    evidence = _as_read(judged.evidence, shown, found, names)
    return Judgement(judged.property, judged.verdict, findings, len(findings), evidence)


def _as_read(
    evidence: Evidence | None, shown: Shown, found: Counterexample, names: Sequence[str]
) -> Evidence | None:
    """The evidence, with how the source itself is read again at that length."""
    read = {
        "n": found.n,
        "params": for_certificate({x: y for one in shown.layers for x, y in one.params.items()}),
        **{
            key: shown.options[key] for key in ("heads", "batches", "batch") if key in shown.options
        },
    }
    origin = {"source": list(names), "read": read, "tensors": lists(found.tensors)}
    if isinstance(evidence, Leak | Structure):
        return replace(evidence, setting=replace(evidence.setting, origin=origin))
    if isinstance(evidence, Unequal):
        return replace(evidence, a=replace(evidence.a, origin=origin))
    return evidence


def _parameters(found: Counterexample, problem: Problem) -> dict[str, int]:
    """The parameters but for sizes, which the tensors show."""
    sizes = _sizes(problem)
    return {name: value for name, value in found.parameters.items() if name not in sizes}


def _sizes(problem: Problem) -> set[str]:
    """The names of sizes of tensors that are not n."""
    named = {size.name for x in problem.tensors for size in x.shape if size.op == "var"}
    return named - {"n"}


def values_of(found: Counterexample, problem: Problem) -> str:
    """The length, parameters and tensors in words.

    >>> from attnproof.symbolic.formula import k, q
    >>> at = Counterexample("causal", 2, {"w": 1}, {"ids": (0, 0)}, 0, 1, 1, (1, 0))
    >>> values_of(at, Problem.of(k <= q))
    'n = 2, w = 1, ids = [0, 0]'
    """
    named = {"n": found.n, **_parameters(found, problem)}
    told = [f"{name} = {value}" for name, value in named.items()]
    for name, values in found.tensors.items():
        shown = str(lists(values)).replace("True", "1").replace("False", "0")
        told.append(f"{name} = {shown if len(shown) <= _SHOWN else shown[: _SHOWN - 4] + ' ...'}")
    return ", ".join(told)


def _fact(law: Assumption) -> str:
    """The name of an assumption, with its bounds."""
    if law.schema != "bounded":
        return law.schema
    low, high = (each.children[1] for each in law.law.children)
    return f"bounded({low!r}, {high!r})"


def comments_of(
    subjects: Sequence[Subject],
    problem: Problem,
    others: Sequence[Subject] = (),
    *,
    noted: bool = True,
) -> tuple[str, ...]:
    """What was read: the formula of each layer, what is assumed, what is taken for granted, also
    in ``others``, of which a property speaks, and with ``noted`` what was left out."""
    told = []
    for number, each in enumerate(subjects, 1):
        layer = f"in layer {number} " if len(subjects) > 1 else ""
        told.append(f"{layer}query q reads key k where {shortened(repr(each.term))}")
    sizes = _sizes(problem)
    free = [each for each in problem.requires if not variables(each) <= sizes]
    assumed = [f"{law.tensor.name} {_fact(law)}" for law in problem.assumptions]
    fixed = {law.tensor.name for law in problem.assumptions}
    open_ = [tensor.name for tensor in problem.tensors if tensor.name not in fixed]
    parts = [*map(repr, free), *assumed, *(f"any {name}" for name in open_)]
    if parts:
        told.append(f"for every n >= 1, with {', '.join(parts)}")
    read = (*subjects, *others)
    told += dict.fromkeys(note for each in read for note in each.notes)
    return (*told, *(note.message for note in notes_of(read) if noted))


def notes_of(subjects: Sequence[Subject]) -> tuple[Finding, ...]:
    """What of the sources was left out, each once."""
    return tuple({note.message: note for each in subjects for note in each.noted}.values())


def bounds_wanted(problem: Problem, tried: Sequence[str]) -> tuple[str, ...]:
    """What to assume where an element of one tensor is the index into another and its range was not
    shown."""
    hints: dict[str, None] = {}
    for needed, because in problem.meaning:
        if needed.op != "and" or not any(f"`{because!r}` has a value" in one for one in tried):
            continue
        index, size = needed.children[1].children
        if index.op == "at":
            hints[f'without --assume "{index.name}=bounded(0, {size!r})"'] = None
    return tuple(hints)


def origin_of(subjects: Sequence[Subject], reading: Reading) -> dict[str, object]:
    """How the sources were read, for a certificate."""
    return {
        "source": [each.name for each in subjects],
        "encoding": ["attend"] * len(subjects),
        "read": {
            "symbolic": [_symbol(name, term) for name, term in reading.symbolic.items()],
            "params": for_certificate(reading.params),
            "assume": lists(reading.assume),
            "heads": reading.heads,
            "split": reading.split,
        },
    }


def _symbol(name: str, term: Term) -> str:
    return name if symbols([name])[name] == term else f"{name}={term!r}"


def lists(values: Any) -> Any:
    """Arrays and tuples as lists.

    >>> lists({"ids": (0, (1, 2))})
    {'ids': [0, [1, 2]]}
    """
    values = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(values, Mapping):
        return {key: lists(value) for key, value in values.items()}
    return [lists(x) for x in values] if isinstance(values, list | tuple) else values
