"""Judgement: does the flow respect a property, and what shows it?

A leak is a forbidden pair that the layers reach. No leak at any depth is shown by one closed
relation that contains every layer and meets no forbidden pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.symbolic.evidence import Closed, Evidence, Leak, Safe
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.properties import Property
from attnproof.symbolic.order.schedule import Relation, ever, reach
from attnproof.symbolic.order.witness import first_leaks, path
from attnproof.symbolic.verdict import Finding, Path, Verdict
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.order.run_flow import RunFlow


@dataclass(frozen=True)
class Judgement:
    """The verdict on one property; ``total`` counts the findings, of which some are listed.

    ``evidence`` is None when the verdict is unknown; ``invariant`` says in words which relation
    shows that the property holds; ``note`` says what ``total`` leaves out.
    """

    property: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    total: int = 0
    evidence: Evidence | None = None
    invariant: str | None = None
    note: str | None = None


def judge(flow: "Flow | RunFlow", property: Property, *, most: int = 100) -> Judgement:
    """Judge a property at the depth of the flow's setting; None there is any number of layers.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> from attnproof.symbolic.order.properties import Forbidden
    >>> from attnproof.symbolic.setting import Setting
    >>> flow = Flow(Setting((Mask.from_rows(["1..", "11.", ".11"]),)))
    >>> judge(flow, Forbidden.from_pairs([(2, 0)], 3)).findings[0]
    Finding: token 0 reaches query 2 in 2 layers: 0 -> 1 -> 2

    Law: the verdict fails exactly when some pair is forbidden and in the product of the layers. It
    is unknown only for a schedule without residual, at any depth, that leaks nothing while the
    closure of its layers does.
    """
    if not isinstance(flow, Flow):
        return _judge_in_runs(flow, property, most)
    reached = reached_relation(flow)
    forbidden = [property.forbidden(q) for q in range(len(reached))]
    total = sum((row & bad).bit_count() for row, bad in zip(reached, forbidden, strict=True))
    if not total:
        return no_leak(flow, property, safe_relation(flow, property, forbidden))
    found = first_leaks(flow.layers, forbidden.__getitem__, reached, most)
    walked = [(depth, q, k, path(flow.layers, k, q, depth)) for depth, q, k in found]
    return leaks(flow, property, walked, total)


def _judge_in_runs(flow: "RunFlow", property: Property, most: int) -> Judgement:
    from attnproof.symbolic.order.run_arrays import Fragmented
    from attnproof.symbolic.order.run_judge import judge_runs

    try:
        return judge_runs(flow, property, most=most)
    except Fragmented:
        return judge(flow.in_bits("rows in very many runs are judged"), property, most=most)


def reached_relation(flow: Flow) -> Relation:
    """What the layers reach at the depth of the setting; at any depth, after some number."""
    setting = flow.setting
    if setting.residual:
        closed = flow.closure.rows
        return closed if setting.depth is None else reach(flow.layers, setting.depth, closed)
    if setting.depth is not None:
        return reach(flow.layers, setting.depth)
    return flow.closure.rows if len(flow.layers) == 1 else ever(flow.layers)


def safe_relation(flow: Flow, property: Property, forbidden: list[int]) -> Closed | None:
    """A closed relation that contains every layer and meets no forbidden pair, if there is one."""
    within = all(
        not row & bad for layer in flow.layers for row, bad in zip(layer, forbidden, strict=True)
    )
    if not within:
        return None
    if property.invariant is not None:
        return "allowed"
    closed = flow.closure.rows
    if all(not row & bad for row, bad in zip(closed, forbidden, strict=True)):
        return closed
    return None


def no_leak(flow: "Flow | RunFlow", property: Property, closed: Closed | None) -> Judgement:
    """The judgement where nothing leaks, shown by a closed relation; at any depth it takes one."""
    if closed is None and flow.setting.depth is None:
        return Judgement(property.name, Verdict.UNKNOWN)
    return Judgement(
        property.name,
        Verdict.HOLDS,
        evidence=Safe(flow.setting, property, closed),
        invariant=None if closed is None else property.invariant or "the closure",
    )


def leaks(
    flow: "Flow | RunFlow",
    property: Property,
    found: Sequence[tuple[int, int, int, Path]],
    total: int,
    note: str | None = None,
) -> Judgement:
    """The judgement where (depth, reader, source, path) leak; the first one is the evidence."""
    findings = tuple(
        Finding(
            "leak",
            leak_message(depth, reader, source, walked),
            property=property.name,
            reader=reader,
            source=source,
            depth=depth,
            path=walked,
        )
        for depth, reader, source, walked in found
    )
    depth, reader, source, walked = found[0]
    evidence = Leak(flow.setting, property, reader, source, depth, walked)
    return Judgement(property.name, Verdict.FAILS, findings, total, evidence, note=note)


def leak_message(depth: int, reader: int, source: int, walked: Path) -> str:
    """How a leak is told.

    >>> leak_message(2, 2, 5, (5, 7, 2))
    'token 5 reaches query 2 in 2 layers: 5 -> 7 -> 2'
    >>> leak_message(3, 2, 5, ((5, 0), (7, 1), (2, 3)))
    'token 5 reaches query 2 in 3 layers: 5 -> 7 (layer 1) -> 2 (layer 3)'
    """
    if depth == 0:
        return f"query {reader} holds the forbidden token {source} as its own input"
    steps = (
        str(step)
        if isinstance(step, int)
        else f"{step[0]} (layer {step[1]})"
        if step[1]
        else str(step[0])
        for step in walked
    )
    layers = counted(depth, "layer")
    return f"token {source} reaches query {reader} in {layers}: {' -> '.join(steps)}"
