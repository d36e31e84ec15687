"""The statement as read from JSON: exact keys, exact types.

A key too many or too few, and a Boolean where an integer belongs, are refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass

STATEMENT = "attnproof/statement/v1"

Fields = dict[str, object]


class Invalid(Exception):
    """The statement does not prove its claim; the text says why."""


class Undecided(Exception):
    """The statement is in order, and rests on what is not re-checked; the text says on what."""


class Unreadable(Exception):
    """The text holds no statement."""


@dataclass(frozen=True)
class Statement:
    """One claim about one subject; the digests say which masks it is, in order."""

    names: tuple[str, ...]
    digests: tuple[str, ...]
    kind: str
    predicate: object


def need(condition: bool, reason: str) -> None:
    """Raise :class:`Invalid` unless the condition holds."""
    if not condition:
        raise Invalid(reason)


def read(statement: object) -> Statement:
    """The envelope of one statement; its predicate is read by the kernel of its kind."""
    found = record(statement, {"_type", "subject", "predicateType", "predicate"}, "the statement")
    need(found["_type"] == STATEMENT, f"_type is not {STATEMENT}")
    kind = string(found["predicateType"], "predicateType")
    names, digests = [], []
    for subject in array(found["subject"], "subject"):
        named = record(subject, {"name", "digest"}, "subject")
        names.append(string(named["name"], "name"))
        digest = record(named["digest"], {"sha256"}, "digest")
        digests.append(string(digest["sha256"], "sha256"))
    need(bool(digests), "there is no subject")
    return Statement(tuple(names), tuple(digests), kind, found["predicate"])


def record(value: object, keys: Iterable[str], where: str) -> Fields:
    """An object with exactly these keys."""
    if not isinstance(value, dict):
        raise Invalid(f"{where} is not an object")
    wanted = set(keys)
    if value.keys() != wanted:
        odd = ascii(", ".join(sorted(value.keys() ^ wanted)))[1:-1]
        raise Invalid(f"{where} has a key too many or too few: {odd}")
    return value


def array(value: object, where: str) -> list[object]:
    """A list."""
    if not isinstance(value, list):
        raise Invalid(f"{where} is not a list")
    return value


def string(value: object, where: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise Invalid(f"{where} is not a string")
    return value


def boolean(value: object, where: str) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise Invalid(f"{where} is neither true nor false")
    return value


def integer(value: object, stop: int | None, where: str) -> int:
    """An integer from 0 to ``stop``, which is left out."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Invalid(f"{where} is not an integer")
    if value < 0 or (stop is not None and value >= stop):
        raise Invalid(f"{where} is out of range")
    return value


def integers(value: object, stop: int | None, where: str) -> tuple[int, ...]:
    """A list of integers, each from 0 to ``stop``, which is left out."""
    found = array(value, where)
    need(set(map(type, found)) <= {int}, f"{where} holds what is not an integer")
    for extreme in (min(found), max(found)) if found else ():  # type: ignore[type-var]
        integer(extreme, stop, where)
    return tuple(found)  # type: ignore[arg-type]
