"""Judgement in runs: does the flow respect a property, and what shows it?

The answers are those of ``judge`` on bit sets.
"""

from typing import Literal

import numpy as np

from attnproof.symbolic.evidence import Safe
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.judge import Judgement, leak_evidence, leak_finding
from attnproof.symbolic.order.properties import Causal, Documents, Property
from attnproof.symbolic.order.run_arrays import combined, taken
from attnproof.symbolic.order.run_flow import RunFlow
from attnproof.symbolic.order.run_witness import run_first_leaks, run_path
from attnproof.symbolic.verdict import Verdict


def judge_runs(flow: RunFlow, property: Property, *, most: int = 100) -> Judgement:
    """Judge a property at the depth of the flow's setting; None there is any number of layers.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> from attnproof.symbolic.order.properties import Forbidden
    >>> from attnproof.symbolic.setting import Setting
    >>> flow = RunFlow(Setting((Mask.from_rows(["1..", "11.", ".11"]),)))
    >>> judge_runs(flow, Forbidden.from_pairs([(2, 0)], 3)).findings[0]
    Finding: token 0 reaches query 2 in 2 layers: 0 -> 1 -> 2

    Law: the judgement is that of ``judge``; the evidence holds relations in runs, and names the
    allowed pairs instead of listing them where they are closed.
    """
    forbidden = forbidden_rows(property)
    leaks = combined(flow.reached, forbidden, {3})
    if not len(leaks.starts):
        closed = _safe_relation(flow, property, forbidden)
        if closed is None and flow.setting.depth is None:
            return Judgement(property.name, Verdict.UNKNOWN)
        return Judgement(
            property.name,
            Verdict.HOLDS,
            evidence=Safe(flow.setting, property, closed),
            invariant=None if closed is None else property.invariant or "the closure",
        )
    findings = tuple(
        leak_finding(property.name, depth, q, k, run_path(flow.layers, k, q, depth))
        for depth, q, k in run_first_leaks(flow.layers, leaks, most)
    )
    return Judgement(
        property.name,
        Verdict.FAILS,
        findings,
        leaks.count(),
        leak_evidence(flow, property, findings[0]),
    )


def forbidden_rows(property: Property) -> Runs:
    """The sources that must not reach each position, as rows.

    >>> list(forbidden_rows(Causal(3)).runs())
    [((1, 3),), ((2, 3),), ()]
    """
    n = property.size
    if isinstance(property, Causal):
        later = np.arange(1, n)
        return Runs.from_arrays(np.append(np.arange(n), n - 1), later, np.full(n - 1, n), n)
    if isinstance(property, Documents):
        number = {document: i for i, document in enumerate(dict.fromkeys(property.ids))}
        first = {document: i for i, document in reversed(list(enumerate(property.ids)))}
        rows = Runs.from_rows((property.forbidden_runs(first[one]) for one in number), n)
        return taken(rows, np.fromiter(map(number.__getitem__, property.ids), np.int64, n))
    return Runs.from_rows(map(property.forbidden_runs, range(n)), n)


def _safe_relation(
    flow: RunFlow, property: Property, forbidden: Runs
) -> Runs | Literal["allowed"] | None:
    """A closed relation that contains every layer and meets no forbidden pair, if there is one."""
    closed = flow.closure.rows
    meets = flow.reached is not closed and any(
        len(combined(layer, forbidden, {3}).starts) for layer in flow.layers
    )
    if meets:
        return None
    if property.invariant is not None:
        return "allowed"
    if flow.reached is closed or not len(combined(closed, forbidden, {3}).starts):
        return closed
    return None
