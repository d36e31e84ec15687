"""Laws of the model with two circuits: its population, its manifold, its loss and its flow."""

import math
from collections import Counter
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Symbol
from torch import Tensor

from attnproof.numeric.circuit_data import Directions, Population
from attnproof.numeric.circuits import AttentionCircuits, factors
from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from tests.numeric.circuit_cases import KINDS, SETTINGS, circuits, start

kinds = st.sampled_from(KINDS)


@st.composite
def datas(draw: st.DrawFn) -> Data:
    """Small data."""
    common = draw(st.integers(1, 4))
    return Data(
        draw(st.integers(2, 5)), draw(st.integers(1, 3)), common, draw(st.integers(1, common))
    )


@settings(max_examples=20)
@given(datas())
def test_a_sequence_holds_its_class_and_every_common_token_once(data: Data) -> None:
    """K·Q sequences, each pair of class and query once, the query at the end."""
    K, r, M, Q = (int(n) for n in (data.classes, data.distinct, data.common, data.queries))
    few = Population.of(data)
    pairs = Counter(zip(few.labels.tolist(), few.queries.tolist(), strict=True))
    assert pairs == Counter((k, K * r + q) for k in range(K) for q in range(Q))
    for tokens, label, query in zip(few.tokens, few.labels, few.queries, strict=True):
        own = {int(label) * r + i for i in range(r)}
        assert sorted(tokens.tolist()) == sorted(own | set(range(K * r, K * r + M)))
        assert tokens[-1] == query
    assert few.distinct.sum(1).tolist() == [r] * (K * Q)
    gram = few.embeddings @ few.embeddings.T
    assert torch.allclose(gram, torch.eye(K * r + M, dtype=torch.float64))
    assert few.embeddings.abs().max() < 0.99


@settings(max_examples=20)
@given(datas(), st.floats(-3, 3), st.floats(-3, 3), st.floats(-2, 2), st.floats(-2, 2), kinds)
def test_a_model_on_the_manifold_stands_where_it_was_put(
    data: Data, alpha: float, beta: float, qk: float, ov: float, kind: Parametrisation
) -> None:
    """Scalars, attention, loss and imbalances are those that were asked for, whatever the sizes."""
    asked = Circuits(
        kind,
        data,
        0.7,
        imbalance_qk=qk if kind.factorised_attention else 0,
        imbalance_ov=ov if kind.factorised_value else 0,
    )
    model = AttentionCircuits(asked, seed=3).on_manifold(alpha, beta)
    found = model.scalars()
    assert (found.alpha, found.beta) == pytest.approx((alpha, beta), abs=1e-12)
    assert found.residual < 1e-12
    s = 1 / (1 + math.exp(-beta) * int(data.common) / int(data.distinct))
    assert torch.allclose(model.attention(), torch.tensor(s, dtype=torch.float64))
    loss = math.log1p((int(data.classes) - 1) * math.exp(-s * alpha))
    assert model.loss().item() == pytest.approx(loss, abs=1e-12)
    with torch.no_grad():
        if kind.factorised_attention:
            norms = model.key.square().sum() - model.query.square().sum()
            assert norms.item() == pytest.approx(qk, abs=1e-12)
        if kind.factorised_value:
            grams = model.output.T @ model.output - model.value @ model.value.T
            assert torch.linalg.eigvalsh(grams * (ov or 1)).max().item() == pytest.approx(
                ov * ov, abs=1e-12
            )


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_factors(product: float, imbalance: float) -> None:
    """Their product and the difference of their squares are as asked."""
    x, y = factors(product, imbalance)
    assert x * y == pytest.approx(product, rel=1e-9, abs=1e-12)
    assert x * x - y * y == pytest.approx(imbalance, rel=1e-9, abs=1e-9)


def by_hand(model: AttentionCircuits, inputs: Tensor, asked: Tensor) -> list[float]:
    """Logits of one sequence with sums written out."""
    w_qk, w_ov, scale = model.w_qk.tolist(), model.w_ov.tolist(), model.score_scale
    x, q = inputs.tolist(), asked.tolist()
    d = range(len(q))
    scores = [scale * sum(t[i] * w_qk[i][j] * q[j] for i in d for j in d) for t in x]
    total = sum(math.exp(score) for score in scores)
    means = [sum(math.exp(a) / total * t[i] for a, t in zip(scores, x, strict=True)) for i in d]
    return [sum(w * m for w, m in zip(row, means, strict=True)) for row in w_ov]


@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_the_formula(kind: Parametrisation) -> None:
    """Away from the manifold, where a transposed matrix or a lost scale would show."""
    model = AttentionCircuits(circuits(kind, "queries"), seed=1).at_random(0.7)
    few = model.population
    found = model(few.inputs, few.asked)
    losses = []
    for i, label in enumerate(few.labels.tolist()):
        logits = by_hand(model, few.inputs[i], few.asked[i])
        assert found[i].tolist() == pytest.approx(logits, abs=1e-12)
        losses.append(math.log(sum(map(math.exp, logits))) - logits[label])
    assert model.loss().item() == pytest.approx(sum(losses) / len(losses), abs=1e-12)
    some = torch.tensor([1, 1, 5])
    few_losses = [losses[i] for i in some.tolist()]
    assert model.loss(some).item() == pytest.approx(sum(few_losses) / 3, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_masked_token_is_a_token_that_is_not_there(kind: Parametrisation) -> None:
    """Logits and weights with a mask are those of the shorter sequence."""
    model = AttentionCircuits(circuits(kind, "distinct")).at_random(0.7)
    few = model.population
    mask = torch.ones_like(few.distinct)
    mask[:, 1] = False
    kept = [i for i in range(mask.shape[1]) if i != 1]
    shorter = model(few.inputs[:, kept], few.asked)
    assert torch.allclose(model(few.inputs, few.asked, mask), shorter)
    weights = model.weights(few.inputs, few.asked, mask)
    assert weights[:, 1].eq(0).all()
    assert torch.allclose(weights.sum(1), torch.ones((), dtype=torch.float64))


@pytest.mark.parametrize("kind", KINDS)
def test_rotations_of_the_embeddings_change_nothing(kind: Parametrisation) -> None:
    """From the manifold, one gradient leads to the same α and β in any basis, and one-hot."""
    asked, ends = circuits(kind, "queries", uneven=True), []
    for population in (
        Population.of(asked.data, rotated=False),
        Population.of(asked.data, seed=1),
        Population.of(asked.data, seed=2),
    ):
        model = AttentionCircuits(asked, population=population).on_manifold(0.8, 0.4)
        field = model.velocity()
        model.set_vector(model.vector() + field(0.0, model.vector()))
        found = model.scalars()
        ends.append((found.alpha, found.beta))
        assert found.residual < 1e-13
    assert ends[1] == pytest.approx(ends[0], abs=1e-13)
    assert ends[2] == pytest.approx(ends[0], abs=1e-13)


def test_the_flow_moves_by_the_rate_of_each_circuit() -> None:
    """θ' = -η ∂L/∂θ, the rate of QK for key and query and that of OV for output and value."""
    model = AttentionCircuits(circuits(Parametrisation.FAFO, "queries")).at_random(0.5)
    _, found = model.gradients()
    expected = [-found[name] * rate for name, rate in (
        ("key", 2.0), ("query", 2.0), ("output", 0.5), ("value", 0.5))]  # fmt: skip
    vector = model.vector()
    assert torch.equal(model.velocity()(0.0, vector), torch.cat([e.flatten() for e in expected]))


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_logits_keep_their_sum(kind: Parametrisation) -> None:
    """The gradient in W_OV is orthogonal to 1 wᵀ, and no common token gets a value, from anywhere
    on the manifold."""
    model = AttentionCircuits(circuits(kind, "distinct")).on_manifold(0.5, 0.7)
    field = model.velocity()
    model.set_vector(model.vector() + 0.3 * field(0.0, model.vector()))
    assert model.w_ov.sum(0).abs().max().item() < 1e-15
    common = model.population.embeddings[15:]
    assert (model.w_ov @ common.T).abs().max().item() < 1e-15


def test_directions() -> None:
    """U has K-1 singular values √r, and n̂ and q̂ are unit vectors at an angle that is known."""
    data = Data(5, 3, 4, 2)
    rays = Directions.of(data, Population.of(data).embeddings)
    values = torch.linalg.svdvals(rays.value)
    assert values.tolist() == pytest.approx([math.sqrt(3)] * 4 + [0], abs=1e-12)
    assert rays.key.norm().item() == pytest.approx(1)
    assert rays.query.norm().item() == pytest.approx(1)
    nu = 1 / 15 + 1 / 4
    assert (rays.key @ rays.query).item() == pytest.approx(-math.sqrt(2) / 4 / math.sqrt(nu))


def test_random_starts_repeat() -> None:
    """One seed gives one start, with entries of the deviation that was asked for."""
    asked = Circuits(Parametrisation.CACO, Data(5, 3, 8, 1))
    one, same, other = (
        AttentionCircuits(asked, seed=seed).at_random(0.01).vector() for seed in (4, 4, 5)
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert one.std().item() == pytest.approx(0.01, rel=0.1)


@pytest.mark.parametrize("setting", SETTINGS)
def test_widths(setting: str) -> None:
    """One row of d_h and K-1 columns of d_v are enough: the gradient in α and β is the same."""
    asked, ends = circuits(Parametrisation.FAFO, setting), []
    classes = int(asked.data.classes)
    for head, value in ((1, classes - 1), (4, classes), (9, 11)):
        model = AttentionCircuits(asked, head_width=head, value_width=value)
        model.on_manifold(*start(Parametrisation.FAFO))
        model.set_vector(model.vector() + model.velocity()(0.0, model.vector()))
        ends.append((model.scalars().alpha, model.scalars().beta))
    assert ends[1] == pytest.approx(ends[0], abs=1e-13)
    assert ends[2] == pytest.approx(ends[0], abs=1e-13)


def test_messages() -> None:
    """What was given, what is needed."""
    with pytest.raises(ParameterError, match=r"classes is K, and a model needs a number; give Dat"):
        AttentionCircuits(Circuits(Parametrisation.CACO, Data()))
    two = Circuits(Parametrisation.FAFO, Data(4, 1, 2, 1))
    with pytest.raises(ParameterError, match="value_width is 2, and U has rank 3; give 3 or more"):
        AttentionCircuits(two, value_width=2).on_manifold(1, 1)
    with pytest.raises(ParameterError, match="head_width is 0; give 1 or more"):
        AttentionCircuits(two, head_width=0)
    more = AttentionCircuits(two, population=replace(Population.of(two.data), outputs=6))
    with pytest.raises(ParameterError, match="there are 6 outputs for 4 classes, and the manifold"):
        more.on_manifold(1, 1)
    with pytest.raises(ParameterError, match="eta_qk is eta, and a model needs a number"):
        AttentionCircuits(Circuits(Parametrisation.CACO, two.data, eta_qk=Symbol("eta")))
