"""Evidence to certificate: each value becomes one statement that the checker re-checks.

Rows are written as runs ``[start, stop)``; edges and covers are (source, reader).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attnproof.proofs.checker import limits
from attnproof.proofs.checker.convergence import convergence
from attnproof.proofs.checker.envelope import Invalid
from attnproof.proofs.checker.masks import Layer
from attnproof.proofs.checker.run_rows import RunRows
from attnproof.proofs.checker.runs import Runs
from attnproof.proofs.statement import Statement
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import (
    Equal,
    Evidence,
    FlowFacts,
    Leak,
    Relation,
    Safe,
    Structure,
    Unequal,
)
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.setting import Setting

Json = dict[str, object]


def emit(evidence: Evidence) -> Json:
    """The statement of some evidence, as JSON.

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
    settings = _settings(evidence)
    if isinstance(evidence, FlowFacts):
        _check_followed(evidence)
    subject = tuple(
        (mask.name or "mask", mask.digest) for setting in settings for mask in setting.layers
    )
    return Statement(subject, f"attnproof/{kind}/v1", predicate(evidence))


def _settings(evidence: Evidence) -> tuple[Setting, ...]:
    if isinstance(evidence, Equal | Unequal):
        return evidence.a, evidence.b
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
        convergence(layers, lambda: _run_rows(_relation(flow.relation)), setting.residual)
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
        **_setting(safe.setting),
        "property": safe.property.to_json(),
        "relation": shown if shown is None or shown == "allowed" else _relation(shown),
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
        "relation": None if equal.relation is None else _relation(equal.relation),
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
        "rows": mask.rows,
    }


def _relation(rows: Relation) -> Rows:
    return Bits(rows, len(rows)) if isinstance(rows, tuple) else rows


def _plain(value: object) -> object:
    """How a mask was read, as JSON without floats: what has no exact form is written as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value)
