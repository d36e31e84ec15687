"""A model whose layers read, by construction, what is written down here.

Convention: ``relation[q, k]`` is true when position ``q`` reads position ``k``. A model maps
vectors ``(b, n, d)`` to ``(b, n, e)``; what it computes depends on the product of its layers.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Relation = NDArray[np.bool_]
Model = TypeVar("Model", bound=nn.Module)

#: The numbers of positions differ from every width, so that modules show their axis of positions.
N, WIDTH, READ = 7, 8, 3
#: A vocabulary that no input uses, for the configurations of transformers.
TOKENS = {"vocab_size": 11, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a layer stands: in which list, at which index, on which positions of the model."""

    container: nn.ModuleList
    index: int
    positions: range

    @property
    def layer(self) -> nn.Module:
        """The layer itself."""
        return self.container[self.index]

    def put(self, layer: nn.Module) -> None:
        """Another layer in its place."""
        self.container[self.index] = layer


@dataclass(frozen=True, slots=True)
class Specimen:
    """A model, what each of its layers promises to read, and what it reads.

    ``bounded`` says that a normalisation keeps the states between layers small.
    """

    model: nn.Module
    slots: tuple[Slot, ...]
    promised: tuple[Relation, ...]
    reads: tuple[Relation, ...]
    bounded: bool = False

    @property
    def n(self) -> int:
        """The number of positions."""
        return len(self.promised[0])

    @property
    def promise(self) -> Relation:
        """What the outputs may depend on: the product of the promised layers."""
        return product(self.promised)

    @property
    def truth(self) -> Relation:
        """What the outputs can depend on: the product of the layers as they are."""
        return product(self.reads)

    @property
    def leaks(self) -> Relation:
        """The pairs that the fault adds."""
        return self.truth & ~self.promise

    def reading(self, layer: int, relation: Relation) -> "Specimen":
        """The same model with another relation of one layer."""
        return replace(self, reads=(*self.reads[:layer], relation, *self.reads[layer + 1 :]))

    def placed(self, layer: int, inner: Relation) -> Relation:
        """A relation between the positions of one layer as one of all positions."""
        whole = np.eye(self.n, dtype=bool)
        places = np.array(self.slots[layer].positions)
        whole[np.ix_(places, places)] = inner
        return whole

    def within(self, layer: int, relation: Relation) -> Relation:
        """The part of a relation that is between the positions of one layer."""
        places = np.array(self.slots[layer].positions)
        part: Relation = relation[np.ix_(places, places)]
        return part

    def inputs(self, seed: int) -> Tensor:
        """Random vectors ``(1, n, d)``."""
        made = torch.Generator().manual_seed(seed)
        return torch.randn(1, self.n, WIDTH, generator=made, dtype=torch.float64)


class Stack(nn.Module):
    """Layers in sequence, and a readout."""

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.readout = nn.Linear(WIDTH, READ)

    def forward(self, state: Tensor) -> Tensor:
        """Vectors ``(b, n, d)`` to ``(b, n, e)``."""
        for layer in self.layers:
            state = layer(state)
        out: Tensor = self.readout(state)
        return out


class Library(nn.Module):
    """A model of transformers on vectors, and a readout."""

    model: Any

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.readout = nn.Linear(WIDTH, READ)

    def forward(self, state: Tensor) -> Tensor:
        """Vectors ``(b, n, d)`` to ``(b, n, e)``."""
        out: Tensor = self.readout(self.model(inputs_embeds=state).last_hidden_state)
        return out


class Around(nn.Module):
    """A layer inside another module; what is asked of it by name, the layer answers."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("layer"), name)

    def given(self, *arguments: Any, **named: Any) -> inspect.BoundArguments:
        """The arguments of the innermost layer by name."""
        inner = self.layer
        while isinstance(inner, Around):
            inner = inner.layer
        return inspect.signature(inner.forward).bind_partial(*arguments, **named)


class Preceded(Around):
    """A layer after a change of its state."""

    def __init__(self, change: nn.Module, layer: nn.Module) -> None:
        super().__init__(layer)
        self.change = change

    def forward(self, state: Tensor, *arguments: Any, **named: Any) -> Any:
        """The layer on the changed state."""
        return self.layer(self.change(state), *arguments, **named)


class Reversed(Around):
    """A layer that runs over the positions from the last to the first."""

    def forward(self, state: Tensor, *arguments: Any, **named: Any) -> Any:
        """What the layer makes of the sequence read backwards, put back in order."""
        return self.layer(state.flip(1), *arguments, **named).flip(1)


def product(layers: Sequence[Relation]) -> Relation:
    """What is reached after all layers, the first one applied first.

    >>> ahead = np.eye(3, k=1, dtype=bool) | np.eye(3, dtype=bool)
    >>> product([ahead, ahead]).astype(int).tolist()
    [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    """
    return reduce(lambda below, layer: (layer.astype(int) @ below.astype(int)) > 0, layers)


def causal(n: int, ahead: int = 0) -> Relation:
    """``k <= q + ahead``."""
    return np.tri(n, n, ahead, dtype=bool)


def itself(n: int) -> Relation:
    """``k == q``."""
    return np.eye(n, dtype=bool)


def everything(n: int) -> Relation:
    """Every pair."""
    return np.ones((n, n), dtype=bool)


def of_library(model: str, config: str, **settings: Any) -> Any:
    """A model of transformers from the names of its class and of its configuration's."""
    import transformers

    configured = getattr(transformers, config)(**TOKENS, **settings)
    return getattr(transformers, model)(configured)


def seeded(seed: int, make: Callable[[], Model]) -> Model:
    """A model in float64 and in evaluation mode, its weights drawn from a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = make().double().eval()
    for parameter in model.parameters():
        if not parameter.any():
            made = torch.Generator().manual_seed(seed)
            drawn = torch.randn(parameter.shape, generator=made, dtype=torch.float64)
            parameter.data = drawn / 10
    return model


def stacked(model: nn.Module, layers: nn.ModuleList, promised: Sequence[Relation]) -> Specimen:
    """A model with one list of layers on all positions, as it was promised."""
    everyone = range(len(promised[0]))
    slots = tuple(Slot(layers, index, everyone) for index in range(len(layers)))
    return Specimen(model, slots, tuple(promised), tuple(promised))
