"""Between which integers a formula lies, by interval arithmetic: quick, and never too narrow."""

from collections.abc import Mapping
from itertools import product
from math import inf

from attnproof.numeric.trace.traced import Captured
from attnproof.symbolic.formula import Sort, Term, fold

#: The least and the greatest value; infinite where there is none.
Bounds = tuple[float, float]
_ANY: Bounds = (-inf, inf)


def bounds(term: Term, tensors: Mapping[str, Captured], names: Mapping[str, float]) -> Bounds:
    """The bounds of an integer formula; ``names`` gives variables their least values.

    >>> from attnproof.symbolic.formula import q, k
    >>> bounds(q // 4 + 2, {}, {"q": 0})
    (2, inf)
    >>> bounds((q - k) % 8, {}, {})
    (0, 7)
    """
    return fold(term, lambda node, parts: _of(node, parts, tensors, names))


def _of(
    node: Term, parts: list[Bounds], tensors: Mapping[str, Captured], names: Mapping[str, float]
) -> Bounds:
    if node.sort is Sort.BOOL:
        return 0, 1
    if node.value is not None:
        return node.value, node.value
    if node.op == "var":
        return names.get(node.name, -inf), inf
    if node.op == "at":
        tensor = tensors.get(node.name)
        if tensor is None or tensor.abstract or not tensor.values.size:
            return _ANY
        return int(tensor.values.min()), int(tensor.values.max())
    if node.op == "ite":
        return min(x for x, _ in parts[1:]), max(x for _, x in parts[1:])
    if node.op == "+":
        return sum(x for x, _ in parts), sum(x for _, x in parts)
    if node.op == "-":
        (a, b), (c, d) = parts
        return a - d, b - c
    if node.op == "neg":
        return -parts[0][1], -parts[0][0]
    if node.op == "abs":
        a, b = parts[0]
        return (0 if a <= 0 <= b else min(abs(a), abs(b))), max(abs(a), abs(b))
    if node.op in ("min", "max"):
        choose = min if node.op == "min" else max
        return choose(x for x, _ in parts), choose(x for _, x in parts)
    if node.op in ("//", "%", "<<", ">>", "&"):
        return _divided(node, parts)
    if node.op == "*":
        result = parts[0]
        for part in parts[1:]:
            corners = [0 if 0 in (x, y) else x * y for x, y in product(result, part)]
            result = min(corners), max(corners)
        return result
    return _ANY


def _divided(node: Term, parts: list[Bounds]) -> Bounds:
    (a, b), (c, d) = parts[:2]
    if node.op == "&":
        least = [high for low, high in parts if low >= 0]
        return (0, min(least)) if least else _ANY
    if node.op == "%":
        return (0, d - 1) if c >= 1 else _ANY
    if node.op in ("<<", ">>"):
        return (0, inf if node.op == "<<" else b) if a >= 0 else _ANY
    if a >= 0 and c >= 1:
        return (a // d if d != inf else 0), (b // c if b != inf else inf)
    return _ANY
