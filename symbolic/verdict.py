"""Verdict and Finding: the values that answers are made of.

Convention: information flows from a *source* position to a *reader* position.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NoReturn

Severity = Literal["error", "note"]
Grade = Literal["certified", "solvers-agree", "replayed"]
#: A path of tokens from source to reader; in a schedule, of (token, layer after which it holds).
Path = tuple[int, ...] | tuple[tuple[int, int], ...]


class Verdict(Enum):
    """Three-valued: a limit that was reached is ``UNKNOWN``, never one of the others.

    >>> Verdict.worst([Verdict.HOLDS, Verdict.UNKNOWN])
    <Verdict.UNKNOWN: 'unknown'>
    """

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has three values: compare it, as in `verdict is Verdict.HOLDS`")

    @property
    def exit_code(self) -> int:
        """0 holds, 1 fails, 3 unknown.

        >>> Verdict.UNKNOWN.exit_code
        3
        """
        return {Verdict.HOLDS: 0, Verdict.FAILS: 1, Verdict.UNKNOWN: 3}[self]

    @staticmethod
    def worst(verdicts: "Iterable[Verdict]") -> "Verdict | None":
        """Fails before unknown before holds; None of nothing."""
        found = set(verdicts)
        order = (Verdict.FAILS, Verdict.UNKNOWN, Verdict.HOLDS)
        return next((verdict for verdict in order if verdict in found), None)


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """One thing found: a leak with its least depth and a path, or a note that changes no verdict.

    ``details`` holds what only some kinds have (``atom``, ``head``, ``parameters``, ...); its keys
    stand beside the others in JSON.

    >>> Finding("leak", "token 5 reaches query 2 in 2 layers: 5 -> 7 -> 2", property="causal",
    ...         reader=2, source=5, depth=2, path=(5, 7, 2)).to_json()["path"]
    [5, 7, 2]
    """

    kind: str
    message: str
    severity: Severity = "error"
    property: str | None = None
    reader: int | None = None
    source: int | None = None
    depth: int | None = None
    path: Path | None = None
    details: Mapping[str, object] = field(default_factory=dict)

    def rank(self) -> tuple[bool, int, int, int]:
        """Sorting key: errors first, then (depth, reader, source).

        A finding without a depth is about the mask itself and stands before those about its flow.
        """
        last = 1 << 62
        reader, source = (last if x is None else x for x in (self.reader, self.source))
        return self.severity != "error", -1 if self.depth is None else self.depth, reader, source

    def to_json(self) -> dict[str, object]:
        """The finding as one JSON object; what does not apply is left out."""
        path = (
            None if self.path is None else [x if isinstance(x, int) else list(x) for x in self.path]
        )
        fields: dict[str, object] = {
            "kind": self.kind,
            "severity": self.severity,
            "property": self.property,
            "reader": self.reader,
            "source": self.source,
            "depth": self.depth,
            "path": path,
            **self.details,
            "message": self.message,
        }
        return {key: value for key, value in fields.items() if value is not None}

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{'Finding' if self.severity == 'error' else 'Note'}: {self.message}"
