"""Every small edit of a JSON value: keys, leaves and list elements, one at a time."""

from collections.abc import Iterator
from typing import Any

from tests.mutation.world import digest_of

#: What strings are replaced by, besides a longer one and an empty one.
WORDS = (
    "any", "zero", "uniform", "nan", "edges", "flow", "a", "b", "causal", "next-token", "documents",
    "forbid", "reflexive", "transitive", "antisymmetric", "no-empty-rows", "depth", "x1", "x2", "y",
    "keep", "tok",
)  # fmt: skip


def mutants(statement: Any) -> Iterator[Any]:
    """Every statement that differs by one edit; where the edit touches a mask, also the statement
    about the mask that it has become, with the digests made right again."""
    for edited in edits(statement):
        yield edited
        if _layers(edited) != _layers(statement):
            signed = with_digests(edited)
            if signed is not None:
                yield signed


def _layers(statement: Any) -> list[Any] | None:
    """The masks in a statement; None where it has lost its form."""
    try:
        predicate = statement["predicate"]
        settings = [predicate] if "layers" in predicate else [predicate["a"], predicate["b"]]
        return [layer for setting in settings for layer in setting["layers"]]
    except (KeyError, TypeError, IndexError):
        return None


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
    elif isinstance(value, list):
        yield from ([], [*value, None], {})
        yield [*value, 0]
        yield [*value, []]
    elif isinstance(value, dict):
        yield from ({}, [])
    else:
        yield from (0, 1, [], {}, "any", False)


def with_digests(statement: Any) -> Any:
    """The same statement about the masks that stand in it; None where that makes no sense."""
    layers = _layers(statement)
    try:
        digests = [digest_of(layer) for layer in layers or [None]]
    except (KeyError, TypeError):
        return None
    return statement | {
        "subject": [{"name": "mask", "digest": {"sha256": digest}} for digest in digests]
    }
