"""Evidence to certificate: each value becomes one statement that the checker re-checks.

Rows are written as runs ``[start, stop)``; edges and covers are (source, reader).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnproof.proofs.statement import Statement
from attnproof.symbolic.evidence import (
    Equal,
    Evidence,
    FlowFacts,
    Leak,
    Safe,
    Structure,
    Unequal,
)
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import RowRuns, runs_of
from attnproof.symbolic.setting import Setting

Json = dict[str, object]


def emit(evidence: Evidence) -> Json:
    """The statement of some evidence, as JSON.

    >>> from attnproof.symbolic.order.properties import Causal
    >>> setting = Setting((Mask.from_rows(["1.", "11"]),))
    >>> emit(Safe(setting, Causal(2), (0b01, 0b11)))["predicate"]["relation"]
    [[[0, 1]], [[0, 2]]]
    """
    return state(evidence).to_json()


def state(evidence: Evidence) -> Statement:
    """The statement of some evidence.

    Law: the checker accepts it when the evidence is right.
    """
    kind, predicate = EMITTERS[type(evidence)]
    settings = _settings(evidence)
    subject = tuple(
        (mask.name or "mask", mask.digest) for setting in settings for mask in setting.layers
    )
    return Statement(subject, f"attnproof/{kind}/v1", predicate(evidence))


def _settings(evidence: Evidence) -> tuple[Setting, ...]:
    if isinstance(evidence, Equal | Unequal):
        return evidence.a, evidence.b
    return (evidence.setting,)


def _safe(safe: Safe) -> Json:
    return {
        **_setting(safe.setting),
        "property": safe.property.to_json(),
        "relation": _relation(safe.relation),
    }


def _leak(leak: Leak) -> Json:
    return {
        **_setting(leak.setting),
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
        **_setting(flow.setting),
        "relation": _relation(flow.relation),
        "classes": [list(positions) for positions in flow.classes],
        "covers": sorted(list(cover) for cover in flow.covers),
        "transitive": flow.transitive,
        "antisymmetric": flow.antisymmetric,
        "convergence": flow.depth,
        "height": flow.height,
        "width": None if flow.antichain is None else len(flow.antichain),
        "antichain": None if flow.antichain is None else sorted(flow.antichain),
        "chains": None if flow.chains is None else [list(chain) for chain in flow.chains],
    }


def _structure(structure: Structure) -> Json:
    return {
        **_setting(structure.setting),
        "property": {"name": structure.name, "bound": structure.bound},
        "holds": structure.holds,
        "witness": list(structure.witness) if structure.witness else None,
    }


def _equal(equal: Equal) -> Json:
    return {
        "a": _setting(equal.a),
        "b": _setting(equal.b),
        "of": equal.of,
        "relation": _relation(equal.relation),
    }


def _unequal(unequal: Unequal) -> Json:
    return {
        "a": _setting(unequal.a),
        "b": _setting(unequal.b),
        "of": unequal.of,
        "only_in": unequal.only_in,
        "reader": unequal.reader,
        "source": unequal.source,
        "path": None if unequal.path is None else list(unequal.path),
    }


#: Class of evidence to the name of its predicate type, and what writes the predicate.
EMITTERS: Mapping[type, tuple[str, Callable[[Any], Json]]] = {
    Safe: ("safe", _safe),
    Leak: ("leak", _leak),
    FlowFacts: ("flow", _flow),
    Structure: ("structure", _structure),
    Equal: ("equal", _equal),
    Unequal: ("unequal", _unequal),
}


def _setting(setting: Setting) -> Json:
    return {
        "layers": [_layer(mask) for mask in setting.layers],
        "depth": "any" if setting.depth is None else setting.depth,
        "residual": setting.residual,
        "empty_row": setting.empty_row.value,
        "origin": _plain(setting.origin),
    }


def _layer(mask: Mask) -> Json:
    return {
        "queries": mask.queries,
        "keys": mask.keys,
        "offset": mask.offset,
        "rows": [_runs(runs) for runs in mask.rows.runs()],
    }


def _relation(rows: Sequence[int] | None) -> list[list[list[int]]] | None:
    return None if rows is None else [_runs(runs_of(row)) for row in rows]


def _runs(runs: RowRuns) -> list[list[int]]:
    return [[start, stop] for start, stop in runs]


def _plain(value: object) -> object:
    """How a mask was read, as JSON without floats: what has no exact form is written as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value)
