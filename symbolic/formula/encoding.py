"""Formulas as JSON: prefix lists, ``["and", ["<=", "k", "q"], ["<", ["-", "q", "k"], 4]]``.

An integer and ``true``/``false`` are constants, a string is a variable, and a list is an operator
followed by its terms; ``["at", "ids", "q"]`` and ``["holds", "real", "k"]`` read captured tensors.
"""

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.formula.sorts import FormulaError
from attnproof.symbolic.formula.terms import Argument, Term, constant, fold, variable

_DEPTH = 400


def to_json(term: Term) -> object:
    """The prefix list of a formula.

    >>> from attnproof.symbolic.formula.terms import k, q
    >>> to_json((k <= q) & (q - k < 4))
    ['and', ['<=', 'k', 'q'], ['<', ['-', 'q', 'k'], 4]]

    Law: ``from_json(to_json(t)) == t``.
    """

    def combine(node: Term, parts: list[object]) -> object:
        if node.op in ("int", "bool", "var"):
            return node.args[0]
        return [node.op, *([node.name] if node.op in TENSORS else []), *parts]

    return fold(term, combine)


def from_json(value: object) -> Term:
    """The formula of a prefix list, checked: known operators, number and sorts of terms.

    >>> from_json(["<=", "k", ["+", "q", 1]])
    k <= q + 1

    Raises :class:`InputError` that says where, as in ``[2][1]``.
    """
    return _read(value, "", 0)


def _read(value: object, where: str, depth: int) -> Term:
    place = f"at {where}" if where else "at the top"
    if depth > _DEPTH:
        raise InputError(f"the formula is nested more than {_DEPTH} deep", where=where)
    try:
        if isinstance(value, (bool, int)):
            return constant(value)
        if isinstance(value, str):
            return variable(value)
        if not isinstance(value, (list, tuple)) or not value or not isinstance(value[0], str):
            raise FormulaError(
                f"{_short(value)} is no formula; write an integer, true, false, a name, or a list "
                "that starts with an operator"
            )
        op, rest = value[0], list(value[1:])
        if op in ("int", "bool", "var"):
            raise FormulaError(f"there is no operator {op!r}; write constants and names bare")
        args: list[Argument] = []
        if op in TENSORS and rest:
            if not isinstance(rest[0], str):
                raise FormulaError(f"{_short(rest[0])} names no tensor; write its name")
            args.append(rest.pop(0))
        first = len(value) - len(rest)
    except FormulaError as error:
        raise InputError(f"formula {place}: {error}", where=where) from None
    args += [_read(part, f"{where}[{i}]", depth + 1) for i, part in enumerate(rest, first)]
    try:
        return Term(op, tuple(args))
    except FormulaError as error:
        raise InputError(f"formula {place}: {error}", where=where) from None


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."
