"""A kind of change to a model: its name, and how it is made at one layer of a specimen."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from random import Random

from attnproof.numeric.faults.specimen import Relation, Reversed, Specimen

Change = Callable[[Specimen, int, Random], Specimen]


@dataclass(frozen=True, slots=True)
class Kind:
    """A change; ``layers`` are those it can be made at, None for those of the architecture.

    ``leaks`` is false for a change after which the model still keeps its promise.
    """

    name: str
    change: Change
    layers: tuple[int, ...] | None = None
    leaks: bool = True


@dataclass(frozen=True, slots=True)
class Architecture:
    """Small models of one architecture, and the changes that only they can have.

    ``layers`` are those before which other positions must not meet. ``closed`` says that the
    promise holds its own square: what may meet may meet again.
    """

    name: str
    build: Callable[[int], Specimen]
    layers: tuple[int, ...]
    own: tuple[Kind, ...]
    closed: bool = True


def switched(
    attribute: str,
    option: Enum,
    relation: Relation,
    layers: tuple[int, ...] | None = None,
    leaks: bool = True,
) -> Kind:
    """A layer is given another option, under which it has this relation."""

    def change(made: Specimen, layer: int, random: Random) -> Specimen:
        setattr(made.slots[layer].layer, attribute, option)
        return made.reading(layer, relation)

    return Kind(option.value, change, layers, leaks)


def runs_backwards(made: Specimen, layer: int, random: Random) -> Specimen:
    """A layer that runs over the positions from the last to the first."""
    slot = made.slots[layer]
    slot.put(Reversed(slot.layer))
    return made.reading(layer, made.reads[layer].T)
