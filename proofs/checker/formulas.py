"""Formulas of masks, read from prefix lists: sorts, substitution, and values at an instance.

A term is an integer, a name, or a tuple of an operator and its terms; truth values are
``("true",)`` and ``("false",)``. ``//`` and ``%`` round down. ``("at", "ids", "q")`` is an element
of a tensor of integers, ``("holds", "real", "k")`` one of a tensor of truth values.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add, and_, mul, or_, xor
from typing import Any

from .envelope import Invalid, array, boolean, need, record, string
from .limits import Steps

#: An integer, a name, or an operator and its terms.
Term = Any
#: How deep terms may be nested, the most places of a shift, and the most bits of an integer.
_DEPTH, MAX_SHIFT, _MOST_BITS = 200, 62, 1 << 12
INTEGER, BOOLEAN = "an integer", "a truth value"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Variables that only obligations and laws use, and what no tensor is called.
RESERVED = re.compile(r"between\d*|[ir]\d+")
_NO_TENSOR = re.compile(rf"{RESERVED.pattern}|[nqkbh]")
TRUE: Term = ("true",)
FALSE: Term = ("false",)


def _table(takes: str, gives: str, arity: int | None, names: str) -> dict[str, Any]:
    return dict.fromkeys(names.split(), (takes, gives, arity))


#: Operator to the sort it takes, the sort it gives, and how many; None is two or more.
_OPERATORS: Mapping[str, tuple[str, str, int | None]] = {
    **_table(INTEGER, INTEGER, None, "+ * min max & | ^"),
    **_table(INTEGER, INTEGER, 2, "- // % << >>"),
    **_table(INTEGER, INTEGER, 1, "neg abs ~"),
    **_table(INTEGER, BOOLEAN, 2, "== != < <= > >="),
    **_table(BOOLEAN, BOOLEAN, None, "and or"),
    **_table(BOOLEAN, BOOLEAN, 2, "xor iff implies"),
    **_table(BOOLEAN, BOOLEAN, 1, "not"),
}
TENSORS = {"at": False, "holds": True}


@dataclass(frozen=True)
class Tensor:
    """A captured tensor: the sizes of its axes, and whether it holds truth values."""

    shape: tuple[Term, ...]
    holds: bool


@dataclass(frozen=True)
class Scope:
    """What formulas may speak of: tensors, and variables, which have names of their own that the
    pattern does not exclude."""

    tensors: Mapping[str, Tensor]
    excluded: re.Pattern[str] = RESERVED

    def term(self, value: object, where: str) -> tuple[Term, str]:
        """A term and its sort."""
        return self._read(value, where, 0)

    def formula(self, value: object, where: str) -> Term:
        """A truth value."""
        term, sort = self._read(value, where, 0)
        need(sort == BOOLEAN, f"{where} is no truth value")
        return term

    def integer(self, value: object, where: str) -> Term:
        """An integer."""
        term, sort = self._read(value, where, 0)
        need(sort == INTEGER, f"{where} is no integer")
        return term

    def formulas(self, value: object, where: str) -> tuple[Term, ...]:
        """A list of truth values."""
        return tuple(self.formula(one, where) for one in array(value, where))

    def integers(self, value: object, where: str) -> tuple[Term, ...]:
        """A list of integers."""
        return tuple(self.integer(one, where) for one in array(value, where))

    def _read(self, value: object, where: str, depth: int) -> tuple[Term, str]:
        need(depth <= _DEPTH, f"{where} is nested too deep")
        if isinstance(value, bool):
            return (TRUE if value else FALSE), BOOLEAN
        if isinstance(value, int):
            need(value.bit_length() <= _MOST_BITS, f"{where} has an integer that is too large")
            return value, INTEGER
        if isinstance(value, str):
            known = _NAME.fullmatch(value) and not self.excluded.fullmatch(value)
            need(bool(known), f"{where} has a name that it may not have")
            need(value not in self.tensors, f"{where} has a variable that is called as a tensor is")
            return value, INTEGER
        parts = array(value, where)
        op = string(parts[0] if parts else None, where)
        if op in TENSORS:
            return self._element(op, parts[1:], where, depth)
        read = [self._read(part, where, depth + 1) for part in parts[1:]]
        terms, sorts = [term for term, _ in read], [sort for _, sort in read]
        if op == "ite":
            need(len(sorts) == 3 and sorts[0] == BOOLEAN, f"{where} has an ite that is none")
            need(sorts[1] == sorts[2], f"{where} has an ite of two sorts")
            return (op, *terms), sorts[1]
        need(op in _OPERATORS, f"{where} has an operator that is none")
        takes, gives, arity = _OPERATORS[op]
        count = len(terms) >= 2 if arity is None else len(terms) == arity
        need(count and set(sorts) == {takes}, f"{where} has an operator on other terms")
        return (op, *terms), gives

    def _element(self, op: str, parts: list[object], where: str, depth: int) -> tuple[Term, str]:
        name = string(parts[0] if parts else None, where)
        need(name in self.tensors, f"{where} reads a tensor that is not declared")
        tensor = self.tensors[name]
        read = [self._read(part, where, depth + 1) for part in parts[1:]]
        need(len(read) == len(tensor.shape), f"{where} reads a tensor of other axes")
        need(all(sort == INTEGER for _, sort in read), f"{where} has an index that is none")
        need(tensor.holds == TENSORS[op], f"{where} reads a tensor of another sort")
        return (op, name, *(term for term, _ in read)), BOOLEAN if tensor.holds else INTEGER


def read_tensors(value: object, scope: Scope) -> dict[str, Tensor]:
    """The tensors that are declared, by name; their sizes are integers in the scope, and nothing
    that these speak of is called as a tensor is."""
    found: dict[str, Tensor] = {}
    for one in array(value, "tensors"):
        fields = record(one, {"name", "shape", "boolean"}, "a tensor")
        name = string(fields["name"], "the name of a tensor")
        known = _NAME.fullmatch(name) and not _NO_TENSOR.fullmatch(name) and name not in found
        need(bool(known), "a tensor has no name of its own")
        shape = scope.integers(fields["shape"], "the shape of a tensor")
        found[name] = Tensor(shape, boolean(fields["boolean"], "boolean"))
    sizes = names_of(*(size for tensor in found.values() for size in tensor.shape))
    need(not sizes & found.keys(), "a size has a variable that is called as a tensor is")
    return found


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with others in place of variables, all at once."""
    if isinstance(term, str):
        return values.get(term, term)
    if not isinstance(term, tuple):
        return term
    first = 2 if term[0] in TENSORS else 1
    return (*term[:first], *(substitute(part, values) for part in term[first:]))


def parts_of(term: Term) -> tuple[Term, ...]:
    """The terms that a term is built from."""
    if not isinstance(term, tuple):
        return ()
    return term[2:] if term[0] in TENSORS else term[1:]


def visit(term: Term, see: Callable[[Term], None]) -> None:
    """Show a term and all that it is built from."""
    see(term)
    for part in parts_of(term):
        visit(part, see)


def size_of(*terms: Term) -> int:
    """How many parts terms have, themselves included."""
    found: list[None] = []
    for term in terms:
        visit(term, lambda _: found.append(None))
    return len(found)


def names_of(*terms: Term) -> set[str]:
    """The variables of terms."""
    found: set[str] = set()
    for term in terms:
        visit(term, lambda part: found.add(part) if isinstance(part, str) else None)
    return found


def tensors_of(*terms: Term) -> set[str]:
    """The tensors that terms read."""
    found: set[str] = set()

    def see(part: Term) -> None:
        if isinstance(part, tuple) and part[0] in TENSORS:
            found.add(part[1])

    for term in terms:
        visit(term, see)
    return found


def every(terms: list[Term]) -> Term:
    """That all of them hold."""
    return TRUE if not terms else terms[0] if len(terms) == 1 else ("and", *terms)


def some(terms: list[Term]) -> Term:
    """That one of them holds."""
    return FALSE if not terms else terms[0] if len(terms) == 1 else ("or", *terms)


def inside(term: Term, size: Term) -> list[Term]:
    """That an index is in range."""
    return [("<=", 0, term), ("<", term, size)]


def evaluate(
    term: Term, values: Mapping[str, int], tensors: Mapping[str, Any], steps: Steps
) -> Any:
    """The value of a term, every part of which must have one: ``values`` are those of variables,
    ``tensors`` hold elements as nested tuples."""
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        need(type(values.get(term)) is int, f"{term} has no value")
        return values[term]
    op = term[0]
    parts = [evaluate(part, values, tensors, steps) for part in parts_of(term)]
    bits = map(int.bit_length, parts)
    words = 1 + (sum(bits) if op == "*" else max(bits, default=0)) // 64
    steps.take((1 + len(parts)) * words**2)
    if op in TENSORS:
        found = tensors.get(term[1])
        for index in parts:
            if not isinstance(found, tuple) or not 0 <= index < len(found):
                raise Invalid(f"{term[1]} is read out of range")
            found = found[index]
        need(type(found) is (bool if TENSORS[op] else int), f"{term[1]} holds another sort")
        return found
    if op in ("//", "%"):
        need(parts[1] > 0, "a divisor is not positive")
    if op in ("<<", ">>"):
        need(0 <= parts[1] <= MAX_SHIFT, "a shift is out of range")
    return _VALUE[op](*parts)


_VALUE: Mapping[str, Callable[..., Any]] = {
    "true": lambda: True,
    "false": lambda: False,
    "+": lambda *parts: reduce(add, parts),
    "*": lambda *parts: reduce(mul, parts),
    "&": lambda *parts: reduce(and_, parts),
    "|": lambda *parts: reduce(or_, parts),
    "^": lambda *parts: reduce(xor, parts),
    "min": min,
    "max": max,
    "-": lambda a, b: a - b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "neg": lambda a: -a,
    "abs": abs,
    "~": lambda a: ~a,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "not": lambda a: not a,
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
    "xor": lambda a, b: a != b,
    "iff": lambda a, b: a == b,
    "implies": lambda a, b: not a or b,
    "ite": lambda c, a, b: a if c else b,
}
