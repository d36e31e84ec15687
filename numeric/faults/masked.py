"""Faults of an attention mask: a layer, the mask that it holds, and the mask that it uses.

Convention: ``mask[q, k]`` is true when query ``q`` reads key ``k``; an additive mask is 0 there and
the least number elsewhere.
"""

from collections.abc import Callable
from enum import Enum
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Change, Kind
from attnproof.numeric.faults.specimen import Around, Relation, Specimen, itself

LOWEST = torch.finfo(torch.float64).min


class Form(Enum):
    """How a layer wants its mask: Booleans that read, or numbers added to scores."""

    READS = "reads"
    ADDED = "added"

    def of(self, relation: Relation, blocked: float = LOWEST) -> Tensor:
        """A relation ``(..., q, k)`` in this form."""
        reads = torch.from_numpy(np.array(relation))
        if self is Form.READS:
            return reads
        return torch.zeros(reads.shape, dtype=torch.float64).masked_fill(~reads, blocked)


class Held(Around):
    """A layer and the mask that it holds; ``dropped`` says that a fast path leaves it out."""

    def __init__(self, layer: nn.Module, relation: Relation, form: Form) -> None:
        super().__init__(layer)
        self.form, self.dropped = form, False
        self.register_buffer("mask", form.of(relation))

    def hold(self, mask: Tensor) -> None:
        """Hold another mask."""
        self.register_buffer("mask", mask)

    def forward(self, *arguments: Any, **named: Any) -> Any:
        """The layer under its mask."""
        mask = self.get_buffer("mask")
        if self.dropped:
            mask = torch.zeros_like(mask) if self.form is Form.ADDED else torch.ones_like(mask)
        given = self.given(*arguments, **named)
        given.arguments["attention_mask"] = mask[None, None] if mask.ndim == 2 else mask[None]
        return self.layer(*given.args, **given.kwargs)


def held(made: Specimen, layer: int) -> Held:
    """The holder of a layer's mask."""
    found = made.slots[layer].layer
    assert isinstance(found, Held)
    return found


def inner(made: Specimen, layer: int) -> Relation:
    """The relation that one layer has between its own positions."""
    return made.within(layer, made.reads[layer])


def among(made: Specimen, layer: int, relation: Relation) -> Specimen:
    """Another relation between a layer's own positions; the residual stays."""
    places = np.array(made.slots[layer].positions)
    whole = made.reads[layer].copy()
    whole[np.ix_(places, places)] = relation | itself(len(places))
    return made.reading(layer, whole)


def remasked(rule: Callable[[Relation, Relation, Random], Relation]) -> Change:
    """Another mask in the place of the right one."""

    def change(made: Specimen, layer: int, random: Random) -> Specimen:
        holder = held(made, layer)
        wrong = rule(inner(made, layer), made.within(layer, made.promise), random)
        holder.hold(holder.form.of(wrong))
        empty = ~wrong.any(1, keepdims=True)
        uniform = holder.form is Form.ADDED
        return among(made, layer, wrong | empty if uniform else wrong)

    return change


def off_by_one(right: Relation, promise: Relation, random: Random) -> Relation:
    wrong = right.copy()
    wrong[:, 1:] |= right[:, :-1]
    return wrong


def wrong_polarity(right: Relation, promise: Relation, random: Random) -> Relation:
    return ~right


def one_cell(right: Relation, promise: Relation, random: Random) -> Relation:
    wrong = right.copy()
    wrong[tuple(random.choice(np.argwhere(~promise[:-1, :-1])))] = True
    return wrong


def transposed(right: Relation, promise: Relation, random: Random) -> Relation:
    return right.T


def dropped(made: Specimen, layer: int, random: Random) -> Specimen:
    """A fast path runs the layer without the mask that it holds."""
    held(made, layer).dropped = True
    return among(made, layer, np.ones_like(inner(made, layer)))


def soft(made: Specimen, layer: int, random: Random) -> Specimen:
    """Scores are lowered by a few units where they must vanish."""
    held(made, layer).hold(Form.ADDED.of(inner(made, layer), -random.uniform(4.0, 12.0)))
    return among(made, layer, np.ones_like(inner(made, layer)))


def rows_of_minima(made: Specimen, layer: int, random: Random) -> Specimen:
    """Padding blocks the first keys: the first rows are blocked wholly, which is uniform."""
    wrong = inner(made, layer).copy()
    wrong[:, : random.choice((1, 2))] = False
    held(made, layer).hold(Form.ADDED.of(wrong))
    return among(made, layer, wrong | ~wrong.any(1, keepdims=True))


OFF_BY_ONE = Kind("mask off by one", remasked(off_by_one))
POLARITY = Kind("wrong polarity", remasked(wrong_polarity))
ONE_CELL = Kind("one cell of the mask", remasked(one_cell))
TRANSPOSED = Kind("mask transposed", remasked(transposed))
DROPPED = Kind("mask dropped on a fast path", dropped)
SOFT = Kind("soft mask", soft)
MINIMA = Kind("rows of minima", rows_of_minima)
