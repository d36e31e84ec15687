"""A second way to the formula of a rule: from the operations of ATen that torch runs for it.

The rule is run on four scalars, and each operation of torch's own library is followed below them.
Nothing here is shared with the tracer but the formula language, so that two formulas may be proved
equal.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from attnproof.numeric.read.torch_scalars import index_by_tensors
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import (
    INDICES,
    Sort,
    Term,
    apply,
    at,
    constant,
    holds,
    ite,
    joined,
    variable,
)

_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ARITHMETIC: dict[str, Callable[[Term, Term], Term]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift,
    "__lshift__": operator.lshift,
    "__rshift__": operator.rshift,
    "rsub": lambda a, b: b - a,
    "minimum": lambda a, b: apply("min", a, b),
    "maximum": lambda a, b: apply("max", a, b),
    "clamp_min": lambda a, b: apply("max", a, b),
    "clamp_max": lambda a, b: apply("min", a, b),
}
_BITS = {"and": "&", "or": "|", "xor": "^"}
_COPIES = ("clone", "alias", "detach", "lift_fresh", "lift_fresh_copy", "_to_copy", "expand")


def second_term(mask_mod: Callable[..., Any], tensors: Mapping[str, Any]) -> Term:
    """The formula of ``mask_mod`` by way of ATen; ``tensors`` gives captured arrays their names.

    >>> second_term(lambda b, h, q, k: (k <= q) & (q - k < 4), {})
    k <= q and q - k < 4

    Raises :class:`InputError` for an operation that this second way does not know.
    """
    shadows: dict[int, Any] = {}
    kept: list[Any] = []

    def formulas(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(formulas, value))
        return shadows.get(id(value), value)

    class Following(TorchDispatchMode):  # type: ignore[no-untyped-call]
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # the guard against torch.compile would import all of it

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            known, options = formulas(args), {x: formulas(y) for x, y in (kwargs or {}).items()}
            if any(map(_deep, (*known, *options.values()))):
                if not isinstance(result, torch.Tensor):
                    raise InputError(f"the rule asks for a value with {func._opname}")
                cells = _operation(func._opname, known, options, result.dtype, tensors)
                kept.append(result)
                shadows[id(result)] = np.broadcast_to(cells, tuple(result.shape))
            return result

    scalars = [torch.tensor(1) for _ in INDICES]
    for name, scalar in zip(INDICES, scalars, strict=True):
        shadows[id(scalar)] = _array(variable(name))
    mode: Any = Following
    with mode(), index_by_tensors():
        answer = mask_mod(*scalars)
    if id(answer) not in shadows:
        return constant(bool(answer))
    term: Term = shadows[id(answer)][()]
    return term


def _array(term: Term) -> Any:
    cells = np.empty((), dtype=object)
    cells[()] = term
    return cells


def _symbolic(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _deep(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_deep, value))
    return _symbolic(value)


def _cells(value: Any) -> Any:
    if _symbolic(value):
        return value
    plain: Any = value.tolist() if isinstance(value, torch.Tensor) else value
    shape = tuple(value.shape) if isinstance(value, torch.Tensor) else ()
    cells = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        own = plain
        for i in place:
            own = own[i]
        cells[place] = constant(own)
    return cells


def _map(function: Callable[..., Term], *values: Any) -> Any:
    result = np.frompyfunc(function, len(values), 1)(*map(_cells, values))
    return result if isinstance(result, np.ndarray) else _array(result)


def _integer(t: Term) -> Term:
    return t if t.sort is Sort.INT else ite(t, 1, 0)


def _truth(t: Term) -> Term:
    return t if t.sort is Sort.BOOL else t.ne(0)


def _as(dtype: torch.dtype) -> Callable[[Term], Term]:
    if dtype.is_floating_point:
        raise InputError("the second way knows no floats")
    return _truth if dtype is torch.bool else _integer


def _operation(
    name: str, args: Sequence[Any], options: Any, dtype: torch.dtype, tensors: Mapping[str, Any]
) -> Any:
    kind = _as(dtype)
    if name in _COMPARE:
        return _map(lambda a, b: apply(_COMPARE[name], _integer(a), _integer(b)), *args[:2])
    if name in _ARITHMETIC and kind is _integer:
        function = _ARITHMETIC[name]
        return _map(lambda a, b: function(_integer(a), _integer(b)), *args[:2])
    if name in ("add", "mul"):
        return _map(lambda a, b: apply("or" if name == "add" else "and", a, b), *args[:2])
    word = name.strip("_").removeprefix("logical_").removeprefix("bitwise_")
    if word in _BITS and name.startswith("logical_"):
        return _map(lambda a, b: apply(word, _truth(a), _truth(b)), *args[:2])
    if word in _BITS:
        op = _BITS[word] if kind is _integer else word
        return _map(lambda a, b: apply(op, kind(a), kind(b)), *args[:2])
    if name in ("bitwise_not", "logical_not"):
        return _map(lambda a: ~(_truth(a) if name == "logical_not" else a), args[0])
    if name in ("abs", "neg"):
        return _map(lambda a: apply(name, a), args[0])
    if name == "clamp":
        low, high = [*args[1:], None, None][:2]
        cells = args[0] if low is None else _map(lambda a, b: apply("max", a, b), args[0], low)
        return cells if high is None else _map(lambda a, b: apply("min", a, b), cells, high)
    if name == "div" and options.get("rounding_mode") == "floor":
        return _map(lambda a, b: _integer(a) // _integer(b), *args[:2])
    if name == "where":
        return _map(lambda c, a, b: ite(c, kind(a), kind(b)), *args)
    if name in _COPIES:
        return _map(kind, args[0])
    if name in ("any", "all", "sum", "amax", "amin"):
        return _reduced(name, args, kind)
    if name == "pow" and not _symbolic(args[0]) and int(args[0]) == 2:
        return _map(lambda a: 1 << a, args[1])
    if name in ("new_ones", "ones_like", "new_zeros", "zeros_like"):
        return _map(kind, int("ones" in name))
    if name == "index":
        return _indexed(args[0], args[1], tensors)
    if name == "select":
        return np.take(_cells(args[0]), args[2], axis=args[1])
    if name == "unsqueeze":
        return np.expand_dims(args[0], args[1])
    if name in ("view", "reshape", "_unsafe_view"):
        return args[0].reshape(tuple(args[1]))
    if name in ("stack", "cat"):
        join = np.stack if name == "stack" else np.concatenate
        return join([_map(kind, x) for x in args[0]], axis=args[1] if len(args) > 1 else 0)
    if name == "isin":
        tests = _cells(args[1]).ravel()
        return _map(lambda a: joined("or", [a.eq(t) for t in tests]), args[0])
    raise InputError(f"the second way does not know the operation {name}", name=name)


def _reduced(name: str, args: Sequence[Any], kind: Callable[[Term], Term]) -> Any:
    op = {"any": "or", "all": "and", "sum": "+", "amax": "max", "amin": "min"}[name]
    cells = _map(_truth if name in ("any", "all") else kind, args[0])
    given = args[1] if len(args) > 1 else None
    axes = range(cells.ndim) if given is None else [given] if isinstance(given, int) else given
    for axis in sorted((x % cells.ndim for x in axes), reverse=True) if cells.ndim else ():
        rows = np.moveaxis(cells, axis, 0)
        out = np.empty(rows.shape[1:], dtype=object)
        for place in np.ndindex(*out.shape):
            out[place] = joined(op, [rows[(i, *place)] for i in range(len(rows))])
        cells = out
    return cells


def _indexed(owner: Any, index: Sequence[Any], tensors: Mapping[str, Any]) -> Any:
    """An element by indices of every axis; of formulas, a chain of choices."""
    if not _symbolic(owner):
        values = owner.detach().cpu().numpy()
        if len(index) < values.ndim or any(x is None for x in index):
            return _indexed(_cells(owner), index, tensors)
        found = [x for x, y in tensors.items() if np.array_equal(np.asarray(y), values)]
        if not found:
            raise InputError("the rule reads a tensor that has no name")
        read = holds if values.dtype.kind == "b" else at

        def element(*terms: Term) -> Term:
            pairs = zip(terms, values.shape, strict=True)
            return read(found[0], *(ite(i < 0, i + size, i) for i, size in pairs))

        return _map(element, *index)
    cells = owner
    given = [x for x in index if x is not None]
    if len(given) != 1 or _cells(given[0]).ndim:
        for part in given:
            if index[0] is None:
                raise InputError("the second way indexes leading axes only")
            cells = _indexed(cells, [part], tensors)
        return cells
    place = next(i for i, x in enumerate(index) if x is not None)
    rows = np.moveaxis(cells, place, 0)
    term = _cells(given[0])[()]
    picked = rows[len(rows) - 1]
    for i in range(len(rows) - 1):
        picked = _map(lambda a, b, i=i: ite(term.eq(i), a, b), rows[i], picked)
    return picked
