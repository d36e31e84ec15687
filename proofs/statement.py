"""The envelope of a certificate: one claim about one subject, as a value and as canonical JSON.

Canonical JSON has sorted keys, no spaces and no floats; equal statements are equal texts.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attnproof.proofs.checker import Unreadable
from attnproof.proofs.checker.envelope import STATEMENT, Invalid, load, read
from attnproof.symbolic.errors import FileError


@dataclass(frozen=True)
class Statement:
    """``subject`` lists (name, digest) of the masks; ``predicate`` is what is said of them.

    >>> Statement((("mask.npy", "ab"),), "attnproof/safe/v1", {}).digests
    ('ab',)
    """

    subject: tuple[tuple[str, str], ...]
    predicateType: str
    predicate: Mapping[str, object]

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests of the masks that the statement speaks of."""
        return tuple(digest for _, digest in self.subject)

    def to_json(self) -> dict[str, object]:
        """The statement as the checker reads it."""
        return {
            "_type": STATEMENT,
            "subject": [{"name": name, "digest": {"sha256": hex_}} for name, hex_ in self.subject],
            "predicateType": self.predicateType,
            "predicate": self.predicate,
        }

    def canonical_json(self) -> str:
        """The one text of this statement."""
        return canonical_json(self.to_json())


def canonical_json(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces.

    >>> canonical_json({"b": [1, 2], "a": None})
    '{"a":null,"b":[1,2]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def dumps(statements: Sequence[Statement]) -> str:
    """The text of a certificate file: one statement, or a list of several."""
    values = [statement.to_json() for statement in statements]
    return canonical_json(values[0] if len(values) == 1 else values) + "\n"


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
