"""The dispatch mode that follows a run operator by operator, and what it reports.

An operator is a view, or decomposes into simpler ones, or makes constants of constants, or has a
rule, or is elementwise; what is none of these joins all its inputs, and is reported by name.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._ops import HigherOrderOperator
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_map_only

from attnproof.numeric.probe import (  # noqa: F401
    rules_bilinear,
    rules_elementwise,
    rules_index,
    rules_move,
    rules_reduce,
    rules_softmax,
)
from attnproof.numeric.probe.bits import everything, rows
from attnproof.numeric.probe.masking import Masking
from attnproof.numeric.probe.operators import (
    Operator,
    decomposition,
    operator_of,
    same_memory,
    tensors,
    written_out,
)
from attnproof.numeric.probe.relation import Cause, EmptySoftmax
from attnproof.numeric.probe.rules import RULES, Call, Shadow, same
from attnproof.numeric.probe.store import Kind, Store, Value, storage_of

_LITERALS = frozenset(["lift_fresh", "lift_fresh_copy"])
#: Routing by data: under the option ``path`` their results are control flow.
_ROUTING = frozenset(["nonzero", "histc"])
_SORTS = frozenset(["sort", "argsort"])
#: Methods of a tensor that hand its values to Python without calling an operator.
_OUTSIDE = (
    "tolist",
    "numpy",
    "__array__",
    "data_ptr",
    "__dlpack__",
    "__deepcopy__",
    "__reduce_ex__",
)


@dataclass(slots=True)
class Log:
    """What one run reports; positions are bits of the run."""

    #: The module at work, kept up to date by hooks.
    module: str = ""
    operators: list[tuple[str, str, tuple[int, ...]]] = field(default_factory=list)
    united: Counter[tuple[str, str]] = field(default_factory=Counter)
    conditions: dict[tuple[Cause, str, str], int] = field(default_factory=dict)
    masked_rows: Counter[tuple[EmptySoftmax, str, str]] = field(default_factory=Counter)
    unregistered: dict[str, None] = field(default_factory=dict)

    def condition(self, cause: Cause, operator: str, values: Iterable[Value]) -> None:
        """Record an outcome that is not the same for all weights and inputs."""
        varying = [value for value in values if not value.fixed]
        if varying:
            self.add_condition(cause, operator, everything(*(value.sets for value in varying)))

    def add_condition(self, cause: Cause, operator: str, positions: int) -> None:
        """Record a condition on the data of some positions; on weights alone if there are none."""
        key = cause, operator, self.module
        self.conditions[key] = self.conditions.get(key, 0) | positions


class DependencyMode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Carries the shadow of every storage along a run.

    ``lengths`` are the numbers of positions of the inputs: an output with one axis of such a length
    has its relation logged.
    """

    supports_higher_order_operators = True

    def __init__(self, masking: Masking, *, path: bool = False, lengths: Collection[int] = ()):
        super().__init__()  # type: ignore[no-untyped-call]
        self.store = Store()
        self.masking = masking
        self.path = path
        self.lengths = frozenset(lengths)
        self.log = Log()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """The default wraps the mode in a decorator that imports the compiler."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if isinstance(func, HigherOrderOperator):
            with self:
                return written_out(func)(*args, **(kwargs or {}))
        with torch._C.DisableTorchFunction():
            return self._follow(func, operator_of(func), args, kwargs or {})

    def _follow(
        self, func: Any, operator: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if operator.metadata_only:
            return func(*args, **kwargs)
        inputs = tensors((args, kwargs))
        self._register(operator, inputs)
        if self._decomposes(operator, inputs):
            simpler = decomposition(func)
            if simpler is not None:
                with self:
                    result = _attempt(simpler, args, kwargs)
                if result is not NotImplemented:
                    return result
        written = [
            tensor
            for place, name in zip(operator.places, operator.writes, strict=True)
            for tensor in tensors(args[place] if place < len(args) else kwargs.get(name))
        ]
        before = self._before(args, kwargs, written)
        result = func(*args, **kwargs)
        outputs = tensors(result)
        call = Call(func, *before, outputs, self.store, self.masking)
        self._escape(operator, call)
        given = {storage_of(tensor) for tensor in inputs}
        if not outputs and not written:
            return result
        if outputs and not written and all(storage_of(out) in given for out in outputs):
            return result
        shadows = self._shadows(operator, call)
        for out, (sets, kinds) in zip(outputs, shadows, strict=True):
            if written or storage_of(out) not in given:
                self.store.write(out, sets, kinds)
        self._write_rest(call, written)
        self._report(operator, outputs)
        return result

    def _register(self, operator: Operator, inputs: list[Tensor]) -> None:
        """Python literals are constants; other tensors without a shadow are data, and reported."""
        for tensor in inputs:
            if self.store.knows(tensor):
                continue
            if operator.base in _LITERALS:
                self.store.mark(tensor, Kind.CONSTANT)
                continue
            self.store.mark(tensor, Kind.UNKNOWN)
            shape = "×".join(map(str, tensor.shape)) or "scalar"
            place = self.log.module or "the model"
            self.log.unregistered[f"{shape} {tensor.dtype} in {place}"] = None

    def _decomposes(self, operator: Operator, inputs: list[Tensor]) -> bool:
        if operator.base in RULES or operator.pointwise or not inputs:
            return False
        return operator.composite or not (operator.view or operator.writes)

    def _before(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], written: list[Tensor]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as before the call: what shares memory with a written one is copied."""
        if not written:
            return args, kwargs
        touched = {storage_of(tensor) for tensor in written}

        def saved(tensor: Tensor) -> Tensor:
            if storage_of(tensor) not in touched:
                return tensor
            shadow = self.store.read(tensor)
            copy = tensor.clone(memory_format=torch.preserve_format)
            self.store.write(copy, shadow.sets, shadow.kinds)
            return copy

        return tree_map_only(Tensor, saved, args), tree_map_only(Tensor, saved, kwargs)

    def _escape(self, operator: Operator, call: Call) -> None:
        """Log values that Python, or the size of an output, takes from data."""
        values: list[Value] = []
        if operator.reads_value and not (self.path and operator.base in _ROUTING):
            values = [call.value(tensor) for tensor in tensors((call.args, call.kwargs))]
        elif operator.base in ("index", "_unsafe_index"):
            flags = (torch.bool, torch.uint8)
            values = [call.value(x) for x in tensors(call.args[1]) if x.dtype in flags]
        self.log.condition(Cause.ESCAPE, operator.name, values)

    def _shadows(self, operator: Operator, call: Call) -> list[Shadow]:
        inputs = [call.value(x) for x in tensors((call.args, _without_out(call.kwargs)))]
        if operator.factory or not inputs:
            random = operator.seeded or operator.uninitialised
            return same(_plain(Kind.UNKNOWN if random else Kind.CONSTANT), call.outputs)
        if not operator.seeded and all(value.fixed for value in inputs):
            return same(_plain(Kind.CONSTANT), call.outputs)
        if self.path and self._routes(operator, inputs[0]):
            self.log.condition(Cause.PATH, operator.name, inputs)
            return same(_plain(Kind.CONSTANT), call.outputs)
        made = _attempt(RULES[operator.base], (call,), {}) if operator.base in RULES else None
        self._masks(operator)
        if made is not None and made is not NotImplemented and _fit(made, call.outputs):
            found: list[Shadow] = made
            return found
        if operator.pointwise:
            sets, kinds = self.masking.joined(*inputs)
            unknown = torch.zeros_like(kinds)
            return same((sets, unknown if operator.seeded else kinds), call.outputs)
        return same(self._union(operator, call, inputs), call.outputs)

    def _routes(self, operator: Operator, x: Value) -> bool:
        counts = operator.base in _SORTS and not x.value.is_floating_point()
        return counts or operator.base in _ROUTING

    def _union(self, operator: Operator, call: Call, inputs: list[Value]) -> Shadow:
        total = everything(*(value.sets for value in inputs))
        if total:
            self.log.united[operator.name, self.log.module] += 1
        return torch.tensor(total), call.doubt(*inputs)

    def _write_rest(self, call: Call, written: list[Tensor]) -> None:
        """What an operator writes without returning it may depend on all its inputs."""
        rest = [x for x in written if not any(same_memory(x, out) for out in call.outputs)]
        if rest:
            inputs = [call.value(x) for x in tensors((call.args, call.kwargs))]
            sets, kinds = self._union(operator_of(call.operator), call, inputs)
            for tensor in rest:
                self.store.write(tensor, sets, kinds)

    def _masks(self, operator: Operator) -> None:
        """Log what the rule found about masked rows."""
        for becomes, count in self.masking.rows.items():
            if count:
                self.log.masked_rows[becomes, operator.name, self.log.module] += count
        if self.masking.unsure is not None:
            self.log.add_condition(Cause.LIVE_ROW, operator.name, self.masking.unsure)
        self.masking.rows.clear()
        self.masking.unsure = None

    def _report(self, operator: Operator, outputs: list[Tensor]) -> None:
        for out in outputs:
            axis = position_axis(out, self.lengths)
            if axis is not None:
                found = rows(self.store.read(out).sets, [axis])
                self.log.operators.append((self.log.module, operator.name, found))


class OutsideMode(TorchFunctionMode):
    """Reports the methods that hand the values of a tensor to Python behind the dispatcher."""

    def __init__(self, store: Store, log: Log) -> None:
        super().__init__()
        self.store = store
        self.log = log

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        name = getattr(func, "__name__", "")
        if name in _OUTSIDE and isinstance(args[0], Tensor) and self.store.knows(args[0]):
            with _disable_current_modes():
                self.log.condition(Cause.ESCAPE, name, [self.store.read(args[0])])
        return func(*args, **(kwargs or {}))


def position_axis(tensor: Tensor, lengths: Collection[int]) -> int | None:
    """The axis whose length is a number of positions, if there is exactly one."""
    fitting = [axis for axis, length in enumerate(tensor.shape) if length in lengths]
    return fitting[0] if len(fitting) == 1 else None


def _attempt(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result, or NotImplemented where a form of the arguments is not provided for."""
    try:
        return function(*args, **kwargs)
    except (NotImplementedError, RuntimeError, TypeError, ValueError, IndexError):
        return NotImplemented


def _fit(shadows: list[Shadow], outputs: list[Tensor]) -> bool:
    """Whether every shadow is broadcast to its output."""
    pairs = zip(shadows, outputs, strict=False)
    return len(shadows) == len(outputs) and all(
        part.dim() <= out.dim()
        and all(a in (1, b) for a, b in zip(part.shape[::-1], out.shape[::-1], strict=False))
        for shadow, out in pairs
        for part in shadow
    )


def _plain(kind: Kind) -> Shadow:
    return torch.zeros((), dtype=torch.int64), torch.tensor(kind, dtype=torch.uint8)


def _without_out(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in kwargs.items() if name != "out"}
