"""Which terms an operator takes, and the sort of what it gives."""

import keyword
from collections.abc import Sequence

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula.operators import OPERATORS, TENSORS, Sort


class FormulaError(InputError, TypeError):
    """A formula is put together wrongly: sorts, names, or use where a truth value is needed."""


def sort_of(op: str, args: Sequence[object], sorts: Sequence[Sort | None]) -> Sort:
    """The sort of ``op`` applied to ``args``; ``sorts`` has None for what is no term.

    >>> sort_of("<=", ("the key", "the query"), (Sort.INT, Sort.INT))
    <Sort.BOOL: 'Boolean'>

    Raises :class:`FormulaError` where they do not fit.
    """
    if op in ("int", "bool"):
        if len(args) != 1 or type(args[0]) is not (int if op == "int" else bool):
            raise FormulaError(f"the constant {args!r} is no {op}; give one {op}", op=op)
        return Sort.INT if op == "int" else Sort.BOOL
    if op == "var":
        _check_name(args)
        if len(args) != 1:
            raise FormulaError(f"a variable has one name, given {args!r}", op=op)
        return Sort.INT
    if op in TENSORS:
        _check_name(args)
        _check_terms(op, args[1:], sorts[1:], (Sort.INT,) * (len(args) - 1))
        return TENSORS[op]
    if op == "ite":
        branch = (sorts[1] if len(args) == 3 else None) or Sort.INT
        _check_terms(op, args, sorts, (Sort.BOOL, branch, branch))
        return branch
    if op not in OPERATORS:
        known = " ".join([*OPERATORS, "ite", *TENSORS])
        raise FormulaError(f"there is no operator {op!r}; known are: {known}", op=op)
    rule = OPERATORS[op]
    count = rule.arity or max(2, len(args))
    _check_terms(op, args, sorts, (rule.takes,) * count)
    return rule.gives


def _check_terms(
    op: str, args: Sequence[object], sorts: Sequence[Sort | None], wanted: Sequence[Sort]
) -> None:
    if len(args) != len(wanted):
        least = " or more" if op in OPERATORS and OPERATORS[op].arity is None else ""
        raise FormulaError(
            f"{op!r} takes {len(wanted)}{least} terms, given {len(args)}", op=op, given=len(args)
        )
    for place, (arg, given, sort) in enumerate(zip(args, sorts, wanted, strict=True), start=1):
        if given is None:
            raise FormulaError(f"{op!r} takes terms; term {place} is {arg!r}", op=op)
        if given is not sort:
            hint = "compare it, as in x.ne(0)" if sort is Sort.BOOL else "write ite(x, 1, 0)"
            raise FormulaError(
                f"{op!r} takes a term of sort {sort.value} in place {place}; `{arg!r}` is of sort "
                f"{given.value}: {hint}",
                op=op,
                place=place,
            )


def _check_name(args: Sequence[object]) -> None:
    name = args[0] if args else None
    if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
        raise FormulaError(
            f"{name!r} is no name; write letters, digits and _, a letter first", name=name
        )
    if keyword.iskeyword(name):
        raise FormulaError(f"{name!r} is a word of Python; choose another name", name=name)
