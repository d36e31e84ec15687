"""Evidence to certificate: each value becomes one statement that the checker re-checks.

Rows are written as runs ``[start, stop)``; edges and covers are (source, reader).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attnproof.proofs import interpolation, lengths, tasks
from attnproof.proofs.checker import limits
from attnproof.proofs.checker.convergence import convergence
from attnproof.proofs.checker.envelope import Invalid
from attnproof.proofs.checker.masks import Layer
from attnproof.proofs.checker.run_rows import RunRows
from attnproof.proofs.checker.runs import Runs
from attnproof.proofs.setting import rows_of, setting_json
from attnproof.proofs.statement import Statement
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import (
    CommonSupergraph,
    Conflict,
    Equal,
    Equivalent,
    EveryLength,
    Evidence,
    FewestMerged,
    FlowFacts,
    Inequivalent,
    Infeasible,
    Interpolates,
    InterpolatesSoftmax,
    Leak,
    Optimum,
    Safe,
    Scanned,
    Spans,
    Structure,
    Unequal,
)
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.setting import Setting

Json = dict[str, object]


def emit(evidence: Evidence) -> Json:
    """The statement of some evidence, as JSON.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> from attnproof.symbolic.order.properties import NextToken
    >>> setting = Setting((Mask.from_rows(["1.", "11"]),))
    >>> emit(Safe(setting, NextToken(2), (0b01, 0b11)))["predicate"]["relation"]
    [[[0, 1]], [[0, 2]]]
    """
    return state(evidence).to_json()


def state(evidence: Evidence) -> Statement:
    """The statement of some evidence; its rows are read as they are written.

    Raises :class:`ShapeError` for a flow whose layers the checker would not follow to the limit.
    Law: the checker accepts it when the evidence is right.
    """
    kind, predicate = EMITTERS[type(evidence)]
    if isinstance(evidence, FlowFacts):
        _check_followed(evidence)
    written = predicate(evidence)
    return Statement(_subject(evidence, written), f"attnproof/{kind}/v1", written)


def _subject(evidence: Evidence, written: Json) -> tuple[tuple[str, str], ...]:
    """The masks that the evidence speaks of, or the net and the pairs, each with its digest."""
    if isinstance(evidence, Interpolates | InterpolatesSoftmax | Infeasible):
        return interpolation.subject(written)
    if isinstance(evidence, EveryLength):
        return lengths.subject(written)
    return tuple(
        (mask.name or "mask", mask.digest)
        for setting in _settings(evidence)
        for mask in setting.layers
    )


def _settings(evidence: Any) -> tuple[Setting, ...]:
    if isinstance(evidence, Optimum):
        return evidence.spans.a, evidence.spans.b
    if isinstance(evidence, Equal | Unequal | Spans):
        return evidence.a, evidence.b
    if isinstance(evidence, FewestMerged):
        return tuple(task.executed.setting for task in evidence.tasks)
    if isinstance(evidence, CommonSupergraph):
        return tuple(task.executed.setting for task in (*evidence.tasks, evidence.task))
    if isinstance(evidence, Equivalent | Inequivalent | Conflict):
        return evidence.a.task.executed.setting, evidence.b.task.executed.setting
    return (evidence.setting,)


def _check_followed(flow: FlowFacts) -> None:
    """Raise :class:`ShapeError` where the checker would not follow the layers to the limit."""
    setting = flow.setting
    if setting.size <= limits.MOST_BITS or flow.transitive:
        return
    layers = [
        Layer(mask.queries, mask.keys, mask.offset, _run_rows(mask.rows)).executed(
            setting.residual, setting.empty_row.value
        )
        for mask in setting.layers
    ]
    if layers[0].power(layers, 0) is not None:
        return  # a theorem gives all powers
    try:
        convergence(layers, lambda: _run_rows(rows_of(flow.relation)), setting.residual)
    except Invalid:
        raise ShapeError(
            f"the flow of {setting.size} positions settles after {flow.depth} layers, which the "
            "checker does not follow one by one; certify a property instead, or give at most "
            f"{limits.MOST_BITS} positions",
            size=setting.size,
            depth=flow.depth,
        ) from None


def _run_rows(rows: Rows) -> RunRows:
    return RunRows(Runs.of(rows.runs()))


def _safe(safe: Safe) -> Json:
    shown = safe.relation
    return {
        **setting_json(safe.setting),
        "property": safe.property.to_json(),
        "relation": shown if shown is None or shown == "allowed" else rows_of(shown),
    }


def _leak(leak: Leak) -> Json:
    return {
        **setting_json(leak.setting),
        "property": leak.property.to_json(),
        "reader": leak.reader,
        "source": leak.source,
        "least_depth": leak.depth,
        "path": [step if isinstance(step, int) else list(step) for step in leak.path],
        "atom": leak.atom,
        "head": leak.head,
    }


def _flow(flow: FlowFacts) -> Json:
    return {
        **setting_json(flow.setting),
        "relation": rows_of(flow.relation),
        "classes": _classes(flow.classes, flow.setting.size),
        "covers": _covers(flow.covers, flow.setting.size),
        "transitive": flow.transitive,
        "antisymmetric": flow.antisymmetric,
        "convergence": flow.depth,
        "height": flow.height,
        "width": None if flow.antichain is None else len(flow.antichain),
        "antichain": None if flow.antichain is None else sorted(flow.antichain),
        "chains": None if flow.chains is None else [list(chain) for chain in flow.chains],
    }


def _classes(given: Sequence[tuple[int, ...]], size: int) -> Sequence[tuple[int, ...]] | str:
    """The classes; where positions are many and the classes are these in order, ``"positions"``."""
    if size <= limits.MOST_BITS or len(given) < size:
        return given
    return "positions" if all(one == (p,) for p, one in enumerate(given)) else given


def _covers(given: Iterable[tuple[int, int]], size: int) -> object:
    """The covers, which are sorted by source: as pairs, or by distance where positions are many."""
    return sorted(given) if size <= limits.MOST_BITS else by_distance(given)


def by_distance(covers: Iterable[Sequence[int]]) -> dict[str, list[list[int]]]:
    """Distance between two classes to the runs of readers that cover at that distance.

    >>> by_distance([(0, 1), (0, 2), (1, 2), (2, 3)])
    {'1': [[1, 4]], '2': [[2, 3]]}
    """
    found: dict[int, list[list[int]]] = {}
    for source, reader in covers:
        runs = found.setdefault(reader - source, [])
        if runs and runs[-1][1] == reader:
            runs[-1][1] += 1
        else:
            runs.append([reader, reader + 1])
    return {str(distance): runs for distance, runs in found.items()}


def _structure(structure: Structure) -> Json:
    return {
        **setting_json(structure.setting),
        "property": {"name": structure.name, "bound": structure.bound},
        "holds": structure.holds,
        "witness": list(structure.witness) if structure.witness else None,
    }


def _equal(equal: Equal) -> Json:
    return {
        "a": setting_json(equal.a),
        "b": setting_json(equal.b),
        "of": equal.of,
        "relation": None if equal.relation is None else rows_of(equal.relation),
    }


def _unequal(unequal: Unequal) -> Json:
    return {
        "a": setting_json(unequal.a),
        "b": setting_json(unequal.b),
        "of": unequal.of,
        "only_in": unequal.only_in,
        "reader": unequal.reader,
        "source": unequal.source,
        "path": None if unequal.path is None else list(unequal.path),
    }


def _spans(spans: Spans) -> Json:
    return {
        "a": setting_json(spans.a),
        "b": setting_json(spans.b),
        "relation": rows_of(spans.relation),
        "edges_off_diagonal": spans.edges,
    }


def _optimum(optimum: Optimum) -> Json:
    least: Json = {"by": optimum.by}
    if optimum.steps is not None:
        least["steps"] = optimum.steps
    if optimum.lengths is not None:
        least["lengths"] = [{"edges": edges, "steps": steps} for edges, steps in optimum.lengths]
    return {**_spans(optimum.spans), "of": "spanner", "least": least}


def _scanned(scanned: Scanned) -> Json:
    least: Json | None = None
    if scanned.least is not None:
        by, shown = scanned.least
        least = {"by": by, "sources" if by == "antichain" else "pairs": shown}
    return {
        **setting_json(scanned.setting),
        "relation": rows_of(scanned.relation),
        "rule": scanned.rule,
        "tier": scanned.tier,
        "chains": [{"writes": writes, "reads": reads} for writes, reads in scanned.chains],
        "least": least,
    }


#: Class of evidence to the name of its predicate type, and what writes the predicate.
EMITTERS: Mapping[type, tuple[str, Callable[[Any], Json]]] = {
    Safe: ("safe", _safe),
    Leak: ("leak", _leak),
    FlowFacts: ("flow", _flow),
    Structure: ("structure", _structure),
    Equal: ("equal", _equal),
    Unequal: ("unequal", _unequal),
    Equivalent: ("equivalent", tasks.equivalent),
    Inequivalent: ("inequivalent", tasks.inequivalent),
    CommonSupergraph: ("merged", tasks.merged),
    Conflict: ("conflict", tasks.conflict),
    Spans: ("spans", _spans),
    Optimum: ("optimum", _optimum),
    FewestMerged: ("optimum", tasks.fewest_merged),
    Scanned: ("scans", _scanned),
    Interpolates: ("interpolates", interpolation.interpolates),
    InterpolatesSoftmax: ("interpolates-softmax", interpolation.interpolates_softmax),
    Infeasible: ("infeasible", interpolation.infeasible),
    EveryLength: ("lengths", lengths.every_length),
}
