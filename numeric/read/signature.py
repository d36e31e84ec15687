"""What a callable is, by its arguments: a mask_mod, a score_mod, or a factory of one.

Convention: ``mask_mod(b, h, q_idx, kv_idx)`` has four required arguments and
``score_mod(score, b, h, q_idx, kv_idx)`` five; with parameters, or with no required argument, a
callable is a factory.
"""

import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from attnproof.numeric.read.user_code import user_code
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.words import counted

_FORMS = "four arguments are a mask_mod, five a score_mod, none (or any with --param) a factory"


class Kind(Enum):
    """What a callable is."""

    MASK_MOD = "mask_mod"
    SCORE_MOD = "score_mod"
    FACTORY = "factory"


def kind_of(function: Callable[..., Any], name: str) -> Kind:
    """What a callable is without parameters.

    >>> kind_of(lambda b, h, q, k: q >= k, "rule")
    <Kind.MASK_MOD: 'mask_mod'>
    """
    arguments = _arguments(function, name)
    needed = [x.name for x in arguments if x.default is x.empty and x.kind not in _REST]
    by_name = [x.name for x in arguments if x.kind is x.KEYWORD_ONLY and x.name in needed]
    count = counted(len(needed), "argument")
    if by_name or len(needed) not in (0, 4, 5):
        raise ParameterError(
            f"{name} takes {count} ({', '.join(needed)}): {_FORMS}; give those of "
            f"a factory as --param {needed[0]}=...",
            arguments=tuple(needed),
        )
    if not needed and any(x.kind is x.VAR_POSITIONAL for x in arguments):
        raise InputError(f"{name} takes *arguments: {_FORMS}; write its arguments out")
    return {0: Kind.FACTORY, 4: Kind.MASK_MOD, 5: Kind.SCORE_MOD}[len(needed)]


def call_factory(function: Callable[..., Any], params: Mapping[str, object], name: str) -> object:
    """What a factory returns for these keywords.

    >>> call_factory(lambda n: [n], {"n": 3}, "make")
    [3]

    Raises :class:`ParameterError` for an unknown or a missing keyword, and lists the legal ones.
    """
    arguments = _arguments(function, name)
    legal, any_other = taken(function, name)
    listing = ", ".join(legal) or "none"
    unknown = sorted(set(params) - set(legal))
    if unknown and not any_other:
        raise ParameterError(
            f"{name} has no parameter {unknown[0]!r}; its parameters: {listing}"
            + _constant(function, unknown[0]),
            parameter=unknown[0],
            legal=legal,
        )
    missing = [
        x.name
        for x in arguments
        if x.default is x.empty and x.kind not in _REST and x.name not in params
    ]
    if missing:
        raise ParameterError(
            f"{name} also needs {', '.join(missing)}; its parameters: {listing}. Give each as "
            f"--param {missing[0]}=...",
            missing=tuple(missing),
            legal=legal,
        )
    with user_code(name):
        return function(**params)


def taken(function: Callable[..., Any], name: str) -> tuple[tuple[str, ...], bool]:
    """The keywords that a callable names, and whether it takes any other.

    >>> taken(lambda keys, *, sinks=0, **rest: None, "make")
    (('keys', 'sinks'), True)
    """
    arguments = _arguments(function, name)
    by_name = [x.name for x in arguments if x.kind in (x.POSITIONAL_OR_KEYWORD, x.KEYWORD_ONLY)]
    return tuple(by_name), any(x.kind is x.VAR_KEYWORD for x in arguments)


def _constant(function: Callable[..., Any], name: str) -> str:
    """What to do about a name that is no parameter, and that the function reads all the same."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or name not in (*code.co_names, *code.co_freevars):
        return ""
    return (
        f". It reads {name} from its file: write a factory, def make({name}), that returns the rule"
    )


_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _arguments(function: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise InputError(
            f"{name} does not tell its arguments; wrap it in a function: {_FORMS}"
        ) from None
