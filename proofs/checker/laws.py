"""What is assumed of captured tensors, and the lemmas that a proof may use.

A law is a formula over index variables ``i0``, ``i1``, ... that run over the last axis of a tensor;
of the axes before it, ``r0``, ..., every index is the same. Lemmas are true of all integers:

    ["law", number, rows, indices]   a law at these indices, where they are in range
    ["same", a, b]                   equal indices, or operands, give equal elements, or results
    ["product", a, b]                a >= 0 and b >= 0 imply a * b >= 0
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from .envelope import Invalid, array, integer, need, record, string
from .formulas import (
    INTEGER,
    RESERVED,
    TENSORS,
    Scope,
    Tensor,
    Term,
    evaluate,
    every,
    inside,
    names_of,
    parts_of,
    substitute,
)
from .limits import Steps

#: Names that laws may not have: those of positions.
_OF_LAWS = re.compile(r"between\d*|q|k")
_MOST_INDICES = 4
#: Operators on integers whose results are not computed.
_SAME = {*TENSORS, "&", "<<", ">>"}


@dataclass(frozen=True)
class Law:
    """``formula`` holds for all indices of ``tensor`` in range; ``indices`` counts them."""

    name: str
    tensor: Tensor
    formula: Term
    indices: int

    def instance(self, rows: Sequence[Term], index: Sequence[Term]) -> Term:
        """The law at these indices, for indices in range."""
        *axes, last = self.tensor.shape
        need(len(rows) == len(axes) and len(index) == self.indices, "a law has other indices")
        names = {f"i{place}": term for place, term in enumerate(index)}
        names |= {f"r{place}": term for place, term in enumerate(rows)}
        sizes = [*axes, *[last] * len(index)]
        within = [
            x for t, size in zip([*rows, *index], sizes, strict=True) for x in inside(t, size)
        ]
        return ("implies", every(within), substitute(self.formula, names))

    def holds_on(self, values: Mapping[str, int], tensors: Mapping[str, Any], steps: Steps) -> bool:
        """Whether variables and tensors of these values satisfy the law, for every index in
        range."""
        *rows, last = (evaluate(size, values, tensors, steps) for size in self.tensor.shape)
        names = [f"r{place}" for place in range(len(rows))]
        names += [f"i{place}" for place in range(self.indices)]
        sizes = [*rows, *[last] * self.indices]
        if not all(size > 0 for size in sizes):
            return True
        steps.take((len(values) + len(names)) * prod(sizes))
        for index in product(*map(range, sizes)):
            known = {**values, **dict(zip(names, index, strict=True))}
            if not evaluate(self.formula, known, tensors, steps):
                return False
        return True


def read_laws(value: object, tensors: Mapping[str, Tensor]) -> tuple[Law, ...]:
    """The laws of a list, each by the name of its schema, or as a formula."""
    found = []
    for one in array(value, "assumptions"):
        fields = record(one, {"schema", "tensor", "law", "indices"}, "an assumption")
        name = string(fields["tensor"], "the tensor of an assumption")
        need(name in tensors and bool(tensors[name].shape), "an assumption is of no tensor")
        schema = string(fields["schema"], "schema")
        count = integer(fields["indices"], _MOST_INDICES, "indices")
        law = Scope(tensors, _OF_LAWS).formula(fields["law"], "a law")
        tensor = tensors[name]
        own = {f"i{place}" for place in range(count)}
        own |= {f"r{place}" for place in range(len(tensor.shape) - 1)}
        bound = {one for one in names_of(law) if RESERVED.fullmatch(one)}
        need(bound <= own, "a law has an index that it does not count")
        if schema != "law":
            known = schemas(name, tensor)
            need(known.get(schema) == (law, count), f"the law is not that of {schema}")
        found.append(Law(name, tensor, law, count))
    return tuple(found)


def schemas(name: str, tensor: Tensor) -> dict[str, tuple[Term, int]]:
    """The laws that have a name, each with the number of its indices."""
    rows = [f"r{axis}" for axis in range(len(tensor.shape) - 1)]
    i0, i1, i2 = "i0", "i1", "i2"
    op = "holds" if tensor.holds else "at"
    a, b, c = ((op, name, *rows, index) for index in (i0, i1, i2))
    ordered = ("<=", i0, i1)
    if tensor.holds:
        return {"nondecreasing": (("implies", ordered, ("implies", a, b)), 2)}
    injective = ("implies", ("==", a, b), ("==", i0, i1))
    within = ("and", injective, (">=", a, 0), ("<", a, tensor.shape[-1]))
    together = ("and", ordered, ("<=", i1, i2), ("==", a, c))
    return {
        "nondecreasing": (("implies", ordered, ("<=", a, b)), 2),
        "increasing": (("implies", ("<", i0, i1), ("<", a, b)), 2),
        "injective": (injective, 2),
        "nonnegative": ((">=", a, 0), 1),
        "contiguous": (("implies", together, ("==", a, b)), 3),
        "permutation": (within, 2),
    }


def lemma(value: object, laws: Sequence[Law], scope: Scope) -> Term:
    """The formula of a lemma."""
    kind, *parts = array(value, "a lemma") or [None]
    if kind == "law" and len(parts) == 3:
        law = laws[integer(parts[0], len(laws), "a law")]
        rows, index = (scope.integers(part, "an index") for part in parts[1:])
        return law.instance(rows, index)
    if kind not in ("same", "product") or len(parts) != 2:
        raise Invalid("a lemma is of no known kind")
    if kind == "same":
        (a, sort), (b, other) = (scope.term(part, "a lemma") for part in parts)
        need(sort == other, "two terms are not of one sort")
        return same(a, b, "==" if sort == INTEGER else "iff")
    a, b = (scope.integer(part, "a lemma") for part in parts)
    return ("implies", ("and", (">=", a, 0), (">=", b, 0)), (">=", ("*", a, b), 0))


def same(a: Term, b: Term, equal: str) -> Term:
    """That equal operands, integers, give equal results, for two terms of one operator."""
    alike = isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and a[0] == b[0]
    need(alike and a[0] in _SAME, "two terms are not of one operator on integers")
    need(a[0] not in TENSORS or a[1] == b[1], "two elements are not of one tensor")
    pairs = zip(parts_of(a), parts_of(b), strict=True)
    return ("implies", every([("==", x, y) for x, y in pairs]), (equal, a, b))
