"""A source for every length: its formula, and the source itself at concrete values.

A formula is proved something of; the user's own object is asked again where that fails.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from attnproof.ask.length_constants import constants_read
from attnproof.source import name_of, unknown
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import (
    INDICES,
    Obligation,
    Term,
    evaluate,
    joined,
    n,
    substitute,
    variable,
    variables,
)
from attnproof.symbolic.lengths.assumptions import Assumption
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.masks.files import split_key
from attnproof.symbolic.verdict import Finding
from attnproof.symbolic.words import counted

#: What is assumed of captured tensors: a fact or several for each name.
Assumed = Mapping[str, str | Sequence[str]]
#: The user's object for a length, values of the parameters and of captured tensors.
At = Callable[[Mapping[str, int], Mapping[str, Any]], AbstractContextManager["Held"]]
#: What has a formula.
_FORMS = "a mask_mod, a factory of one, as path/file.py:name, or a named mask (attnproof masks)"


@dataclass(frozen=True)
class Held:
    """A source at one length: the ``mask`` made with ``params``, while it holds ``tensors``."""

    mask: object
    params: Mapping[str, object]
    tensors: Mapping[str, Any]


@dataclass(frozen=True)
class Subject:
    """One layer for every length; ``at`` takes values of the parameters and n, and of tensors.
    ``shapes`` and ``held`` are the axes and the user's values of its tensors; ``needed`` must
    hold for the formula to be what the source computes; ``noted`` tells what was left out."""

    name: str
    term: Term
    at: At
    size: Term = n
    requires: tuple[Term, ...] = ()
    shapes: Mapping[str, tuple[Term, ...]] | None = None
    held: Mapping[str, Any] | None = None
    laws: tuple[Assumption, ...] = ()
    needed: tuple[Obligation, ...] = ()
    notes: tuple[str, ...] = ()
    noted: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Reading:
    """How sources are read for every length."""

    symbolic: Mapping[str, Term]
    params: Mapping[str, object]
    assume: Assumed
    heads: int = 1
    split: bool = False

    def __post_init__(self) -> None:
        if self.heads < 1:
            raise ParameterError(
                f"the number of heads is {self.heads}; it must be 1 or more", heads=self.heads
            )


def subject(source: object, reading: Reading) -> Subject:
    """A rule, a factory, their name, or a named mask.

    >>> subject("causal", Reading({}, {}, {})).term
    k <= q

    Raises :class:`InputError` for a source that is of one length, and for a name of none.
    """
    name = name_of(source)
    if isinstance(source, str):
        from attnproof.numeric.read.objects import names_object, resolve
        from attnproof.symbolic.named.registry import names

        if source in names():
            from attnproof.ask.length_named import named_subject

            return named_subject(source, reading)
        if not names_object(source):
            one_length = source == "-" or split_key(source) is not None
            raise _of_one_length(name) if one_length else unknown(source, _FORMS)
        source = resolve(source)
    if not callable(source) or hasattr(source, "kv_num_blocks"):
        raise _of_one_length(name)
    own = getattr(source, "n", None) if isinstance(source, FunctionType) else None
    if isinstance(own, int):
        raise InputError(
            f"{name} is for exactly {counted(own, 'position')}, as its attribute n says; leave out "
            "all_n (--all-n)",
            n=own,
        )
    return _of_rule(source, name, reading)


def symbols(given: str | Sequence[str] | Mapping[str, Term]) -> dict[str, Term]:
    """What each symbolic parameter stands for: ``w`` any integer of at least 1, ``length=n`` the
    number of tokens.

    >>> symbols(["w", "length=n"])
    {'w': w, 'length': n}
    """
    if isinstance(given, Mapping):
        return dict(given)
    found: dict[str, Term] = {}
    texts = (given,) if isinstance(given, str) else tuple(given)
    taken = {*INDICES, *(part for text in texts for part in text.split("="))}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.isidentifier() or (equals and not value.isidentifier()):
            raise ParameterError(
                f"{text!r} is no symbolic parameter; write its name, or length=n for one that is "
                "the number of tokens",
                given=text,
            )
        if name in found:
            raise ParameterError(f"the parameter {name} is symbolic twice; name it once", name=name)
        if value in INDICES:
            raise ParameterError(
                f"{text!r} makes a parameter an index of the rule; give it a name other than "
                f"{', '.join(INDICES)}",
                given=text,
            )
        found[name] = variable(value or (_free(name, taken) if name in INDICES else name))
    return found


def _free(name: str, taken: set[str]) -> str:
    """The name with underscores behind it, so that it is none of those taken."""
    while name in taken:
        name += "_"
    return name


def problem_of(
    subjects: Sequence[Subject],
    *,
    residual: bool,
    heads: int,
    others: Sequence[Subject] = (),
) -> Problem:
    """The layers together, for proofs; ``others`` are formulas that a property speaks of.

    Raises :class:`InputError` for masks of different sizes, and for a name that two tensors have.
    """
    import numpy as np

    merged: dict[str, tuple[Term, ...]] = {}
    held: dict[str, Any] = {}
    for each in (*subjects, *others):
        if each.size != subjects[0].size:
            raise InputError(
                f"{subjects[0].name} has {subjects[0].size!r} positions, {each.name} has "
                f"{each.size!r}; give masks of as many"
            )
        merged |= each.shapes or {}
        for name, values in (each.held or {}).items():
            if name in held and not np.array_equal(held[name], values):
                raise InputError(
                    f"two masks hold different tensors by the name {name}; rename one of them",
                    tensor=name,
                )
            held[name] = values
    return Problem.of(
        [each.term for each in subjects],
        size=subjects[0].size,
        requires=dict.fromkeys(x for each in (*subjects, *others) for x in each.requires),
        shapes=merged,
        laws=dict.fromkeys(law for each in (*subjects, *others) for law in each.laws),
        residual=residual,
        heads=heads,
        about=[each.term for each in others],
    )


def united(term: Term, heads: int) -> Term:
    """What some head reads.

    >>> united((variable("h") <= variable("q")), 2)
    0 <= q or 1 <= q
    """
    if "h" not in variables(term):
        return term
    return joined("or", [substitute(term, {"h": head}) for head in range(heads)])


def _of_one_length(name: str) -> InputError:
    return InputError(
        f"{name} is of one length; for every length give {_FORMS}",
        source=name,
    )


def _of_rule(rule: Any, name: str, reading: Reading) -> Subject:
    from attnproof.numeric.read.signature import Kind, call_factory, kind_of
    from attnproof.numeric.trace import trace
    from attnproof.numeric.trace.holding import held_tensors, holding

    traced = trace(
        rule,
        split=reading.split,
        captured="abstract",
        assumptions=reading.assume,
        symbolic=reading.symbolic,
        params=reading.params,
        name=name,
    )

    @contextmanager
    def at(values: Mapping[str, int], tensors: Mapping[str, Any]) -> Iterator[Held]:
        chosen = {key: evaluate(term, values) for key, term in reading.symbolic.items()}
        given = {**reading.params, **chosen}
        own: Any = rule
        if given or kind_of(rule, name) is Kind.FACTORY:
            own = call_factory(rule, given, name)
        known = held_tensors(own)
        inside = {key: value for key, value in tensors.items() if key in known}
        with holding(own, inside):
            yield Held(own, given, inside)

    last = {"h": reading.heads - 1}
    sizes = {s for axes in traced.shapes.values() for s in axes if s.op == "var" and s != n}
    noted: tuple[Finding, ...] = ()
    if "h" in variables(traced.term) and reading.heads == 1:
        told = f"{name} reads its head index, and head 0 alone is meant; give --heads H, how many"
        noted = (Finding("one_head", f"{told} there are", severity="note"),)
    return Subject(
        name,
        traced.term,
        at,
        requires=(
            *(substitute(each, last) for each in traced.requires),
            *(size >= 0 for size in sorted(sizes, key=repr)),
        ),
        shapes=traced.shapes,
        held={key: tensor.values for key, tensor in traced.tensors.items()},
        laws=traced.assumptions,
        needed=traced.obligations,
        notes=(*constants_read(rule, traced.term), *traced.notes),
        noted=noted,
    )
