"""structure/v1: a structural property that every layer has, or a counterexample.

reflexive and no-empty-rows speak of the queries as given; transitive and antisymmetric of the
executed layer with the diagonal; depth of the number of layers after which nothing changes.

Machine-checked: ``DepthOne.transitive_iff_square`` and ``Growth.stable_forever``.
"""

from collections.abc import Callable, Sequence

from .convergence import convergence
from .envelope import Invalid, boolean, integer, integers, need, record, string
from .layers import after
from .masks import SETTING, Layer, Setting, read_setting
from .paths import replays
from .rows import Rows

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
    depth = convergence(setting.executed, setting.union.closure, setting.residual)
    need(holds == (depth is not None and depth <= bound), "the depth does not agree")
    if not holds:
        if witness is None:
            need(not setting.residual, "a counterexample is missing")
            return
        need(len(witness) > 1, "the witness is no path")
        steps = [(token, level) for level, token in enumerate(witness)]
        need(replays([setting.union], steps), "the witness is no path")
        reached = after(setting.executed, bound)
        need(not reached.has(witness[-1], witness[0]), "the bound suffices for the witness")


def _executed(setting: Setting, layer: Layer) -> Rows:
    rows = layer.executed(setting.residual, setting.empty_row)
    return rows.with_own([range(setting.size)])


def _is_reflexive(_: Setting, layer: Layer) -> bool:
    return all(layer.given.has(q, q) for q in layer.asked)


def _has_no_own(_: Setting, layer: Layer, witness: tuple[int, ...]) -> bool:
    return _is_query(layer, witness) and not layer.given.has(witness[0], witness[0])


def _has_no_empty_row(_: Setting, layer: Layer) -> bool:
    return not layer.rows.has_empty_row()


def _is_empty(_: Setting, layer: Layer, witness: tuple[int, ...]) -> bool:
    return _is_query(layer, witness) and not layer.given.bits(witness[0])


def _is_query(layer: Layer, witness: tuple[int, ...]) -> bool:
    return len(witness) == 1 and witness[0] in layer.asked


def _is_transitive(setting: Setting, layer: Layer) -> bool:
    return _executed(setting, layer).is_closed()


def _is_open(setting: Setting, layer: Layer, witness: tuple[int, ...]) -> bool:
    if len(witness) != 3:
        return False
    rows = _executed(setting, layer)
    k, m, q = witness
    return rows.has(q, m) and rows.has(m, k) and not rows.has(q, k)


def _is_antisymmetric(setting: Setting, layer: Layer) -> bool:
    return _executed(setting, layer).is_antisymmetric()


def _is_mutual(setting: Setting, layer: Layer, witness: tuple[int, ...]) -> bool:
    if len(witness) != 2 or witness[0] == witness[1]:
        return False
    rows = _executed(setting, layer)
    q, k = witness
    return rows.has(q, k) and rows.has(k, q)


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
