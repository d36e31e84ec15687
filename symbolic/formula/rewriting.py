"""Names in a formula, substitution, and constant folding."""

from collections.abc import Mapping

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula.operators import TENSORS, Sort
from attnproof.symbolic.formula.sorts import FormulaError
from attnproof.symbolic.formula.terms import Argument, Like, Term, constant, fold, joined

_TRUE, _FALSE, _ZERO = constant(True), constant(False), constant(0)


def variables(term: Term) -> frozenset[str]:
    """The names of the variables, captured tensors left out.

    >>> from attnproof.symbolic.formula.terms import at, k, q
    >>> sorted(variables(at("ids", q).eq(at("ids", k))))
    ['k', 'q']
    """

    def combine(node: Term, parts: list[frozenset[str]]) -> frozenset[str]:
        return frozenset({node.name}) if node.op == "var" else frozenset().union(*parts)

    return fold(term, combine)


def tensors(term: Term) -> dict[str, int]:
    """The captured tensors and the number of their indices.

    >>> from attnproof.symbolic.formula.terms import at, k, q
    >>> tensors(at("ids", q).eq(at("table", q, k)))
    {'ids': 1, 'table': 2}
    """
    found: dict[str, int] = {}

    def combine(node: Term, parts: list[None]) -> None:
        if node.op in TENSORS and found.setdefault(node.name, len(parts)) != len(parts):
            raise InputError(
                f"the tensor {node.name} is read with {found[node.name]} and with {len(parts)} "
                "indices; a tensor has one number of axes",
                name=node.name,
            )

    fold(term, combine)
    return found


def substitute(term: Term, bindings: Mapping[str, Like]) -> Term:
    """The formula with variables replaced by integers or terms, all at once.

    >>> from attnproof.symbolic.formula.terms import k, q
    >>> substitute(k <= q, {"q": k, "k": q})
    q <= k

    Law: evaluating ``substitute(t, b)`` is evaluating ``t`` where ``b``'s names have the values
    of its terms.
    """
    terms = {name: constant(value) for name, value in bindings.items()}
    for name, value in terms.items():
        if value.sort is not Sort.INT:
            raise FormulaError(f"the variable {name} is an integer; `{value!r}` is not", name=name)

    def combine(node: Term, parts: list[Term]) -> Term:
        return terms.get(node.name, node) if node.op == "var" else rebuilt(node, parts)

    return fold(term, combine)


def replace(term: Term, parts: Mapping[Term, Term]) -> Term:
    """The formula with some of its subterms replaced, outermost first.

    >>> from attnproof.symbolic.formula.terms import k, q, variable
    >>> replace((k <= q) & (q - k < 4), {q - k: variable("distance")})
    k <= q and distance < 4
    """
    return fold(
        term, lambda node, children: parts[node] if node in parts else rebuilt(node, children)
    )


def simplify(term: Term) -> Term:
    """The formula with constant parts evaluated and neutral elements dropped.

    >>> from attnproof.symbolic.formula.terms import k, q
    >>> simplify((k <= q) & (constant(2) + 1 < 4))
    k <= q
    """
    return fold(term, lambda node, parts: _simpler(rebuilt(node, parts)))


def rebuilt(node: Term, parts: list[Term]) -> Term:
    """The same operator over other terms."""
    if all(a is b for a, b in zip(node.children, parts, strict=True)):
        return node
    rest = iter(parts)
    args: list[Argument] = [next(rest) if isinstance(a, Term) else a for a in node.args]
    return Term(node.op, tuple(args))


def _simpler(term: Term) -> Term:
    from attnproof.symbolic.formula.evaluation import evaluate

    op, parts = term.op, term.children
    if op in ("and", "or"):
        neutral, absorbing = (_TRUE, _FALSE) if op == "and" else (_FALSE, _TRUE)
        if absorbing in parts:
            return absorbing
        return joined(op, tuple(dict.fromkeys(part for part in parts if part != neutral)))
    if op == "ite" and parts[0].value is not None:
        return parts[1] if parts[0].value else parts[2]
    if op == "not" and parts[0].op == "not":
        return parts[0].children[0]
    if op == "+" and _ZERO in parts:
        return joined(op, tuple(part for part in parts if part != _ZERO))
    if op == "-" and parts[1] == _ZERO:
        return parts[0]
    if parts and op not in TENSORS and all(part.value is not None for part in parts):
        try:
            return constant(evaluate(term, {}))
        except InputError:
            return term
    return term
