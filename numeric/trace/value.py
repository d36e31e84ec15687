"""A tensor of formulas: what a rule of the user computes with in place of numbers.

Shapes broadcast as in torch; a float is an integer formula over a constant denominator.
"""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeAlias

import numpy as np
import torch

from attnproof.numeric.trace.refusal import refuse
from attnproof.numeric.trace.session import current
from attnproof.symbolic.formula import Sort, Term, constant, ite, simplify

#: A numpy array of formulas; numpy has no type for it.
Cells: TypeAlias = Any

_WHOLE = "an index has no value of its own while the rule is traced"
#: Greatest size of a tensor whose elements become formulas one by one.
MOST_CELLS = 1 << 16


class Symbolic:
    """Cells of formulas with the dtype that torch would give them.

    ``scale`` is the denominator of floats. ``weak`` marks a Python number, which adopts the dtype
    of the tensors that it meets.
    """

    __array_ufunc__ = None
    __slots__ = ("_cells", "dtype", "scale", "weak")

    def __init__(
        self, cells: Cells, dtype: torch.dtype, scale: int = 1, weak: bool = False
    ) -> None:
        self._cells = cells if isinstance(cells, np.ndarray) else cell(cells)
        self.dtype = dtype
        self.scale = scale
        self.weak = weak

    @property
    def cells(self) -> Cells:
        """The formulas, in an array of the tensor's shape."""
        return self._cells

    @property
    def shape(self) -> torch.Size:
        return torch.Size(self.cells.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def device(self) -> torch.device:
        return torch.device("cpu")

    @property
    def term(self) -> Term:
        """The formula of a scalar."""
        if self.shape != ():
            refuse(f"is a tensor of shape {tuple(self.shape)} where a scalar is needed")
        result: Term = self.cells[()]
        return result

    def __bool__(self) -> bool:
        if self.shape not in ((), (1,)):
            refuse(f"needs one truth value of a tensor of shape {tuple(self.shape)}")
        return current().decide(truth(self.cells.reshape(())[()]))

    def __iter__(self) -> Iterator["Symbolic"]:
        if not self.ndim:
            refuse("goes through the elements of a scalar")
        return iter([self[i] for i in range(self.shape[0])])

    def __len__(self) -> int:
        if not self.ndim:
            refuse("takes the length of a scalar")
        return int(self.shape[0])

    def __getitem__(self, index: object) -> "Symbolic":
        from attnproof.numeric.trace.index import getitem

        return getitem(self, index)

    def __contains__(self, item: object) -> bool:
        same: Any = self == item
        return bool(same.any())

    def _concrete(self, *args: object, **options: object) -> NoReturn:
        refuse(f"turns a tensor into a Python number; {_WHOLE}", "leave it a tensor")

    __int__ = __index__ = __float__ = __complex__ = __round__ = _concrete
    __floor__ = __ceil__ = __trunc__ = _concrete
    item = tolist = numpy = __array__ = _concrete

    def __setitem__(self, index: object, value: object) -> NoReturn:
        refuse("writes into a tensor", "write torch.where")

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"Symbolic({self.cells.tolist()!r})"

    def __format__(self, form: str) -> str:
        return repr(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from attnproof.numeric.trace.dispatch import attribute

        return attribute(self, name)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from attnproof.numeric.trace.dispatch import call_function

        return call_function(func, args, kwargs or {})


def _method(name: str) -> Callable[..., Any]:
    def method(self: Symbolic, *args: Any) -> Any:
        from attnproof.numeric.trace.dispatch import call

        if any(not _liftable(arg) for arg in args):
            return NotImplemented
        return call(name, (self, *args), {})

    return method


def _liftable(value: object) -> bool:
    return isinstance(value, (Symbolic, torch.Tensor, int, float, np.ndarray, np.generic, Term))


_BINARY = ("add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "and", "or", "xor")
for _name in (*_BINARY, "lshift", "rshift"):
    setattr(Symbolic, f"__{_name}__", _method(f"__{_name}__"))
    setattr(Symbolic, f"__r{_name}__", _method(f"__r{_name}__"))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "invert", "pos", "abs"):
    setattr(Symbolic, f"__{_name}__", _method(f"__{_name}__"))


def cell(term: Term) -> Cells:
    """One formula as an array without axes."""
    cells = np.empty((), dtype=object)
    cells[()] = term
    return cells


def array(cells: Any) -> Cells:
    """What numpy returned, as an array: it unpacks results without axes."""
    return cells if isinstance(cells, np.ndarray) else cell(cells)


def each(function: Callable[..., Any], *cells: Cells) -> Cells:
    """A function of formulas, cell by cell, with broadcasting."""
    return array(np.frompyfunc(function, len(cells), 1)(*cells))


def number(term: Term) -> Term:
    """A truth value as 0 or 1; an integer as it is."""
    if term.sort is Sort.INT:
        return term
    return ite(term, 1, 0) if term.value is None else constant(int(term.value))


def truth(term: Term) -> Term:
    """An integer as whether it is not 0; a truth value as it is."""
    if term.sort is Sort.BOOL:
        return term
    return term.ne(0) if term.value is None else constant(term.value != 0)


def lift(value: Any) -> Symbolic:
    """A number, tensor or array as a tensor of formulas."""
    if isinstance(value, Symbolic):
        return value
    if isinstance(value, Term):
        return Symbolic(value, torch.bool if value.sort is Sort.BOOL else torch.int64)
    if isinstance(value, (bool, np.bool_)):
        return Symbolic(constant(bool(value)), torch.bool, weak=True)
    if isinstance(value, (int, np.integer)):
        return Symbolic(constant(int(value)), torch.int64, weak=True)
    if isinstance(value, (float, np.floating)):
        top, bottom = _fraction(float(value))
        return Symbolic(constant(top), torch.get_default_dtype(), bottom, weak=True)
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(value)
    if not isinstance(value, torch.Tensor):
        refuse(f"computes with a {type(value).__name__}", "use tensors and numbers")
    if current().registry.is_abstract(value):
        from attnproof.numeric.trace.index import whole

        return whole(value)
    return _literal(value)


def _literal(tensor: torch.Tensor) -> Symbolic:
    """A tensor with its values."""
    if tensor.numel() > MOST_CELLS:
        refuse(
            f"computes with all {tensor.numel()} elements of a tensor, more than {MOST_CELLS}",
            "index it first",
        )
    values, scale = tensor.tolist(), 1
    if tensor.dtype.is_floating_point:
        flat = [_fraction(x) for x in tensor.flatten().tolist()]
        scale = max([bottom for _, bottom in flat], default=1)
        values = [top * (scale // bottom) for top, bottom in flat]
    elif tensor.dtype.is_complex:
        refuse("computes with complex numbers", "stay with integers")
    cells = np.empty(tensor.numel(), dtype=object)
    flat_values = values if tensor.dtype.is_floating_point else tensor.flatten().tolist()
    for place, value in enumerate(flat_values):
        cells[place] = constant(value)
    return Symbolic(cells.reshape(tuple(tensor.shape)), tensor.dtype, scale)


def _fraction(value: float) -> tuple[int, int]:
    """A float as an integer over a power of two, if 32 bits hold it exactly."""
    if value in (float("inf"), float("-inf")) or value != value:
        refuse(f"computes with {value}", "a mask_mod returns true or false")
    top, bottom = value.as_integer_ratio()
    if abs(top) >= 1 << 24 or bottom > 1 << 24:
        refuse(f"computes with {value}, which 32 bits round", "stay with integers")
    return top, bottom


def folded(value: Symbolic) -> int | None:
    """The integer that a scalar is in every run, or None."""
    if value.shape != () or value.scale != 1:
        return None
    term = simplify(value.term)
    return None if term.value is None else int(term.value)
