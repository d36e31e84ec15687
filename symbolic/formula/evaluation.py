"""The value of a formula: on integers, or on whole arrays at once.

Every part is evaluated, as torch does: an index out of range is an error even in the branch of an
``ite`` that is not taken. Arrays hold 64-bit integers.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula.operators import MAX_SHIFT, TENSORS
from attnproof.symbolic.formula.rewriting import variables
from attnproof.symbolic.formula.terms import INDICES, Term, fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CELLS = 1 << 22

#: Operators that mean the same on integers and on arrays.
_SHARED: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "~": operator.invert,
    "neg": operator.neg,
    "abs": abs,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "iff": operator.eq,
    "implies": operator.le,
}


def evaluate(term: Term, env: Mapping[str, Any]) -> Any:
    """The value of ``term``: an ``int`` or ``bool``; where a variable is an array, an array.

    ``env`` gives each variable an integer or a numpy array, and each captured tensor a nested
    sequence or an array. The result has the shape that the variables' arrays, and those of b, h,
    q and k, broadcast to.

    >>> from attnproof.symbolic.formula.terms import at, k, q
    >>> same = at("ids", q).eq(at("ids", k)) & (k <= q)
    >>> evaluate(same, {"q": 2, "k": 1, "ids": [0, 0, 1]})
    False
    >>> evaluate(-q // 2, {"q": 3})
    -2

    Raises :class:`InputError` for an unbound name, a divisor 0, a shift outside 0 to 62, an index
    out of range (negative ones too), and on arrays for a constant of more than 64 bits.
    """
    numpy = _loaded_numpy()
    if numpy is not None:
        named = {*INDICES, *variables(term)}
        arrays = {
            name: value
            for name, value in env.items()
            if name in named and isinstance(value, numpy.ndarray) and value.ndim
        }
        if arrays:
            return _evaluate_arrays(term, env, arrays)
    return fold(term, lambda node, parts: _scalar(node, parts, env))


def dense(
    term: Term, queries: int, keys: int, env: Mapping[str, Any] | None = None
) -> "NDArray[np.bool_]":
    """The Boolean array ``(queries, keys)`` whose entry is the formula at ``q`` and ``k``.

    >>> from attnproof.symbolic.formula.terms import k, q
    >>> dense(k <= q, 2, 3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    import numpy as np

    result = np.empty((queries, keys), dtype=bool)
    columns = np.arange(keys)[None, :]
    step = max(1, _CELLS // max(1, keys))
    for start in range(0, queries, step):
        rows = np.arange(start, min(start + step, queries))[:, None]
        result[start : start + step] = evaluate(term, {**(env or {}), "q": rows, "k": columns})
    return result


def _loaded_numpy() -> Any:
    """numpy if it is in use: only then can a value be an array."""
    import sys

    return sys.modules.get("numpy")


def _unbound(node: Term) -> InputError:
    kind = "tensor" if node.op in TENSORS else "variable"
    return InputError(f"the {kind} {node.name} has no value; give one", name=node.name)


def _scalar(node: Term, parts: list[Any], env: Mapping[str, Any]) -> Any:
    op = node.op
    if op in ("int", "bool"):
        return node.args[0]
    if op == "var":
        if node.name not in env:
            raise _unbound(node)
        return operator.index(env[node.name])
    if op in TENSORS:
        if node.name not in env:
            raise _unbound(node)
        value = env[node.name]
        for axis, index in enumerate(parts):
            if not hasattr(value, "__len__"):
                raise _axes(node, len(parts), axis)
            if not 0 <= index < len(value):
                raise _out_of_range(node, axis, index, len(value))
            value = value[index]
        if getattr(value, "ndim", 0) or isinstance(value, Sequence):
            raise _axes(node, len(parts), "more")
        return bool(value) if op == "holds" else int(value)
    if op == "ite":
        return parts[1] if parts[0] else parts[2]
    if op == "not":
        return not parts[0]
    if op in ("min", "max"):
        return min(parts) if op == "min" else max(parts)
    if op in ("//", "%") and parts[1] == 0:
        raise _divisor(node)
    if op in ("<<", ">>") and not 0 <= parts[1] <= MAX_SHIFT:
        raise _shift(node, parts[1])
    function = _SHARED[op]
    return function(*parts) if len(parts) == 1 else reduce(function, parts)


def _evaluate_arrays(
    term: Term, env: Mapping[str, Any], arrays: Mapping[str, "NDArray[Any]"]
) -> "NDArray[Any]":
    import numpy as np

    for name, array in arrays.items():
        if array.dtype.kind not in "iu":
            raise InputError(
                f"the variable {name} is an array of {array.dtype}; give integers", name=name
            )
    wide = {name: array.astype(np.int64, copy=False) for name, array in arrays.items()}
    captured = {
        name: np.asarray(value)
        for name, value in env.items()
        if isinstance(value, (np.ndarray, Sequence)) and name not in wide
    }
    values = {**env, **captured, **wide}
    result = fold(term, lambda node, parts: _array(node, parts, values))
    shape = np.broadcast_shapes(*(array.shape for array in wide.values()))
    return np.broadcast_to(result, shape).copy()


def _array(node: Term, parts: list[Any], env: Mapping[str, Any]) -> Any:
    import numpy as np

    op = node.op
    if op == "var":
        if node.name not in env:
            raise _unbound(node)
        value = env[node.name]
        return value if isinstance(value, np.ndarray) else np.int64(value)
    if op in ("int", "bool"):
        return np.bool_(node.args[0]) if op == "bool" else _int64(node)
    if op in TENSORS:
        return _element(node, parts, env)
    if op == "ite":
        return np.where(parts[0], parts[1], parts[2])
    if op == "not":
        return np.logical_not(parts[0])
    if op in ("min", "max"):
        return reduce(np.minimum if op == "min" else np.maximum, parts)
    if op in ("//", "%") and not np.all(parts[1]):
        raise _divisor(node)
    if op in ("<<", ">>"):
        bad = (parts[1] < 0) | (parts[1] > MAX_SHIFT)
        if np.any(bad):
            raise _shift(node, int(np.broadcast_to(parts[1], np.shape(bad))[bad].flat[0]))
    function = _SHARED[op]
    return function(*parts) if len(parts) == 1 else reduce(function, parts)


def _int64(node: Term) -> Any:
    import numpy as np

    value = operator.index(node.args[0])  # type: ignore[arg-type]
    if not -(1 << 63) <= value < 1 << 63:
        raise InputError(
            f"the constant {value} does not fit 64 bits; give one of less than 2**63", term=node
        )
    return np.int64(value)


def _element(node: Term, parts: list[Any], env: Mapping[str, Any]) -> Any:
    import numpy as np

    if node.name not in env:
        raise _unbound(node)
    tensor = np.asarray(env[node.name])
    if tensor.ndim != len(parts):
        raise _axes(node, len(parts), tensor.ndim)
    for axis, (index, size) in enumerate(zip(parts, tensor.shape, strict=True)):
        bad = (index < 0) | (index >= size)
        if np.any(bad):
            first = int(np.broadcast_to(index, np.shape(bad))[bad].flat[0])
            raise _out_of_range(node, axis, first, size)
    value = tensor[tuple(parts)]
    return value.astype(bool if node.op == "holds" else np.int64)


def _axes(node: Term, given: int, axes: int | str) -> InputError:
    return InputError(
        f"`{node!r}` gives {given} indices, the tensor has {axes} axes; give one index an axis",
        name=node.name,
    )


def _out_of_range(node: Term, axis: int, index: int, size: int) -> InputError:
    return InputError(
        f"`{node!r}` reads element {index} of axis {axis}, which has {size}; keep indices within "
        f"0..{size - 1}",
        name=node.name,
        index=index,
        size=size,
    )


def _divisor(node: Term) -> InputError:
    return InputError(f"`{node!r}` divides by 0; give a positive divisor", term=node)


def _shift(node: Term, places: int) -> InputError:
    return InputError(f"`{node!r}` shifts by {places} places; shift by 0 to {MAX_SHIFT}", term=node)
