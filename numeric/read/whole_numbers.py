"""A watch on torch: integers of 64 bits, added and compared, and Booleans by and and or.

These give of many what they give of each, whether a key is a tensor or an integer of Python: sums
of what positions and captured tensors hold stay within 64 bits, and comparisons of either are
Booleans. Sums of Booleans, complements, products and other integers are not the same for both.
"""

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

#: Integers from here on may make a sum of positions wrap around.
_LARGE = 1 << 31
_SUMS = ("add", "sub", "rsub", "floordiv", "floor_divide", "mod", "remainder")
_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")
_JOINED = ("and", "or", "xor", "bitwise_and", "bitwise_or", "logical_and", "logical_or")


def _spelt(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(spelt for name in names for spelt in (name, f"__{name}__", f"__r{name}__"))


#: Operations by what they take: integers, or Booleans.
_ON_INTEGERS = _spelt((*_SUMS, *_COMPARED, "getitem"))
_ON_BOOLEANS = _spelt(_JOINED)


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
        wanted = torch.int64 if name in _ON_INTEGERS else torch.bool
        if name not in _ON_INTEGERS | _ON_BOOLEANS or not all(_is(x, wanted) for x in given):
            raise Unwatched(name)
        return func(*args, **(kwargs or {}))


def _is(value: Any, wanted: torch.dtype) -> bool:
    if isinstance(value, torch.Tensor):
        return value.dtype is wanted
    if isinstance(value, tuple | list):
        return all(_is(one, wanted) for one in value)
    if wanted is torch.bool:
        return isinstance(value, bool)
    return type(value) is int and abs(value) < _LARGE
