"""Two masks: the same pairs, or only the same flow?

Windows of W and of W + 1 keys have the same closure and other edges; both answers are given.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import Equal, Unequal
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.order.schedule import Relation
from attnproof.symbolic.order.witness import distance, tokens
from attnproof.symbolic.verdict import Finding, Verdict

if TYPE_CHECKING:
    from attnproof.symbolic.masks.runs import Runs
    from attnproof.symbolic.order.run_difference import RunDifference
    from attnproof.symbolic.order.run_flow import RunFlow

Side = Literal["a", "b"]


@dataclass(frozen=True)
class Difference:
    """The pairs, as bit sets a position, that only one of two relations has."""

    only_in_a: Relation
    only_in_b: Relation

    @staticmethod
    def between(a: Relation, b: Relation) -> "Difference":
        """The pairs of ``a`` that ``b`` lacks, and the other way round."""
        return Difference(
            tuple(x & ~y for x, y in zip(a, b, strict=True)),
            tuple(y & ~x for x, y in zip(a, b, strict=True)),
        )

    def count(self, side: Side) -> int:
        """How many pairs only this side has."""
        rows = self.only_in_a if side == "a" else self.only_in_b
        return sum(row.bit_count() for row in rows)

    def of(self, side: Side) -> Iterator[tuple[int, int]]:
        """(reader, source) of every pair that only this side has, in order."""
        rows = self.only_in_a if side == "a" else self.only_in_b
        for reader, row in enumerate(rows):
            for source in members(row):
                yield reader, source

    def on_diagonal(self) -> bool:
        """Are all the pairs a position with itself?"""
        both = (self.only_in_a, self.only_in_b)
        return not any(row & ~(1 << p) for rows in both for p, row in enumerate(rows))

    def pairs(self) -> Iterator[tuple[Side, int, int]]:
        """(which side has it, reader, source) of every pair, by reader, then source."""
        both = zip(self.only_in_a, self.only_in_b, strict=True)
        for reader, (in_a, in_b) in enumerate(both):
            for source in members(in_a | in_b):
                yield ("a" if in_a >> source & 1 else "b"), reader, source

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

    def __init__(self, a: "Flow | RunFlow", b: "Flow | RunFlow") -> None:
        if a.setting.size != b.setting.size:
            raise ShapeError(
                f"the masks have {a.setting.size} and {b.setting.size} positions; "
                "give two masks of the same length",
                sizes=(a.setting.size, b.setting.size),
            )
        self.a = a
        self.b = b

    @cached_property
    def edges(self) -> "Difference | RunDifference":
        """Pairs as given that only one mask has."""
        if not isinstance(self.a, Flow) and not isinstance(self.b, Flow):
            return _between(self.a.given, self.b.given)
        a, b = self._in_bits
        return Difference.between(a.given, b.given)

    @cached_property
    def flow(self) -> "Difference | RunDifference":
        """Pairs that reach each other under only one mask."""
        if not isinstance(self.a, Flow) and not isinstance(self.b, Flow):
            return _between(self.a.closure.rows, self.b.closure.rows)
        a, b = self._in_bits
        return Difference.between(a.closure.rows, b.closure.rows)

    @cached_property
    def _in_bits(self) -> tuple[Flow, Flow]:
        a, b = (
            flow if isinstance(flow, Flow) else flow.in_bits("bit sets and runs are compared")
            for flow in (self.a, self.b)
        )
        return a, b

    @property
    def edges_equal(self) -> bool:
        """Do both masks have the same pairs, as given?"""
        return not self.edges

    @property
    def equal_off_diagonal(self) -> bool:
        """The same, the diagonal left out: what a residual makes equal."""
        return self.edges.on_diagonal()

    @property
    def flow_equal(self) -> bool:
        """Do both masks let the same through when layers are stacked?"""
        return not self.flow

    def evidence(self) -> tuple[Equal | Unequal, Equal | Unequal]:
        """One claim about the edges, one about the flow."""
        return self.edges_evidence(), self.flow_evidence()

    def edges_evidence(self) -> Equal | Unequal:
        """The claim about the edges: the first differing pair, or that there is none."""
        a, b = self.a.setting, self.b.setting
        for only_in, reader, source in self.edges.pairs():
            return Unequal(a, b, "edges", only_in, reader, source)
        return Equal(a, b, "edges")

    def flow_evidence(self) -> Equal | Unequal:
        """The claim about the flow: the first differing pair with its path, or the closure."""
        a, b = self.a.setting, self.b.setting
        for only_in, reader, source in self.flow.pairs():
            walked = _walk(self.a if only_in == "a" else self.b, reader, source)
            return Unequal(a, b, "flow", only_in, reader, source, walked)
        return Equal(a, b, "flow", self.a.closure.rows)


def _between(a: "Runs", b: "Runs") -> "RunDifference":
    from attnproof.symbolic.order.run_difference import RunDifference

    return RunDifference.between(a, b)


def _walk(flow: "Flow | RunFlow", reader: int, source: int) -> tuple[int, ...]:
    """The least shortest path of tokens through the union of the layers."""
    if isinstance(flow, Flow):
        layer = flow.closure.layer
        depth = distance(layer, reader, source)
        walked = None if depth is None else tokens([layer], source, reader, depth)
    else:
        from attnproof.symbolic.order.run_witness import run_distance, run_tokens

        rows = flow.closure.layer
        depth = run_distance(rows, reader, source)
        walked = None if depth is None else run_tokens([rows], source, reader, depth)
    if walked is None:
        raise AssertionError("the pair is in the closure")
    return tuple(walked)


def judge_equal(
    flow: "Flow | RunFlow", other: "Flow | RunFlow", name: str, *, most: int = 100
) -> Judgement:
    """Do both masks have the same edges, as given? ``name`` is what the other is called."""
    comparison = Comparison(flow, other)
    evidence = comparison.edges_evidence()
    if comparison.edges_equal:
        return Judgement("equals", Verdict.HOLDS, evidence=evidence)
    both = comparison.edges
    total = both.count("a") + both.count("b")
    findings = tuple(_not_equal(name, *pair) for pair in islice(both.pairs(), most))
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
