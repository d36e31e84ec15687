"""Tensors of formulas in other shapes, and reductions along axes."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from attnproof.numeric.trace.elementwise import arithmetic, compare, logical
from attnproof.numeric.trace.promotion import cast, category, common, converted
from attnproof.numeric.trace.refusal import refuse
from attnproof.numeric.trace.value import Cells, Symbolic, array, each, lift, number, truth
from attnproof.symbolic.formula import Term, joined


def _like(value: Symbolic, cells: Any) -> Symbolic:
    return Symbolic(array(cells), value.dtype, value.scale)


def _sizes(size: tuple[Any, ...]) -> tuple[int, ...]:
    given = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    if any(isinstance(x, Symbolic) for x in given):
        refuse("makes a tensor of symbolic size", "give the parameter a value")
    return tuple(int(x) for x in given)


def unsqueeze(value: Any, dim: int) -> Symbolic:
    """``torch.unsqueeze``."""
    x = lift(value)
    return _like(x, np.expand_dims(x.cells, dim))


def squeeze(value: Any, dim: int | None = None) -> Symbolic:
    """``torch.squeeze``."""
    x = lift(value)
    if dim is not None and x.shape[dim] != 1:
        return x
    return _like(x, np.squeeze(x.cells, axis=dim))


def reshape(value: Any, *shape: Any) -> Symbolic:
    """``torch.reshape``, ``view``."""
    x = lift(value)
    return _like(x, x.cells.reshape(_sizes(shape)))


def expand(value: Any, *size: Any) -> Symbolic:
    """``Tensor.expand``; -1 leaves an axis as it is."""
    x, wanted = lift(value), _sizes(size)
    own = (1,) * (len(wanted) - x.ndim) + tuple(x.shape)
    shape = tuple(b if a == -1 else a for a, b in zip(wanted, own, strict=True))
    return _like(x, np.broadcast_to(x.cells, shape))


def flatten(value: Any) -> Symbolic:
    """``torch.flatten``."""
    return reshape(value, -1)


def transpose(value: Any, dim0: int, dim1: int) -> Symbolic:
    """``torch.transpose``."""
    x = lift(value)
    return _like(x, np.swapaxes(x.cells, dim0, dim1))


def permute(value: Any, *dims: Any) -> Symbolic:
    """``torch.permute``."""
    x = lift(value)
    return _like(x, np.transpose(x.cells, _sizes(dims)))


def _gathered(tensors: Any) -> tuple[list[Cells], torch.dtype, int]:
    values = [lift(x) for x in tensors]
    dtype = common(*values)
    scale = max(x.scale for x in values)
    if any(x.scale != scale for x in values):
        refuse("joins floats with different fractions", "stay with integers")
    return [converted(x, dtype) for x in values], dtype, scale


def stack(tensors: Any, dim: int = 0) -> Symbolic:
    """``torch.stack``."""
    cells, dtype, scale = _gathered(tensors)
    return Symbolic(np.stack(cells, axis=dim), dtype, scale)


def cat(tensors: Any, dim: int = 0) -> Symbolic:
    """``torch.cat``."""
    cells, dtype, scale = _gathered(tensors)
    return Symbolic(np.concatenate(cells, axis=dim), dtype, scale)


def filled(shape: tuple[int, ...], value: Any, dtype: torch.dtype | None) -> Symbolic:
    """A tensor of one value."""
    one = lift(value)
    one = one if dtype is None else cast(one, dtype)
    return Symbolic(np.broadcast_to(one.cells, shape), one.dtype, one.scale)


def new_filled(
    value: Any, fill: Any, *size: Any, dtype: Any = None, device: Any = None, **options: Any
) -> Symbolic:
    """``Tensor.new_ones``, ``new_zeros`` and ``new_full``."""
    size = (options.pop("size"),) if "size" in options else size
    if options:
        refuse(f"makes a tensor with {', '.join(options)}", "give its shape and dtype")
    return filled(_sizes(size), fill, dtype or lift(value).dtype)


def filled_like(
    value: Any, fill: Any, *, dtype: Any = None, device: Any = None, **options: Any
) -> Symbolic:
    """``torch.ones_like``, ``zeros_like`` and ``full_like``."""
    x = lift(value)
    return filled(tuple(x.shape), fill, dtype or x.dtype)


def _reduced(cells: Cells, dim: Any, keepdim: bool, combine: Any) -> Cells:
    """``combine`` of the list of formulas along axes."""
    axes = range(cells.ndim) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    gone = sorted({axis % max(cells.ndim, 1) for axis in axes})
    kept = [axis for axis in range(cells.ndim) if axis not in gone]
    shape = tuple(cells.shape[axis] for axis in kept)
    rows = np.transpose(cells, kept + gone).reshape((*shape, -1)) if cells.ndim else cells
    out = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        out[place] = combine(list(np.atleast_1d(rows[place])))
    return np.expand_dims(out, tuple(gone)) if keepdim and cells.ndim else out


def any_of(value: Any, dim: Any = None, keepdim: bool = False) -> Symbolic:
    """``torch.any``."""
    cells = each(truth, lift(value).cells)
    return Symbolic(_reduced(cells, dim, keepdim, partial(joined, "or")), torch.bool)


def all_of(value: Any, dim: Any = None, keepdim: bool = False) -> Symbolic:
    """``torch.all``."""
    cells = each(truth, lift(value).cells)
    return Symbolic(_reduced(cells, dim, keepdim, partial(joined, "and")), torch.bool)


def total(value: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Symbolic:
    """``torch.sum``: Booleans and integers are summed as integers."""
    x = lift(value) if dtype is None else cast(lift(value), dtype)
    wide = x.dtype if category(x.dtype) == 2 else torch.int64
    return Symbolic(
        _reduced(each(number, x.cells), dim, keepdim, partial(joined, "+")), wide, x.scale
    )


def cumulative(value: Any, dim: int) -> Symbolic:
    """``torch.cumsum``."""
    x = lift(value)
    cells = each(number, x.cells)
    sums = np.add.accumulate(cells, axis=dim) if cells.ndim else cells
    return Symbolic(array(sums), x.dtype if category(x.dtype) == 2 else torch.int64, x.scale)


class Extreme(NamedTuple):
    """What ``max`` along an axis returns; where it stands is no formula here."""

    values: Symbolic

    @property
    def indices(self) -> Any:
        """Refused."""
        refuse("asks where the extreme element stands", "compare the elements themselves")


def extreme(op: str, value: Any, dim: Any = None, keepdim: bool = False) -> Symbolic:
    """``torch.amax`` and ``amin``."""
    x = lift(value)
    rule = {"min": "and", "max": "or"}[op] if x.dtype is torch.bool else op

    def combine(parts: list[Term]) -> Term:
        if not parts:
            refuse(f"takes the {op} of no elements")
        return joined(rule, parts)

    return Symbolic(_reduced(x.cells, dim, keepdim, combine), x.dtype, x.scale)


def extreme_or_pair(
    op: str, value: Any, other: Any = None, keepdim: bool = False, **dim: int
) -> Any:
    """``torch.max`` and ``min``: of two tensors, of all elements, or along an axis."""
    axis = dim.get("dim", other if isinstance(other, int) else None)
    if axis is not None:
        return Extreme(extreme(op, value, axis, keepdim))
    return extreme(op, value) if other is None else arithmetic(f"{op}imum", value, other)


def is_in(elements: Any, test_elements: Any, *, invert: bool = False) -> Symbolic:
    """``torch.isin``."""
    x, tests = lift(elements), lift(test_elements)
    same = compare("eq", unsqueeze(x, -1), flatten(tests))
    found = any_of(same, -1)
    return logical("xor", found, True) if invert else found


def search_sorted(
    sorted_sequence: Any, values: Any, *, right: bool = False, side: str | None = None
) -> Symbolic:
    """``torch.searchsorted`` in one row of constants: how many of them stand before a value."""
    row = lift(sorted_sequence)
    known = [x.value for x in row.cells.flat]
    if row.ndim != 1 or any(x is None for x in known) or known != sorted(known, key=int):
        refuse("searches a row that is not sorted or not constant", "compare and sum")
    before = "le" if right or side == "right" else "lt"
    return total(compare(before, row, unsqueeze(values, -1)), -1)


def bucketize(values: Any, boundaries: Any, *, right: bool = False) -> Symbolic:
    """``torch.bucketize``."""
    return search_sorted(boundaries, values, right=right)


def size(value: Any, dim: int | None = None) -> Any:
    """``Tensor.size``."""
    return value.shape if dim is None else value.shape[dim]
