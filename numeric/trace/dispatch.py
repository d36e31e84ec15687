"""The functions of torch that have a formula, in one table for operators, methods and functions.

While a rule is traced every call of torch passes here; those without a formula in their arguments
run as they are.
"""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from attnproof.numeric.trace import elementwise as cellwise
from attnproof.numeric.trace import index as indexing
from attnproof.numeric.trace import shaping
from attnproof.numeric.trace.promotion import cast
from attnproof.numeric.trace.refusal import refuse
from attnproof.numeric.trace.session import current
from attnproof.numeric.trace.value import Symbolic, lift

_Table = dict[str, Callable[..., Any]]


def _same(value: Any, *args: Any, **options: Any) -> Any:
    return value


def _to(value: Any, *args: Any, dtype: Any = None, **options: Any) -> Symbolic:
    """``Tensor.to``: devices, layouts and copies change no formula."""
    if any(isinstance(x, type | str) and x not in ("cpu", "cuda") for x in args):
        refuse("converts by the name of a tensor type", "convert with .to(dtype)")
    given = [x for x in args if isinstance(x, torch.dtype)]
    given += [x.dtype for x in args if isinstance(x, (torch.Tensor, Symbolic))]
    wanted = dtype or (given[0] if given else None)
    return lift(value) if wanted is None else cast(lift(value), wanted)


def _scaled(name: str, a: Any, b: Any, *, alpha: Any = 1) -> Symbolic:
    """``torch.add`` and ``sub``: ``alpha`` multiplies the second operand."""
    return cellwise.arithmetic(name, a, b if alpha == 1 else cellwise.arithmetic("mul", b, alpha))


def _rsub(a: Any, b: Any) -> Symbolic:
    return cellwise.arithmetic("sub", b, a)


def _names(function: Callable[..., Any], names: str) -> _Table:
    return dict.fromkeys(names.split(), function)


_TABLE: _Table = {
    **{name: partial(cellwise.arithmetic, name) for name in cellwise.ARITHMETIC},
    **{name: partial(cellwise.compare, name) for name in cellwise.COMPARISONS},
    **_names(partial(_scaled, "add"), "add"),
    **_names(partial(_scaled, "sub"), "sub subtract"),
    **_names(_rsub, "rsub"),
    **_names(partial(cellwise.arithmetic, "mul"), "multiply"),
    **_names(partial(cellwise.arithmetic, "floordiv"), "floor_divide"),
    **_names(partial(cellwise.arithmetic, "mod"), "remainder"),
    **_names(partial(cellwise.arithmetic, "and"), "bitwise_and"),
    **_names(partial(cellwise.arithmetic, "or"), "bitwise_or"),
    **_names(partial(cellwise.arithmetic, "xor"), "bitwise_xor"),
    **_names(partial(cellwise.arithmetic, "lshift"), "bitwise_left_shift"),
    **_names(partial(cellwise.arithmetic, "rshift"), "bitwise_right_shift"),
    **_names(partial(cellwise.compare, "lt"), "less"),
    **_names(partial(cellwise.compare, "le"), "less_equal"),
    **_names(partial(cellwise.compare, "gt"), "greater"),
    **_names(partial(cellwise.compare, "ge"), "greater_equal"),
    **_names(partial(cellwise.compare, "ne"), "not_equal"),
    **_names(cellwise.divide, "div divide truediv true_divide"),
    **_names(cellwise.power, "pow"),
    **_names(cellwise.floor, "floor"),
    **_names(cellwise.ceil, "ceil"),
    **_names(cellwise.truncate, "trunc fix"),
    **_names(cellwise.negative, "neg negative"),
    **_names(cellwise.absolute, "abs absolute"),
    **_names(cellwise.sign, "sign sgn"),
    **_names(lambda x: cellwise.arithmetic("mul", x, x), "square"),
    **_names(cellwise.invert, "invert bitwise_not"),
    **_names(partial(cellwise.logical, "and"), "logical_and"),
    **_names(partial(cellwise.logical, "or"), "logical_or"),
    **_names(partial(cellwise.logical, "xor"), "logical_xor"),
    **_names(cellwise.logical_not, "logical_not"),
    **_names(cellwise.where, "where"),
    **_names(cellwise.clamp, "clamp clip"),
    **_names(lambda x, min: cellwise.clamp(x, min=min), "clamp_min"),
    **_names(lambda x, max: cellwise.clamp(x, max=max), "clamp_max"),
    **_names(_same, "clone detach contiguous cuda cpu pos positive"),
    **_names(_to, "to type type_as"),
    **_names(lambda x: cast(lift(x), torch.bool), "bool"),
    **_names(lambda x: cast(lift(x), torch.int64), "long"),
    **_names(lambda x: cast(lift(x), torch.int32), "int"),
    **_names(lambda x: cast(lift(x), torch.float32), "float"),
    **_names(lambda x: cast(lift(x), torch.float64), "double"),
    **_names(shaping.unsqueeze, "unsqueeze"),
    **_names(shaping.squeeze, "squeeze"),
    **_names(shaping.reshape, "reshape view"),
    **_names(shaping.expand, "expand broadcast_to"),
    **_names(shaping.flatten, "flatten ravel"),
    **_names(shaping.transpose, "transpose swapaxes"),
    **_names(shaping.permute, "permute"),
    **_names(shaping.stack, "stack"),
    **_names(shaping.cat, "cat concat concatenate"),
    **_names(lambda x, *a, **o: shaping.new_filled(x, True, *a, **o), "new_ones"),
    **_names(lambda x, *a, **o: shaping.new_filled(x, False, *a, **o), "new_zeros"),
    **_names(lambda x, size, fill, **o: shaping.new_filled(x, fill, size, **o), "new_full"),
    **_names(lambda x, **o: shaping.filled_like(x, True, **o), "ones_like"),
    **_names(lambda x, **o: shaping.filled_like(x, False, **o), "zeros_like"),
    **_names(lambda x, fill_value, **o: shaping.filled_like(x, fill_value, **o), "full_like"),
    **_names(shaping.any_of, "any"),
    **_names(shaping.all_of, "all"),
    **_names(shaping.total, "sum"),
    **_names(shaping.cumulative, "cumsum"),
    **_names(partial(shaping.extreme, "max"), "amax"),
    **_names(partial(shaping.extreme, "min"), "amin"),
    **_names(partial(shaping.extreme_or_pair, "max"), "max"),
    **_names(partial(shaping.extreme_or_pair, "min"), "min"),
    **_names(shaping.is_in, "isin"),
    **_names(shaping.search_sorted, "searchsorted"),
    **_names(shaping.bucketize, "bucketize"),
    **_names(shaping.size, "size"),
    **_names(lambda x: x.ndim, "dim"),
    **_names(indexing.getitem, "getitem"),
    **_names(indexing.take, "take"),
    **_names(indexing.index_select, "index_select"),
    **_names(indexing.narrow_index, "select"),
}
_INSTEAD = {
    "item": "leave it a tensor",
    "tolist": "leave it a tensor",
    "round": "stay with integers: (2 * x + 1) // 2",
    "log2": "capture a table of the logarithms of integers",
    "sqrt": "compare the squares",
    "argmax": "compare the elements themselves",
    "arange": "give the size a value",
    "tensor": "leave it out: an index is a tensor already",
    "as_tensor": "leave it out: an index is a tensor already",
}
_ATTRIBUTES: dict[str, Callable[[Symbolic], Any]] = {
    "requires_grad": lambda x: False,
    "is_cuda": lambda x: False,
    "layout": lambda x: torch.strided,
    "T": lambda x: shaping.permute(x, *range(x.ndim)[::-1]),
    "mT": lambda x: shaping.transpose(x, -1, -2),
}


def attribute(value: Symbolic, name: str) -> Any:
    """An attribute or a method of a tensor of formulas."""
    if name in _ATTRIBUTES:
        return _ATTRIBUTES[name](value)
    if not hasattr(torch.Tensor, name):
        raise AttributeError(f"a tensor has no attribute {name!r}")
    return lambda *args, **options: call(name, (value, *args), options)


def call_function(function: Callable[..., Any], args: Sequence[Any], options: Any) -> Any:
    """A function of torch on arguments of which some are formulas."""
    name = getattr(function, "__name__", str(function))
    if name == "__get__":
        return getattr(lift(args[0]), function.__self__.__name__)  # type: ignore[attr-defined]
    return call(name, args, options)


def call(name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """The function or operator of this name."""
    plain = name
    if name.startswith("__") and name.endswith("__"):
        plain = name.strip("_")
        if plain not in _TABLE and plain[:1] == "r" and plain[1:] in _TABLE:
            plain, args = plain[1:], (args[1], args[0])
    if plain not in _TABLE:
        in_place = plain.endswith("_") or (plain[:1] == "i" and plain[1:] in _TABLE)
        way = "assign the result of the function" if in_place else _INSTEAD.get(plain, "")
        refuse(
            f"calls {plain}, which has no formula here",
            way or "write it with comparisons, & | ~, torch.where and indexing",
            name=plain,
        )
    function = _TABLE[plain]
    try:
        _signature(function).bind(*args, **options)
    except TypeError as error:
        refuse(f"calls {plain} in a form that has no formula here ({error})", name=plain)
    return function(*args, **options)


@functools.lru_cache(maxsize=512)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


class Tracing(TorchFunctionMode):
    """Calls of torch with formulas, or with tensors that only their names stand for, go to the
    table: ``tensor[index]`` among them, which torch does not hand to its index otherwise."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        if any(map(_is_formula, args)) or any(map(_is_formula, options.values())):
            name = getattr(func, "__name__", "")
            if name == "__get__" and isinstance(args[0], torch.Tensor):
                held = func.__self__.__name__
                if held != "shape":
                    return func(*args, **options)
            return call_function(func, args, options)
        return func(*args, **options)


def _is_formula(value: Any) -> bool:
    if isinstance(value, Symbolic):
        return True
    if isinstance(value, torch.Tensor):
        return current().registry.is_abstract(value)
    if isinstance(value, (tuple, list)):
        return any(map(_is_formula, value))
    if isinstance(value, slice):
        return any(map(_is_formula, (value.start, value.stop, value.step)))
    return False
