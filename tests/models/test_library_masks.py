"""Masks that torch and transformers make themselves, read and compared with plain definitions."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch", reason="these are objects of torch: install the extra torch")

import torch
from torch.nn.attention import flex_attention as flex

from attnproof.source import Reading, read
from attnproof.symbolic.errors import InputError

Pairs = set[tuple[int, int]]
N = 6


def pairs_of(reading: Reading, index: int = 0) -> Pairs:
    """The pairs (query, key) of one distinct mask."""
    mask = reading.masks[index][1]
    return {(q, k) for q in range(mask.queries) for k in range(mask.keys) if mask[q, k]}


def pairs_where(reads: Callable[[int, int], bool], n: int = N) -> Pairs:
    """The pairs of a definition in plain Python."""
    return {(q, k) for q in range(n) for k in range(n) if reads(q, k)}


CAUSAL = pairs_where(lambda q, k: k <= q)


@pytest.fixture(scope="module")
def masking() -> Any:
    """The mask builders of transformers."""
    return pytest.importorskip(
        "transformers.masking_utils", reason="these are masks of transformers: install the extra hf"
    )


def test_generate_square_subsequent_mask() -> None:
    """nn.Transformer's mask is additive, with -inf above the diagonal."""
    reading = read(torch.nn.Transformer.generate_square_subsequent_mask(N))
    assert (pairs_of(reading), reading.encoding) == (CAUSAL, "additive")
    assert reading.comments == ("decoded as additive by the row-maximum rule; only -inf blocks",)


def test_scaled_dot_product_and_multihead_attention_have_opposite_signs() -> None:
    """SDPA reads where a Boolean is true, MultiheadAttention where it is false: so do we.

    An input is read exactly where the output's gradient by it is not zero.
    """
    torch.manual_seed(0)
    mask = torch.rand(N, N) < 0.5
    mask |= torch.eye(N, dtype=torch.bool)
    value = torch.randn(1, N, 4, requires_grad=True)
    query = torch.randn(1, N, 4)
    attend = torch.nn.functional.scaled_dot_product_attention(query, query, value, attn_mask=mask)
    assert depends(attend, value) == pairs_of(read(mask))
    block = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    out, _ = block(query, query, value, attn_mask=~mask, need_weights=False)
    assert depends(out, value) == pairs_of(read(~mask, encoding="block"))


def test_a_row_of_finite_minima_is_uniform_in_torch_too() -> None:
    """B20: SDPA averages all values where a row is finfo.min, and returns 0 where it is -inf."""
    value = torch.randn(1, N, 4, requires_grad=True)
    for constant in (torch.finfo(torch.float32).min, -torch.inf):
        bias = torch.zeros(N, N).masked_fill(torch.ones(N, N).triu(1).bool(), constant)
        bias[0] = constant
        out = torch.nn.functional.scaled_dot_product_attention(value, value, value, attn_mask=bias)
        assert depends(out, value) >= {(q, k) for q, k in pairs_of(read(bias)) if q}
        row = {k for q, k in pairs_of(read(bias)) if q == 0}
        assert row == (set(range(N)) if constant > -torch.inf else set())
        average = out[0, 0].allclose(value.mean(1)[0], atol=1e-5)
        assert average == bool(row)


def depends(out: Any, value: Any) -> Pairs:
    """The pairs (query, key) where an output row has a gradient by an input row."""
    found = set()
    for q in range(N):
        (gradient,) = torch.autograd.grad(out[0, q].sum(), value, retain_graph=True)
        found |= {(q, k) for k in range(N) if gradient[0, k].abs().max() > 1e-7}
    return found


def test_create_block_mask_and_create_mask() -> None:
    """FlexAttention's own dense mask of a rule, its BlockMask and the rule are one mask."""
    ids = torch.tensor([0, 0, 1, 1, 1, 2])

    def documents(b: Any, h: Any, q: Any, k: Any) -> Any:
        return ids[q] == ids[k]

    def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
        return q >= k

    rule = flex.and_masks(documents, causal)
    either = flex.or_masks(rule, lambda b, h, q, k: k == 0)
    for each in (rule, either):
        dense = flex.create_mask(each, 1, 1, N, N, device="cpu")
        block = flex.create_block_mask(each, 1, 1, N, N, device="cpu", BLOCK_SIZE=2)
        assert pairs_of(read(each, n=N)) == pairs_of(read(dense)) == pairs_of(read(block))
        assert read(block).notes == ()
    spans = ({0, 1}, {2, 3, 4}, {5})
    assert pairs_of(read(rule, n=N)) == {(q, k) for s in spans for q in s for k in s if k <= q}


def test_a_score_mod_runs_as_flex_attention_runs_it() -> None:
    """Where a score_mod returns -inf, FlexAttention's output has no gradient."""

    def window(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
        return torch.where((q >= k) & (q - k < 3), score - 0.1 * (q - k), -float("inf"))

    reading = read(window, n=N)
    assert pairs_of(reading) == pairs_where(lambda q, k: k <= q < k + 3)
    dense = flex.create_mask(window, 1, 1, N, N, device="cpu")
    assert pairs_of(reading) == pairs_of(read(dense))


def test_mask_functions_of_transformers(masking: Any) -> None:
    """The rules of transformers: strict causal windows, inclusive two-sided ones, chunks."""
    rules: list[tuple[Any, Callable[[int, int], bool]]] = [
        (masking.causal_mask_function, lambda q, k: k <= q),
        (masking.sliding_window_causal_mask_function(3), lambda q, k: k <= q < k + 3),
        (masking.sliding_window_bidirectional_mask_function(2), lambda q, k: abs(q - k) <= 2),
        (
            masking.chunked_causal_mask_function(2, torch.zeros(1).long()),
            lambda q, k: q // 2 == k // 2 and k <= q,
        ),
        (
            masking.and_masks(
                masking.causal_mask_function,
                masking.packed_sequence_mask_function(torch.tensor([[0, 0, 0, 1, 1, 1]])),
            ),
            lambda q, k: q // 3 == k // 3 and k <= q,
        ),
    ]
    for rule, defined in rules:
        block = flex.create_block_mask(rule, 1, 1, N, N, device="cpu", BLOCK_SIZE=4)
        for reading in (read(rule, n=N), read(block)):
            assert pairs_of(reading) == pairs_where(defined)
            assert reading.notes == ()


def test_eager_and_sdpa_masks_of_transformers(masking: Any) -> None:
    """Left padding: an empty row in Booleans is a uniform row in finite minima."""
    attention = torch.tensor([[0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]).bool()
    sizes = {"batch_size": 2, "q_length": N, "kv_length": N, "attention_mask": attention}
    as_boolean = read(masking.sdpa_mask(**sizes, allow_is_causal_skip=False))
    as_bias = read(masking.eager_mask(**sizes))
    assert [indices for indices, _ in as_boolean.masks] == [(0,), (1,)]
    assert (as_boolean.encoding, as_bias.encoding) == ("attend", "additive")
    padded = {(q, k) for q, k in CAUSAL if k >= 2}
    assert pairs_of(as_bias, 1) == pairs_of(as_boolean, 1) == CAUSAL
    assert pairs_of(as_boolean, 0) >= padded
    real = {(q, k) for q, k in pairs_of(as_bias, 0) if q >= 2}
    assert real == padded


def test_create_causal_mask_of_a_config(masking: Any) -> None:
    """create_causal_mask is additive for eager attention, None where SDPA has is_causal."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        hidden_size=8, num_attention_heads=2, num_hidden_layers=1, vocab_size=8
    )
    embeds = torch.zeros(1, N, 8)
    config._attn_implementation = "eager"
    reading = read(masking.create_causal_mask(config, embeds, torch.ones(1, N).long(), None))
    assert (pairs_of(reading), reading.encoding) == (CAUSAL, "additive")
    config._attn_implementation = "sdpa"
    made = masking.create_causal_mask(config, embeds, None, None)
    assert made is None
    with pytest.raises(InputError, match="the mask is None, which libraries pass where"):
        read(made)
    kept = masking.create_causal_mask(config, embeds, None, None, allow_is_causal_skip=False)
    assert pairs_of(read(kept)) == CAUSAL


def test_a_cached_step_of_transformers_is_a_rectangle(masking: Any) -> None:
    """Two new queries behind four cached keys need their offset and are lifted by it."""
    made = masking.sdpa_mask(
        batch_size=1, q_length=2, kv_length=N, q_offset=4, allow_is_causal_skip=False
    )
    with pytest.raises(InputError, match="2 queries, 6 keys: say --q-offset"):
        read(made)
    mask = read(made, q_offset=4).masks[0][1]
    assert {(4 + q, k) for q in range(2) for k in range(N) if mask[q, k]} == {
        (q, k) for q, k in CAUSAL if q >= 4
    }
