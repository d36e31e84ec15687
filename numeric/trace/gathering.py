"""The runs of one rule put together: a formula by cases, and what must hold for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from attnproof.numeric.trace.refusal import TraceError
from attnproof.numeric.trace.session import Session
from attnproof.numeric.trace.traced import Captured, Path
from attnproof.symbolic.formula import (
    Obligation,
    Term,
    constant,
    fold,
    ite,
    joined,
    n,
    obligations,
    simplify,
    substitute,
    variable,
)
from attnproof.symbolic.formula.operators import TENSORS

_UNBOUNDED = "indices are unbounded integers: torch has 32 or 64 bits"


@dataclass(frozen=True, slots=True)
class Gathered:
    """All runs of a rule: the formula, its cases, and what was found on the way."""

    term: Term
    paths: tuple[Path, ...]
    requires: tuple[Term, ...]
    obligations: tuple[Obligation, ...]
    tensors: Mapping[str, Captured]
    notes: tuple[str, ...]


def gathered(sessions: Sequence[Session], parameters: Iterable[str]) -> Gathered:
    """The runs put together; axes that q or k index have the size n."""
    tensors = _tensors(sessions)
    reads = _reads(sessions)
    lengths = _lengths(tensors, reads)
    for session in sessions:
        lengths |= {name: constant(size) for name, size in session.fixed.items()}
    tensors = {
        name: replace(x, sizes=tuple(substitute(s, lengths) for s in x.sizes))
        for name, x in tensors.items()
    }

    def final(term: Term) -> Term:
        return simplify(substitute(term, lengths))

    paths = tuple(Path(tuple(map(final, x.path)), final(x.answer)) for x in sessions)
    term = paths[-1].term
    for path in reversed(paths[:-1]):
        term = ite(joined("and", path.conditions), path.term, term)
    needed = [
        replace(each, formula=_given(tuple(map(final, path)), final(each.formula)))
        for each, path in _needed(sessions, {x.name: x.sizes for x in tensors.values()}, lengths)
    ]
    bounds = [variable(x) >= 1 for x in parameters] + _bounds(tensors, reads)
    notes = dict.fromkeys([_UNBOUNDED, *(note for x in sessions for note in x.notes)])
    return Gathered(
        simplify(term),
        paths,
        tuple(dict.fromkeys(bounds)),
        tuple(dict.fromkeys(x for x in needed if x.formula.value is not True)),
        tensors,
        tuple(notes),
    )


def _given(path: tuple[Term, ...], formula: Term) -> Term:
    return formula if formula in path or not path else joined("and", path).implies(formula)


def _tensors(sessions: Sequence[Session]) -> dict[str, Captured]:
    found: dict[str, Captured] = {}
    for session in sessions:
        for name, tensor in session.registry.used.items():
            known = found.setdefault(name, tensor)
            same = known.values.shape == tensor.values.shape
            if not same or not (known.values == tensor.values).all():
                raise TraceError(
                    f"the tensor {name} differs between the branches of the rule; make it before "
                    "the branch",
                    tensor=name,
                )
    return found


def _reads(sessions: Sequence[Session]) -> dict[Term, None]:
    """Every element that is read."""
    found: dict[Term, None] = {}

    def combine(node: Term, parts: list[None]) -> None:
        if node.op in TENSORS:
            found[node] = None

    for session in sessions:
        for term, _ in session.partial:
            if term not in found:
                fold(term, combine)
    return found


def _lengths(tensors: Mapping[str, Captured], reads: Iterable[Term]) -> dict[str, Term]:
    """The sizes of abstract tensors that are n, since a query or key indexes the axis; an axis
    that constants alone index has the size that it has."""
    found: dict[str, Term] = {}
    varied: set[str] = set()
    for read in reads:
        tensor = tensors[read.name]
        for axis, (index, size) in enumerate(zip(read.children, tensor.sizes, strict=True)):
            if size.op != "var" or size == n:
                continue
            if simplify(index).value is None:
                varied.add(size.name)
            if index in (variable("q"), variable("k")):
                found[size.name] = n
            elif size.name not in varied:
                found.setdefault(size.name, constant(tensor.values.shape[axis]))
    return {name: size for name, size in found.items() if size == n or name not in varied}


def _bounds(tensors: Mapping[str, Captured], reads: Iterable[Term]) -> list[Term]:
    """Batch elements and heads are those that tensors have rows for."""
    return [
        index < size
        for read in reads
        for index, size in zip(read.children, tensors[read.name].sizes, strict=True)
        if index in (variable("b"), variable("h"))
    ]


def _needed(
    sessions: Sequence[Session],
    shapes: Mapping[str, tuple[Term, ...]],
    lengths: Mapping[str, Term],
) -> Iterable[tuple[Obligation, tuple[Term, ...]]]:
    """What must hold, each with the path on which it must, and once."""
    seen: set[tuple[Obligation, tuple[Term, ...]]] = set()
    for session in sessions:
        for term, path in session.partial:
            own = substitute(term, lengths)
            for each in obligations(own, shapes):
                if each.because == own and (each, path) not in seen:
                    seen.add((each, path))
                    yield each, path
        yield from session.needs
