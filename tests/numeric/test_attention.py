"""Laws of attention: one value whatever the backend, exact ties, exact multiplicity, empty rows."""

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnproof.numeric.attention import (
    Backend,
    Blocking,
    hardmax_attention,
    log_multiplicity,
    native_attention,
    softmax_attention,
)
from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.setting import EmptyRow
from tests.laws.strategies import Rows, rows
from tests.numeric.networks import close, normal, tensor_of

seeds = st.integers(0, 1000)


@st.composite
def problems(draw: st.DrawFn, most: int = 6) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Query, key and value of two batch elements and two heads, a mask of any rank, a bias."""
    n, seed = draw(st.integers(2, most)), draw(seeds)
    relation: Rows = draw(rows(n))
    mask = tensor_of(relation)
    several = torch.stack([mask, mask.T])
    shaped = draw(st.sampled_from([mask, several, torch.stack([several, ~several])]))
    query, key = normal(2, 2, n, 3, seed=seed), normal(2, 2, n, 3, seed=seed + 1)
    return query, key, normal(2, 2, n, 4, seed=seed + 2), shaped, normal(n, n, seed=seed + 3)


def by_hand(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, bias: Tensor) -> Tensor:
    """Attention written out, one query and one key at a time; empty rows are zero."""
    b, h, n, d = query.shape
    found = torch.zeros(*query.shape[:3], value.shape[3], dtype=query.dtype)
    full = mask.expand(b, h, n, n)
    for i, j, q in ((i, j, q) for i in range(b) for j in range(h) for q in range(n)):
        weights = {
            k: math.exp(float(query[i, j, q] @ key[i, j, k]) / math.sqrt(d) + float(bias[q, k]))
            for k in range(n)
            if full[i, j, q, k]
        }
        for k, weight in weights.items():
            found[i, j, q] += weight / sum(weights.values()) * value[i, j, k]
    return found


@pytest.mark.usefixtures("untraced")
@settings(max_examples=12)
@given(problems())
def test_every_backend_computes_attention(
    problem: tuple[Tensor, Tensor, Tensor, Tensor, Tensor],
) -> None:
    """Masks of every rank, a bias, empty rows: all backends return what the definition says."""
    query, key, value, mask, bias = problem
    expected = by_hand(query, key, value, mask, bias)
    none = by_hand(query, key, value, torch.ones_like(mask), bias)
    for backend in Backend:
        found = softmax_attention(query, key, value, mask, bias=bias, backend=backend)
        assert close(found, expected)
        assert close(softmax_attention(query, key, value, bias=bias, backend=backend), none)


@settings(max_examples=25)
@given(problems())
def test_backends_as_they_are_differ_only_in_empty_rows(
    problem: tuple[Tensor, Tensor, Tensor, Tensor, Tensor],
) -> None:
    """Where a query reads something, every way of blocking the others gives the same values."""
    query, key, value, mask, bias = problem
    expected = by_hand(query, key, value, mask, bias)
    reading = mask.any(-1).expand(query.shape[:3])
    for backend in (Backend.PLAIN, Backend.SDPA):
        for blocking in Blocking:
            found = native_attention(
                query, key, value, mask, bias=bias, backend=backend, blocking=blocking
            )
            assert close(found[reading], expected[reading])


def test_flex_traced_and_untraced(monkeypatch: pytest.MonkeyPatch) -> None:
    """The public call, which torch traces, and the switch that the other tests set agree."""
    from torch.nn.attention import flex_attention

    query, mask = normal(2, 2, 3, 4), torch.tensor([[1, 0, 0], [0, 0, 0], [1, 1, 1]]).bool()
    found = []
    for untraced in (False, True):
        monkeypatch.setattr(flex_attention, "_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG", untraced)
        found.append(softmax_attention(query, query, query, mask, backend=Backend.FLEX))
    assert close(found[0], found[1])


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("backend", Backend)
def test_rows_that_read_nothing(backend: Backend) -> None:
    """Zero, NaN or the mean of all values, as told, whatever the backend does by itself."""
    query, value = normal(1, 2, 3, 4), normal(1, 2, 3, 5, seed=1)
    mask = torch.tensor([[[1, 0, 0], [0, 0, 0], [1, 1, 1]], [[0, 0, 0], [1, 1, 0], [0, 0, 1]]])
    empty = [(0, 0, 1), (0, 1, 0)]
    outputs = {
        convention: softmax_attention(
            query, query, value, mask.bool(), empty_row=convention, backend=backend
        )
        for convention in EmptyRow
    }
    for place in empty:
        assert outputs[EmptyRow.ZERO][place].tolist() == [0.0] * 5
        assert outputs[EmptyRow.NAN][place].isnan().all()
        assert close(outputs[EmptyRow.UNIFORM][place], value[place[:2]].mean(0))
    for output in outputs.values():
        rest = torch.tensor([[(0, h, q) not in empty for q in range(3)] for h in range(2)])
        assert torch.equal(output[0][rest], outputs[EmptyRow.ZERO][0][rest])


@pytest.mark.parametrize("attention", [softmax_attention, hardmax_attention])
@pytest.mark.parametrize("convention", EmptyRow)
def test_gradients_of_empty_rows_are_finite(
    attention: Callable[..., Tensor], convention: EmptyRow
) -> None:
    """An empty row never spoils the gradient of what the other rows read."""
    query = normal(1, 1, 3, 2).requires_grad_()
    mask = torch.tensor([[1, 0, 0], [0, 0, 0], [1, 1, 1]]).bool()
    output = attention(query, query, query, mask, empty_row=convention)
    (gradient,) = torch.autograd.grad(output[:, :, [0, 2]].sum(), query)
    assert gradient.isfinite().all()


@settings(max_examples=25)
@given(st.integers(1, 5), st.lists(st.integers(1, 3), min_size=1, max_size=4), seeds)
def test_a_counted_key_is_that_many_keys(queries: int, counts: list[int], seed: int) -> None:
    """Softmax with the logarithm of multiplicities is softmax over the keys written out."""
    query, key = normal(1, 1, queries, 3, seed=seed), normal(1, 1, len(counts), 3, seed=seed + 1)
    value, often = normal(1, 1, len(counts), 4, seed=seed + 2), torch.tensor(counts)
    bias = log_multiplicity(often.double()).expand(queries, -1)
    copies = [x.repeat_interleave(often, 2) for x in (key, value)]
    for backend in (Backend.PLAIN, Backend.SDPA):
        found = softmax_attention(query, key, value, bias=bias, backend=backend)
        assert close(found, softmax_attention(query, *copies, backend=backend))


def test_doubling_every_key_changes_nothing_unless_the_query_reads_itself() -> None:
    """{a, b} and {a, a, b, b} are one mean; with the query among them they are not, and the bias
    log 2 repairs that."""
    a, b, t = normal(3, 3)
    few, many = torch.stack([a, b, t])[None, None], torch.stack([a, a, b, b, t])[None, None]
    query = few[:, :, 2:]
    twice = log_multiplicity(torch.tensor([[2.0, 2.0, 1.0]], dtype=torch.float64))
    alone = softmax_attention(query, few[:, :, :2], few[:, :, :2])
    assert close(alone, softmax_attention(query, many[:, :, :4], many[:, :, :4]))
    counted = softmax_attention(query, few, few, bias=twice)
    assert close(counted, softmax_attention(query, many, many))
    assert not close(counted, softmax_attention(query, few, few), 1e-3)


@settings(max_examples=25)
@given(st.integers(1, 40), st.integers(1, 12), seeds)
def test_equal_keys_tie_exactly(copies: int, others: int, seed: int) -> None:
    """Copies of the best key share the weight evenly, wherever they stand among other keys."""
    query, best = normal(1, 1, 1, 7, seed=seed), normal(7, seed=seed + 1)
    best = best if best @ query.flatten() > 0 else -best
    order = torch.randperm(copies + others, generator=torch.Generator().manual_seed(seed))
    key = torch.cat([best.expand(copies, 7), -best.expand(others, 7)])[order][None, None]
    value = torch.eye(copies + others, dtype=torch.float64)[None, None]
    weights = hardmax_attention(query, key, value).flatten()
    expected = (order < copies).double() / (order < copies).sum()
    assert torch.equal(weights, expected)


@settings(max_examples=25)
@given(problems())
def test_hardmax_is_the_limit_of_softmax(
    problem: tuple[Tensor, Tensor, Tensor, Tensor, Tensor],
) -> None:
    """At a large scale softmax and hardmax return the same, empty rows included."""
    query, key, value, mask, _ = problem
    soft = softmax_attention(query, key, value, mask, scale=1e9)
    assert close(hardmax_attention(query, key, value, mask), soft, 1e-6)


def test_scale_of_hardmax_does_not_matter_and_bias_does() -> None:
    """Any positive scale has the same maximum; a bias moves it."""
    query, key = normal(1, 1, 2, 3), normal(1, 1, 4, 3, seed=1)
    value = torch.eye(4, dtype=torch.float64)[None, None]
    plain = hardmax_attention(query, key, value)
    assert torch.equal(hardmax_attention(query, key, value, scale=0.125), plain)
    bias = torch.tensor([0.0, 0.0, 100.0, 100.0], dtype=torch.float64).expand(2, 4)
    moved = hardmax_attention(query, key, value, bias=bias)
    assert moved[..., :2].sum() == 0


def test_messages() -> None:
    """What was given, what is needed."""
    x = normal(1, 2, 3, 4)
    with pytest.raises(ShapeError, match=r"the mask is \(3, 4\); for these queries and keys give"):
        softmax_attention(x, x, x, torch.ones(3, 4, dtype=torch.bool))
    with pytest.raises(InputError, match=r"the mask holds torch.float32; give Booleans, true"):
        hardmax_attention(x, x, x, torch.ones(3, 3))
    with pytest.raises(ShapeError, match=r"give \(b, h, q, d\), \(b, h, k, d\) and"):
        softmax_attention(x, x[:, :1], x)
    with pytest.raises(InputError, match=r"a count is 0.0; every key occurs at least once"):
        log_multiplicity(torch.tensor([1.0, 0.0]))
