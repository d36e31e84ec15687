"""A formula as a file: an importable FlexAttention ``mask_mod(b, h, q, k)``."""

import builtins
from collections.abc import Mapping
from typing import Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula.operators import Sort
from attnproof.symbolic.formula.printing import operands, python_source, reads_tensors, text
from attnproof.symbolic.formula.rewriting import replace, simplify, tensors, variables
from attnproof.symbolic.formula.sorts import FormulaError
from attnproof.symbolic.formula.terms import INDICES, Term, at, constant, holds, variable

_WIDTH = 100


def mask_mod_source(
    name: str,
    term: Term,
    params: Mapping[str, Any] | None = None,
    *,
    doc: str = "",
    pieces: Mapping[str, Term] | None = None,
) -> str:
    """The text of a module that defines ``name(b, h, q, k)``; parameters stand above it by name.

    ``params`` gives every variable but b, h, q, k an integer, and every captured tensor a nested
    list or an array. ``pieces`` are parts of the formula that get a line and a name of their own.

    >>> from attnproof.symbolic.formula.terms import k, q, variable
    >>> near = q - k < variable("keys")
    >>> print(mask_mod_source("window", (k <= q) & near, {"keys": 4}, pieces={"near": near}))
    # Query q reads key k where: k <= q and q - k < keys
    <BLANKLINE>
    keys = 4
    <BLANKLINE>
    <BLANKLINE>
    def window(b, h, q, k):
        near = q - k < keys
        return (k <= q) & near
    <BLANKLINE>
    """
    term = simplify(term)
    if term.sort is not Sort.BOOL:
        raise FormulaError(f"`{term!r}` is an integer; a mask_mod returns a truth value", term=term)
    captured, params = tensors(term), params or {}
    names = sorted((variables(term) - set(INDICES)) | set(captured))
    _check_names(name, names, params)
    body = _body(term, pieces or {}, {name, *names})
    lines = [f"# {line}" for line in doc.splitlines()]
    formula = f"# Query q reads key k where: {text(term)}"
    lines += [formula] if len(formula) <= _WIDTH else []
    if captured or any("torch." in line for line in body):
        lines += ["", "import torch"]
    lines += [""] if names and lines else []
    for parameter in names:
        value = params[parameter]
        literal = _literal(value) if parameter in captured else repr(_integer(parameter, value))
        lines.append(f"{parameter} = {literal}")
    return "\n".join([*lines, "", "", f"def {name}(b, h, q, k):", *body, ""])


def _check_names(name: str, names: list[str], params: Mapping[str, Any]) -> None:
    own = variable(name).name
    for other in names:
        if other not in params:
            raise InputError(f"{other} has no value; give every parameter one", name=other)
        if other in {*INDICES, "torch", own} or hasattr(builtins, other):
            raise InputError(
                f"the parameter {other} would hide a name that the mask_mod needs; rename it",
                name=other,
            )


def _body(term: Term, pieces: Mapping[str, Term], taken: set[str]) -> list[str]:
    """A line for each piece that occurs, then the ``return``."""
    names: dict[Term, Term] = {}
    lines: list[str] = []
    for name, piece in pieces.items():
        piece = simplify(piece)
        if not piece.children or name in {*taken, *INDICES, "torch"}:
            continue
        short = replace(piece, names)
        if reads_tensors(piece):
            names[piece] = holds(name) if piece.sort is Sort.BOOL else at(name)
        elif piece.sort is Sort.INT:
            names[piece] = variable(name)
        else:
            continue
        lines.append(f"    {name} = {python_source(short)}")
    result = replace(term, names)
    used = _used(result, names, lines)
    return [*used, *_return(result)]


def _used(result: Term, names: dict[Term, Term], lines: list[str]) -> list[str]:
    """The lines that the result needs, directly or through another line."""
    needed = variables(result) | set(tensors(result))
    kept: list[str] = []
    for (piece, short), line in reversed(list(zip(names.items(), lines, strict=True))):
        if short.name in needed:
            kept.append(line)
            inner = replace(piece, {t: s for t, s in names.items() if t != piece})
            needed |= variables(inner) | set(tensors(inner))
    return kept[::-1]


def _return(term: Term) -> list[str]:
    """One ``return``; a conjunction or disjunction that is too long has a line a part."""
    if term.value is not None:
        return [f"    return q {'>=' if term.value else '<'} 0"]
    if not reads_tensors(term):
        return [f"    return (q >= 0) & ({python_source(term)})"]
    line = f"    return {python_source(term)}"
    if len(line) <= _WIDTH or term.op not in ("and", "or"):
        return [line]
    sign = "&" if term.op == "and" else "|"
    rows = [f"        {sign + ' ' if i else ''}{part}" for i, part in enumerate(operands(term))]
    return ["    return (", *rows, "    )"]


def _integer(name: str, value: Any) -> int:
    term = constant(value)
    if term.op != "int" or term.value is None:
        raise InputError(f"the parameter {name} is {value!r}; give an integer", name=name)
    return term.value


def _literal(value: Any) -> str:
    return f"torch.tensor({_lists(value.tolist() if hasattr(value, 'tolist') else value)!r})"


def _lists(value: Any) -> Any:
    return [_lists(part) for part in value] if isinstance(value, (list, tuple)) else value
