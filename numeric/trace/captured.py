"""The tensors that a rule holds, by the names that its author gave them."""

import functools
import inspect
import keyword
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from attnproof.numeric.trace.traced import Captured
from attnproof.symbolic.formula import INDICES, Term, constant, n, variable
from attnproof.symbolic.formula.obligations import size_variable

if TYPE_CHECKING:
    import torch

Mode = Literal["concrete", "abstract"]

_DEPTH = 6


def named_tensors(function: object) -> Iterator[tuple[str, "torch.Tensor"]]:
    """The tensors of a callable, nearest first: what it closes over, globals, attributes.

    Functions, partial applications, instances, lists and dictionaries are looked into.

    >>> import torch
    >>> def make(document_id):
    ...     return lambda b, h, q, k: document_id[q] == document_id[k]
    >>> [name for name, tensor in named_tensors(make(torch.zeros(3)))]
    ['document_id']
    """
    seen: set[int] = set()
    waiting: list[tuple[str, object, int]] = [("", function, 0)]
    while waiting:
        name, value, depth = waiting.pop(0)
        if id(value) in seen or depth > _DEPTH:
            continue
        seen.add(id(value))
        if _is_tensor(value):
            yield name or "tensor", value
            continue
        waiting += [(inner, part, depth + 1) for inner, part in _parts(name, value)]


def _is_tensor(value: object) -> "TypeGuard[torch.Tensor]":
    import torch

    return isinstance(value, torch.Tensor)


def _parts(name: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, functools.partial):
        yield name, value.func
        yield from _parts(name, list(value.args))
        yield from value.keywords.items()
    elif isinstance(value, types.MethodType):
        yield name, value.__func__
        yield name, value.__self__
    elif isinstance(value, types.FunctionType):
        found = inspect.getclosurevars(value)
        yield from found.nonlocals.items()
        for number, default in enumerate(value.__defaults__ or ()):
            yield _defaulted(value, number), default
        yield from (value.__kwdefaults__ or {}).items()
        yield from found.globals.items()
    elif isinstance(value, (list, tuple)):
        for place, part in enumerate(value):
            yield f"{name}_{place}" if name else f"tensor_{place}", part
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield (key if isinstance(key, str) else f"{name}_{key}"), part
    elif not isinstance(value, (types.ModuleType, type, str, bytes)):
        yield from _attributes(value)


def _defaulted(function: types.FunctionType, number: int) -> str:
    code = function.__code__
    defaults = len(function.__defaults__ or ())
    return code.co_varnames[code.co_argcount - defaults + number]


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    held = getattr(value, "__dict__", None)
    if not isinstance(held, dict) or type(value).__module__.partition(".")[0] == "builtins":
        return
    for name, part in held.items():
        if name in ("_buffers", "_parameters", "_modules") and isinstance(part, dict):
            yield from part.items()
        else:
            yield name, part
    if callable(value):
        yield "", getattr(type(value), "__call__")  # noqa: B004, B009


def _values(tensor: "torch.Tensor") -> Any:
    return tensor.detach().cpu().numpy()


class Registry:
    """The captured tensors of one rule: which are abstract, and how each is named.

    ``length`` is the number of tokens for which the tensors were made, if it is known: the axes of
    abstract tensors that are so long have the size ``n``.
    """

    def __init__(self, mode: Mode | None, assumed: Sequence[str], length: int | None) -> None:
        self.mode = mode
        self.assumed = tuple(assumed)
        self.length = length
        self.taken: set[str] = set()
        self.used: dict[str, Captured] = {}
        self._names: dict[int, str] = {}
        self._known: dict[int, Captured] = {}
        self._values: dict[int, Any] = {}
        self._kept: list[Any] = []

    def take(self, function: object) -> None:
        """Name the tensors of a function."""
        for name, tensor in named_tensors(function):
            if id(tensor) not in self._names:
                self._names[id(tensor)] = self._free(name)
                self._kept.append(tensor)
                if self.is_abstract(tensor):
                    self._values[id(tensor)] = _values(tensor)

    def is_abstract(self, value: object) -> bool:
        """Whether this is a tensor of which only the assumptions are known."""
        name = self._names.get(id(value))
        if name is None or self.mode == "concrete":
            return False
        return self.mode == "abstract" or name in self.assumed

    def name_of(self, tensor: "torch.Tensor") -> str:
        """The name that the author gave a tensor, if there is one."""
        return self._names.get(id(tensor), "tensor")

    def of(self, tensor: "torch.Tensor", hint: str = "tensor") -> Captured:
        """The tensor by name; one that the function does not hold gets the name of equal values,
        or one like the hint."""
        if id(tensor) in self._known:
            return self._known[id(tensor)]
        values = self._values.get(id(tensor))
        values = _values(tensor) if values is None else values
        name = self._names.get(id(tensor)) or self._same(values) or self._free(hint)
        abstract = self.is_abstract(tensor)
        sizes = tuple(self._size(name, axis, x, abstract) for axis, x in enumerate(values.shape))
        found = Captured(name, values, sizes, abstract)
        self._kept.append(tensor)
        self._known[id(tensor)] = self.used[name] = found
        return found

    def _size(self, name: str, axis: int, size: int, abstract: bool) -> Term:
        if not abstract:
            return constant(size)
        return n if size == self.length else size_variable(name, axis)

    def _same(self, values: Any) -> str | None:
        for name, known in self.used.items():
            if known.abstract or known.values.dtype != values.dtype:
                continue
            if known.values.shape == values.shape and (known.values == values).all():
                return name
        return None

    def _free(self, name: str) -> str:
        plain = "".join(x if x.isascii() and (x.isalnum() or x == "_") else "_" for x in name)
        plain = plain.lstrip("_") or "tensor"
        if plain[0].isdigit() or plain in (*INDICES, "n") or keyword.iskeyword(plain):
            plain = f"tensor_{plain}"
        free, number = plain, 2
        while free in self.taken:
            free, number = f"{plain}_{number}", number + 1
        self.taken.add(variable(free).name)
        return free
