"""A formula as a SymPy expression."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.formula.operators import TENSORS, Sort
from attnproof.symbolic.formula.terms import Term, fold

if TYPE_CHECKING:
    from sympy import Basic


def to_sympy(term: Term) -> "Basic":
    """The SymPy expression of a formula, in symbols without assumptions.

    An element of a captured tensor is an undefined function of its indices, and a truth value that
    it is not 0; bit operations are the undefined functions ``bitand``, ``bitor`` and ``bitxor``.

    >>> from attnproof.symbolic.formula.terms import at, k, q
    >>> to_sympy((k <= q) & (q // 4).eq(k // 4))
    (k <= q) & Eq(floor(q/4), floor(k/4))
    >>> to_sympy(at("ids", q) < 3)
    ids(q) < 3
    """
    from sympy import ITE, Function, Integer, Ne, Piecewise, Symbol, false, true

    rules = _rules()

    def combine(node: Term, parts: list[Any]) -> Any:
        if node.op == "var":
            return Symbol(node.name)
        if node.op in TENSORS:
            read = Function(node.name)(*parts) if parts else Symbol(node.name)
            return read if node.op == "at" else Ne(read, 0)
        if node.op == "bool":
            return true if node.value else false
        if node.op == "int":
            return Integer(node.value)
        if node.op == "ite" and node.sort is Sort.INT:
            condition, then, otherwise = parts
            return Piecewise((then, condition), (otherwise, True))
        return ITE(*parts) if node.op == "ite" else rules[node.op](*parts)

    found: Basic = fold(term, combine)
    return found


def _rules() -> Mapping[str, Callable[..., Any]]:
    import sympy

    return {
        "+": sympy.Add,
        "*": sympy.Mul,
        "-": lambda a, b: a - b,
        "//": lambda a, b: sympy.floor(a / b),
        "%": sympy.Mod,
        "<<": lambda a, b: a * 2**b,
        ">>": lambda a, b: sympy.floor(a / 2**b),
        "min": sympy.Min,
        "max": sympy.Max,
        "neg": lambda a: -a,
        "abs": sympy.Abs,
        "~": lambda a: -a - 1,
        "&": sympy.Function("bitand"),
        "|": sympy.Function("bitor"),
        "^": sympy.Function("bitxor"),
        "==": sympy.Eq,
        "!=": sympy.Ne,
        "<": sympy.Lt,
        "<=": sympy.Le,
        ">": sympy.Gt,
        ">=": sympy.Ge,
        "and": sympy.And,
        "or": sympy.Or,
        "xor": sympy.Xor,
        "iff": sympy.Equivalent,
        "implies": sympy.Implies,
        "not": sympy.Not,
    }
