"""The text of a certificate: one statement or a list of them, as strict JSON.

A float and a key that stands twice are refused. Rows in great number are kept as flat runs as soon
as they are read: a million of them are 12 MB, and 170 MB as lists of lists.
"""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager

from . import limits
from .envelope import Fields, Invalid, Unreadable
from .runs import Runs

#: The keys under which rows stand.
_ROWS = ("rows", "relation")


def load(text: str) -> list[object]:
    """The statements of a file: one object, or a list of them."""
    try:
        with _no_collection():
            value = json.loads(
                text, object_pairs_hook=_object, parse_float=_refuse, parse_constant=_refuse
            )
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not the JSON of a certificate: {error}") from None
    statements = value if isinstance(value, list) else [value]
    if not statements or not all(isinstance(one, dict) for one in statements):
        raise Unreadable("a certificate is one statement or a list of statements")
    return statements


@contextmanager
def _no_collection() -> Iterator[None]:
    """JSON holds no cycles; looking for them takes longer than reading a million rows."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _object(pairs: list[tuple[str, object]]) -> Fields:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    for key in _ROWS:
        value = found.get(key)
        if isinstance(value, list) and len(value) > limits.MOST_BITS:
            found[key] = _compact(value)
    return found


def _compact(rows: list[object]) -> object:
    """The rows as runs; what is none is left for the kernel to refuse."""
    try:
        return Runs.read(rows, "rows")
    except Invalid:
        return rows


def _refuse(text: str) -> object:
    raise ValueError(f"the number {text[:40]} is not an integer")
