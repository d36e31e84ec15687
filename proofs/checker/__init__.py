"""The checker: decides whether a certificate proves its claim, and trusts nothing else of ours.

Only the standard library is imported, and the folder runs alone: ``python -I -S checker CERT``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .document import load
from .envelope import Invalid, Undecided, Unreadable, read
from .registry import KERNELS

__all__ = ["Result", "Unreadable", "check_statement", "check_text", "speaks_of"]


@dataclass(frozen=True)
class Result:
    """What the checker says of one statement; ``reason`` tells why it is not valid.

    ``subjects`` are the digests of the masks that it speaks of. ``undecided`` says that it is in
    order, and records what others found, which ``grade`` names and the checker does not re-check.
    """

    valid: bool
    predicateType: str
    grade: str
    reason: str = ""
    subjects: tuple[str, ...] = ()
    undecided: bool = False


def check_text(text: str) -> list[Result]:
    """Check every statement of a file; :class:`Unreadable` when it holds none.

    >>> check_text('{"_type": "attnproof/statement/v1"}')[0].valid
    False
    """
    return [check_statement(statement) for statement in load(text)]


def check_statement(statement: object) -> Result:
    """Check one statement, as read from JSON."""
    kind = ""
    digests: tuple[str, ...] = ()
    try:
        found = read(statement)
        kind, digests = found.kind, found.digests
        if kind not in KERNELS:
            raise Invalid(f"no kernel checks {kind}")
        KERNELS[kind](found.predicate, digests)
    except Invalid as error:
        return Result(False, kind, "certified", str(error), digests)
    except Undecided as error:
        return Result(False, kind, "solvers-agree", str(error), digests, undecided=True)
    except (RecursionError, MemoryError, OverflowError):
        return Result(False, kind, "certified", "it is too large to be checked", digests)
    return Result(True, kind, "certified", "", digests)


def speaks_of(statement: object, digests: Sequence[str]) -> bool:
    """Is the subject of a statement the masks with these digests, in this order?

    A true statement about one mask proves nothing about another.
    """
    try:
        return read(statement).digests == tuple(digests)
    except Invalid:
        return False
