"""A predicate of forbidden pairs for every length: traced as a mask is, asked again at one length.

Its arguments after ``q`` and ``k`` are symbolic parameters and parameters of the mask, by name.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from attnproof.ask.length_sources import At, Held, Reading, Subject, subject
from attnproof.ask.predicate import bound, no_boolean
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import Term

_SPLIT = "follow both branches with split=True, on the command line --split"


def predicate_subject(predicate: Callable[..., Any], size: Term, reading: Reading) -> Subject:
    """The formula of a predicate, and the predicate itself at concrete values.

    >>> from attnproof.symbolic.formula import n, variable
    >>> reading = Reading({"keys": variable("keys")}, {}, {})
    >>> predicate_subject(lambda q, k, keys: q - k >= keys, n, reading).term
    q - k >= keys

    Raises :class:`InputError` for an argument that is no parameter, and for what has no formula.
    """
    name = getattr(predicate, "__name__", "the predicate")
    takes = _arguments(predicate)
    symbolic = {key: term for key, term in reading.symbolic.items() if key in takes}
    params = {key: value for key, value in reading.params.items() if key in takes}
    bound(predicate, {**symbolic, **params}, name)

    def make(**given: object) -> Callable[..., Any]:
        asked = bound(predicate, given, name)
        return lambda b, h, q, k: _boolean(asked(q, k), name)

    from attnproof.numeric.trace import TraceError

    try:
        found = subject(
            _named(make if takes else make(), name),
            Reading(symbolic, params, {}, split=reading.split),
        )
    except TraceError as error:
        raise InputError(_told(error, name, reading), **error.parts) from None
    return replace(found, size=size, at=_as_predicate(found, predicate, name))


def _arguments(predicate: Callable[..., Any]) -> set[str]:
    try:
        return set([*inspect.signature(predicate).parameters][2:])
    except (TypeError, ValueError):
        return set()


def _boolean(answer: Any, name: str) -> Any:
    kind = str(answer.dtype) if hasattr(answer, "dtype") else type(answer).__name__
    if kind not in ("bool", "torch.bool"):
        raise no_boolean(name, kind)
    return answer


def _named(rule: Callable[..., Any], name: str) -> Callable[..., Any]:
    rule.__name__ = name
    return rule


def _told(error: InputError, name: str, reading: Reading) -> str:
    told = f"the predicate {name} has no formula: {error}"
    branch = "condition" in error.parts and not reading.split and _SPLIT not in told
    return f"{told}, or {_SPLIT}" if branch else told


def _as_predicate(found: Subject, predicate: Callable[..., Any], name: str) -> At:
    """The predicate in the place of the rule that was made of it."""

    @contextmanager
    def at(values: Mapping[str, int], tensors: Mapping[str, Any]) -> Iterator[Held]:
        with found.at(values, tensors) as held:
            yield replace(held, mask=bound(predicate, held.params, name))

    return at
