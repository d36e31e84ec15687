"""The arguments of a run: which carry positions, which are constants, which are other data.

Convention: inputs given by an axis are numbered one after the other; a tensor of numbers gives the
position of each element itself, -1 for none.
"""

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from attnproof.numeric.probe.bits import WORD
from attnproof.numeric.probe.operators import tensors
from attnproof.numeric.probe.store import Kind, Store
from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.words import counted

_INPUTS = ("input_ids", "inputs_embeds", "decoder_input_ids", "decoder_inputs_embeds")

Name = str | int


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments by name or place; ``numbers`` holds the positions of the elements of some."""

    given: Mapping[Name, Any]
    numbers: Mapping[Name, Tensor]
    constants: frozenset[Name]
    total: int
    #: The numbers of positions of the inputs.
    lengths: frozenset[int]

    def copied(self) -> dict[Name, Any]:
        """The arguments for one run, which may write into them."""
        return {name: tree_map(_copied, value) for name, value in self.given.items()}

    def mark(self, run: Mapping[Name, Any], store: Store, block: int) -> None:
        """Enter the copied arguments into a store, with the positions of one block of a word."""
        for name, value in run.items():
            kind = Kind.CONSTANT if name in self.constants else Kind.UNKNOWN
            for tensor in tensors(value):
                store.mark(tensor, kind)
        for name, numbers in self.numbers.items():
            own = numbers - WORD * block
            inside = (numbers >= 0) & (own >= 0) & (own < WORD)
            sets = torch.where(inside, 1 << own.clamp(0, WORD - 1), 0)
            store.mark(run[name], Kind.UNKNOWN, sets)


def arguments_of(
    inputs: Any, positions: Mapping[Name, int | Tensor] | None, constants: Collection[Name]
) -> Arguments:
    """Arguments as the user gave them: a tensor, a tuple by place, or a dictionary by name."""
    given: dict[Name, Any] = {}
    if isinstance(inputs, Mapping):
        given.update(inputs)
    elif isinstance(inputs, (tuple, list)):
        given.update(enumerate(inputs))
    else:
        given[0] = inputs
    declared = _guessed(given) if positions is None else positions
    for name in (*declared, *constants):
        if name not in given:
            raise InputError(
                f"there is no input {name!r}; the inputs are {_listed(given)}", name=name
            )
    numbers: dict[Name, Tensor] = {}
    lengths: set[int] = set()
    total = 0
    for name, where in declared.items():
        tensor = given[name]
        if not isinstance(tensor, Tensor):
            raise InputError(
                f"input {name!r} carries positions and is a {type(tensor).__name__}; give a tensor",
                name=name,
            )
        numbers[name] = _numbers(name, tensor, where, total)
        count = tensor.shape[where] if isinstance(where, int) else int(numbers[name].max()) + 1
        total = total + count if isinstance(where, int) else max(total, count)
        lengths.add(count)
    return Arguments(given, numbers, frozenset(constants), total, frozenset(lengths))


def _numbers(name: Name, tensor: Tensor, where: int | Tensor, start: int) -> Tensor:
    if isinstance(where, Tensor):
        try:
            return where.long().expand(tensor.shape)
        except RuntimeError:
            raise ShapeError(
                f"the positions of input {name!r} have shape {tuple(where.shape)}, the input "
                f"{tuple(tensor.shape)}; give one number for each element",
                name=name,
            ) from None
    if not -tensor.dim() <= where < tensor.dim():
        raise ShapeError(
            f"input {name!r} has {counted(tensor.dim(), 'axis', 'axes')} and no axis {where}; "
            "name the axis of "
            "positions",
            name=name,
        )
    shape = [1] * tensor.dim()
    shape[where] = -1
    return torch.arange(start, start + tensor.shape[where]).reshape(shape)


def _guessed(given: Mapping[Name, Any]) -> dict[Name, int | Tensor]:
    held = [name for name, value in given.items() if isinstance(value, Tensor)]
    names = held if len(held) == 1 else [name for name in held if name in _INPUTS]
    if not names:
        raise InputError(
            f"none of the inputs {_listed(given)} is known to carry positions; name them with "
            "their axes: positions={'input_ids': 1}"
        )
    return {name: min(1, given[name].dim() - 1) for name in names}


def _listed(given: Mapping[Name, Any]) -> str:
    return ", ".join(map(repr, given)) or "none"


def _copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else copy.deepcopy(value)


def call(model: Any, run: Mapping[Name, Any]) -> Any:
    """Call a model with arguments by place and by name."""
    places: Sequence[Any] = [value for name, value in run.items() if isinstance(name, int)]
    named = {name: value for name, value in run.items() if isinstance(name, str)}
    return model(*places, **named)
