"""Indexing: an element of a captured tensor is a term, an element of formulas is a choice.

A negative index counts from the end, as in torch. An axis that is not indexed yet stays as it is.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import torch

from attnproof.numeric.trace.promotion import category
from attnproof.numeric.trace.refusal import refuse
from attnproof.numeric.trace.session import current
from attnproof.numeric.trace.traced import Captured
from attnproof.numeric.trace.value import (
    MOST_CELLS,
    Cells,
    Symbolic,
    array,
    cell,
    each,
    lift,
    number,
)
from attnproof.symbolic.formula import (
    Obligation,
    Term,
    at,
    constant,
    holds,
    ite,
    n,
    simplify,
    tensors,
)
from attnproof.symbolic.words import counted

#: Greatest size of an axis of an abstract tensor that is fixed where all its elements are needed.
MOST_FIXED = 64


class Partly(Symbolic):
    """A captured tensor of which some axes are indexed; ``None`` stands for the others."""

    __slots__ = ("slots", "tensor")

    def __init__(self, tensor: Captured, slots: Sequence[Term | None], dtype: torch.dtype) -> None:
        super().__init__(constant(0), dtype)
        self.tensor = tensor
        self.slots = tuple(slots)

    @property
    def shape(self) -> Any:
        """The sizes of the axes left; those of an abstract tensor are formulas."""
        sizes = [self.tensor.sizes[axis] for axis in self.free]
        if all(size.value is not None for size in sizes):
            return torch.Size(int(size.value or 0) for size in sizes)
        return tuple(Symbolic(size, torch.int64) for size in sizes)

    @property
    def ndim(self) -> int:
        return len(self.free)

    @property
    def free(self) -> list[int]:
        """The axes left."""
        return [axis for axis, slot in enumerate(self.slots) if slot is None]

    @property
    def cells(self) -> Cells:
        shape = tuple(self._fixed(axis) for axis in self.free)
        if prod(shape) > MOST_CELLS:
            refuse(
                f"needs {counted(prod(shape), 'element')} of {self.tensor.name}", "index it first"
            )
        result = np.empty(shape, dtype=object)
        for place in np.ndindex(*shape):
            own = iter(place)
            result[place] = element(
                self.tensor, [constant(next(own)) if x is None else x for x in self.slots]
            )
        return result

    def _fixed(self, axis: int) -> int:
        """The size of an axis of which every element is needed; a short one is then fixed."""
        size, number = self.tensor.sizes[axis], int(self.tensor.values.shape[axis])
        if size.value is None:
            if size.op != "var" or size == n or number > MOST_FIXED:
                refuse(
                    f"needs all of {self.tensor.name}, whose size is not fixed",
                    "index it, or trace it with its values (captured='concrete')",
                )
            current().fix(
                size, number, f"{self.tensor.name} has {counted(number, 'element')} on axis {axis}"
            )
        return number


def whole(tensor: torch.Tensor, hint: str = "tensor") -> Partly:
    """A captured tensor, no axis indexed."""
    if category(tensor.dtype) == 2 or tensor.dtype.is_complex:
        refuse(f"reads a captured tensor of {tensor.dtype}", "capture integers or Booleans")
    return Partly(current().registry.of(tensor, hint), [None] * tensor.ndim, tensor.dtype)


def element(tensor: Captured, index: Sequence[Term]) -> Term:
    """One element: its value where everything is constant, else a term."""
    fixed = [simplify(term).value for term in index]
    if not tensor.abstract and all(value is not None for value in fixed):
        return constant(tensor.values[tuple(int(x or 0) for x in fixed)].item())
    truth = tensor.values.dtype.kind == "b"
    return current().use((holds if truth else at)(tensor.name, *index))


def getitem(owner: Any, index: Any) -> Symbolic:
    """``owner[index]``."""
    parts = list(index) if isinstance(index, tuple) else [index]
    if isinstance(owner, torch.Tensor):
        owner = _sliced(owner, parts)
    if isinstance(owner, Partly):
        return _captured(owner, parts)
    return _cells(lift(owner), parts)


def _sliced(owner: torch.Tensor, parts: list[Any]) -> Partly | Symbolic:
    """A tensor of the user; constant slices of values are taken first."""
    registry, hint = current().registry, "tensor"
    if category(owner.dtype) == 2:
        return lift(owner)
    if not registry.is_abstract(owner) and not any(x is None for x in parts):
        _expand(parts, owner.ndim)
        constants = tuple(x if _is_slice(x) else slice(None) for x in parts)
        if any(x != slice(None) for x in constants):
            hint = f"{registry.name_of(owner)}_part"
            owner = owner[constants]
            parts[:] = [slice(None) if isinstance(x, slice) else x for x in parts]
    return whole(owner, hint)


def _is_slice(part: Any) -> bool:
    return isinstance(part, slice) and not any(
        isinstance(x, Symbolic) for x in (part.start, part.stop, part.step)
    )


def _expand(parts: list[Any], axes: int) -> None:
    """Write an ellipsis out."""
    given = sum(x is not None and x is not Ellipsis for x in parts)
    if given > axes:
        refuse(
            f"gives {given} indices to a tensor of {counted(axes, 'axis', 'axes')}",
            "give one index an axis",
        )
    for place, part in enumerate(parts):
        if part is Ellipsis:
            parts[place : place + 1] = [slice(None)] * (axes - given)
            return


def _captured(owner: Partly, parts: list[Any]) -> Symbolic:
    free = owner.free
    _expand(parts, len(free))
    if any(x is None for x in parts):
        return _cells(Symbolic(owner.cells, owner.dtype), parts)
    slots: list[Any] = list(owner.slots)
    for axis, part in zip(free, parts, strict=False):
        if isinstance(part, slice):
            if part == slice(None):
                continue
            refuse("slices a tensor by a symbolic bound or one of unknown size")
        slots[axis] = _place(part, owner.tensor.sizes[axis])
    arrays = [x for x in slots if isinstance(x, np.ndarray)]
    if not any(x.ndim for x in arrays):
        own: list[Any] = [x[()] if isinstance(x, np.ndarray) else x for x in slots]
        result = Partly(owner.tensor, own, owner.dtype)
        return result if None in own else Symbolic(element(owner.tensor, own), owner.dtype)
    if any(x is None for x in slots):
        rest = Symbolic(Partly(owner.tensor, [None] * len(slots), owner.dtype).cells, owner.dtype)
        return _cells(rest, [slice(None) if x is None else Symbolic(x, torch.int64) for x in slots])
    given = [x if isinstance(x, np.ndarray) else cell(x) for x in slots]
    return Symbolic(each(lambda *terms: element(owner.tensor, terms), *given), owner.dtype)


def _place(part: Any, size: Term) -> Cells:
    """An index, counted from the end where it is negative."""
    index = lift(part)
    if category(index.dtype) != 1:
        refuse(f"indexes by {index.dtype}", "index by integers; choose with torch.where")
    return each(lambda t: _counted(number(t), size), index.cells)


def _counted(index: Term, size: Term) -> Term:
    index = simplify(index)
    if index.value is not None:
        if size.value is not None and not -size.value <= index.value < size.value:
            refuse(f"reads element {index.value} of an axis of {size.value}", "stay in range")
        return index if index.value >= 0 else simplify(size - -index.value)
    session = current()
    if any(session.registry.used[name].abstract for name in tensors(index)):
        return index
    if session.nonnegative(index):
        return index
    return ite(index < 0, index + size, index)


def _cells(owner: Symbolic, parts: list[Any]) -> Symbolic:
    """An element of formulas: numpy's rules for constants, a choice for a symbolic index."""
    _expand(parts, owner.ndim)
    plain: list[Any] = []
    chosen: list[tuple[int, Symbolic]] = []
    axis = 0
    for part in parts:
        if isinstance(part, (torch.Tensor, Symbolic)):
            chosen.append((axis, lift(part)))
            plain.append(slice(None))
        elif part is not None and not isinstance(part, (int, slice)):
            refuse(f"indexes by a {type(part).__name__}", "index by integers")
        else:
            plain.append(part)
        axis += not (isinstance(part, int) and not isinstance(part, bool))
    try:
        cells = array(owner.cells[tuple(plain)])
    except IndexError:
        refuse(f"indexes a tensor of shape {tuple(owner.shape)} out of range", "stay in range")
    if len(chosen) > 1 and any(index.ndim for _, index in chosen):
        refuse("indexes by several tensors at once", "index by scalars")
    for place, index in reversed(chosen):
        cells = _choice(np.moveaxis(cells, place, 0), index, place)
    return Symbolic(cells, owner.dtype, owner.scale)


def _choice(rows: Cells, index: Symbolic, place: int) -> Cells:
    """``rows[index]`` for each index, its axes put where the indexed axis was."""
    size = len(rows)
    if not size:
        refuse("indexes an empty tensor")
    terms = _place(index, constant(size))
    session = current()
    out = np.empty((*terms.shape, *rows.shape[1:]), dtype=object)
    for spot in np.ndindex(*terms.shape):
        term = terms[spot]
        if term.value is None:
            inside = simplify((term >= 0) & (term < size))
            session.need(Obligation("index", inside, term))
        picked = rows[term.value] if term.value is not None else None
        for rest in np.ndindex(*rows.shape[1:]):
            column = [rows[(i, *rest)] for i in range(size)]
            out[(*spot, *rest)] = picked[rest] if picked is not None else _of(column, term)
    front = len(terms.shape)
    return np.moveaxis(out, range(front), range(place, place + front))


def _of(column: list[Term], index: Term) -> Term:
    """The entry at an index: runs of equal entries are one choice."""
    starts = [i for i in range(len(column)) if not i or column[i] != column[i - 1]]
    return reduce(
        lambda rest, start: ite(index < start[1], column[start[0]], rest),
        reversed(list(pairwise(starts))),
        column[starts[-1]],
    )


def take(owner: Any, index: Any) -> Symbolic:
    """``torch.take``: an index into all elements in a row."""
    if isinstance(owner, torch.Tensor) and not current().registry.is_abstract(owner):
        return getitem(owner.reshape(-1), index)
    return getitem(Symbolic(lift(owner).cells.reshape(-1), lift(owner).dtype), index)


def index_select(owner: Any, dim: int, index: Any) -> Symbolic:
    """``torch.index_select``."""
    picked = lift(index)
    place: Any = picked if picked.ndim else Symbolic(picked.cells.reshape(1), picked.dtype)
    return getitem(owner, (*[slice(None)] * (dim % owner.ndim), place))


def narrow_index(owner: Any, dim: int, index: Any) -> Symbolic:
    """``torch.select``."""
    return getitem(owner, (*[slice(None)] * (dim % owner.ndim), index))
