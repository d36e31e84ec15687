"""Strict tables: every key of a table is legal and of its type, or the message names its path."""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import TypeVar

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.words import suggestion

E = TypeVar("E", bound=Enum)
T = TypeVar("T")
_SHOWN = 60


class Table:
    """One table of a file, at the key path ``where`` (empty at the top).

    >>> Table({"pos": 3, "kind": "tok"}, "position[0]", ["pos", "kind"]).integer("pos")
    3
    """

    def __init__(
        self,
        data: object,
        where: str,
        legal: Collection[str],
        error: type[InputError] = InputError,
    ) -> None:
        self.where = where
        self.error = error
        if not isinstance(data, Mapping):
            raise self.wrong("", data, "a table")
        self.data: Mapping[str, object] = data
        unknown = [key for key in data if key not in legal]
        if unknown:
            raise self.unknown(unknown[0], legal)

    def path(self, key: str) -> str:
        """The key path of a key."""
        return ".".join(part for part in (self.where, key) if part)

    def fail(self, key: str, message: str, **parts: object) -> InputError:
        """An error at a key; the message follows its path."""
        where = self.path(key)
        return self.error(f"{where} {message}", where=where, **parts)

    def wrong(self, key: str, value: object, needed: str) -> InputError:
        """An error for a value of the wrong type."""
        where = self.path(key) or "the file"
        return self.error(f"{where} is {shown(value)}; it must be {needed}", where=where)

    def unknown(self, key: str, legal: Collection[str]) -> InputError:
        """An error for an unknown key."""
        return self.error(
            f"{self.where or 'the file'} has the unknown key {key!r}; {suggestion(key, legal)}",
            where=self.path(key),
            key=key,
            legal=tuple(legal),
        )

    def has(self, key: str) -> bool:
        """Is the key given, and not null?"""
        return self.data.get(key) is not None

    def need(self, key: str, wanted: str) -> object:
        """The value of a key that must be given."""
        if key not in self.data:
            where = self.path(key)
            raise self.error(f"{where} is missing; write {wanted}", where=where)
        return self.data[key]

    def text(self, key: str, default: str) -> str:
        """A string."""
        value = self.data.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, value, "a string")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, value, "true or false")
        return value

    def integer(self, key: str, needed: str = "an integer", least: int | None = None) -> int:
        """An integer that must be given."""
        value = self.need(key, needed)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(key, value, needed)
        if least is not None and value < least:
            raise self.wrong(key, value, f"{least} or more")
        return value

    def names(self, key: str) -> tuple[str, ...]:
        """A list of strings that must be given."""
        value = self.need(key, f"{key} = [...]")
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self.wrong(key, value, "a list of strings")
        for i, name in enumerate(value):
            if not isinstance(name, str):
                raise self.wrong(f"{key}[{i}]", name, "a string")
        return tuple(value)

    def choice(self, key: str, default: E) -> E:
        """One of the values of an Enum."""
        value = self.data.get(key, default.value)
        kinds = type(default)
        legal = [str(kind.value) for kind in kinds]
        if value not in legal:
            raise self.wrong(key, value, f"one of {', '.join(legal)}")
        return kinds(value)

    def each(self, key: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
        """A list of tables, each read with its own key path."""
        value = self.data.get(key, ())
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self.wrong(key, value, f"a list of tables, [[{self.path(key)}]]")
        return tuple(read(entry, f"{self.path(key)}[{i}]") for i, entry in enumerate(value))


def shown(value: object) -> str:
    """A value as a message shows it: short.

    >>> shown([1, 2]), shown(True)
    ('[1, 2]', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
