"""Hooks on modules: which one is at work, and the relation of what each call of it returns."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn
from torch.utils._python_dispatch import _disable_current_modes

from attnproof.numeric.probe.bits import rows
from attnproof.numeric.probe.mode import DependencyMode, position_axis
from attnproof.numeric.probe.operators import tensors

_Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModuleCall:
    """One call of a module: the relations of its output and inputs in one run, and the span of
    operators it ran."""

    module: str
    type: str
    relation: _Rows
    inputs: _Rows | None
    first: int
    last: int


@contextlib.contextmanager
def followed(modules: Mapping[str, nn.Module], mode: DependencyMode) -> Iterator[list[ModuleCall]]:
    """Follow the calls of modules by name; the list is filled in the order in which they end."""
    calls: list[ModuleCall] = []
    working: list[tuple[str, int, dict[int, _Rows]]] = []
    log = mode.log

    def starts(name: str) -> Any:
        def hook(module: nn.Module, args: Any, kwargs: Any) -> None:
            with _disable_current_modes():
                given = _given(mode, (args, kwargs))
            working.append((name, len(log.operators), given))
            log.module = name

        return hook

    def ends(name: str) -> Any:
        def hook(module: nn.Module, args: Any, output: Any) -> None:
            _, first, given = working.pop()
            log.module = working[-1][0] if working else ""
            with _disable_current_modes():
                found = next(_relations(mode, output), None)
            if found is not None:
                kind, inputs = type(module).__name__, given.get(len(found))
                calls.append(ModuleCall(name, kind, found, inputs, first, len(log.operators)))

        return hook

    handles = []
    try:
        for name, module in modules.items():
            handles.append(module.register_forward_pre_hook(starts(name), with_kwargs=True))
            handles.append(module.register_forward_hook(ends(name), always_call=True))
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def _relations(mode: DependencyMode, held: Any) -> Iterator[_Rows]:
    """The relations of the tensors with exactly one axis of positions."""
    for tensor in tensors(held):
        axis = position_axis(tensor, mode.lengths)
        if axis is not None and mode.store.knows(tensor):
            yield rows(mode.store.read(tensor).sets, [axis])


def _given(mode: DependencyMode, held: Any) -> dict[int, _Rows]:
    """The union of the relations of the inputs with the same number of positions."""
    found: dict[int, _Rows] = {}
    for each in _relations(mode, held):
        before = found.get(len(each), (0,) * len(each))
        found[len(each)] = tuple(a | b for a, b in zip(before, each, strict=True))
    return found
