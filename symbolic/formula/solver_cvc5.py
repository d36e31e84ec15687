"""A formula as a cvc5 term, over unbounded integers or over bit vectors.

The same reading as :mod:`~attnproof.symbolic.formula.solver` gives z3, written apart from it: what
both solvers prove does not rest on one translation.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

from attnproof.symbolic.errors import InputError, MissingExtra
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.formula.terms import Term, fold

_Rules = dict[str, Callable[..., Any]]
#: Operators that are one kind of cvc5, over integers and over bit vectors.
_SAME = {"and": "AND", "or": "OR", "not": "NOT", "xor": "XOR", "iff": "EQUAL", "implies": "IMPLIES"}
_EQUALITY = {"ite": "ITE", "==": "EQUAL", "!=": "DISTINCT"}
_INTEGERS = {
    "<": "LT", "<=": "LEQ", ">": "GT", ">=": "GEQ", "+": "ADD", "-": "SUB", "*": "MULT",
    "neg": "NEG", "//": "INTS_DIVISION", "%": "INTS_MODULUS",
}  # fmt: skip
_BITS = {
    "<": "BITVECTOR_SLT", "<=": "BITVECTOR_SLE", ">": "BITVECTOR_SGT", ">=": "BITVECTOR_SGE",
    "+": "BITVECTOR_ADD", "-": "BITVECTOR_SUB", "*": "BITVECTOR_MULT", "neg": "BITVECTOR_NEG",
    "%": "BITVECTOR_SMOD", "~": "BITVECTOR_NOT", "&": "BITVECTOR_AND", "|": "BITVECTOR_OR",
    "^": "BITVECTOR_XOR", "<<": "BITVECTOR_SHL", ">>": "BITVECTOR_ASHR",
}  # fmt: skip


def to_cvc5(
    term: Term, manager: Any, names: dict[str, Any] | None = None, *, width: int | None = None
) -> Any:
    """The term of a formula in a cvc5 ``TermManager``.

    ``names`` holds the constants and functions made so far and receives new ones: give one
    dictionary to all formulas that speak of the same unknowns. With ``width`` integers are signed
    bit vectors of so many bits, which is right as long as no value needs more.

    >>> import cvc5
    >>> from attnproof.symbolic.formula.terms import at, k, q
    >>> to_cvc5((k <= q) & at("ids", q).eq(2), cvc5.TermManager())
    (and (<= k q) (= (ids q) 2))

    Raises :class:`InputError` for a bit operation on unbounded integers, as ``to_z3`` does.
    """
    known: dict[str, Any] = {} if names is None else names
    rules = _rules(manager, width)

    def combine(node: Term, parts: list[Any]) -> Any:
        if node.op == "var" or node.op in TENSORS:
            return _symbol(node, parts, manager, known, rules)
        if node.value is not None:
            return rules[node.op](node.value)
        if node.op in ("&", "<<", ">>") and not width:
            return _linear(node, parts, rules)
        if node.op not in rules:
            raise _refused(node.op)
        return rules[node.op](*parts)

    return fold(term, combine)


def loaded_cvc5() -> Any:
    """The module; raises :class:`MissingExtra` where it is not installed.

    >>> loaded_cvc5().__name__
    'cvc5'
    """
    try:
        import cvc5
    except ImportError:
        raise MissingExtra("a second solver, cvc5,", "prove") from None
    return cvc5


def _rules(manager: Any, width: int | None) -> _Rules:
    kinds = loaded_cvc5().Kind

    def rule(kind: str) -> Callable[..., Any]:
        return lambda *parts: manager.mkTerm(getattr(kinds, kind), *parts)

    def integer(value: int) -> Any:
        if width is None:
            return manager.mkInteger(str(value))
        return manager.mkBitVector(width, value % (1 << width))

    table = {**_SAME, **_EQUALITY, **(_BITS if width else _INTEGERS)}
    rules: _Rules = {op: rule(kind) for op, kind in table.items()}
    rules["int"], rules["bool"] = integer, manager.mkBoolean
    rules["sort"] = lambda: manager.mkBitVectorSort(width) if width else manager.getIntegerSort()
    choose, at_most, negated, minus = rules["ite"], rules["<="], rules["neg"], rules["-"]
    rules["abs"] = lambda a: choose(at_most(integer(0), a), a, negated(a))
    rules["min"] = lambda *parts: reduce(lambda a, b: choose(at_most(a, b), a, b), parts)
    rules["max"] = lambda *parts: reduce(lambda a, b: choose(at_most(b, a), a, b), parts)
    if width:
        divide = rule("BITVECTOR_SDIV")
        rules["//"] = lambda a, b: divide(minus(a, rules["%"](a, b)), b)
    else:
        rules["~"] = lambda a: minus(negated(a), integer(1))
    return rules


def _symbol(
    node: Term, index: list[Any], manager: Any, known: dict[str, Any], rules: _Rules
) -> Any:
    if node.name not in known:
        sort = manager.getBooleanSort() if node.op == "holds" else rules["sort"]()
        if index:
            sort = manager.mkFunctionSort([rules["sort"]() for _ in index], sort)
        known[node.name] = manager.mkConst(sort, node.name)
    symbol = known[node.name]
    return manager.mkTerm(loaded_cvc5().Kind.APPLY_UF, symbol, *index) if index else symbol


def _linear(node: Term, parts: list[Any], rules: _Rules) -> Any:
    """Bit operations that are arithmetic: shifts by a constant, and the low bits."""
    last = node.children[-1].value
    if node.op == "<<" and last is not None and last >= 0:
        return rules["*"](parts[0], rules["int"](1 << last))
    if node.op == ">>" and last is not None and last >= 0:
        return rules["//"](parts[0], rules["int"](1 << last))
    if node.op == "&" and len(parts) == 2 and last is not None and last > 0 and not last & last + 1:
        return rules["%"](parts[0], rules["int"](last + 1))
    raise _refused(node.op)


def _refused(op: str) -> InputError:
    return InputError(
        f"{op!r} has no translation to unbounded integers; give a width in bits, or decide one "
        "size at a time",
        op=op,
    )
