"""Sites: the tensors that a run makes, by the call of the module that returned them."""

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from attnproof.numeric.probe.bounds import Stack
from attnproof.numeric.probe.mode import position_axis
from attnproof.numeric.probe.operators import tensors


@dataclass(frozen=True, slots=True)
class Site:
    """The output of the ``call``-th call of a module; ``layer`` is the layer that it runs in."""

    module: str
    type: str
    call: int
    layer: str | None


#: The output of the whole run.
OUTPUT = Site("", "", -1, None)


@dataclass(frozen=True, slots=True)
class Rows:
    """A tensor with its rows along one axis."""

    tensor: Tensor
    axis: int

    def changed(self, other: "Rows") -> Tensor | None:
        """By row: the greatest change of a number, 0 where every number is the same.

        NaN is the same as NaN, and a change to NaN is infinite; None where the shapes differ.
        """
        a, b = self.tensor, other.tensor
        if a.shape != b.shape or self.axis != other.axis:
            return None
        same = (a == b) | (a.isnan() & b.isnan())
        size = torch.where(same, 0.0, (a.double() - b.double()).abs())
        size = size.nan_to_num(nan=torch.inf, posinf=torch.inf)
        return _by_row(size, self.axis).amax(1)

    def count(self) -> int:
        """How many rows there are."""
        return self.tensor.shape[self.axis]

    def nan_rows(self) -> tuple[int, ...]:
        """The rows with some NaN."""
        rows = _by_row(self.tensor.isnan(), self.axis).any(1)
        return tuple(rows.nonzero().reshape(-1).tolist())


@dataclass(slots=True)
class Trace:
    """The tensors of one run by site, in the order in which calls end, and what they were given."""

    outputs: dict[Site, Rows] = field(default_factory=dict)
    inputs: dict[Site, Rows] = field(default_factory=dict)


@contextlib.contextmanager
def traced(
    modules: Mapping[str, nn.Module], stack: Stack, lengths: Collection[int]
) -> Iterator[Trace]:
    """Within the context every call of a module is a site, if its output has one axis of rows.

    ``lengths`` are the numbers of rows that count.
    """
    trace = Trace()
    layers = {*stack.layers, *stack.encoder}
    working: list[tuple[Site, Rows | None]] = []
    calls: Counter[str] = Counter()

    def starts(name: str) -> Callable[..., None]:
        def hook(module: nn.Module, args: Any, kwargs: Any) -> None:
            outer = working[-1][0].layer if working else None
            site = Site(name, type(module).__name__, calls[name], name if name in layers else outer)
            calls[name] += 1
            working.append((site, _rows((args, kwargs), lengths)))

        return hook

    def ends(module: nn.Module, args: Any, output: Any) -> None:
        site, given = working.pop()
        made = _rows(output, lengths)
        if made is not None:
            trace.outputs[site] = made
        if given is not None:
            trace.inputs[site] = given

    handles = []
    try:
        for name, module in modules.items():
            handles.append(module.register_forward_pre_hook(starts(name), with_kwargs=True))
            handles.append(module.register_forward_hook(ends, always_call=True))
        yield trace
    finally:
        for handle in handles:
            handle.remove()


def _rows(tree: Any, lengths: Collection[int]) -> Rows | None:
    """The first tensor with exactly one axis of rows."""
    for tensor in tensors(tree):
        axis = position_axis(tensor, lengths)
        if axis is not None:
            kept = tensor.detach().clone()
            return Rows(torch.view_as_real(kept) if kept.is_complex() else kept, axis)
    return None


def _by_row(tensor: Tensor, axis: int) -> Tensor:
    return tensor.movedim(axis, 0).reshape(tensor.shape[axis], -1)
