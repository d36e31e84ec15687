"""Masks that transformers makes from a config, as its models call it, for each kind of kernel."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch", reason="these are objects of torch: install the extra torch")

import torch
from torch.nn.attention import flex_attention as flex

import attnproof as ap
from attnproof.source import Reading, read
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.verdict import Verdict

transformers = pytest.importorskip("transformers", reason="needs the extra hf")

Pairs = set[tuple[int, int]]
N = 8
PADS = (2, 0)
ATTENTION = torch.tensor([[k >= pad for k in range(N)] for pad in PADS]).long()
CONFIG = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 8}


@pytest.fixture
def masking(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The mask builders of transformers; block masks are made without compiling."""
    module = pytest.importorskip("transformers.masking_utils", reason="needs the extra hf")
    plain = functools.partial(flex.create_block_mask, BLOCK_SIZE=4)
    monkeypatch.setattr(module, "create_block_mask", lambda _compile, **given: plain(**given))
    return module


def config(kernel: str, **more: Any) -> Any:
    """A config of a small model that runs this kernel."""
    made = transformers.LlamaConfig(**CONFIG)
    made.update(more)
    made._attn_implementation = kernel
    return made


def pairs_of(reading: Reading, batch: int = 0) -> Pairs:
    """The pairs (query, key) of a batch element."""
    (mask,) = (mask for indices, mask in reading.masks if batch in indices)
    return {(q, k) for q in range(mask.queries) for k in range(mask.keys) if mask[q, k]}


RULES: list[tuple[str, dict[str, Any], Callable[[int, int, int], bool]]] = [
    ("create_causal_mask", {}, lambda q, k, pad: True),
    ("create_sliding_window_causal_mask", {"sliding_window": 3}, lambda q, k, pad: q - k < 3),
    (
        "create_chunked_causal_mask",
        {"attention_chunk_size": 4},
        lambda q, k, pad: (q - pad) // 4 == (k - pad) // 4,
    ),
]


@pytest.mark.parametrize("kernel", ["eager", "sdpa", "flex_attention"])
@pytest.mark.parametrize(("builder", "settings", "defined"), RULES, ids=[x[0] for x in RULES])
def test_left_padded_batches(
    masking: Any,
    builder: str,
    settings: dict[str, Any],
    defined: Callable[[int, int, int], bool],
    kernel: str,
) -> None:
    """Each batch element has its own mask: causal, no padding, the window or chunk of its tokens.

    A padding query reads nothing, or everything where its biases are all the finite minimum.
    """
    made = getattr(masking, builder)(
        config(kernel, **settings), torch.zeros(2, N, 8), ATTENTION, None
    )
    reading = read(made)
    assert reading.encoding == ("additive" if kernel == "eager" else "attend")
    for batch, pad in enumerate(PADS):
        expected = {(q, k) for q in range(N) for k in range(pad, q + 1) if defined(q, k, pad)}
        if kernel == "eager":
            expected |= {(q, k) for q in range(pad) for k in range(N)}
        assert pairs_of(reading, batch) == expected
    report = ap.verify(made, causal=True)
    first = Verdict.FAILS if kernel == "eager" else Verdict.HOLDS
    assert report.verdict is first
    verdicts = {each.batch: each.verdict for each in (report, *report.others)}
    assert verdicts == {(0,): first, (1,): Verdict.HOLDS}


def test_named_masks_are_those_of_transformers(masking: Any) -> None:
    """``padded`` and ``chunked`` with the files a batch comes with are the masks of the models."""
    embeds = torch.zeros(2, N, 8)
    positions = (ATTENTION.cumsum(-1) - 1).masked_fill(ATTENTION == 0, 1)
    named: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
        ("create_causal_mask", "padded", {}, {}),
        (
            "create_chunked_causal_mask",
            "chunked",
            {"attention_chunk_size": 4},
            {"chunk": 4, "positions": positions},
        ),
    ]
    for builder, name, settings, params in named:
        made = getattr(masking, builder)(config("sdpa", **settings), embeds, ATTENTION, None)
        known = read(name, params={"attention_mask": ATTENTION, **params})
        assert [mask for _, mask in known.masks] == [mask for _, mask in read(made).masks]
    both_ways = masking.create_bidirectional_mask(config("sdpa"), embeds, ATTENTION)
    known = read("padded", params={"attention_mask": ATTENTION, "causal": False})
    padding = read(ATTENTION, layout="b k")
    assert [m for _, m in known.masks] == [m for _, m in read(both_ways).masks]
    assert [m for _, m in known.masks] == [m for _, m in padding.masks]


def test_the_two_axes_of_flash_attention_are_padding(masking: Any) -> None:
    """FlashAttention gets the attention_mask (b, k) itself, which is no mask (q, k)."""
    made = masking.create_causal_mask(
        config("flash_attention_2"), torch.zeros(2, N, 8), ATTENTION, None
    )
    with pytest.raises(InputError, match=r'--layout "b k" when each row is the padding of a batch'):
        read(made)
    reading = read(made, layout="b k")
    assert pairs_of(reading, 0) == {(q, k) for q in range(N) for k in range(2, N)}
    assert 'the layout "b k" has no query axis: every query reads the same keys' in reading.comments


def test_packed_sequences_are_found_from_position_ids(masking: Any) -> None:
    """Position ids that start again are documents, for transformers and for ``documents``."""
    positions = torch.tensor([[0, 1, 2, 0, 1, 0, 1, 2], [0, 1, 2, 3, 4, 5, 6, 0]])
    made = masking.create_causal_mask(
        config("sdpa"), torch.zeros(2, N, 8), None, None, position_ids=positions
    )
    known = read("documents", params={"positions": positions})
    assert [mask for _, mask in read(made).masks] == [mask for _, mask in known.masks]
    starts = read("cu_seqlens", params={"cu_seqlens": [[0, 3, 5, 8], [0, 7, 7, 8]]})
    assert known.masks == starts.masks


def test_composed_mask_functions(masking: Any) -> None:
    """Overlays, unions and intersections of rules are rules, per batch element."""
    images = torch.tensor([[-1, 0, 0, -1, -1, 1, 1, -1], [-1] * N])
    packed = torch.tensor([[0] * N, [0, 0, 0, 1, 1, 1, 1, 1]])
    rule = masking.and_masks(
        masking.or_masks(
            masking.and_masks(masking.causal_mask_function, masking.sliding_window_overlay(3)),
            masking.blockwise_overlay(images),
        ),
        masking.packed_sequence_mask_function(packed),
        masking.padding_mask_function(ATTENTION.bool()),
    )
    reading = read(rule, n=N, batches=2)
    for batch in range(2):
        image, pack = images[batch].tolist(), packed[batch].tolist()
        assert pairs_of(reading, batch) == {
            (q, k)
            for q in range(N)
            for k in range(PADS[batch], N)
            if (k <= q < k + 3 or image[q] == image[k] >= 0) and pack[q] == pack[k]
        }
    assert reading.notes == ()


def test_a_mask_that_is_none_names_the_mask_that_runs(masking: Any) -> None:
    """None is is_causal for a causal model and nothing masked for a bidirectional one."""
    embeds = torch.zeros(1, N, 8)
    for made in (
        masking.create_causal_mask(config("sdpa"), embeds, None, None),
        masking.create_bidirectional_mask(config("sdpa"), embeds, None),
    ):
        assert made is None
        with pytest.raises(InputError) as caught:
            read(made)
        assert "causal where is_causal=True, full where nothing is masked" in str(caught.value)
    kept = masking.create_causal_mask(
        config("sdpa"), embeds, None, None, allow_is_causal_skip=False
    )
    assert read(kept).masks == read("causal", n=N).masks


def test_a_mask_for_each_kind_of_layer(masking: Any) -> None:
    """A dictionary of masks is refused by the names in it; its masks make a schedule."""
    hybrid = config("eager", sliding_window=3, layer_types=["full_attention", "sliding_attention"])
    made = masking.create_masks_for_generate(hybrid, torch.zeros(1, N, 8), None, None)
    with pytest.raises(InputError) as caught:
        read(made)
    message = str(caught.value)
    assert "dict holds several masks (" in message
    assert "sliding_attention" in message
    assert "per_layer" in message
    layers = made["sliding_attention"], made["full_attention"]
    assert ap.verify(*layers, per_layer=True, causal=True).verdict is Verdict.HOLDS


@pytest.mark.parametrize("kernel", ["eager", "sdpa", "flex_attention"])
def test_new_queries_against_a_static_cache(masking: Any, kernel: str) -> None:
    """Two tokens behind three cached ones, in a cache of 8 slots: rows 3 and 4 of the causal mask.

    The mask has every slot as a key; those behind the queries are read by nobody.
    """
    model = config(kernel, head_dim=4, num_key_value_heads=2)
    cache = transformers.StaticCache(config=model, max_cache_len=N)
    states = torch.zeros(1, 2, 3, 4)
    cache.update(states, states, 0)
    made = masking.create_causal_mask(model, torch.zeros(1, 2, 8), None, cache)
    reading = read(made, q_offset=3)
    mask = reading.masks[0][1]
    assert (mask.queries, mask.keys, mask.offset) == (2, N, 3)
    assert {(3 + q, k) for q, k in pairs_of(reading)} == {
        (q, k) for q in (3, 4) for k in range(q + 1)
    }
    assert (
        read(masking.causal_mask_function, n=5, q_offset=3).masks[0][1]
        == (read("causal", n=5, q_offset=3).masks[0][1])
    )
