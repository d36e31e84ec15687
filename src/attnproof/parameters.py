"""Parameters of factories and named masks, as TOML values and as they stand in a certificate.

Convention: ``key=value`` with a TOML value; a bare word is a string; ``key=@ids.npy`` is the array
of a file.
A certificate holds no floats: a float is ``{"float": "0.5"}`` there, an array ``{"array": [...]}``.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attnproof.symbolic.errors import ParameterError

#: What is assumed of captured tensors: facts by name, or texts ``NAME=FACT``.
Assumptions = Mapping[str, str | Sequence[str]] | Iterable[str]

_WORD = re.compile(r"[^\s\"'\[\]{}=,]+")


def parse_parameters(texts: Sequence[str]) -> dict[str, object]:
    """Parameters of the command line.

    >>> parse_parameters(["keys=4", "causal=true", "order=[2, 0, 1]", "clean=block"])
    {'keys': 4, 'causal': True, 'order': [2, 0, 1], 'clean': 'block'}

    Raises :class:`ParameterError` for a text that is no ``key=value`` and for a key given twice.
    """
    parameters: dict[str, object] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not key or not value:
            raise ParameterError(f"{text!r} is no parameter; write key=value, as in keys=4")
        if key in parameters:
            raise ParameterError(f"the parameter {key} is given twice; give it once", parameter=key)
        parameters[key] = _value(key, value)
    return parameters


def _value(key: str, text: str) -> object:
    if text.startswith("@"):
        from attnproof.numeric.read.parameter_file import load_parameter

        return load_parameter(text[1:], key)
    try:
        content = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        content = {}
    if set(content) == {"value"}:
        value: object = content["value"]
        return value if isinstance(value, (bool, int, float, str, list, dict)) else text
    if _WORD.fullmatch(text):
        return text
    raise ParameterError(
        f'the parameter {key}={text} is no TOML value; write a number, true, "text" or [1, 2]',
        parameter=key,
    )


def parse_assumptions(given: Assumptions | None) -> dict[str, str | Sequence[str]]:
    """Assumptions on captured tensors: texts ``NAME=FACT``, several facts with commas, or a table
    of facts by name, which is taken as it is.

    >>> parse_assumptions(["ids=nondecreasing,bounded(0, n)"])
    {'ids': ['nondecreasing', 'bounded(0, n)']}
    >>> parse_assumptions({"ids": "nondecreasing"})
    {'ids': 'nondecreasing'}

    Raises :class:`ParameterError` for a text that assumes nothing.
    """
    if isinstance(given, Mapping):
        return dict(given)
    found: dict[str, list[str]] = {}
    for text in (given,) if isinstance(given, str) else given or ():
        name, _, facts = str(text).partition("=")
        listed = [fact.strip() for fact in _apart(facts)]
        if not name.strip() or not all(listed):
            raise ParameterError(
                f"{text!r} assumes nothing; write NAME=FACT, as in document_id=nondecreasing",
                given=text,
            )
        found.setdefault(name.strip(), []).extend(listed)
    return {**found}


def _apart(text: str) -> Iterator[str]:
    """The parts between commas that stand in no parentheses."""
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and not depth:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def for_certificate(value: Any) -> Any:
    """Parameters as JSON without floats; the inverse of :func:`from_certificate`.

    >>> for_certificate({"scale": 0.5, "order": [1, 0]})
    {'scale': {'float': '0.5'}, 'order': [1, 0]}
    """
    if isinstance(value, Mapping):
        return {str(key): for_certificate(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [for_certificate(item) for item in value]
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        entries = value.tolist()
        if getattr(value, "ndim", 0):
            return {"array": for_certificate(entries)}
        return for_certificate(entries)
    if isinstance(value, float):
        return {"float": repr(value)}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return f"{type(value).__name__} {getattr(value, '__name__', '')}".strip()


def from_certificate(value: Any) -> Any:
    """Parameters as they were given.

    >>> from_certificate({"scale": {"float": "0.5"}})
    {'scale': 0.5}
    """
    if isinstance(value, Mapping):
        if set(value) == {"float"} and isinstance(value["float"], str):
            return float(value["float"])
        if set(value) == {"array"}:
            import numpy as np

            return np.asarray(from_certificate(value["array"]))
        return {key: from_certificate(item) for key, item in value.items()}
    return [from_certificate(item) for item in value] if isinstance(value, list) else value
