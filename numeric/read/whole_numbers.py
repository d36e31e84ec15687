"""A watch on torch: whole numbers and Booleans alone, by operations that give of many what they
give of each.

Sums of what positions and captured tensors hold wrap around in 64 bits for one element as for many;
products and powers of positions would not, where these are integers of Python.
"""

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

#: Integers from here on may make a sum of positions wrap around.
_LARGE = 1 << 31
_NAMES = frozenset(
    name
    for plain in (
        *("add", "sub", "rsub", "neg", "abs", "floordiv", "floor_divide", "mod", "remainder"),
        *("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor", "invert", "getitem"),
        *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"),
        *("logical_and", "logical_or", "logical_xor", "logical_not", "isin"),
    )
    for name in (plain, f"__{plain}__", f"__r{plain}__")
)


class Unwatched(Exception):
    """An operation or a number that is not known to be the same for many as for one."""


class WholeNumbers(TorchFunctionMode):
    """Within it torch raises :class:`Unwatched` for anything else.

    >>> keys = torch.arange(3)
    >>> with WholeNumbers():
    ...     found = keys + 1 > 1
    >>> found.tolist()
    [False, True, True]
    >>> with WholeNumbers():
    ...     found = keys * keys > 1
    Traceback (most recent call last):
    attnproof.numeric.read.whole_numbers.Unwatched: mul
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        given = (*args, *(kwargs or {}).values())
        if name == "__get__" and not kwargs:
            return func(*args)
        if name not in _NAMES or not all(map(_is_whole, given)):
            raise Unwatched(name)
        return func(*args, **(kwargs or {}))


def _is_whole(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return not value.dtype.is_floating_point and not value.dtype.is_complex
    if isinstance(value, tuple | list):
        return all(map(_is_whole, value))
    return value is None or (isinstance(value, int) and abs(value) < _LARGE)
