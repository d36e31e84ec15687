"""Nets in floats: the same blocks as the exact verifier runs, and how near they come."""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
import torch
from torch import Tensor

from attnproof.numeric.interpolant import Interpolant
from attnproof.symbolic.errors import ParameterError, ShapeError
from attnproof.symbolic.interpolation import exact
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import Data, Token, read
from attnproof.symbolic.interpolation.hard import HARD
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron
from attnproof.symbolic.interpolation.temperature import temperature

DTYPES = [torch.float64, torch.float32]


def tensor(tokens: Sequence[Token], dtype: torch.dtype = torch.float64) -> Tensor:
    """Tokens, each coordinate rounded."""
    return torch.tensor([[float(x) for x in token] for token in tokens], dtype=dtype)


def hausdorff(model: Interpolant, data: Data) -> float:
    """The greatest distance of an output to what is wanted."""
    found = 0.0
    for pair in data.pairs:
        outputs = model(tensor(pair.input)).to(torch.float64)
        apart = (outputs[:, None] - tensor(pair.output)[None]).abs().amax(-1)
        found = max(found, apart.amin(0).max().item(), apart.amin(1).max().item())
    return found


def integers(n: int, seed: int) -> Data:
    """Sequences of integer tokens in three dimensions."""
    chance = random.Random(seed)

    def tokens(count: int) -> list[Any]:
        found: set[tuple[int, ...]] = set()
        while len(found) < count:
            found.add(tuple(chance.randint(-20, 20) for _ in range(3)))
        return sorted(found)

    return read([(tokens(8), tokens(chance.randint(1, 3))) for _ in range(n)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(6))
def test_stable_nets_are_exact_in_floats(seed: int, dtype: torch.dtype) -> None:
    """Integers, weights ±1 and slopes over powers of two: not one bit is wrong."""
    made = build(integers(5, seed), stable=True, moves=1)
    with torch.no_grad():
        assert hausdorff(Interpolant(made.net, dtype=dtype), made.data) == 0.0


@pytest.mark.parametrize("name", sorted(set(HARD) - {"huge targets", "tiny gaps"}))
def test_stable_nets_on_hard_data(name: str) -> None:
    """The same on data that was made to be hard."""
    made = build(read(HARD[name]), stable=True, moves=1)
    with torch.no_grad():
        assert hausdorff(Interpolant(made.net), made.data) == 0.0


@pytest.mark.parametrize("mode", [Mode.UNIFORM, Mode.LEADER, Mode.PHASED])
@pytest.mark.parametrize("seed", range(3))
def test_robust_nets_come_near(mode: Mode, seed: int) -> None:
    """Plateaus absorb rounding before the last moves."""
    made = build(integers(4, seed), mode, robust=True)
    with torch.no_grad():
        assert hausdorff(Interpolant(made.net), made.data) < 1e-4


@pytest.mark.parametrize("mode", [Mode.LEADER, Mode.PHASED])
def test_softmax_at_its_greatest_temperature(mode: Mode) -> None:
    """What balls certify floats show too, up to rounding."""
    made = build(read(HARD["chain of subsets"]), mode, robust=True)
    star = temperature(made).star
    assert star
    with torch.no_grad():
        cold, hot = (
            hausdorff(Interpolant(made.net, temperature=float(at)), made.data)
            for at in (star, 64 * star)
        )
    assert cold < 1e-9
    assert hot > 1e-3


def test_softmax_for_one_temperature() -> None:
    """In the mode for it, and not at another one."""
    made = build(read(HARD["equal power sums"]), Mode.SOFTMAX1, tau=Fraction(1, 4))
    with torch.no_grad():
        own, other = (
            hausdorff(Interpolant(made.net, temperature=at), made.data) for at in (0.25, 2.5)
        )
    assert own < 1e-6
    assert other > 1e-2


ONE, HALF = Fraction(1), Fraction(1, 2)
TWO_HEADS = Net(
    2,
    (
        Block(
            HALF,
            (Neuron((ONE, -ONE), HALF, (2 * ONE, ONE)),),
            -ONE,
            (
                Head(Matrix(ONE), Matrix(ONE)),
                Head(
                    Matrix(HALF, (ONE, 0 * ONE), (ONE, ONE)), Matrix(-ONE, (ONE, ONE), (ONE, ONE))
                ),
            ),
        ),
    )
    * 2,
)


@pytest.mark.parametrize("causal", [False, True])
def test_the_same_blocks_as_the_exact_verifier(causal: bool) -> None:
    """A net with two heads and every kind of weight, on binary fractions: equal numbers."""
    net = Net(2, TWO_HEADS.blocks, causal)
    tokens = [(ONE, HALF), (HALF, -ONE), (-ONE, 2 * ONE), (3 * ONE, ONE)]
    wanted = tensor(exact.forward(net, tokens))
    with torch.no_grad():
        assert torch.allclose(Interpolant(net)(tensor(tokens)), wanted, rtol=0, atol=1e-12)


def test_a_batch_is_its_elements() -> None:
    """``(b, n, d)`` gives what each ``(n, d)`` gives."""
    model = Interpolant(TWO_HEADS)
    batch = torch.arange(12, dtype=torch.float64).reshape(2, 3, 2) / 4
    with torch.no_grad():
        assert torch.equal(model(batch), torch.stack([model(one) for one in batch]))


def test_every_weight_can_be_trained() -> None:
    """Parameters are the weights; softmax passes gradients to those that matter."""
    made = build(read(HARD["chain of subsets"]), Mode.LEADER, robust=True)
    model = Interpolant(made.net, temperature=2.0)
    count = sum(parameter.count_nonzero().item() for parameter in model.parameters())
    assert count == made.net.parameters
    model(tensor(made.data.pairs[3].input)).square().sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_messages() -> None:
    """Another dimension, and a temperature that is none."""
    with pytest.raises(ShapeError, match=r"the tokens are \(3, 1\); give \(n, 2\) or \(b, n, 2\)"):
        Interpolant(TWO_HEADS)(torch.zeros(3, 1))
    with pytest.raises(ParameterError, match=r"the temperature is 0\.0; give one above 0"):
        Interpolant(TWO_HEADS, temperature=0.0)
