"""Operations cell by cell, by the names of torch: arithmetic, comparison, logic, bits, choice."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from attnproof.numeric.trace.promotion import cast, category, common, converted, is_narrow
from attnproof.numeric.trace.refusal import refuse
from attnproof.numeric.trace.session import current
from attnproof.numeric.trace.value import Cells, Symbolic, each, folded, lift, truth
from attnproof.symbolic.formula import Term, apply, constant, ite, maximum, minimum

_Rule = Callable[[Term, Term], Term]
_LONG = "convert with .long() first"


def floor_quotient(a: Term, b: Term) -> Term:
    """``a // b``, by a positive divisor where the divisor is a constant."""
    if b.value == 0:
        refuse("divides by 0", "give a positive divisor")
    if b.value is not None and b.value < 0:
        return floor_quotient(-a, constant(-b.value))
    return current().use(a // b)


def floor_rest(a: Term, b: Term) -> Term:
    """``a % b``, with the sign of the divisor."""
    if b.value == 0:
        refuse("divides by 0", "give a positive divisor")
    if b.value is not None and b.value < 0:
        return -floor_rest(-a, constant(-b.value))
    return current().use(a % b)


def towards_zero(a: Term, b: Term) -> Term:
    """The quotient without its fraction."""
    if b.value is not None and b.value < 0:
        return -towards_zero(a, constant(-b.value))
    if current().nonnegative(a):
        return floor_quotient(a, b)
    return ite(a >= 0, floor_quotient(a, b), -floor_quotient(-a, b))


def _shift(op: str, a: Term, b: Term) -> Term:
    return current().use(apply(op, a, b))


_ON_BOOLEANS: dict[str, _Rule] = {
    "add": partial(apply, "or"),
    "mul": partial(apply, "and"),
    "and": partial(apply, "and"),
    "or": partial(apply, "or"),
    "xor": partial(apply, "xor"),
    "minimum": partial(apply, "and"),
    "maximum": partial(apply, "or"),
}
#: Integer operations; those whose results integers of few bits may not hold.
_WRAPS: dict[str, _Rule] = {
    "add": partial(apply, "+"),
    "sub": partial(apply, "-"),
    "mul": partial(apply, "*"),
    "lshift": partial(_shift, "<<"),
}
_ON_INTEGERS: dict[str, _Rule] = {
    **_WRAPS,
    "floordiv": floor_quotient,
    "mod": floor_rest,
    "fmod": lambda a, b: a - towards_zero(a, b) * b,
    "and": partial(apply, "&"),
    "or": partial(apply, "|"),
    "xor": partial(apply, "^"),
    "rshift": partial(_shift, ">>"),
    "minimum": minimum,
    "maximum": maximum,
}
_ON_FLOATS = ("add", "sub", "mul", "floordiv", "mod", "minimum", "maximum")
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
ARITHMETIC = tuple({**_ON_BOOLEANS, **_ON_INTEGERS})


def arithmetic(name: str, a: Any, b: Any) -> Symbolic:
    """An operation of the tables on two operands."""
    x, y = lift(a), lift(b)
    dtype = common(x, y)
    if category(dtype) == 2:
        return _on_floats(name, x, y, dtype)
    rules = _ON_INTEGERS if category(dtype) else _ON_BOOLEANS
    if name not in rules:
        refuse(f"has no {name} of two Booleans in torch", _LONG)
    if is_narrow(dtype) and name in _WRAPS:
        refuse(f"computes in {dtype}, which wraps around", _LONG)
    return Symbolic(each(rules[name], converted(x, dtype), converted(y, dtype)), dtype)


def _on_floats(name: str, x: Symbolic, y: Symbolic, dtype: torch.dtype) -> Symbolic:
    if name not in _ON_FLOATS:
        refuse(f"computes {name} of floats", "stay with integers")
    _exact(x, y)
    if name == "mul":
        own = converted(x, dtype), converted(y, dtype)
        return Symbolic(each(_product, *own), dtype, x.scale * y.scale)
    a, b, scale = _aligned(x, y)
    return Symbolic(each(_ON_INTEGERS[name], a, b), dtype, 1 if name == "floordiv" else scale)


def _product(a: Term, b: Term) -> Term:
    return b if a.value == 1 else a if b.value == 1 else a * b


def _power_of_two(scale: int) -> bool:
    return not scale & scale - 1


def _exact(*values: Symbolic) -> None:
    if not all(_power_of_two(x.scale) for x in values):
        refuse("computes with a rounded quotient", "write a // b, or stay with integers")


def _aligned(x: Symbolic, y: Symbolic) -> tuple[Cells, Cells, int]:
    """The numerators over one denominator."""
    a, b = converted(x, torch.int64), converted(y, torch.int64)
    if x.scale == y.scale:
        return a, b, x.scale
    scale = x.scale * y.scale if x.scale % y.scale and y.scale % x.scale else max(x.scale, y.scale)
    return _times(a, scale // x.scale), _times(b, scale // y.scale), scale


def _times(cells: Cells, factor: int) -> Cells:
    return cells if factor == 1 else each(lambda t: t * factor, cells)


def compare(name: str, a: Any, b: Any) -> Symbolic:
    """A comparison; a quotient that torch rounds may be compared with whole numbers.

    For integers below 2**24 the rounded quotient is at least, or at most, a whole number exactly
    where the true one is.
    """
    x, y = lift(a), lift(b)
    dtype = common(x, y)
    narrow = x.dtype if is_narrow(x.dtype) else y.dtype
    if is_narrow(narrow) and x.dtype is not y.dtype and not (x.weak or y.weak):
        refuse(f"compares {x.dtype} with {y.dtype}, which vmap may wrap", "use .long() on both")
    if not (x.scale == 1 or y.scale == 1):
        _exact(x, y)
    if name in ("eq", "ne") and (flag := _against_bit(name, x, y)) is not None:
        return flag
    if category(dtype) == 0 and name in ("eq", "ne"):
        op = "iff" if name == "eq" else "xor"
        return Symbolic(each(partial(apply, op), x.cells, y.cells), torch.bool)
    left, right, _ = _aligned(x, y)
    return Symbolic(each(partial(apply, COMPARISONS[name]), left, right), torch.bool)


def _against_bit(name: str, x: Symbolic, y: Symbolic) -> Symbolic | None:
    """A Boolean that is compared with 0 or 1 is itself or its negation."""
    for flag, bit in ((x, y), (y, x)):
        if flag.dtype is torch.bool and flag.ndim + bit.ndim == 0 and folded(bit) in (0, 1):
            right = (folded(bit) == 1) == (name == "eq")
            return Symbolic(flag.term if right else ~flag.term, torch.bool)
    return None


def divide(a: Any, b: Any, *, rounding_mode: str | None = None) -> Symbolic:
    """``torch.div``: a quotient by a constant is kept as a fraction until it is rounded."""
    x, y = lift(a), lift(b)
    if rounding_mode == "floor":
        return arithmetic("floordiv", x, y)
    if rounding_mode == "trunc":
        dtype = common(x, y)
        if category(dtype) != 1:
            refuse("divides floats", "stay with integers")
        return Symbolic(each(towards_zero, converted(x, dtype), converted(y, dtype)), dtype)
    dtype = common(x, y, lift(0.0))
    by = folded(Symbolic(y.cells, torch.int64))
    if by is None or by == 0:
        refuse("divides with / and a divisor that is no constant", "write a // b")
    numerator = _times(converted(x, dtype), y.scale if by > 0 else -y.scale)
    if y.scale != 1 or not _power_of_two(x.scale):
        _exact(x, y)
    return Symbolic(numerator, dtype, x.scale * abs(by))


def floor(value: Any) -> Symbolic:
    """``torch.floor``."""
    x = lift(value)
    if x.scale == 1:
        return x
    scale = constant(x.scale)
    return Symbolic(each(lambda t: floor_quotient(t, scale), x.cells), x.dtype)


def ceil(value: Any) -> Symbolic:
    """``torch.ceil``."""
    x = lift(value)
    if x.scale == 1:
        return x
    scale = constant(x.scale)
    return Symbolic(each(lambda t: -floor_quotient(-t, scale), x.cells), x.dtype)


def truncated(x: Symbolic) -> Cells:
    """The integers that floats have without their fractions."""
    scale = constant(x.scale)
    return x.cells if x.scale == 1 else each(lambda t: towards_zero(t, scale), x.cells)


def truncate(value: Any) -> Symbolic:
    """``torch.trunc``."""
    x = lift(value)
    return Symbolic(truncated(x), x.dtype)


def negative(value: Any) -> Symbolic:
    """``-x``."""
    return _signed(lift(value), lambda t: -t)


def absolute(value: Any) -> Symbolic:
    """``abs(x)``."""
    return _signed(lift(value), abs)


def _signed(x: Symbolic, function: Callable[[Term], Term]) -> Symbolic:
    if x.dtype is torch.bool:
        refuse("takes the sign of a Boolean, which torch does not", _LONG)
    if is_narrow(x.dtype):
        refuse(f"computes in {x.dtype}, which wraps around", _LONG)
    return Symbolic(each(function, x.cells), x.dtype, x.scale)


def sign(value: Any) -> Symbolic:
    """``torch.sign``: -1, 0 or 1."""
    x = _signed(lift(value), lambda t: ite(t > 0, 1, ite(t < 0, -1, 0)))
    return Symbolic(x.cells, x.dtype)


def invert(value: Any) -> Symbolic:
    """``~x``: not, on integers the complement of the bits."""
    x = lift(value)
    if is_narrow(x.dtype) or category(x.dtype) == 2:
        refuse(f"inverts {x.dtype}", _LONG)
    return Symbolic(each(lambda t: ~t, x.cells), x.dtype)


def logical(op: str, a: Any, b: Any) -> Symbolic:
    """``torch.logical_and`` and its like: numbers are true where they are not 0."""
    x, y = lift(a), lift(b)
    return Symbolic(
        each(partial(apply, op), each(truth, x.cells), each(truth, y.cells)), torch.bool
    )


def logical_not(value: Any) -> Symbolic:
    """``torch.logical_not``."""
    return Symbolic(each(lambda t: ~truth(t), lift(value).cells), torch.bool)


def where(condition: Any, then: Any, otherwise: Any) -> Symbolic:
    """``torch.where``."""
    c, x, y = lift(condition), lift(then), lift(otherwise)
    if c.dtype is not torch.bool:
        refuse(f"chooses by a condition of {c.dtype}", "compare it, as in x != 0")
    dtype = common(x, y)
    if category(dtype) == 0:
        return Symbolic(each(ite, c.cells, x.cells, y.cells), dtype)
    a, b, scale = _aligned(x, y)
    if category(dtype) == 2:
        _exact(x, y)
    return Symbolic(each(ite, c.cells, a, b), dtype, scale)


def clamp(value: Any, min: Any = None, max: Any = None) -> Symbolic:
    """``torch.clamp``."""
    result = lift(value)
    if min is not None:
        result = arithmetic("maximum", result, min)
    return result if max is None else arithmetic("minimum", result, max)


def power(base: Any, exponent: Any) -> Symbolic:
    """``x ** m`` for a constant m from 0 to 8, and powers of 2."""
    x, y = lift(base), lift(exponent)
    times = folded(y)
    if times is not None and 0 <= times <= 8 and x.dtype is not torch.bool:
        result = cast(lift(constant(1)), x.dtype)
        for step in range(times):
            result = arithmetic("mul", result, x) if step else x
        return result
    if folded(x) != 2 or y.scale != 1:
        refuse("takes a power", "write a product")
    return arithmetic("lshift", 1, y)
