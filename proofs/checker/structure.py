"""structure/v1: a structural property that every layer has, or a counterexample.

reflexive and no-empty-rows speak of the queries as given; transitive and antisymmetric of the
executed layer with the diagonal; depth of the number of layers after which nothing changes.
"""

from collections.abc import Callable, Sequence

from .convergence import convergence
from .envelope import Invalid, boolean, integer, integers, need, record, string
from .layers import after
from .masks import SETTING, Layer, Setting, read_setting
from .paths import replays
from .relations import Relation, closure, elements, is_closed

KIND = "attnproof/structure/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the claim, that the property holds or fails, is true."""
    keys = SETTING | {"property", "holds", "witness"}
    found = record(predicate, keys, "the predicate")
    setting = read_setting(found, digests)
    asked = record(found["property"], {"name", "bound"}, "the property")
    name = string(asked["name"], "the name of the property")
    holds = boolean(found["holds"], "holds")
    witness = None
    if found["witness"] is not None:
        witness = integers(found["witness"], setting.size, "witness")
    need(not (holds and witness is not None), "what holds has no counterexample")
    if name == "depth":
        bound = integer(asked["bound"], None, "bound")
        _check_depth(setting, bound, holds, witness)
        return
    if name not in _TESTS:
        raise Invalid("the property has no name that is known")
    need(asked["bound"] is None, "only depth has a bound")
    test, refutes = _TESTS[name]
    if holds:
        need(all(test(setting, layer) for layer in setting.layers), "some layer does not have it")
    elif witness is None:
        raise Invalid("a counterexample is missing")
    else:
        shown = any(refutes(setting, layer, witness) for layer in setting.layers)
        need(shown, "the witness is no counterexample in any layer")


def _check_depth(
    setting: Setting, bound: int, holds: bool, witness: tuple[int, ...] | None
) -> None:
    """Without a residual the layers may never settle; then there need not be a pair to show."""
    limit = closure(setting.union)
    depth = convergence(setting.executed, limit, setting.residual)
    need(holds == (depth is not None and depth <= bound), "the depth does not agree")
    if not holds:
        if witness is None:
            need(not setting.residual, "a counterexample is missing")
            return
        need(len(witness) > 1, "the witness is no path")
        steps = [(token, level) for level, token in enumerate(witness)]
        need(replays([setting.union], steps), "the witness is no path")
        reached = after(setting.executed, bound)
        need(not reached[witness[-1]] >> witness[0] & 1, "the bound suffices for the witness")


def _executed(setting: Setting, layer: Layer) -> Relation:
    rows = layer.executed(setting.residual, setting.empty_row)
    return tuple(row | 1 << q for q, row in enumerate(rows))


def _is_reflexive(_: Setting, layer: Layer) -> bool:
    return all(row >> (layer.offset + i) & 1 for i, row in enumerate(layer.rows))


def _has_no_own(_: Setting, layer: Layer, witness: tuple[int, ...]) -> bool:
    return _is_query(layer, witness) and not layer.given[witness[0]] >> witness[0] & 1


def _has_no_empty_row(_: Setting, layer: Layer) -> bool:
    return all(layer.rows)


def _is_empty(_: Setting, layer: Layer, witness: tuple[int, ...]) -> bool:
    return _is_query(layer, witness) and not layer.given[witness[0]]


def _is_query(layer: Layer, witness: tuple[int, ...]) -> bool:
    return len(witness) == 1 and 0 <= witness[0] - layer.offset < layer.queries


def _is_transitive(setting: Setting, layer: Layer) -> bool:
    return is_closed(_executed(setting, layer))


def _is_open(setting: Setting, layer: Layer, witness: tuple[int, ...]) -> bool:
    if len(witness) != 3:
        return False
    rows = _executed(setting, layer)
    k, m, q = witness
    return bool(rows[q] >> m & rows[m] >> k & ~(rows[q] >> k) & 1)


def _is_antisymmetric(setting: Setting, layer: Layer) -> bool:
    """Each pair is met once: from its later position, or from its earlier one if that is less."""
    rows = _executed(setting, layer)
    later = [row >> (q + 1) << (q + 1) for q, row in enumerate(rows)]
    earlier = [row & ((1 << q) - 1) for q, row in enumerate(rows)]
    side = min(later, earlier, key=lambda sets: sum(row.bit_count() for row in sets))
    return not any(rows[k] >> q & 1 for q, row in enumerate(side) for k in elements(row))


def _is_mutual(setting: Setting, layer: Layer, witness: tuple[int, ...]) -> bool:
    if len(witness) != 2 or witness[0] == witness[1]:
        return False
    rows = _executed(setting, layer)
    q, k = witness
    return bool(rows[q] >> k & rows[k] >> q & 1)


_TESTS: dict[
    str,
    tuple[
        Callable[[Setting, Layer], bool],
        Callable[[Setting, Layer, tuple[int, ...]], bool],
    ],
] = {
    "reflexive": (_is_reflexive, _has_no_own),
    "no-empty-rows": (_has_no_empty_row, _is_empty),
    "transitive": (_is_transitive, _is_open),
    "antisymmetric": (_is_antisymmetric, _is_mutual),
}
