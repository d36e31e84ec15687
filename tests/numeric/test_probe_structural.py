"""The structural relation: laws on masked transformers, masks, zeros and positions."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch", reason="the probe needs the extra torch")

import torch
from hypothesis import given, settings
from torch import Tensor, nn
from torch.nn import functional as F

from attnproof.numeric.probe.relation import (
    EmptySoftmax,
)
from attnproof.numeric.probe.structural import structural
from attnproof.symbolic.order.relation import relation
from attnproof.symbolic.order.schedule import reach
from attnproof.symbolic.setting import EmptyRow
from tests.laws.strategies import Rows, mask_of, schedules
from tests.numeric.masked_transformer import (
    WIDTH,
    AdditiveLayer,
    Infinite,
    Layer,
    rows_of,
    transformer,
    vectors,
)

CAUSAL = tuple((2 << q) - 1 for q in range(6))
LOWER = torch.ones(6, 6, dtype=torch.bool).tril()


def measured(model: Callable[[Tensor], Tensor], x: Tensor) -> Rows:
    """The output positions that change when an input position does."""
    seen = [0] * x.shape[1]
    with torch.no_grad():
        before = model(x)
        for k in range(x.shape[1]):
            changed = x.clone()
            changed[:, k] = torch.randn(WIDTH, dtype=x.dtype)
            for q in (model(changed) != before).any(-1)[0].nonzero().reshape(-1).tolist():
                seen[q] |= 1 << k
    return tuple(seen)


@settings(max_examples=15)
@given(schedules(6))
def test_transformers_have_the_product_of_their_masks(schedule: tuple[Rows, ...]) -> None:
    """Through every layer the relation is that of the masks, and random weights attain it."""
    model, n = transformer(schedule), len(schedule[0])
    layers = [relation(mask_of(mask)) for mask in schedule]
    found = structural(model, vectors(n))
    assert rows_of(found) == reach(layers, len(layers)) == measured(model, vectors(n))
    for depth, call in enumerate(x for x in found.modules if x.type == "Layer"):
        assert tuple(call.relation.rows.bits()) == reach(layers, depth + 1)
    assert found.unconditional
    assert not found.united
    assert found.weakest is None


@settings(max_examples=10)
@given(schedules(6, layers=2))
def test_a_finite_mask_makes_empty_rows_uniform(schedule: tuple[Rows, ...]) -> None:
    """A query whose keys are all blocked by one number reads them all."""
    model, n = transformer(schedule, AdditiveLayer), len(schedule[0])
    layers = [relation(mask_of(mask), empty_row=EmptyRow.UNIFORM) for mask in schedule]
    found = structural(model, vectors(n))
    assert rows_of(found) == reach(layers, len(layers))
    blocked = any(row != (1 << n) - 1 for mask in schedule for row in mask)
    assert found.weakest == (1e4 if blocked else None)
    empty = sum(not row for mask in schedule for row in mask)
    assert sum(x.count for x in found.masked_rows if x.becomes is EmptySoftmax.UNIFORM) == empty


@pytest.mark.parametrize("n", [62, 63, 64, 100, 130])
def test_more_positions_than_a_word_has_bits(n: int) -> None:
    """The relation is the same on both sides of 63 positions."""
    window = tuple((2 << q) - (1 << max(0, q - 2)) for q in range(n))
    found = structural(transformer([window]), vectors(n))
    assert rows_of(found) == window
    assert found.first_outside(mask_of(window)) is None


@pytest.mark.parametrize(
    ("kind", "becomes"),
    [
        (Layer, EmptySoftmax.ZERO),
        (AdditiveLayer, EmptySoftmax.UNIFORM),
        (Infinite, EmptySoftmax.NAN),
    ],
)
def test_rows_that_are_masked_wholly(kind: type[Layer], becomes: EmptySoftmax) -> None:
    """They are counted, with what softmax makes of them and where."""
    (rows,) = structural(transformer([(0, 0b11, 0)], kind, keys=3), vectors(3)).masked_rows
    assert (rows.becomes, rows.count, rows.module) == (becomes, 2, "0")


def add_mask(x: Tensor, value: float, sign: int = 1) -> Tensor:
    scores = sign * x @ x.transpose(1, 2)
    return (scores + torch.where(LOWER, 0.0, value).to(x.dtype)).softmax(-1) @ x


@pytest.mark.parametrize(
    ("value", "dtype", "bound", "weakest"),
    [
        (-1e4, torch.float32, 4000.0, 1e4),
        (-65504.0, torch.float16, 4000.0, 65504.0),
        (-65504.0, torch.float16, 30000.0, 65504.0),
        (float(torch.finfo(torch.bfloat16).min), torch.bfloat16, 4000.0, 3.3895e38),
        (-3e38, torch.float32, 1e9, 3e38),
        (float("-inf"), torch.float32, 1e30, None),
        (-1e4, torch.float32, 1e6, None),
        (-65504.0, torch.float16, 33000.0, None),
        (-50.0, torch.float32, 4000.0, None),
    ],
)
def test_a_mask_masks_under_the_bound(
    value: float, dtype: torch.dtype, bound: float, weakest: float | None
) -> None:
    """A finite mask counts below -(2 B + 1100) only; the weakest that did is reported."""
    x = torch.randn(1, 6, WIDTH, dtype=dtype)
    found = structural(lambda x: add_mask(x, value), x, constants=[LOWER], bound=bound)
    masks = weakest is not None or value == float("-inf")
    assert rows_of(found) == (CAUSAL if masks else (63,) * 6)
    assert found.weakest == (None if weakest is None else pytest.approx(weakest, rel=1e-3))


def test_the_bound_is_needed() -> None:
    """Scores beyond it leak through a finite mask, and a greater bound shows the leak."""

    def model(x: Tensor) -> Tensor:
        return add_mask(x, -1e4, sign=-1)

    x = vectors(6) * 100
    assert any(seen & ~row for seen, row in zip(measured(model, x), CAUSAL, strict=True))
    wide = structural(model, x, constants=[LOWER], bound=1e6)
    assert rows_of(wide) == (63,) * 6


@pytest.mark.parametrize("value", [-1e4, -3e38])
def test_strict_inf_accepts_no_finite_mask(value: float) -> None:
    """Under it a finite mask blocks nothing; -inf does."""

    def found(number: float) -> Rows:
        model = structural(
            lambda x: add_mask(x, number), vectors(6), constants=[LOWER], strict_inf=True
        )
        return rows_of(model)

    assert found(value) == (63,) * 6
    assert found(float("-inf")) == CAUSAL


class Zeros(nn.Module):
    """Adds a future position times a weight of 0, and behind a gate that is closed."""

    gate: Tensor

    def __init__(self, gate: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, dtype=torch.float64))
        self.register_buffer("gate", torch.tensor(gate, dtype=torch.float64))

    def forward(self, x: Tensor) -> Tensor:
        ahead = x.roll(-1, 1)
        return x + self.weight * ahead + F.relu(ahead - 1e6) * self.gate


def test_an_observed_zero_is_no_structural_zero() -> None:
    """Weights, closed gates and trained buffers of 0 keep a dependency; a constant 0 does not."""
    ahead = tuple(1 << q | 1 << (q + 1) % 6 for q in range(6))
    assert rows_of(structural(Zeros(1.0), vectors(6))) == ahead
    frozen = Zeros(0.0)
    frozen.weight.requires_grad_(False)
    assert rows_of(structural(frozen, vectors(6))) == ahead
    del frozen.weight
    frozen.register_buffer("weight", torch.zeros(1, dtype=torch.float64))
    own = tuple(1 << q for q in range(6))
    assert rows_of(structural(frozen, vectors(6))) == own
    assert rows_of(structural(frozen, vectors(6), trained=["gate"])) == ahead
    assert rows_of(structural(lambda x: x + 0 * x.sum(), vectors(6))) == own


def test_statistics_of_normalisation_are_weights() -> None:
    """A running mean of 0 is no constant 0."""
    norm = nn.BatchNorm1d(WIDTH).double()
    found = structural(lambda x: norm.running_mean * x.sum(1, keepdim=True) + x, vectors(6),
                       modules=[norm])  # fmt: skip
    assert rows_of(found) == (63,) * 6


def test_positions_of_several_inputs_and_sequences() -> None:
    """Inputs are numbered one after the other; numbers of one's own tell sequences apart."""

    def joined(a: Tensor, b: Tensor) -> Tensor:
        return torch.cat([a + b[:, :1], b], 1)

    found = structural(joined, (vectors(2), vectors(3)), positions={0: 1, 1: 1})
    assert rows_of(found) == (0b101, 0b110, 0b100, 0b1000, 0b10000)
    batch = torch.randn(2, 3, WIDTH, dtype=torch.float64)
    apart = structural(
        transformer([CAUSAL[:3]]),
        batch,
        positions={0: torch.arange(6).view(2, 3, 1)},
        output_axis=(0, 1),
    )
    assert rows_of(apart) == (1, 3, 7, 8, 24, 56)


def test_outputs_have_names() -> None:
    """Every output tensor with the positions of the first one, or of an input, is a relation."""

    def model(x: Tensor) -> dict[str, Any]:
        return {"all": x.sum(1, keepdim=True) + x, "pair": (x[:, :2], x), "loss": x.mean()}

    found = structural(model, vectors(6))
    assert list(found.outputs) == ["all", "pair.1"]
    assert found.relation is found.outputs["all"]
