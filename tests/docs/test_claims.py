"""Claims of the pages that no other test holds: what a flow means for a network, and its period."""

import math
import random

import networkx as nx
import pytest
import torch

from tests.reference import Pairs, after, graph, identity, multiplied

WIDTH = 3


def network(layers: list[Pairs], n: int, seed: int) -> torch.nn.Module:
    """Random softmax attention with these masks, residual stream and a position-wise MLP."""

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            made = torch.Generator().manual_seed(seed)
            shape = (len(layers), 5, WIDTH, WIDTH)
            self.weights = torch.randn(shape, generator=made, dtype=torch.float64) / 2
            self.masks = torch.zeros((len(layers), n, n), dtype=torch.bool)
            for layer, pairs in enumerate(layers):
                for q, k in pairs:
                    self.masks[layer, q, k] = True

        def forward(self, state: torch.Tensor) -> torch.Tensor:
            for mask, (query, key, value, up, down) in zip(self.masks, self.weights, strict=True):
                scores = (state @ query) @ (state @ key).T
                attention = scores.masked_fill(~mask, -torch.inf).softmax(1).nan_to_num(0.0)
                state = state + attention @ (state @ value)
                state = state + torch.tanh(state @ up) @ down
            return state

    return Network()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_jacobian_support_is_the_flow(depth: int, seed: int) -> None:
    """Output q depends on input k exactly where the product of the layers has (q, k)."""
    n, chance = 5, random.Random(100 * depth + seed)
    masks = [
        frozenset((q, k) for q in range(n) for k in range(n) if chance.random() < 0.3)
        for _ in range(depth)
    ]
    state = torch.randn(
        (n, WIDTH), generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )
    differentiate = torch.autograd.functional.jacobian
    jacobian = differentiate(network(masks, n, seed), state)  # type: ignore[no-untyped-call]
    depends = jacobian.abs().sum(dim=(1, 3)) > 0
    reached = after([mask | identity(n) for mask in masks], depth, n)
    assert {(q, k) for q, k in depends.nonzero().tolist()} == reached


def cycle_period(pairs: Pairs, n: int) -> int:
    """The least common multiple, over the classes, of the greatest common divisor of the lengths
    of cycles. By distances from any member: an edge u -> v closes d(u) + 1 - d(v) steps."""
    period = 1
    for members in nx.strongly_connected_components(graph(pairs, n)):
        inside = [(q, k) for q, k in pairs if q in members and k in members]
        distance = nx.single_source_shortest_path_length(graph(frozenset(inside), n), min(members))
        closing = [distance[k] + 1 - distance[q] for q, k in inside]
        period = math.lcm(period, math.gcd(*closing) or 1)
    return period


@pytest.mark.parametrize("seed", range(40))
def test_powers_without_residual_have_the_period_of_the_cycles(seed: int) -> None:
    """The powers of a mask repeat in the end, after as many layers as its cycles say."""
    n, chance = 5, random.Random(seed)
    mask = frozenset((q, k) for q in range(n) for k in range(n) if chance.random() < 0.25)
    far = after([mask], 60, n)
    repeats, power = 1, multiplied(mask, far)
    while power != far:
        repeats, power = repeats + 1, multiplied(mask, power)
    assert repeats == cycle_period(mask, n)
