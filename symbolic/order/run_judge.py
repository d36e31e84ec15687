"""Judgement in runs: does the flow respect a property, and what shows it?

The answers are those of ``judge`` on bit sets.
"""

import numpy as np

from attnproof.symbolic.evidence import Closed, Safe
from attnproof.symbolic.masks.line import combined
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.flow import LIMIT
from attnproof.symbolic.order.judge import Judgement, leaks, no_leak
from attnproof.symbolic.order.properties import Causal, Documents, Property
from attnproof.symbolic.order.run_arrays import Fragmented, around, past, taken
from attnproof.symbolic.order.run_direct import direct_leaks, document_numbers, is_within
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
    if (isinstance(property, Causal) and flow.back) or is_within(flow.setting, property):
        return no_leak(flow, property, "allowed")
    forbidden = forbidden_rows(property)
    try:
        return _judged(flow, property, forbidden, most)
    except Fragmented as error:
        if flow.setting.size <= LIMIT:
            raise
        return _without_closure(flow, property, forbidden, most, error)


def _judged(flow: RunFlow, property: Property, forbidden: Runs, most: int) -> Judgement:
    leaking = combined(flow.reached, forbidden, {3})
    if not len(leaking.starts):
        return no_leak(flow, property, _safe_relation(flow, property, forbidden))
    found = run_first_leaks(flow.layers, leaking, most)
    walked = [(depth, q, k, run_path(flow.layers, k, q, depth)) for depth, q, k in found]
    return leaks(flow, property, walked, leaking.count())


def _without_closure(
    flow: RunFlow, property: Property, forbidden: Runs, most: int, error: Fragmented
) -> Judgement:
    """What the layers show by themselves where nobody can hold what they generate.

    Layers that never read ahead stay within the pairs ``k <= q``. Of a mask that keeps its own
    positions, what one layer reads is reached at every depth.
    """
    setting = flow.setting
    if flow.back:
        earlier = past(setting.size)
        if not len(combined(earlier, forbidden, {3}).starts):
            evidence = Safe(setting, property, earlier)
            return Judgement(property.name, Verdict.HOLDS, evidence=evidence, invariant="k <= q")
    kept = setting.depth in (None, 1) or (setting.residual and setting.depth != 0)
    if len(setting.layers) > 1 or not kept or len(around(forbidden)):
        raise error
    pairs, total = direct_leaks(setting.layers[0], forbidden, most)
    if not total:
        raise error
    note = f"{property.name}: leaks of one layer are counted, those of several are not: {error}"
    return leaks(flow, property, [(1, q, k, (k, q)) for q, k in pairs], total, note)


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
        numbers = document_numbers(property)
        first = np.unique(numbers, return_index=True)[1].tolist()
        return taken(Runs.from_rows(map(property.forbidden_runs, first), n), numbers)
    return Runs.from_rows(map(property.forbidden_runs, range(n)), n)


def _safe_relation(flow: RunFlow, property: Property, forbidden: Runs) -> Closed | None:
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
