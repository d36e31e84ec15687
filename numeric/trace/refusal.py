"""What a formula cannot say, told by the line of the user's file that says it.

A mask is one formula for all pairs; code that asks for the value of one index has none.
"""

import ast
import functools
import linecache
import os
import sys
import sysconfig
from collections.abc import Callable
from contextvars import ContextVar
from types import CodeType, FrameType
from typing import Any, NoReturn

from attnproof.symbolic.errors import InputError

_HERE = os.path.dirname(os.path.abspath(__file__))
_SITE = tuple(sysconfig.get_paths()[name] for name in ("purelib", "platlib"))
_LIBRARIES = ("<frozen", *(os.path.join(s, x) + os.sep for s in _SITE for x in ("torch", "numpy")))
_BRANCH = (
    "write torch.where(condition, then, otherwise), or follow both branches with split=True, on "
    "the command line --split"
)
_INSTEAD: dict[str, str] = {
    "if": _BRANCH,
    "conditional": _BRANCH,
    "while": "write the loop for a fixed number of steps",
    "assert": "check it where the mask_mod is built",
    "and": "write a & b",
    "or": "write a | b",
    "not": "write ~a",
    "chain": "write (a <= b) & (b < c)",
    "in": "write torch.isin, or (x == a) | (x == b)",
    "min": "write torch.minimum",
    "max": "write torch.maximum",
    "int": "leave it out: an index is an integer; of a Boolean take .long()",
    "bool": "compare it, as in x != 0",
    "float": "stay with integers",
    "range": "write the loop for a fixed number of steps",
    "slice": "index a tensor with whole indices, as in t[q, k]",
    "any": "write torch.any, or a | b",
    "all": "write torch.all, or a & b",
}


#: The refusals of the run, those that the user's code catches among them.
_RAISED: ContextVar["list[TraceError] | None"] = ContextVar("raised", default=None)


class TraceError(InputError):
    """The rule is no formula; ``parts`` holds file, line, source and what to write instead."""


def refuse(what: str, instead: str = "", **parts: object) -> NoReturn:
    """Raise :class:`TraceError` for the line of the user's code that is running.

    ``instead`` is what to write when the line itself does not tell.
    """
    error = _refusal(what, instead, parts)
    if (raised := _RAISED.get()) is not None:
        raised.append(error)
    raise error


def enter_user_code(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of the user; a refusal that it catches is raised all the same."""
    token = _RAISED.set([])
    try:
        result = function(*args)
        for error in _RAISED.get() or ():
            raise error
        return result
    finally:
        _RAISED.reset(token)


def _refusal(what: str, instead: str, parts: dict[str, object]) -> TraceError:
    frame = _user_frame()
    if frame is None:
        return TraceError(f"the rule {what}" + (f"; {instead}" if instead else ""), **parts)
    file, line = frame.f_code.co_filename, frame.f_lineno
    kind, source = _construct(frame)
    source = source or linecache.getline(file, line).strip()
    instead = _INSTEAD.get(kind, instead) or instead
    shown = f"`{source}` {what}" if source else f"it {what}"
    return TraceError(
        f"{file}, line {line}: {shown}" + (f"; {instead}" if instead else ""),
        file=file,
        line=line,
        source=source,
        instead=instead,
        **parts,
    )


def _user_frame() -> FrameType | None:
    """The innermost frame that is neither the tracer's nor torch's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not enter_user_code.__code__:
        file = frame.f_code.co_filename
        if not file.startswith(_LIBRARIES) and os.path.dirname(os.path.abspath(file)) != _HERE:
            return frame
        frame = frame.f_back
    return None


def _construct(frame: FrameType) -> tuple[str, str]:
    """The kind of the innermost expression that runs, and its text."""
    file = frame.f_code.co_filename
    span = _span(frame.f_code, frame.f_lasti)
    text = "".join(linecache.getlines(file))
    tree = _tree(text)
    if span is None or tree is None:
        return "", ""
    best: tuple[int, str, ast.AST] | None = None
    exact: tuple[int, ast.AST] | None = None
    for node in ast.walk(tree):
        own = _range(node)
        if own is None or not (own[0] <= span[0] and span[1] <= own[1]):
            continue
        kind = _kind(node, span)
        size = len(ast.get_source_segment(text, node) or "")
        if kind and (best is None or size <= best[0]):
            best = (size, kind, node)
        elif isinstance(node, ast.expr) and (exact is None or size <= exact[0]):
            exact = (size, node)
    if best is None:
        return "", (ast.get_source_segment(text, exact[1]) or "") if exact else ""
    node = best[2]
    segment = ast.get_source_segment(text, node) or ""
    if isinstance(node, (ast.If, ast.While)):
        word = "while" if isinstance(node, ast.While) else "if"
        segment = f"{word} {ast.get_source_segment(text, node.test)}:"
    return best[1], " ".join(segment.split())


_Point = tuple[int, int]


def _span(code: CodeType, instruction: int) -> tuple[_Point, _Point] | None:
    for place, (line, last, column, end) in enumerate(code.co_positions()):
        if 2 * place == instruction:
            if line is None or last is None or column is None or end is None:
                return None
            return (line, column), (last, end)
    return None


def _range(node: ast.AST) -> tuple[_Point, _Point] | None:
    if not isinstance(node, (ast.expr, ast.stmt)):
        return None
    return (
        (node.lineno, node.col_offset),
        (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
    )


def _kind(node: ast.AST, span: tuple[_Point, _Point]) -> str:
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        test, whole = _range(node.test), _range(node)
        asked = test is not None and test[0] <= span[0] and span[1] <= test[1]
        if not asked and span != whole:
            return ""
        names = {ast.If: "if", ast.While: "while", ast.IfExp: "conditional", ast.Assert: "assert"}
        return names[type(node)]
    if isinstance(node, ast.BoolOp):
        return "and" if isinstance(node.op, ast.And) else "or"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "not"
    if isinstance(node, ast.Compare):
        if any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
            return "in"
        return "chain" if len(node.ops) > 1 else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id if node.func.id in _INSTEAD else ""
    if isinstance(node, ast.Subscript):
        return "slice"
    return ""


@functools.lru_cache(maxsize=8)
def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None
