"""What each way of measuring a dependency sees, misses, and shows in excess."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnproof.numeric.dependency import Dependency, Method, dependency
from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.masks.mask import Mask
from tests.laws.strategies import Rows, rows
from tests.numeric.networks import normal, pairs_of_mask, tensor_of
from tests.reference import Pairs, identity, pairs_of_sets

Function = Callable[[Tensor], Tensor]
P, J, V = Method.POISON, Method.JACOBIAN, Method.PERTURBATION


def measured(function: Function, method: Method, inputs: Tensor) -> Pairs:
    """The pairs that a method sees at three points."""
    return pairs_of_mask(dependency(function, inputs, method, points=3).relation)


@settings(max_examples=15)
@given(st.integers(1, 5).flatmap(rows), st.booleans())
def test_every_method_sees_a_sum_of_what_is_read(relation: Rows, batched: bool) -> None:
    """Row q holds itself and functions of what it reads, and touches nothing else: all agree."""
    mask, n = tensor_of(relation), len(relation)

    def summed(state: Tensor) -> Tensor:
        read = [
            sum((state[..., k, :].sin() for k in range(n) if mask[q, k]), 2 * state[..., q, :])
            for q in range(n)
        ]
        return torch.stack(read, -2)

    inputs = normal(2, n, 3) if batched else normal(n, 3)
    for method in Method:
        assert measured(summed, method, inputs) == pairs_of_sets(relation) | identity(n)


def test_outputs_need_not_be_as_many_as_inputs() -> None:
    """Rows of the relation are outputs, columns are inputs."""
    for method in Method:
        found = dependency(lambda x: x[1:] * x[:1], normal(4, 2), method).relation
        assert found == Mask.from_rows(["11..", "1.1.", "1..1"])


#: A function of the last of three positions, and the methods that see it.
PASSES: dict[str, tuple[Function, set[Method]]] = {
    "a product": (lambda x: 2 * x, {P, J, V}),
    "a comparison": (lambda x: torch.where(x > 0, 1.0, 2.0), {V}),
    "sign": (torch.sign, {V}),
    "a comparison that gates": (lambda x: x * (x > 0), {P, J, V}),
    "nan_to_num": (lambda x: x.nan_to_num(), {J, V}),
    "fmax": (lambda x: torch.fmax(x, torch.full_like(x, -5.0)), {J, V}),
    "nansum": (lambda x: x.nansum(-1, keepdim=True), {J, V}),
    "an exponent": (lambda x: x**2, {P, J, V}),
    "integers": (lambda x: x.nan_to_num().clamp(-9, 9).long().double(), {V}),
    "rounding": (torch.round, {P, V}),
    "argmax": (lambda x: x.argmax(-1, keepdim=True).double(), {V}),
    "sort": (lambda x: x.sort(-1).values, {P, J, V}),
    "a detached tensor": (lambda x: x.detach(), {P, V}),
    "a closed gate": (lambda x: F.relu(x - 50), {P, V}),
    "one value": (lambda x: (x == 0.125).double(), set()),
    "below the rounding": (lambda x: 1e30 + x.clamp(-1, 1), {P, J}),
}

#: A function that no finite value of the last position changes, and the methods that show it.
IN_EXCESS: dict[str, tuple[Function, set[Method]]] = {
    "nothing": (lambda x: torch.zeros_like(x), set()),
    "zero times": (lambda x: 0 * x, {P}),
    "a difference with itself": (lambda x: x - x, {P}),
    "a masked weight": (
        lambda x: torch.tensor([[1.0, 0.0]]).double() @ torch.cat([torch.ones_like(x), x]),
        {P},
    ),
    "minus infinity added": (lambda x: (x - torch.inf).exp(), {P}),
    "a branch not taken": (
        lambda x: torch.where(x.abs() >= 0, 0.0, (-1 - x.abs()).sqrt()),
        {P, J},
    ),
    "masked_fill": (lambda x: x.masked_fill(torch.tensor(True), 0.0), set()),
    "a large summand taken off again": (lambda x: (0.1 + x) - x, {P, V}),
}


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("method", Method)
def test_what_passes(name: str, method: Method) -> None:
    """Every line of the first table, as measured."""
    passed, seen_by = PASSES[name]
    assert from_the_last(passed, method) == (method in seen_by)


@pytest.mark.parametrize("name", IN_EXCESS)
@pytest.mark.parametrize("method", Method)
def test_what_is_shown_in_excess(name: str, method: Method) -> None:
    """Every line of the second table, as measured."""
    passed, seen_by = IN_EXCESS[name]
    assert from_the_last(passed, method) == (method in seen_by)


def from_the_last(passed: Function, method: Method) -> bool:
    """Whether the method shows the other positions to depend on the last one."""
    found = measured(lambda x: x + passed(x[2:]), method, normal(3, 2, seed=1)) - identity(3)
    assert found in (set(), {(0, 2), (1, 2)})
    return bool(found)


def test_every_method_names_what_it_misses_and_shows() -> None:
    """The result carries the words, and prints its relation."""
    found = dependency(lambda x: x.flip(0), normal(2, 1), Method.JACOBIAN, points=1)
    assert repr(found) == "Dependency by jacobian at 1 point\nMask 2×2 (row = query)\n·#\n#·"
    assert isinstance(found, Dependency)
    assert "derivative zero" in found.misses
    assert "rounding" in found.over_reports
    for method in Method:
        assert method.misses != method.over_reports


def test_poison_does_not_see_outputs_that_are_nan_anyway() -> None:
    """They are the same with and without the poison."""

    def spoilt(state: Tensor) -> Tensor:
        return torch.cat([state[:1] * torch.nan, state[1:]])

    assert measured(spoilt, Method.POISON, normal(2, 1)) == {(1, 1)}
    assert measured(spoilt, Method.PERTURBATION, normal(2, 1)) == {(1, 1)}


def test_points_are_united() -> None:
    """A gate that is closed at the first point and open at another is seen by both together."""
    inputs = torch.tensor([[-1.0], [1.0]], dtype=torch.float64)
    one = dependency(lambda x: x + F.relu(x[:1]), inputs, Method.JACOBIAN, points=1)
    many = dependency(lambda x: x + F.relu(x[:1]), inputs, Method.JACOBIAN, points=8)
    assert one.relation == Mask.from_rows(["1.", ".1"])
    assert many.relation == Mask.from_rows(["1.", "11"])


def test_the_function_is_left_as_it_was() -> None:
    """Inputs keep their values, and parameters get no gradient."""
    layer, inputs = torch.nn.Linear(2, 2, dtype=torch.float64), normal(3, 2)
    kept = inputs.clone()
    for method in Method:
        assert dependency(layer, inputs, method).relation == Mask.from_rows(["1..", ".1.", "..1"])
    assert torch.equal(inputs, kept)
    assert layer.weight.grad is None


def test_messages() -> None:
    """What was given, what is needed."""
    x = normal(3, 2)
    with pytest.raises(ShapeError, match=r"the inputs are \(3,\); give \(n, d\) or \(b, n, d\)"):
        dependency(torch.sin, x[:, 0])
    with pytest.raises(InputError, match=r"the inputs are torch.float32; give float64, and a"):
        dependency(torch.sin, x.float())
    with pytest.raises(InputError, match="0 points were asked for; give 1 or more"):
        dependency(torch.sin, x, points=0)
    with pytest.raises(ShapeError, match=r"the output is \(2,\) for inputs \(3, 2\); the"):
        dependency(lambda x: x.sum(0), x)
    with pytest.raises(InputError, match="the output carries no gradient; leave out no_grad"):
        dependency(lambda x: x.detach(), x, Method.JACOBIAN)
    with pytest.raises(InputError, match="answers the same input twice differently; set eval"):
        dependency(lambda x: x + torch.rand_like(x), x)
