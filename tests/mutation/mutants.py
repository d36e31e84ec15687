"""Every small edit of a JSON value: keys, leaves and list elements, one at a time."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any

from tests.mutation.length_claims import digest_of as digest_of_length
from tests.mutation.net_claims import digests_of
from tests.mutation.world import digest_of

#: What strings are replaced by, besides a longer one and an empty one.
WORDS = (
    "any", "allowed", "positions", "zero", "uniform", "nan", "edges", "flow", "a", "b", "causal",
    "next-token", "documents", "forbid", "reflexive", "transitive", "antisymmetric",
    "no-empty-rows", "depth", "x1", "x2", "y", "keep", "tok", "iso", "wl", "softmax", "absolute",
    "relative", "none", "infinity", "longer-output", "conflicting-targets", "prefix",
)  # fmt: skip


#: What a digest of a mask for every length is of.
LENGTHS = ("layers", "size", "requires", "tensors", "assumptions")


def mutants(statement: Any) -> Iterator[Any]:
    """Every statement that differs by one edit; where the edit touches a mask, also the statement
    about the mask that it has become, with the digests made right again. Whatever stands in a
    field of the predicate is also replaced by each word that some field may hold."""
    predicate = statement["predicate"]
    named = ({key: word} for key in predicate for word in WORDS if predicate[key] != word)
    wholes = (statement | {"predicate": predicate | field} for field in named)
    for edited in chain(edits(statement), wholes):
        yield edited
        if _subjects(edited) != _subjects(statement):
            signed = with_digests(edited)
            if signed is not None:
                yield signed


def _subjects(statement: Any) -> Any:
    """What the digests are of."""
    predicate = statement.get("predicate") if isinstance(statement, dict) else None
    if isinstance(predicate, dict) and "pairs" in predicate:
        return [predicate.get("net"), predicate["pairs"]]
    if isinstance(predicate, dict) and "size" in predicate:
        return [predicate.get(key) for key in LENGTHS]
    return _layers(statement)


def _layers(statement: Any) -> list[Any] | None:
    """The masks in a statement; None where it has lost its form."""
    try:
        predicate = statement["predicate"]
        settings = [predicate] if "layers" in predicate else _settings(predicate)
        return [layer for setting in settings for layer in setting["layers"]]
    except (KeyError, TypeError, IndexError):
        return None


def _settings(predicate: Any) -> list[Any]:
    if "tasks" in predicate:
        return [*predicate["tasks"], *([predicate["merged"]] if "merged" in predicate else [])]
    return [predicate["a"], predicate["b"]]


def edits(value: Any) -> Iterator[Any]:
    """Every value that differs by one edit, at any depth."""
    yield from _replacements(value)
    if isinstance(value, dict):
        yield value | {"unknown": 0}
        for key in value:
            yield {other: value[other] for other in value if other != key}
            yield {(f"{other}x" if other == key else other): value[other] for other in value}
            for edited in edits(value[key]):
                yield value | {key: edited}
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield value[:i] + value[i + 1 :]
            yield value[: i + 1] + value[i:]
            if i and value[i - 1] != item:
                yield [*value[: i - 1], item, value[i - 1], *value[i + 1 :]]
            for edited in edits(item):
                yield [*value[:i], edited, *value[i + 1 :]]


def _replacements(value: Any) -> Iterator[Any]:
    if value is not None:
        yield None
    if isinstance(value, bool):
        yield from (not value, int(value), str(value))
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value + 7, -value - 1, 1 << 40, str(value), bool(value))
        yield [value]
    elif isinstance(value, str):
        yield from (f"{value}x", "", 0)
        yield from (word for word in WORDS if word != value)
        if re.fullmatch(r"-?\d{1,9}(/\d{1,9})?", value):
            number = Fraction(value)
            yield from (str(one) for one in (number + Fraction(1, 7), -number, 2 * number))
    elif isinstance(value, list):
        yield from ([], [*value, None], {})
        yield [*value, 0]
        yield [*value, []]
    elif isinstance(value, dict):
        yield from ({}, [])
    else:
        yield from (0, 1, [], {}, "any", False)


def with_digests(statement: Any) -> Any:
    """The same statement about what stands in it; None where that makes no sense."""
    layers = _layers(statement)
    try:
        if "pairs" in statement["predicate"]:
            digests = digests_of(statement["predicate"])
        elif "size" in statement["predicate"]:
            digests = [digest_of_length(statement["predicate"])]
        else:
            digests = [digest_of(layer) for layer in layers or [None]]
    except (KeyError, TypeError):
        return None
    return statement | {
        "subject": [{"name": "mask", "digest": {"sha256": digest}} for digest in digests]
    }
