"""The envelope of a certificate: one claim about one subject, as a value and as canonical JSON.

Canonical JSON has sorted keys, no spaces and no floats; equal statements are equal texts. It is
written in pieces, so that a million rows never stand in memory as one text or as nested lists.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from attnproof.proofs.checker import Unreadable
from attnproof.proofs.checker.document import load
from attnproof.proofs.checker.envelope import STATEMENT, Invalid, read
from attnproof.proofs.checker.runs import Runs
from attnproof.symbolic.errors import FileError
from attnproof.symbolic.masks.rows import RowRuns, Rows
from attnproof.symbolic.progress import tick

#: Elements that are written at once.
_CHUNK = 1 << 10
#: What the JSON encoder of the standard library writes.
_PLAIN = {int, str, bool, type(None), list, tuple}


@dataclass(frozen=True, eq=False)
class Statement:
    """``subject`` lists (name, digest) of the masks; ``predicate`` is what is said of them.

    In the predicate rows stand as they are held, ``Rows`` of a mask or ``Runs`` of the checker,
    and lists may be any sequences.

    >>> Statement((("mask.npy", "ab"),), "attnproof/safe/v1", {}).digests
    ('ab',)
    """

    subject: tuple[tuple[str, str], ...]
    predicateType: str
    predicate: Mapping[str, Any]

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests of the masks that the statement speaks of."""
        return tuple(digest for _, digest in self.subject)

    def iter_json(self) -> Iterator[str]:
        """The one text of this statement, in pieces."""
        return iter_json(
            {
                "_type": STATEMENT,
                "subject": [{"name": name, "digest": {"sha256": d}} for name, d in self.subject],
                "predicateType": self.predicateType,
                "predicate": self.predicate,
            }
        )

    def canonical_json(self) -> str:
        """The one text of this statement."""
        return "".join(self.iter_json())

    def to_json(self) -> dict[str, object]:
        """The statement as plain values, as it is read from its text."""
        found: dict[str, object] = json.loads(self.canonical_json())
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Statement):
            return NotImplemented
        if (self.subject, self.predicateType) != (other.subject, other.predicateType):
            return False
        return self.predicate is other.predicate or self._digest() == other._digest()

    def __hash__(self) -> int:
        return hash((self.subject, self.predicateType))

    def _digest(self) -> bytes:
        state = hashlib.sha256()
        for piece in self.iter_json():
            state.update(piece.encode())
        return state.digest()


def canonical_json(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces.

    >>> canonical_json({"b": [1, 2], "a": None})
    '{"a":null,"b":[1,2]}'
    """
    return "".join(iter_json(value))


def iter_json(value: object) -> Iterator[str]:
    """Canonical JSON in pieces.

    >>> "".join(iter_json({"rows": Runs.of([[(0, 1)], [], [(0, 1), (2, 3)]]), "n": 3}))
    '{"n":3,"rows":[[[0,1]],[],[[0,1],[2,3]]]}'
    """
    if isinstance(value, Mapping):
        yield "{"
        for i, key in enumerate(sorted(value)):
            yield f"{',' if i else ''}{_text(key)}:"
            yield from iter_json(value[key])
        yield "}"
    elif isinstance(value, Runs):
        yield from _rows(iter(value), len(value))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield from _list(value)
    elif isinstance(value, Rows):
        yield from _rows(value.runs(), len(value))
    else:
        yield _text(value)


def _list(values: Sequence[object]) -> Iterator[str]:
    yield "["
    for i, some in enumerate(_chunks(values)):
        yield "," if i else ""
        if not _has_values(some):
            yield _text(some)[1:-1]
        else:
            for j, one in enumerate(some):
                yield "," if j else ""
                yield from iter_json(one)
    yield "]"


def _has_values(values: Iterable[object]) -> bool:
    """Does a list hold, at any depth, what the encoder of the standard library does not write?"""
    return any(
        _has_values(one) if isinstance(one, list | tuple) else type(one) not in _PLAIN
        for one in values
    )


def _rows(rows: Iterator[RowRuns], count: int) -> Iterator[str]:
    """Rows as lists of [start, stop]."""
    yield "["
    for i, some in enumerate(_chunks(rows)):
        lines = [",".join([f"[{start},{stop}]" for start, stop in row]) for row in some]
        yield f"{',' if i else ''}[{'],['.join(lines)}]"
        tick(i * _CHUNK + len(some), count)
    yield "]"


def _chunks(values: Iterable[Any]) -> Iterator[list[Any]]:
    each = iter(values)
    while some := list(islice(each, _CHUNK)):
        yield some


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def iter_text(statements: Sequence[Statement]) -> Iterator[str]:
    """The text of a certificate file in pieces: one statement, or a list of several."""
    if len(statements) != 1:
        yield "["
    for i, statement in enumerate(statements):
        yield "," if i else ""
        yield from statement.iter_json()
    yield "\n" if len(statements) == 1 else "]\n"


def dumps(statements: Sequence[Statement]) -> str:
    """The text of a certificate file."""
    return "".join(iter_text(statements))


def loads(text: str) -> tuple[Statement, ...]:
    """The statements of a certificate file; the inverse of :func:`dumps`.

    Raises :class:`FileError` when the text holds none.
    """
    try:
        return tuple(map(_statement, load(text)))
    except (Invalid, Unreadable) as error:
        raise FileError(
            f"this is no certificate of attnproof ({error}); give a file that --certificate wrote",
            reason=str(error),
        ) from None


def _statement(value: object) -> Statement:
    found = read(value)
    if not isinstance(found.predicate, dict):
        raise Invalid("the predicate is not an object")
    return Statement(
        tuple(zip(found.names, found.digests, strict=True)), found.kind, found.predicate
    )
