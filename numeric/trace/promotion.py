"""The dtype that torch computes in: the widest category wins, tensors with axes before scalars."""

from functools import reduce

import torch

from attnproof.numeric.trace.refusal import refuse
from attnproof.numeric.trace.session import current
from attnproof.numeric.trace.value import Cells, Symbolic, each, number, truth

_EXACT = "floats are exact: the integers in them stay below 2**24"
_NARROW = 4


def category(dtype: torch.dtype) -> int:
    """Booleans, integers, floats."""
    return 0 if dtype is torch.bool else 2 if dtype.is_floating_point else 1


def common(*values: Symbolic) -> torch.dtype:
    """The dtype of an operation on these.

    Integers of less than 32 bits wrap around, which formulas do not: they may be compared and
    chosen between, among themselves and with constants.
    """
    top = max(category(value.dtype) for value in values)
    result = torch.int64 if top == 1 else torch.bool
    for group in (
        [x for x in values if x.ndim and not x.weak],
        [x for x in values if not x.ndim and not x.weak],
        [x for x in values if x.weak],
    ):
        found = [x.dtype for x in group if category(x.dtype) == top]
        if found:
            result = reduce(torch.promote_types, found)
            break
    if top == 2 and result.itemsize < _NARROW:
        refuse(f"computes in {result}, which rounds small integers", "stay with integers")
    if top == 2:
        current().note(_EXACT)
    if is_narrow(result):
        _check_narrow(result, values)
    return result


def is_narrow(dtype: torch.dtype) -> bool:
    """Whether integers of this dtype are of less than 32 bits."""
    return category(dtype) == 1 and dtype.itemsize < _NARROW


def _check_narrow(dtype: torch.dtype, values: tuple[Symbolic, ...]) -> None:
    limits = torch.iinfo(dtype)
    for value in values:
        if value.dtype in (dtype, torch.bool):
            continue
        constants = [x.value for x in value.cells.flat]
        if any(x is None or not limits.min <= x <= limits.max for x in constants):
            refuse(f"converts to {dtype}, which wraps around", "convert with .long() first")


def converted(value: Symbolic, dtype: torch.dtype) -> Cells:
    """The cells of an operand in the dtype of the operation."""
    if dtype is torch.bool:
        return each(truth, value.cells)
    return each(number, value.cells)


def cast(value: Symbolic, dtype: torch.dtype) -> Symbolic:
    """``value.to(dtype)``."""
    if dtype is torch.bool:
        return Symbolic(each(truth, value.cells), dtype)
    if category(dtype) == 2:
        if dtype.itemsize < _NARROW:
            refuse(f"converts to {dtype}, which rounds small integers", "stay with integers")
        current().note(_EXACT)
        return Symbolic(each(number, value.cells), dtype, value.scale)
    if category(value.dtype) == 2:
        from attnproof.numeric.trace.elementwise import truncated

        return Symbolic(truncated(value), dtype)
    if is_narrow(dtype) and value.dtype not in (torch.bool, dtype):
        refuse(f"converts to {dtype}, which wraps around", "convert to torch.int64")
    return Symbolic(each(number, value.cells), dtype)
