"""Laws of the integrator: the order that it claims, the accuracy that it is asked for."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnproof.numeric.integrate import extrapolated, integrate
from attnproof.symbolic.errors import InputError, ParameterError


def tensor(*numbers: float) -> Tensor:
    """A state in float64."""
    return torch.tensor(numbers, dtype=torch.float64)


def kepler(_time: float, state: Tensor) -> Tensor:
    """A planet in the plane: place and velocity."""
    place, speed = state[:2], state[2:]
    return torch.cat([speed, -place / place.norm() ** 3])


@pytest.mark.parametrize("rules", [1, 2, 3, 4])
def test_the_order_is_twice_the_number_of_rules(rules: int) -> None:
    """Halving the step divides the error of a logistic curve by 2^(2 rules)."""

    def error(steps: int) -> float:
        state = tensor(0.1)
        for i in range(steps):
            state, _ = extrapolated(
                lambda _, x: x * (1 - x), 4 * i / steps, state, 4 / steps, rules
            )
        return abs(state.item() - 1 / (1 + 9 * math.exp(-4)))

    steps = 16 if rules < 4 else 8
    assert math.log2(error(steps) / error(2 * steps)) == pytest.approx(2 * rules, abs=0.25)


@pytest.mark.parametrize("rules", [2, 3, 4])
def test_a_step_says_how_wrong_a_step_of_lower_order_is(rules: int) -> None:
    """The error of one step of order p falls as the power p + 1 of the step."""

    def error(step: float) -> float:
        return extrapolated(lambda _, x: x, 0.0, tensor(1.0), step, rules)[1].item()

    assert math.log2(error(1.0) / error(0.5)) == pytest.approx(2 * rules - 1, abs=0.25)


@pytest.mark.parametrize("relative", [1e-6, 1e-9, 1e-12])
def test_an_eccentric_orbit_comes_back(relative: float) -> None:
    """After two turns with eccentricity 0.6, within the accuracy asked for and growth along."""
    start = tensor(0.4, 0.0, 0.0, 2.0)
    [end] = integrate(kepler, start, [4 * math.pi], relative=relative, absolute=relative / 100)
    assert (end - start).abs().max().item() < 500 * relative


@settings(max_examples=20)
@given(st.floats(-3, 3), st.floats(0.01, 30), st.floats(0.01, 30))
def test_the_way_is_the_same_with_a_stop(start: float, first: float, second: float) -> None:
    """x' = cos(t) x from 0 to t + u is from 0 to t, and on; and it is x₀ exp(sin)."""
    both = integrate(lambda t, x: math.cos(t) * x, tensor(start), [first, first + second])
    [once] = integrate(lambda t, x: math.cos(t) * x, tensor(start), [first + second])
    exact = [start * math.exp(math.sin(t)) for t in (first, first + second)]
    assert [x.item() for x in both] == pytest.approx(exact, rel=1e-10, abs=1e-13)
    assert once.item() == pytest.approx(both[1].item(), rel=1e-10, abs=1e-13)


def test_times_that_are_equal_or_zero() -> None:
    """A state at time 0 is the start, and equal times give equal states."""
    start = tensor(1.0)
    zero, one, same = integrate(lambda _, x: -x, start, [0.0, 1.0, 1.0])
    assert torch.equal(zero, start)
    assert torch.equal(one, same)
    assert integrate(lambda _, x: x, start, []) == []


def test_messages() -> None:
    """Times that go back, and a solution that ends."""
    with pytest.raises(
        ParameterError, match=r"the times are \[2.0, 1.0\]; give times from 0 on, in"
    ):
        integrate(lambda _, x: x, tensor(1.0), [2.0, 1.0])
    with pytest.raises(ParameterError, match=r"the times are \[inf\]"):
        integrate(lambda _, x: x, tensor(1.0), [math.inf])
    with pytest.raises(
        InputError, match="the flow cannot be followed beyond time 1: it is too fast"
    ):
        integrate(lambda _, x: x * x, tensor(1.0), [2.0])
