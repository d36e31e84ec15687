"""Many values that are computed with at once, each exactly as it would be alone."""

import operator
from collections.abc import Callable, Iterable
from typing import Any, NoReturn


class Each:
    """Values of Python under its own operators, one after the other; anything else raises.

    >>> (~(Each([1, 2, 3]) > 1) + 3).values
    [2, 1, 1]
    """

    __slots__ = ("values",)
    __array_ufunc__ = None  # numpy leaves its scalars to the operators here
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = list(values)

    def __bool__(self) -> NoReturn:
        raise TypeError("many values have no one truth value")

    def __iter__(self) -> NoReturn:
        raise TypeError("many values are no sequence")


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Each, Any], Any]:
    def both(self: Each, other: Any) -> Each:
        if isinstance(other, Each):
            return Each(map(function, self.values, other.values))
        return Each([function(value, other) for value in self.values])

    return both


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Each, Any], Any]:
    return lambda self, other: Each([function(other, value) for value in self.values])


def _unary(function: Callable[[Any], Any]) -> Callable[[Each], Any]:
    return lambda self: Each(map(function, self.values))


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Each, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in (
    *("add", "sub", "mul", "floordiv", "mod", "truediv", "pow", "lshift", "rshift"),
    *("and_", "or_", "xor"),
):
    _plain = _name.rstrip("_")
    setattr(Each, f"__{_plain}__", _binary(getattr(operator, _name)))
    setattr(Each, f"__r{_plain}__", _reflected(getattr(operator, _name)))
for _name in ("neg", "pos", "invert", "abs"):
    setattr(Each, f"__{_name}__", _unary(getattr(operator, _name)))
