"""What is intended, for every length: a property of the formula, and the same at one length.

The second is asked of the user's object where the first fails.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from attnproof.ask import intent
from attnproof.ask.length_predicate import predicate_subject
from attnproof.ask.length_sources import Reading, Subject, subject, united
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import at, joined, k, q, variable
from attnproof.symbolic.lengths.instances import Counterexample
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import (
    Equals,
    Flow,
    Property,
    causal,
    named,
    next_token,
)
from attnproof.symbolic.order.structure import NAMES

_STRUCTURE = {name.partition("=")[0] for name in NAMES}
#: The largest depth of which a certificate for every length speaks.
_DEEPEST = 63
#: The keyword of ``verify`` that asks it of one length, with its value.
AtOne = Callable[[Counterexample], tuple[str, object]]


@dataclass(frozen=True)
class Asked:
    """A property for every length; ``at`` asks it of one, the value None standing for ``other``, a
    mask to equal, or a predicate."""

    property: Property
    at: AtOne
    other: Subject | None = None


@dataclass(frozen=True)
class Intended:
    """What was asked, as the user gave it."""

    causal: bool = False
    next_token: bool = False
    documents: object = None
    forbid: object = None
    equals: object = None
    structure: tuple[str, ...] = ()


def asked(
    wanted: Intended, subjects: Sequence[Subject], problem: Problem, reading: Reading
) -> Iterator[Asked]:
    """One a property, in the order in which ``verify`` reports them.

    Raises :class:`InputError` for what has a meaning for one length only.
    """
    if wanted.causal:
        yield Asked(causal, _always("causal", True))
    if wanted.next_token:
        yield Asked(next_token, _always("next_token", True))
    if wanted.documents is not None:
        yield _documents(wanted.documents, subjects, problem)
    if wanted.forbid is not None:
        yield _forbid(wanted.forbid, problem, reading)
    if wanted.equals is not None:
        yield _equals(wanted.equals, reading)
    for text in wanted.structure:
        if text.partition("=")[0] not in _STRUCTURE:
            raise ParameterError(
                f"{text!r} is not a structural property; give one of {', '.join(NAMES)}, or ask "
                "for an intention by its own option: causal, next-token, documents, forbid",
                given=text,
            )
        count = text.partition("=")[2]
        if count.isdecimal() and (len(count) > 9 or int(count) > _DEEPEST):
            raise ParameterError(
                f"{text} is of more layers than certificates speak of for every length; give a "
                f"depth of at most {_DEEPEST}",
                given=text,
            )
        yield Asked(named(text, problem), _always("properties", (text,)))


def _always(keyword: str, value: object) -> AtOne:
    return lambda _: (keyword, value)


def _documents(given: object, subjects: Sequence[Subject], problem: Problem) -> Asked:
    """No flow between documents, whose ids a captured tensor holds."""
    name = given[1:] if isinstance(given, str) and given.startswith("@") else None
    if not name:
        raise InputError(
            f"documents is {given!r}, which is of one length; for every length name the tensor "
            "that holds the ids, as in --documents @document_id",
            given=given,
        )
    known = {tensor.name: len(tensor.shape) for tensor in problem.tensors}
    if known.get(name) not in (1, 2):
        listing = ", ".join(x for x, axes in known.items() if axes in (1, 2)) or "none"
        raise ParameterError(
            f"there is no tensor {name!r} with the document of each token; the mask reads "
            f"{listing}",
            tensor=name,
            known=tuple(known),
        )
    rows = (variable("b"),) if known[name] == 2 else ()
    forbidden = at(name, *rows, q).ne(at(name, *rows, k))

    def at_one(found: Counterexample) -> tuple[str, object]:
        ids = found.tensors[name]
        return "documents", list(ids[found.parameters["b"]] if rows else ids)

    return Asked(Flow("documents", forbidden), at_one)


def _forbid(given: object, problem: Problem, reading: Reading) -> Asked:
    """Forbidden pairs, or a predicate of (q, k) and of parameters, traced as a mask is."""
    predicate = given
    if isinstance(given, str | Path):
        text = str(given)
        if ".py:" not in text and (":" not in text or Path(text).exists()):
            return _pairs(text)
        from attnproof.numeric.read.objects import resolve

        predicate = resolve(text)
    if not callable(predicate):
        return _pairs(given)
    found = predicate_subject(predicate, problem.size, reading)
    return Asked(Flow("forbid", found.term), _always("forbid", None), found)


def _pairs(given: object) -> Asked:
    """The pairs (reader, source) of a file, or themselves, at every length that has them."""
    pairs = intent.pairs(given)
    if negative := next((pair for pair in pairs if min(pair) < 0), None):
        raise InputError(
            f"the forbidden pairs hold {list(negative)}, and positions are 0 or more; give those "
            "of pairs [reader, source]",
            pair=negative,
        )
    forbidden = joined("or", [q.eq(reader) & k.eq(source) for reader, source in pairs])

    def at_one(found: Counterexample) -> tuple[str, object]:
        return "forbid", [pair for pair in pairs if max(pair) < found.n]

    return Asked(Flow("forbid", forbidden), at_one)


def _equals(given: object, reading: Reading) -> Asked:
    """The same pairs as another mask, which shares the parameters that it knows."""
    other = subject(given, _shared(given, reading))
    other = replace(other, term=united(other.term, reading.heads))
    return Asked(Equals(other.term), _always("equals", None), other)


def _shared(source: object, reading: Reading) -> Reading:
    """How the other mask is read: the parameters that it takes, of those that were given."""
    takes = _takes(source)
    symbolic = {key: term for key, term in reading.symbolic.items() if key in takes}
    params = {key: value for key, value in reading.params.items() if key in takes}
    return Reading(symbolic, params, {}, reading.heads, reading.split)


def _takes(source: object) -> set[str]:
    import inspect

    from attnproof.numeric.read.objects import names_object, resolve
    from attnproof.symbolic.named.registry import get, names

    if isinstance(source, str) and source in names():
        return {parameter.name for parameter in get(source).parameters}
    if isinstance(source, str) and names_object(source):
        source = resolve(source)
    if not callable(source):
        return set()
    from attnproof.numeric.read.signature import Kind, kind_of

    try:
        kind = kind_of(source, "the other mask")
    except ParameterError:
        kind = Kind.FACTORY
    return set(inspect.signature(source).parameters) if kind is Kind.FACTORY else set()
