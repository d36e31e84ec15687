"""A formula for people: as one line of Python, as the body of a ``mask_mod``, as LaTeX."""

from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.formula.terms import INDICES, Term, fold

#: A printed term and how tightly it binds; ``_ATOM`` never needs parentheses.
_Printed = tuple[str, int]
_Tensors = tuple[_Printed, bool]
_ATOM = 20
_LOOSE, _OR, _AND, _NOT, _COMPARE, _BIT_OR, _BIT_XOR, _BIT_AND, _SHIFT, _ADD, _TIMES, _SIGN = range(
    12
)
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_ARITHMETIC: dict[str, tuple[str, int]] = {
    **{op: (op, _COMPARE) for op in _COMPARISONS},
    "|": ("|", _BIT_OR),
    "^": ("^", _BIT_XOR),
    "&": ("&", _BIT_AND),
    "<<": ("<<", _SHIFT),
    ">>": (">>", _SHIFT),
    "+": ("+", _ADD),
    "-": ("-", _ADD),
    "*": ("*", _TIMES),
    "//": ("//", _TIMES),
    "%": ("%", _TIMES),
    "iff": ("==", _COMPARE),
    "xor": ("!=", _COMPARE),
}
_WORDS = {**_ARITHMETIC, "and": ("and", _AND), "or": ("or", _OR)}
_TENSOR = {
    **_ARITHMETIC,
    "and": ("&", _BIT_AND),
    "or": ("|", _BIT_OR),
    "xor": ("^", _BIT_XOR),
}
_LATEX: dict[str, tuple[str, int]] = {
    **{op: (op, _COMPARE) for op in ("<", ">")},
    "==": ("=", _COMPARE),
    "!=": (r"\ne", _COMPARE),
    "<=": (r"\le", _COMPARE),
    ">=": (r"\ge", _COMPARE),
    "|": (r"\mathbin{|}", _BIT_OR),
    "^": (r"\oplus", _BIT_XOR),
    "&": (r"\mathbin{\&}", _BIT_AND),
    "+": ("+", _ADD),
    "-": ("-", _ADD),
    "*": (r"\cdot", _TIMES),
    "%": (r"\bmod", _TIMES),
    "and": (r"\land", _AND),
    "or": (r"\lor", _OR),
    "xor": (r"\oplus", _LOOSE),
    "iff": (r"\leftrightarrow", _LOOSE),
    "implies": (r"\rightarrow", _LOOSE),
}


def text(term: Term) -> str:
    """One line of Python.

    >>> from attnproof.symbolic.formula.terms import k, q
    >>> text((k <= q) & ((q - k < 4) | (k < 2)))
    'k <= q and (q - k < 4 or k < 2)'

    Law: Python gives the line the value of the formula.
    """
    return fold(term, _text)[0]


def python_source(term: Term) -> str:
    """An expression for the body of a ``mask_mod``, on tensors ``b``, ``h``, ``q`` and ``k``.

    >>> from attnproof.symbolic.formula.terms import holds, k, q
    >>> python_source((k <= q) & ~holds("padding", k))
    '(k <= q) & ~padding[k]'

    Parts that read no tensor are plain Python, so that parameters may be Python integers.
    """
    return fold(term, _source)[0][0]


def operands(term: Term) -> list[str]:
    """The printed parts of a conjunction or disjunction, as they stand between ``&`` or ``|``."""
    return [_wrap(fold(part, _source)[0], _TIMES) for part in term.children]


def latex(term: Term) -> str:
    r"""The formula in LaTeX, without dollar signs.

    >>> from attnproof.symbolic.formula.terms import k, q
    >>> latex((k <= q) & (q - k < 4))
    'k \\le q \\land q - k < 4'
    """
    return fold(term, _latex)[0]


def reads_tensors(term: Term) -> bool:
    """Whether a ``mask_mod`` computes it with tensors: it has b, h, q, k or a captured tensor."""
    return fold(term, lambda node, parts: any(parts) or _is_tensor(node))


def _is_tensor(node: Term) -> bool:
    return node.op in TENSORS or (node.op == "var" and node.name in INDICES)


def _wrap(part: _Printed, above: int) -> str:
    return part[0] if part[1] > above else f"({part[0]})"


def _infix(node: Term, parts: list[_Printed], table: dict[str, tuple[str, int]]) -> _Printed:
    """Operands in a row; comparisons are not chained, and grouping is to the left.

    Words bind as in Python, but parts that a reader must think about have parentheses: ``and``
    within ``or``, bit operations within comparisons, sums within bit operations.
    """
    symbol, tight = table[node.op]
    if tight == _OR:
        above = first = _AND
    elif tight == _COMPARE:
        above = first = _SHIFT
    elif _BIT_OR <= tight <= _SHIFT:
        above = first = _TIMES
    else:
        above, first = tight, tight - 1 if tight >= _ADD else tight
    rest = (_wrap(part, above) for part in parts[1:])
    return f" {symbol} ".join([_wrap(parts[0], first), *rest]), tight


def _leaf(node: Term) -> _Printed | None:
    if node.op == "var":
        return node.name, _ATOM
    if node.value is not None:
        return str(node.value), _SIGN if node.value < 0 else _ATOM
    return None


def _indexed(node: Term, parts: list[_Printed]) -> _Printed:
    index = ", ".join(part for part, _ in parts)
    return (f"{node.name}[{index}]" if parts else node.name), _ATOM


def _text(node: Term, parts: list[_Printed]) -> _Printed:
    op = node.op
    if leaf := _leaf(node):
        return leaf
    if op in TENSORS:
        return _indexed(node, parts)
    if op == "ite":
        condition, then, otherwise = (part for part, _ in parts)
        return f"({then} if {condition} else {otherwise})", _ATOM
    if op in ("min", "max", "abs"):
        return f"{op}({', '.join(part for part, _ in parts)})", _ATOM
    if op == "not":
        return f"not {_wrap(parts[0], _NOT)}", _NOT
    if op in ("neg", "~"):
        return ("-" if op == "neg" else "~") + _wrap(parts[0], _SIGN), _SIGN
    if op == "implies":
        return f"not {_wrap(parts[0], _NOT)} or {_wrap(parts[1], _OR)}", _OR
    return _infix(node, parts, _WORDS)


def _source(node: Term, parts: list[_Tensors]) -> _Tensors:
    """Printed, and whether it is a tensor when the code runs."""
    op, printed = node.op, [part for part, _ in parts]
    if not (_is_tensor(node) or any(is_tensor for _, is_tensor in parts)):
        return _text(node, printed), False
    if op == "ite":
        (condition, _), (then, _), (otherwise, _) = printed
        if not parts[0][1]:
            if parts[1][1] and parts[2][1]:
                return (f"({then} if {condition} else {otherwise})", _ATOM), True
            condition = f"(q >= 0) & ({condition})"
        return (f"torch.where({condition}, {then}, {otherwise})", _ATOM), True
    if op in ("min", "max"):
        return (_least(op, parts), _ATOM), True
    if op == "not":
        return ("~" + _wrap(printed[0], _SIGN), _SIGN), True
    if op == "implies":
        premise = _wrap(printed[0], _SIGN)
        premise = f"~{premise}" if parts[0][1] else f"(not {premise})"
        return (f"{premise} | {_wrap(printed[1], _BIT_OR)}", _BIT_OR), True
    if op in ("var", "neg", "abs", "~") or op in TENSORS:
        return _text(node, printed), True
    return _infix(node, printed, _TENSOR), True


def _least(op: str, parts: list[_Tensors]) -> str:
    """Tensors by ``torch.minimum``, bounded by the least of the plain integers."""
    tensors = [part for (part, _), is_tensor in parts if is_tensor]
    plain = [part for (part, _), is_tensor in parts if not is_tensor]
    best = tensors[0]
    for part in tensors[1:]:
        best = f"torch.{op}imum({best}, {part})"
    if not plain:
        return best
    bound = plain[0] if len(plain) == 1 else f"{op}({', '.join(plain)})"
    return f"torch.clamp({best}, {'max' if op == 'min' else 'min'}={bound})"


def _name(name: str) -> str:
    return name if len(name) == 1 else rf"\mathit{{{name.replace('_', chr(92) + '_')}}}"


def _latex(node: Term, parts: list[_Printed]) -> _Printed:
    op, plain = node.op, [part for part, _ in parts]
    if op == "var":
        return _name(node.name), _ATOM
    if op == "bool":
        return (r"\top" if node.value else r"\bot"), _ATOM
    if leaf := _leaf(node):
        return leaf
    if op in TENSORS:
        return _name(node.name) + (f"_{{{', '.join(plain)}}}" if parts else ""), _ATOM
    if op == "ite":
        rows = rf"{plain[1]} & \text{{if }} {plain[0]} \\ {plain[2]} & \text{{otherwise}}"
        return rf"\begin{{cases}} {rows} \end{{cases}}", _ATOM
    if op == "//":
        return rf"\left\lfloor \frac{{{plain[0]}}}{{{plain[1]}}} \right\rfloor", _ATOM
    if op == ">>":
        return rf"\left\lfloor \frac{{{plain[0]}}}{{2^{{{plain[1]}}}}} \right\rfloor", _ATOM
    if op == "<<":
        return rf"{_wrap(parts[0], _TIMES - 1)} \cdot 2^{{{plain[1]}}}", _TIMES
    if op in ("min", "max"):
        return rf"\{op}({', '.join(plain)})", _ATOM
    if op == "abs":
        return rf"\left| {plain[0]} \right|", _ATOM
    if op == "not":
        return rf"\lnot {_wrap(parts[0], _COMPARE)}", _NOT
    if op in ("neg", "~"):
        return ("-" if op == "neg" else r"{\sim}") + _wrap(parts[0], _SIGN), _SIGN
    return _infix(node, parts, _LATEX)
