"""A formula as a z3 term, over unbounded integers or over bit vectors.

Division and remainder round as Python's under the conditions of
:func:`~attnproof.symbolic.formula.obligations.obligations`: prove those too.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import groupby
from typing import Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.formula.terms import Term, fold


def to_z3(term: Term, env: Mapping[str, Any] | None = None, *, width: int | None = None) -> Any:
    """The z3 expression of a formula.

    ``env`` gives variables z3 expressions or integers, and captured tensors a z3 function, any
    callable of the indices, or a nested sequence of values; what it does not name is an unknown
    of that name. With ``width`` integers are signed bit vectors of so many bits, which is right
    as long as no intermediate value needs more.

    >>> from attnproof.symbolic.formula.terms import k, q, variable
    >>> to_z3((k <= q) & (q - k < variable("keys")))
    And(k <= q, q - k < keys)

    Raises :class:`InputError` for a bit operation on unbounded integers, shifts and masks of low
    bits by a constant excepted.
    """
    rules = _bit_vectors(width) if width else _integers()
    values = env or {}

    def combine(node: Term, parts: list[Any]) -> Any:
        if node.op == "var":
            value = values.get(node.name)
            return rules["var"](node.name) if value is None else rules["value"](value)
        if node.op in TENSORS:
            return _element(node, parts, values.get(node.name), rules)
        if node.value is not None:
            return rules["value" if node.op == "int" else "bool"](node.value)
        if node.op in ("&", "<<", ">>") and not width:
            return _linear(node, parts)
        return rules[node.op](*parts)

    return fold(term, combine)


_Rules = dict[str, Callable[..., Any]]


def _logic() -> _Rules:
    import z3

    return {
        "bool": z3.BoolVal,
        "and": z3.And,
        "or": z3.Or,
        "not": z3.Not,
        "xor": z3.Xor,
        "iff": lambda a, b: a == b,
        "implies": z3.Implies,
        "ite": z3.If,
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "-": lambda a, b: a - b,
        "neg": lambda a: -a,
        "abs": lambda a: z3.If(a >= 0, a, -a),
        "+": lambda *parts: reduce(lambda a, b: a + b, parts),
        "*": lambda *parts: reduce(lambda a, b: a * b, parts),
        "min": lambda *parts: reduce(lambda a, b: z3.If(a <= b, a, b), parts),
        "max": lambda *parts: reduce(lambda a, b: z3.If(a >= b, a, b), parts),
    }


def _integers() -> _Rules:
    import z3

    return {
        **_logic(),
        "sort": z3.IntSort,
        "var": z3.Int,
        "value": lambda value: value if z3.is_expr(value) else z3.IntVal(value),
        "//": lambda a, b: a / b,
        "%": lambda a, b: a % b,
        "~": lambda a: -a - 1,
        "|": lambda *parts: _bits_refused("|"),
        "^": lambda *parts: _bits_refused("^"),
    }


def _bit_vectors(width: int) -> _Rules:
    import z3

    return {
        **_logic(),
        "sort": lambda: z3.BitVecSort(width),
        "var": lambda name: z3.BitVec(name, width),
        "value": lambda value: value if z3.is_expr(value) else z3.BitVecVal(value, width),
        "//": lambda a, b: (a - a % b) / b,
        "%": lambda a, b: a % b,
        "~": lambda a: ~a,
        "&": lambda *parts: reduce(lambda a, b: a & b, parts),
        "|": lambda *parts: reduce(lambda a, b: a | b, parts),
        "^": lambda *parts: reduce(lambda a, b: a ^ b, parts),
        "<<": lambda a, b: a << b,
        ">>": lambda a, b: a >> b,
    }


def _linear(node: Term, parts: list[Any]) -> Any:
    """Bit operations that are arithmetic: shifts by a constant, and the low bits."""
    last = node.children[-1].value
    if node.op == "<<" and last is not None and last >= 0:
        return parts[0] * (1 << last)
    if node.op == ">>" and last is not None and last >= 0:
        return parts[0] / (1 << last)
    if node.op == "&" and len(parts) == 2 and last is not None and last > 0 and not last & last + 1:
        return parts[0] % (last + 1)
    return _bits_refused(node.op)


def _bits_refused(op: str) -> Any:
    raise InputError(
        f"{op!r} has no translation to unbounded integers; give a width in bits, or decide one "
        "size at a time",
        op=op,
    )


def _element(node: Term, index: list[Any], tensor: Any, rules: _Rules) -> Any:
    import z3

    if tensor is None:
        result = z3.BoolSort() if node.op == "holds" else rules["sort"]()
        if not index:
            return z3.Const(node.name, result)
        return z3.Function(node.name, *(rules["sort"]() for _ in index), result)(*index)
    if callable(tensor):
        return tensor(*index)
    plain = tensor.tolist() if hasattr(tensor, "tolist") else tensor
    value = (lambda x: z3.BoolVal(bool(x))) if node.op == "holds" else rules["value"]
    return _choose(node, plain, index, value)


def _choose(node: Term, tensor: Any, index: list[Any], value: Callable[[Any], Any]) -> Any:
    """A balanced choice between the runs of equal elements."""
    import z3

    if not index:
        if isinstance(tensor, Sequence):
            raise InputError(f"`{node!r}` gives too few indices for {node.name}", name=node.name)
        return tensor if z3.is_expr(tensor) else value(tensor)
    if not isinstance(tensor, Sequence) or not tensor:
        raise InputError(
            f"`{node!r}` reads {node.name}, which has fewer axes or no element", name=node.name
        )
    starts, choices, place = [], [], 0
    for element, run in groupby(tensor):
        starts.append(place)
        choices.append(_choose(node, element, index[1:], value))
        place += len(list(run))

    def between(low: int, high: int) -> Any:
        if high - low == 1:
            return choices[low]
        middle = (low + high) // 2
        return z3.If(index[0] < starts[middle], between(low, middle), between(middle, high))

    return between(0, len(choices))
