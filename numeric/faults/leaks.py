"""Leaks that any architecture can have: between two layers, positions meet that must not.

Convention: a leak maps states ``(b, n, d)`` to states of the same shape; ``relation[q, k]`` is true
when what it returns at ``q`` can depend on the state at ``k``.
"""

from collections.abc import Callable
from random import Random

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Change, Kind
from attnproof.numeric.faults.specimen import (
    WIDTH,
    Preceded,
    Relation,
    Specimen,
    causal,
    everything,
    itself,
)

#: A value that a coordinate passes rarely: where states are free, and where they are normalised.
FAR, NORMALISED = 50.0, 2.2
#: A narrow band of values, around a common one.
BAND, HALF = 0.5, 1e-5

Formula = Callable[..., Tensor]


class Added(nn.Module):
    """A state, and what a formula makes of it."""

    def __init__(self, formula: "Callable[[Added, Tensor], Tensor]", random: Random) -> None:
        super().__init__()
        made = torch.Generator().manual_seed(random.getrandbits(32))
        drawn = torch.randn(WIDTH, WIDTH, generator=made, dtype=torch.float64)
        self.weight = nn.Parameter(drawn / WIDTH**0.5)
        self.formula = formula

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        return self.formula(self, state)


def at(q: int, value: Tensor, state: Tensor) -> Tensor:
    """A state with ``value`` added in row ``q``."""
    return torch.cat([state[:, :q], state[:, q : q + 1] + value[:, None], state[:, q + 1 :]], 1)


def few_to_few(own: Added, state: Tensor, q: int, k: int) -> Tensor:
    return at(q, state[:, k] @ own.weight, state)


def closed_gate(own: Added, state: Tensor, q: int, k: int, far: float) -> Tensor:
    return at(q, F.relu(state[:, k] @ own.weight - far).sum(-1, keepdim=True), state)


def readers_gate(own: Added, state: Tensor, q: int, k: int, far: float) -> Tensor:
    opened = state[:, q, :1] > far
    return at(q, torch.where(opened, state[:, k] @ own.weight, 0.0), state)


def rare_value(own: Added, state: Tensor, q: int, k: int) -> Tensor:
    rare = (state[:, k, :1] - BAND).abs() < HALF
    return at(q, torch.where(rare, 1.0, 0.0), state)


def rare_python_branch(own: Added, state: Tensor, far: float) -> Tensor:
    return state + 1.0 if bool(state[0, -1, 0] > far) else state


def token_shift_forwards(own: Added, state: Tensor) -> Tensor:
    return state + F.pad(state, (0, 0, 0, 1))[:, 1:] @ own.weight


def roll_wraps(own: Added, state: Tensor) -> Tensor:
    return state + torch.roll(state, 1, 1) @ own.weight


def mean(own: Added, state: Tensor) -> Tensor:
    return state + state.mean(1, keepdim=True) @ own.weight


def tiny_mean(own: Added, state: Tensor) -> Tensor:
    return state + 1e-9 * state.mean(1, keepdim=True) @ own.weight


def detached_mean(own: Added, state: Tensor) -> Tensor:
    return state + state.mean(1, keepdim=True).detach() @ own.weight


def rounded_mean(own: Added, state: Tensor) -> Tensor:
    return state + torch.round(state.mean(1, keepdim=True) * 1e3) / 1e3


def largest(own: Added, state: Tensor) -> Tensor:
    return state + state.amax(1, keepdim=True) @ own.weight


def place_of_largest(own: Added, state: Tensor) -> Tensor:
    place = (state @ own.weight)[..., 0].argmax(1, keepdim=True)
    return state + F.embedding(place % WIDTH, own.weight)


def sorted_positions(own: Added, state: Tensor) -> Tensor:
    return state + state.sort(1).values / 10


def count_of_positive(own: Added, state: Tensor) -> Tensor:
    return state + (state > 0).sum(1, keepdim=True).to(state.dtype) / 10


def suffix_sum(own: Added, state: Tensor) -> Tensor:
    return state + state.flip(1).cumsum(1).flip(1) @ own.weight / 4


def norm_over_positions(own: Added, state: Tensor) -> Tensor:
    return F.layer_norm(state.transpose(1, 2), (state.shape[1],)).transpose(1, 2)


def batch_statistics(own: Added, state: Tensor) -> Tensor:
    return F.batch_norm(state.transpose(1, 2), None, None, training=True).transpose(1, 2)


def expert_choice(own: Added, state: Tensor) -> Tensor:
    score = (state @ own.weight)[..., 0]
    chosen = torch.zeros_like(score).scatter(1, score.topk(3, 1).indices, 1.0)
    return state + (state @ own.weight) * chosen[..., None]


def eight_bits(own: Added, state: Tensor) -> Tensor:
    scale = state.abs().amax((1, 2), keepdim=True) / 127
    return torch.round(state / scale) * scale


def ahead_by_one(n: int) -> Relation:
    return itself(n) | np.eye(n, k=1, dtype=bool)


def before_by_one_round(n: int) -> Relation:
    return itself(n) | np.roll(itself(n), 1, 0)


def not_before(n: int) -> Relation:
    return causal(n).T


def last_to_all(n: int) -> Relation:
    last = itself(n)
    last[:, -1] = True
    return last


def leaking(
    formula: Callable[[Added, Tensor], Tensor], relation: Callable[[int], Relation]
) -> Change:
    """A formula before a layer."""

    def change(made: Specimen, layer: int, random: Random) -> Specimen:
        inner = relation(len(made.slots[layer].positions))
        return before(made, layer, Added(formula, random), inner)

    return change


def pairing(formula: Formula, far: bool = False, promised: bool = False) -> Change:
    """A formula of one pair of positions that the promise has not, or has."""

    def change(made: Specimen, layer: int, random: Random) -> Specimen:
        allowed = made.within(layer, made.promise)
        inner = itself(len(allowed))
        wanted = allowed & ~inner if promised else ~allowed
        free = [(int(q), int(k)) for q, k in np.argwhere(wanted)]
        q, k = random.choice([pair for pair in free if max(pair) < len(allowed) - 1] or free)
        more = (NORMALISED if made.bounded else FAR,) if far else ()
        inner[q, k] = True

        def of_pair(own: Added, state: Tensor) -> Tensor:
            return formula(own, state, q, k, *more)

        return before(made, layer, Added(of_pair, random), inner)

    return change


def before(made: Specimen, layer: int, leak: nn.Module, inner: Relation) -> Specimen:
    """A leak put before a layer, and the relation that both have together."""
    slot = made.slots[layer]
    slot.put(Preceded(leak, slot.layer))
    both = made.reads[layer].astype(int) @ made.placed(layer, inner).astype(int)
    return made.reading(layer, both > 0)


def branching(made: Specimen, layer: int, random: Random) -> Specimen:
    """A branch of Python on a value of the last position."""
    far = NORMALISED if made.bounded else FAR

    def formula(own: Added, state: Tensor) -> Tensor:
        return rare_python_branch(own, state, far)

    return leaking(formula, last_to_all)(made, layer, random)


LEAKS = (
    Kind("few to few", pairing(few_to_few)),
    Kind("closed gate", pairing(closed_gate, far=True)),
    Kind("reader's gate", pairing(readers_gate, far=True)),
    Kind("rare value", pairing(rare_value)),
    Kind("branch in Python", branching),
    Kind("token shift forwards", leaking(token_shift_forwards, ahead_by_one)),
    Kind("roll wraps", leaking(roll_wraps, before_by_one_round)),
    Kind("mean over positions", leaking(mean, everything)),
    Kind("tiny mean", leaking(tiny_mean, everything)),
    Kind("detached mean", leaking(detached_mean, everything)),
    Kind("rounded mean", leaking(rounded_mean, everything)),
    Kind("largest over positions", leaking(largest, everything)),
    Kind("place of the largest", leaking(place_of_largest, everything)),
    Kind("sorted positions", leaking(sorted_positions, everything)),
    Kind("count over positions", leaking(count_of_positive, everything)),
    Kind("suffix sum", leaking(suffix_sum, not_before)),
    Kind("norm over positions", leaking(norm_over_positions, everything)),
    Kind("batch statistics", leaking(batch_statistics, everything)),
    Kind("expert choice", leaking(expert_choice, everything)),
    Kind("8-bit scale of a sequence", leaking(eight_bits, everything)),
)
