"""compare: the same pairs, the same flow, or neither? Two questions, two answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from attnproof.flow import flow_of
from attnproof.keywords import keywords
from attnproof.objects import POSITIONS
from attnproof.source import Reading, read
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.order.compare import Comparison
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Finding

MOST_PAIRS = 100
SIDES: tuple[Literal["a", "b"], ...] = ("a", "b")


@dataclass(frozen=True)
class Compared:
    """Two masks of one length; ``comparison`` holds every differing pair, ``notes`` what was not
    evaluated.

    >>> import attnproof as ap
    >>> ap.compare("window", "causal", n=6, params_a={"keys": 2})
    window and causal, n = 6: other edges, the same flow
    """

    a: str
    b: str
    n: int
    comparison: Comparison
    notes: tuple[Finding, ...] = ()

    @property
    def edges_equal(self) -> bool:
        """The same pairs, as given?"""
        return self.comparison.edges_equal

    @property
    def equal_off_diagonal(self) -> bool:
        """The same pairs, a position's own key left out?"""
        return self.comparison.equal_off_diagonal

    @property
    def flow_equal(self) -> bool:
        """The same flow at any depth?"""
        return self.comparison.flow_equal

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object; at most 100 pairs (reader, source) of each list."""
        both = {"": self.comparison.edges, "flow_": self.comparison.flow}
        listed: dict[str, object] = {}
        for prefix, difference in both.items():
            for side in SIDES:
                found = islice(difference.of(side), MOST_PAIRS)
                listed[f"{prefix}only_in_{side}"] = [list(pair) for pair in found]
                listed[f"{prefix}only_in_{side}_total"] = difference.count(side)
        return {
            "a": self.a,
            "b": self.b,
            "n": self.n,
            "edges_equal": self.edges_equal,
            "equal_off_diagonal": self.equal_off_diagonal,
            "flow_equal": self.flow_equal,
            "flow_a": self.comparison.a.to_json(),
            "flow_b": self.comparison.b.to_json(),
            **listed,
            "notes": [note.message for note in self.notes],
        }

    def __repr__(self) -> str:
        edges = "the same edges" if self.edges_equal else "other edges"
        flow = "the same flow" if self.flow_equal else "another flow"
        return f"{self.a} and {self.b}, n = {self.n}: {edges}, {flow}"

    def __str__(self) -> str:
        from attnproof.render.text import compare_text

        return compare_text(self.to_json())


@keywords()
def compare(
    a: object,
    b: object,
    *,
    n: int | None = None,
    params_a: Mapping[str, object] | None = None,
    params_b: Mapping[str, object] | None = None,
    encoding: str = "auto",
    q_offset: int | None = None,
    heads: int | None = None,
    batches: int | None = None,
    batch: int | None = None,
    residual: bool = True,
) -> Compared:
    """Compare the edges and the flow of two masks of the same length; rules for as many heads, of
    which any may read, and for one batch element.

    Windows of W and of W + 1 keys have the same closure and other edges; a check of either alone
    is blind to the other.

    Raises :class:`~attnproof.errors.ShapeError` when the lengths differ.
    """
    how = {"n": n, "encoding": encoding, "q_offset": q_offset}
    how |= {"heads": heads, "batches": batches, "batch": batch}
    first, second = _one(a, params_a, how), _one(b, params_b, how)
    flows = [flow_of(Setting((one.masks[0][1],), residual=residual)) for one in (first, second)]
    notes = [note for one in (first, second) for note in one.notes if note.severity == "note"]
    return Compared(
        first.name, second.name, flows[0].setting.size, Comparison(*flows), tuple(notes)
    )


def summary(found: Sequence[Compared]) -> dict[str, object]:
    """Several lengths as one JSON object: a question is answered yes when it is at every length."""
    return {
        "a": found[0].a,
        "b": found[0].b,
        "edges_equal": all(one.edges_equal for one in found),
        "equal_off_diagonal": all(one.equal_off_diagonal for one in found),
        "flow_equal": all(one.flow_equal for one in found),
        "first_difference": next((one.n for one in found if not one.edges_equal), None),
        "sweep": [one.to_json() for one in found],
    }


def _one(source: object, params: Mapping[str, object] | None, how: Mapping[str, Any]) -> Reading:
    reading = read(source, params=params or {}, **how)
    if len(reading.masks) != 1:
        raise InputError(
            f"{reading.name} has {len(reading.masks)} distinct masks in its batch; compare one",
            source=reading.name,
        )
    return reading


def span(text: str) -> range:
    """The lengths of ``n=1..64``.

    >>> span("n=2..4")
    range(2, 5)
    """
    name, _, ends = text.partition("=")
    first, dots, last = ends.partition("..")
    ends_ = (first.strip(), last.strip())
    if name.strip() != "n" or not dots or not all(map(_is_length, ends_)):
        raise InputError(f"the sweep {text[:40]!r} is no range; write n=1..64")
    found = range(int(ends_[0]), int(ends_[1]) + 1)
    if not found or found.start < 1:
        raise InputError(f"the sweep {text!r} holds no lengths of 1 or more; write n=1..64")
    if found[-1] > POSITIONS:
        raise InputError(
            f"the sweep {text!r} ends above the memory guard of {POSITIONS} positions; end it "
            "earlier"
        )
    return found


def _is_length(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16
