"""A z3 expression over integers read back as a formula; comparisons with their terms on the side
where they are positive."""

from collections.abc import Callable
from functools import reduce
from typing import Any

from attnproof.symbolic.formula import (
    Sort,
    Term,
    at,
    constant,
    holds,
    ite,
    joined,
    simplify,
    variable,
)
from attnproof.symbolic.lengths.linear import combined, from_linear, linear


class Unreadable(Exception):
    """The expression holds something that no formula says."""


def read(expression: Any) -> Term:
    """The formula of a z3 expression without quantifiers; selections from arrays are elements.

    >>> import z3
    >>> q, k = z3.Ints("q k")
    >>> read(z3.Not(q + -1 * k < 0))
    k <= q

    Raises :class:`Unreadable` for quantifiers, stores, and anything else that is no formula.
    """
    import z3

    done: dict[int, Term] = {}
    stack = [expression]
    while stack:
        node = stack[-1]
        if node.get_id() in done:
            stack.pop()
            continue
        if not z3.is_app(node):
            raise Unreadable(node)
        parts = _elements(node) if z3.is_select(node) else node.children()
        waiting = [part for part in parts if part.get_id() not in done]
        if waiting:
            stack.extend(waiting)
            continue
        done[node.get_id()] = _made(node, [done[part.get_id()] for part in parts])
        stack.pop()
    return simplify(done[expression.get_id()])


def _elements(node: Any) -> list[Any]:
    """The indices of nested selections, the first axis first."""
    import z3

    found: list[Any] = []
    while z3.is_select(node):
        found[:0] = node.children()[1:]
        node = node.arg(0)
    return found


def _made(node: Any, parts: list[Term]) -> Term:
    import z3

    if z3.is_int_value(node):
        return constant(int(node.as_long()))
    if z3.is_true(node) or z3.is_false(node):
        return constant(z3.is_true(node))
    if z3.is_select(node):
        array = node
        while z3.is_select(array):
            array = array.arg(0)
        if not z3.is_const(array):
            raise Unreadable(node)
        index = [from_linear(linear(part)) for part in parts]
        return (holds if z3.is_bool(node) else at)(array.decl().name(), *index)
    if z3.is_const(node) and z3.is_int(node):
        return variable(node.decl().name())
    rule = _rules().get(node.decl().kind())
    if rule is None:
        raise Unreadable(node)
    return rule(*parts)


def _rules() -> dict[int, Callable[..., Term]]:
    import z3

    return {
        z3.Z3_OP_AND: lambda *parts: _flat("and", parts),
        z3.Z3_OP_OR: lambda *parts: _flat("or", parts),
        z3.Z3_OP_NOT: _negated,
        z3.Z3_OP_IMPLIES: lambda a, b: ~a | b,
        z3.Z3_OP_XOR: lambda a, b: a.ne(b),
        z3.Z3_OP_ITE: ite,
        z3.Z3_OP_EQ: lambda a, b: a.eq(b) if a.sort is Sort.BOOL else compared("==", a, b),
        z3.Z3_OP_LE: lambda a, b: compared("<=", a, b),
        z3.Z3_OP_LT: lambda a, b: compared("<", a, b),
        z3.Z3_OP_GE: lambda a, b: compared(">=", a, b),
        z3.Z3_OP_GT: lambda a, b: compared(">", a, b),
        z3.Z3_OP_ADD: lambda *parts: reduce(lambda a, b: a + b, parts),
        z3.Z3_OP_SUB: lambda a, b: a - b,
        z3.Z3_OP_UMINUS: lambda a: -a,
        z3.Z3_OP_MUL: lambda *parts: reduce(lambda a, b: a * b, parts),
        z3.Z3_OP_IDIV: lambda a, b: a // b,
        z3.Z3_OP_MOD: lambda a, b: a % b,
    }


def compared(op: str, left: Term, right: Term) -> Term:
    """A comparison whose sides have positive coefficients, an order as ``<`` or ``<=``.

    >>> from attnproof.symbolic.formula import k, q
    >>> compared("<", -1 * q + k, constant(1)), compared(">=", q - k, constant(1))
    (k <= q, k < q)
    """
    if op in (">", ">="):
        return compared("<" if op == ">" else "<=", right, left)
    form = combined((linear(left), 1), (linear(right), -1))
    if op == "<" and form.get(None, 0) < 0:
        op, form[None] = "<=", form[None] + 1
    elif op == "<=" and form.get(None, 0) > 0:
        op, form[None] = "<", form[None] - 1
    over = from_linear({atom: count for atom, count in form.items() if count > 0})
    under = from_linear({atom: -count for atom, count in form.items() if count < 0})
    return Term(op, (over, under))


def _negated(term: Term) -> Term:
    made = ~term
    return compared(made.op, *made.children) if made.op in ("<", "<=", ">", ">=") else made


def _flat(op: str, parts: tuple[Term, ...]) -> Term:
    flat = tuple(x for part in parts for x in (part.children if part.op == op else (part,)))
    return joined(op, flat)
