"""Shadows of storages: for every element the set of positions it may depend on, and its kind.

Views share storage, so a view needs no rule, and a write through one alias is seen by all.
"""

from dataclasses import dataclass
from enum import IntEnum

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef

from attnproof.numeric.probe.bits import united
from attnproof.symbolic.errors import InputError


class Kind(IntEnum):
    """What is known of the value of an element, for all weights and inputs.

    ``UNKNOWN``: any value up to the score bound. ``CONSTANT``: the value of this run, always.
    ``MASKED``: so far below every score that its exponential is 0. ``DOUBTFUL``: one or the other,
    by a choice that depends on data or weights.
    """

    UNKNOWN = 0
    CONSTANT = 1
    MASKED = 2
    DOUBTFUL = 3


@dataclass(slots=True)
class Value:
    """The shadow of a tensor or number: sets of positions, kinds, and the value of this run."""

    sets: Tensor
    kinds: Tensor
    value: Tensor

    @property
    def constant(self) -> Tensor:
        """Where the value is the same for all weights and inputs."""
        return self.kinds == Kind.CONSTANT

    @property
    def zero(self) -> Tensor:
        """Where the value is the constant 0."""
        return self.constant & (self.value == 0)

    @property
    def fixed(self) -> bool:
        """Whether every element is a constant."""
        return bool(self.constant.all())


@dataclass(slots=True)
class _Shadow:
    sets: Tensor
    kinds: Tensor
    width: int  # bytes of an element
    alive: StorageWeakRef


class Store:
    """The shadows of all storages of a run.

    A weak reference keeps the address of a storage from being used again, not its memory: the
    shadow of a dead storage is dropped.
    """

    def __init__(self) -> None:
        self._shadows: dict[int, _Shadow] = {}
        self._limit = 256

    def __len__(self) -> int:
        return len(self._shadows)

    def knows(self, tensor: Tensor) -> bool:
        """Whether the storage of a tensor has a shadow."""
        return storage_of(tensor) in self._shadows

    def read(self, tensor: Tensor) -> Value:
        """The shadow of a tensor; it may be a view of the shadow of its storage."""
        shadow = self._shadow(tensor)
        if shadow.width != tensor.element_size():
            shadow = _regrouped(shadow, tensor.element_size())
        return Value(_strided(shadow.sets, tensor), _strided(shadow.kinds, tensor), tensor)

    def write(self, tensor: Tensor, sets: Tensor, kinds: Tensor) -> None:
        """Set the shadow of a tensor; a view changes what its storage holds there."""
        if not tensor.is_floating_point():
            kinds = torch.where(kinds == Kind.CONSTANT, Kind.CONSTANT, Kind.UNKNOWN)
        shadow = self._shadow(tensor)
        if shadow.width != tensor.element_size():
            shadow = _regrouped(shadow, tensor.element_size())
            self._shadows[storage_of(tensor)] = shadow
        _strided(shadow.sets, tensor).copy_(sets)
        _strided(shadow.kinds, tensor).copy_(kinds)

    def mark(self, tensor: Tensor, kind: Kind, sets: Tensor | None = None) -> None:
        """Give all elements of a tensor one kind, and sets that are broadcast to it."""
        none = torch.zeros((), dtype=torch.int64)
        self.write(tensor, none if sets is None else sets, torch.tensor(kind, dtype=torch.uint8))

    def clear(self) -> None:
        """Forget every shadow."""
        self._shadows.clear()

    def _shadow(self, tensor: Tensor) -> _Shadow:
        key, width = storage_of(tensor), tensor.element_size()
        storage = tensor.untyped_storage()
        shadow = self._shadows.get(key)
        if shadow is None:
            count = storage.nbytes() // width
            sets = torch.zeros(count, dtype=torch.int64)
            kinds = torch.zeros(count, dtype=torch.uint8)
            shadow = _Shadow(sets, kinds, width, StorageWeakRef(storage))  # type: ignore[no-untyped-call]
            self._purge()
            self._shadows[key] = shadow
        missing = storage.nbytes() // shadow.width - len(shadow.sets)
        if missing > 0:
            shadow.sets = torch.cat([shadow.sets, shadow.sets.new_zeros(missing)])
            shadow.kinds = torch.cat([shadow.kinds, shadow.kinds.new_zeros(missing)])
        return shadow

    def _purge(self) -> None:
        if len(self._shadows) < self._limit:
            return
        for key, shadow in list(self._shadows.items()):
            if shadow.alive.expired():  # type: ignore[no-untyped-call]
                del self._shadows[key]
        self._limit = 256 + 2 * len(self._shadows)


def storage_of(tensor: Tensor) -> int:
    """The identity of the storage of a tensor.

    Raises :class:`InputError` for tensors without a storage on the CPU.
    """
    if tensor.layout is not torch.strided or tensor.device.type != "cpu":
        kind = tensor.layout if tensor.device.type == "cpu" else tensor.device
        raise InputError(
            f"the structural probe met a tensor of {kind}; it follows dense tensors on the CPU: "
            "move the model and its inputs there, without sparse or nested tensors"
        )
    return int(tensor.untyped_storage()._cdata)


def _strided(flat: Tensor, tensor: Tensor) -> Tensor:
    return flat.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


def _regrouped(shadow: _Shadow, width: int) -> _Shadow:
    """The shadow for elements of another size: parts of an element share its set.

    The bytes of constants are constant; those of masked elements say nothing about other types.
    """
    sets, constant = shadow.sets, shadow.kinds == Kind.CONSTANT
    if width > shadow.width:
        parts = width // shadow.width
        rest = -len(sets) % parts
        sets = united(torch.cat([sets, sets.new_zeros(rest)]).view(-1, parts), [1]).reshape(-1)
        constant = torch.cat([constant, constant.new_ones(rest)]).view(-1, parts).all(1)
    else:
        parts = shadow.width // width
        sets, constant = sets.repeat_interleave(parts), constant.repeat_interleave(parts)
    return _Shadow(sets, constant.to(torch.uint8), width, shadow.alive)
