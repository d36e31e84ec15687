"""The table of operator rules, and what a rule is given: one call of an operator.

A rule takes the values before the call and returns the sets and kinds of each output; None says
that it does not cover this form of the operator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnproof.numeric.probe.masking import Masking
from attnproof.numeric.probe.store import Kind, Store, Value

#: Sets and kinds of one output; both are broadcast to its shape.
Shadow = tuple[Tensor, Tensor]
Rule = Callable[["Call"], list[Shadow] | None]

RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for operators of ``aten``, named without overload and trailing underscore."""

    def register(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return register


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operator: its arguments as before the call, its outputs as after it."""

    operator: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outputs: list[Tensor]
    store: Store
    masking: Masking

    @property
    def out(self) -> Tensor:
        """The first output."""
        return self.outputs[0]

    def given(self, name: str, default: Any = None) -> Any:
        """An argument by its name in the schema: its place differs between overloads."""
        for place, argument in enumerate(self.operator._schema.arguments):
            if argument.name == name:
                if place < len(self.args):
                    return self.args[place]
                fallback = argument.default_value if argument.has_default_value() else default
                return self.kwargs.get(name, fallback)
        return default

    def value(self, x: Any) -> Value:
        """The shadow of a tensor, or of a Python number, which is a constant."""
        if isinstance(x, Tensor):
            return self.store.read(x)
        exact = isinstance(x, (int, float)) and not isinstance(x, bool)
        number = torch.tensor(x, dtype=torch.float64 if exact else None)
        constant = torch.tensor(Kind.CONSTANT, dtype=torch.uint8)
        return Value(torch.zeros((), dtype=torch.int64), constant, number)

    def first(self, count: int) -> tuple[Value, ...]:
        """The shadows of the first arguments."""
        return tuple(self.value(x) for x in self.args[:count])

    def doubt(self, *values: Value) -> Tensor:
        """One kind for outputs that mix many elements: unknown, or doubtful beside a mask."""
        doubtful = any(bool(self.masking.suspect(value).any()) for value in values)
        return torch.tensor(Kind.DOUBTFUL if doubtful else Kind.UNKNOWN, dtype=torch.uint8)


def same(shadow: Shadow, outputs: Sequence[Tensor]) -> list[Shadow]:
    """One shadow for all outputs."""
    return [shadow] * len(outputs)


def axes_of(dim: Any, dims: int) -> list[int]:
    """The axes that ``dim`` names in a tensor of ``dims`` axes; all for None or none.

    >>> axes_of(-1, 3), axes_of(None, 2)
    ([2], [0, 1])
    """
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return list(range(dims))
    given = dim if isinstance(dim, (list, tuple)) else [dim]
    return sorted({axis % dims for axis in given}) if dims else []
