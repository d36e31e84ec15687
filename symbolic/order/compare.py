"""Two masks: the same pairs, or only the same flow?

Windows of W and of W + 1 keys have the same closure and other edges; both answers are given.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import Equal, Unequal
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.order.schedule import Relation
from attnproof.symbolic.order.witness import distance, tokens
from attnproof.symbolic.verdict import Finding, Verdict

Side = Literal["a", "b"]


@dataclass(frozen=True)
class Difference:
    """The pairs, as bit sets a position, that only one of two relations has."""

    only_in_a: Relation
    only_in_b: Relation

    @staticmethod
    def between(a: Relation, b: Relation) -> "Difference":
        return Difference(
            tuple(x & ~y for x, y in zip(a, b, strict=True)),
            tuple(y & ~x for x, y in zip(a, b, strict=True)),
        )

    def __bool__(self) -> bool:
        return any(self.only_in_a) or any(self.only_in_b)


class Comparison:
    """Mask ``a`` beside mask ``b``: edges as given, edges off the diagonal, flow.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> from attnproof.symbolic.setting import Setting
    >>> two, three = Mask.from_rows(["1..", "11.", ".11"]), Mask.from_rows(["1..", "11.", "111"])
    >>> both = Comparison(Flow(Setting((two,))), Flow(Setting((three,))))
    >>> both.edges_equal, both.flow_equal
    (False, True)
    """

    def __init__(self, a: Flow, b: Flow) -> None:
        if a.setting.size != b.setting.size:
            raise ShapeError(
                f"the masks have {a.setting.size} and {b.setting.size} positions; "
                "give two masks of the same length",
                sizes=(a.setting.size, b.setting.size),
            )
        self.a = a
        self.b = b

    @cached_property
    def edges(self) -> Difference:
        """Pairs as given that only one mask has."""
        return Difference.between(self.a.given, self.b.given)

    @cached_property
    def flow(self) -> Difference:
        """Pairs that reach each other under only one mask."""
        return Difference.between(self.a.closure.rows, self.b.closure.rows)

    @property
    def edges_equal(self) -> bool:
        """Do both masks have the same pairs, as given?"""
        return not self.edges

    @property
    def equal_off_diagonal(self) -> bool:
        """The same, the diagonal left out: what a residual makes equal."""
        both = (self.edges.only_in_a, self.edges.only_in_b)
        return not any(row & ~(1 << p) for rows in both for p, row in enumerate(rows))

    @property
    def flow_equal(self) -> bool:
        """Do both masks let the same through when layers are stacked?"""
        return not self.flow

    def evidence(self) -> tuple[Equal | Unequal, Equal | Unequal]:
        """One claim about the edges, one about the flow."""
        return self._edges_evidence(), self._flow_evidence()

    def _edges_evidence(self) -> Equal | Unequal:
        a, b = self.a.setting, self.b.setting
        for only_in, reader, source in pairs(self.edges):
            return Unequal(a, b, "edges", only_in, reader, source)
        return Equal(a, b, "edges")

    def _flow_evidence(self) -> Equal | Unequal:
        a, b = self.a.setting, self.b.setting
        for only_in, reader, source in pairs(self.flow):
            layer = (self.a if only_in == "a" else self.b).closure.layer
            depth = distance(layer, reader, source)
            if depth is None:
                raise AssertionError("the pair is in the closure")
            walked = tuple(tokens([layer], source, reader, depth))
            return Unequal(a, b, "flow", only_in, reader, source, walked)
        return Equal(a, b, "flow", self.a.closure.rows)


def pairs(difference: Difference) -> Iterator[tuple[Side, int, int]]:
    """(which mask has it, reader, source) of every differing pair, by reader, then source."""
    for reader, (in_a, in_b) in enumerate(
        zip(difference.only_in_a, difference.only_in_b, strict=True)
    ):
        for source in members(in_a | in_b):
            yield ("a" if in_a >> source & 1 else "b"), reader, source


def judge_equal(flow: Flow, other: Flow, name: str, *, most: int = 100) -> Judgement:
    """Do both masks have the same edges, as given? ``name`` is what the other is called."""
    comparison = Comparison(flow, other)
    evidence = comparison.evidence()[0]
    if comparison.edges_equal:
        return Judgement("equals", Verdict.HOLDS, evidence=evidence)
    both = comparison.edges
    total = sum(row.bit_count() for rows in (both.only_in_a, both.only_in_b) for row in rows)
    findings = tuple(_not_equal(name, *pair) for pair in islice(pairs(both), most))
    return Judgement("equals", Verdict.FAILS, findings, total, evidence)


def _not_equal(name: str, only_in: Side, reader: int, source: int) -> Finding:
    here = only_in == "a"
    message = (
        f"query {reader} reads key {source}, which {name} does not"
        if here
        else f"query {reader} does not read key {source}, which {name} does"
    )
    return Finding(
        "not_equal",
        message,
        property="equals",
        reader=reader,
        source=source,
        details={"only_in": "mask" if here else "other"},
    )
