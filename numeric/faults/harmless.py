"""Changes after which a model keeps its promise, though a probe may take them for leaks."""

from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Kind
from attnproof.numeric.faults.leaks import (
    BAND,
    HALF,
    Added,
    before,
    few_to_few,
    leaking,
    pairing,
    readers_gate,
)
from attnproof.numeric.faults.specimen import WIDTH, Relation, Specimen, itself


def cancelled_mean(own: Added, state: Tensor) -> Tensor:
    mean = state.mean(1, keepdim=True)
    return state + (mean - mean)


def mean_times_zero(own: Added, state: Tensor) -> Tensor:
    return state + 0.0 * state.mean(1, keepdim=True)


def rare_value_of_its_own(own: Added, state: Tensor) -> Tensor:
    return state + torch.where((state[..., :1] - BAND).abs() < HALF, 1.0, 0.0)


def eight_bits_a_position(own: Added, state: Tensor) -> Tensor:
    scale = state.abs().amax(2, keepdim=True) / 127
    return torch.round(state / scale) * scale


def largest_entry(own: Added, state: Tensor) -> Tensor:
    return state + F.embedding((state @ own.weight).argmax(2), own.weight)


def choice_of_experts(own: Added, state: Tensor) -> Tensor:
    score = state @ own.weight
    chosen = torch.zeros_like(score).scatter(2, score.topk(2, 2).indices, 1.0)
    return state + (state @ own.weight) * chosen


class KnownStatistics(nn.Module):
    """Batch normalisation in evaluation mode."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(WIDTH, dtype=torch.float64).eval()

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        out: Tensor = self.norm(state.transpose(1, 2)).transpose(1, 2)
        return out


class PromisedMean(nn.Module):
    """The mean of what each position may read."""

    def __init__(self, allowed: Relation) -> None:
        super().__init__()
        weights = allowed / allowed.sum(1, keepdims=True)
        self.register_buffer("weights", torch.from_numpy(weights))

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        weights = self.get_buffer("weights")
        return state + weights @ state


class PromisedLargest(nn.Module):
    """The largest entries of what each position may read."""

    def __init__(self, allowed: Relation) -> None:
        super().__init__()
        self.register_buffer("hidden", torch.from_numpy(~allowed)[None, :, :, None])

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        return state + state[:, None].masked_fill(self.get_buffer("hidden"), -torch.inf).amax(2)


def known_statistics(made: Specimen, layer: int, random: Random) -> Specimen:
    return before(made, layer, KnownStatistics(), itself(len(made.slots[layer].positions)))


def promised_mean(made: Specimen, layer: int, random: Random) -> Specimen:
    allowed = made.within(layer, made.promise)
    return before(made, layer, PromisedMean(allowed), allowed)


def largest_of_the_promised(made: Specimen, layer: int, random: Random) -> Specimen:
    allowed = made.within(layer, made.promise)
    return before(made, layer, PromisedLargest(allowed), allowed)


#: Each position for itself: right in every architecture.
POINTWISE = (
    Kind("mean minus itself", leaking(cancelled_mean, itself), leaks=False),
    Kind("mean times zero", leaking(mean_times_zero, itself), leaks=False),
    Kind("rare value of its own", leaking(rare_value_of_its_own, itself), leaks=False),
    Kind("8-bit scale of a position", leaking(eight_bits_a_position, itself), leaks=False),
    Kind("largest entry of a position", leaking(largest_entry, itself), leaks=False),
    Kind("choice of experts", leaking(choice_of_experts, itself), leaks=False),
    Kind("known statistics", known_statistics, leaks=False),
)

#: Positions meet as the promise lets them: right where the promise holds its own square.
PROMISED = (
    Kind("promised pair", pairing(few_to_few, promised=True), leaks=False),
    Kind("promised reader's gate", pairing(readers_gate, far=True, promised=True), leaks=False),
    Kind("promised mean", promised_mean, leaks=False),
    Kind("largest of the promised", largest_of_the_promised, leaks=False),
)
