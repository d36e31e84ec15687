"""Balanced nets in floats, and causal nets and several heads as torch modules."""

from fractions import Fraction

import pytest
import torch

from attnproof.numeric.interpolant import Interpolant
from attnproof.symbolic.interpolation import causal, costs, heads, prefixes
from attnproof.symbolic.interpolation.balance import balanced
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import Data, Token
from attnproof.symbolic.interpolation.net import Net


def tensor(tokens: tuple[Token, ...]) -> torch.Tensor:
    return torch.tensor([[float(x) for x in token] for token in tokens], dtype=torch.float64)


def distance(net: Net, data: Data) -> float:
    """The greatest Hausdorff distance of an output of the hardmax module to its target."""
    model, found = Interpolant(net), 0.0
    for pair in data.pairs:
        apart = torch.cdist(model(tensor(pair.input)), tensor(pair.output)).detach()
        found = max(found, float(apart.amin(0).max()), float(apart.amin(1).max()))
    return found


@pytest.mark.parametrize("temperature", [None, 1.0])
@pytest.mark.parametrize("mode", [Mode.UNIFORM, Mode.LEADER, Mode.SOFTMAX1])
def test_balancing_changes_no_bit_of_the_outputs(mode: Mode, temperature: float | None) -> None:
    """Factors are powers of two: float64 gives the same numbers, not only near ones."""
    data = costs.drawn(6, pairs=3)
    net = build(data, mode, tau=Fraction(1) if mode is Mode.SOFTMAX1 else None).net
    other = balanced(net).net
    assert other != net
    for pair in data.pairs:
        tokens = tensor(pair.input)
        models = [Interpolant(one, temperature=temperature) for one in (net, other)]
        assert torch.equal(models[0](tokens), models[1](tokens))


def test_a_causal_net_runs_in_floats() -> None:
    """Two orders of one set go to two outputs, up to rounding."""
    a, b, c = (1, 0), (0, 1), (1, 1)
    data = prefixes.read([([a, b, c], [a, b]), ([b, a, c], [c]), ([a, c], [a])])
    assert distance(causal.build(data, robust=True).net, data) < 1e-9


def test_several_heads_run_in_floats() -> None:
    """Two queries in one block, up to rounding."""
    tokens = [(k, 0, 0) for k in (-1, 1, 9, 11, 19, 21)]
    data = prefixes.read([([*tokens, (k, 0, 0)], [(k, 1, 2)]) for k in (0, 10, 20)])
    assert distance(heads.build(data, 2, robust=True).net, data) < 1e-9
