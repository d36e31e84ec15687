"""Ensembles: each member is a transformer of its own, with the blocks of an interpolant."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.numeric.ensemble import Ensemble, chamfer, hausdorff
from attnproof.numeric.interpolant import Interpolant
from attnproof.symbolic.interpolation.net import loads


@settings(max_examples=6)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_a_member_is_the_interpolant_of_its_net(
    blocks: int, dimension: int, width: int, seed: int
) -> None:
    """The weights of one member, read off as rationals, make the same outputs."""
    model = Ensemble(2, blocks, dimension, width=width, seed=seed)
    tokens = torch.randn(
        (2, 3, 4, dimension), generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )
    outputs = model(tokens)
    for member in range(2):
        net = model.net(member)
        assert loads(net.text) == net
        alone = Interpolant(net, temperature=1.0)(tokens[member])
        torch.testing.assert_close(outputs[member], alone, rtol=1e-9, atol=1e-9)


def test_members_do_not_touch_each_other() -> None:
    """Other data for one member changes neither outputs nor gradients of another."""
    model = Ensemble(2, 2, 2, seed=1)
    random = torch.Generator().manual_seed(0)
    inputs, wanted = (torch.randn((2, 2, 3, 2), generator=random).double() for _ in range(2))
    found = []
    for scale in (1.0, -3.0):
        model.zero_grad()
        given = torch.stack([inputs[0], scale * inputs[1]])
        chamfer(model(given), wanted).sum().backward()  # type: ignore[no-untyped-call]
        found.append([one.grad.clone() for one in model.parameters() if one.grad is not None])
    for once, again in zip(*found, strict=True):
        assert torch.equal(once[0], again[0])
    assert any(not torch.equal(once[1], again[1]) for once, again in zip(*found, strict=True))


def test_another_seed_has_other_weights() -> None:
    """Weights are those of the seed."""
    one, again, other = (Ensemble(1, 1, 2, seed=seed).read for seed in (3, 3, 4))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


@pytest.mark.parametrize("seed", range(12))
def test_distances_of_sets(seed: int) -> None:
    """The Hausdorff distance is that of its definition; both are 0 for equal sets alone."""
    random = torch.Generator().manual_seed(seed)
    outputs, wanted = (torch.randint(0, 2, (1, 2, n, 2), generator=random).double() for n in (4, 2))

    def far(ones: list[list[float]], others: list[list[float]]) -> float:
        return max(min(math.dist(a, b) for b in others) for a in ones)

    sides = list(zip(outputs[0].tolist(), wanted[0].tolist(), strict=True))
    equal = all(far(a, b) == far(b, a) == 0 for a, b in sides)
    assert (hausdorff(outputs, wanted).item() == 0) == equal
    assert (chamfer(outputs, wanted).item() == 0) == equal
    line = outputs[..., :1], wanted[..., :1]
    ends = [(a.tolist(), b.tolist()) for a, b in zip(*(x[0] for x in line), strict=True)]
    assert hausdorff(*line).item() == max(max(far(a, b), far(b, a)) for a, b in ends)
