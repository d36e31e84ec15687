"""Integers of a file that a formula took as they are: what it says is of these values alone."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType

from attnproof.symbolic.formula import Term, fold

#: Their integers are none of the user's; what their functions hold may be.
_LIBRARIES = {"attnproof", "torch", "numpy"}


def constants_read(rule: Callable[..., object], term: Term) -> tuple[str, ...]:
    """A note for each integer that a rule reads from its file and that its formula has.

    >>> from attnproof.symbolic.formula import k, q
    >>> space = {"__name__": "masks", "WIDTH": 4, "OTHER": 5}
    >>> exec("def near(b, h, q, k): return (q - k < WIDTH) | (k < OTHER)", space)
    >>> constants_read(space["near"], q - k < 4)
    ('WIDTH = 4 is read as a constant',)
    """
    numbers: set[int | None] = set()
    fold(term, lambda node, _: numbers.add(node.value))
    return tuple(
        f"{name} = {value} is read as a constant"
        for name, value in dict(_integers(rule)).items()
        if value in numbers
    )


def _integers(rule: object) -> Iterator[tuple[str, int]]:
    """The global integers of a function, and of those that it calls or holds."""
    waiting = [rule]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop(0)
        value = value.func if isinstance(value, partial) else value
        if not isinstance(value, FunctionType) or id(value) in seen:
            continue
        seen.add(id(value))
        for cell in value.__closure__ or ():
            with suppress(ValueError):
                waiting.append(cell.cell_contents)
        if value.__module__.partition(".")[0] in _LIBRARIES:
            continue
        for name in _names(value.__code__):
            held = value.__globals__.get(name)
            waiting.append(held)
            if type(held) is int:
                yield name, held


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
