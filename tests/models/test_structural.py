"""The structural relation of models of transformers, against what their configuration promises."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("torch", reason="the probe needs the extra torch")

import torch
from torch import Tensor
from torch.nn.attention import flex_attention as flex

from attnproof.numeric.probe.relation import EmptySoftmax, StructuralRelation
from attnproof.numeric.probe.structural import structural
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.schedule import product

transformers = pytest.importorskip("transformers", reason="needs the extra hf")

Rows = tuple[int, ...]
N, ENCODER, DECODER, VOCABULARY = 11, 7, 5, 24
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 96,
}
TOKENS: dict[str, Any] = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
HEADS: dict[str, Any] = {"num_key_value_heads": 1, "head_dim": 4}
SCAN: dict[str, Any] = {
    "hidden_size": 8,
    "state_size": 4,
    "num_hidden_layers": 2,
    "vocab_size": VOCABULARY,
}
HYBRID: dict[str, Any] = {
    "mamba_n_heads": 4,
    "mamba_d_head": 4,
    "mamba_n_groups": 1,
    "mamba_d_state": 4,
    "mamba_chunk_size": 4,
    "num_key_value_heads": 1,
}


def causal(n: int) -> Rows:
    return tuple((2 << q) - 1 for q in range(n))


def window(n: int, keys: int) -> Rows:
    return tuple((2 << q) - (1 << max(0, q - keys + 1)) for q in range(n))


def full(n: int) -> Rows:
    return ((1 << n) - 1,) * n


def tokens(n: int) -> Tensor:
    """Token ids; none is the padding token."""
    return torch.randint(3, VOCABULARY, (1, n))


def alone(n: int = N) -> dict[str, Any]:
    return {"input_ids": tokens(n), "use_cache": False}


def pair() -> dict[str, Any]:
    return {"input_ids": tokens(ENCODER), "decoder_input_ids": tokens(DECODER), "use_cache": False}


def model_of(name: str, config: str, **settings: Any) -> Any:
    """A model with random weights."""
    torch.manual_seed(0)
    return getattr(transformers, name)(getattr(transformers, config)(**settings)).eval()


@dataclass(frozen=True)
class Case:
    """A model, its inputs, and the relations that its configuration promises."""

    id: str
    build: Callable[[], Any]
    expected: Rows
    inputs: Callable[[], dict[str, Any]] = alone
    #: Relations of modules, by name.
    modules: dict[str, Rows] = field(default_factory=dict)


def case(
    id: str, name: str, config: str, expected: Rows, modules: dict[str, Rows] | None = None,
    inputs: Callable[[], dict[str, Any]] = alone, **settings: Any,
) -> Case:  # fmt: skip
    return Case(id, lambda: model_of(name, config, **settings), expected, inputs, modules or {})


CASES = [
    case(
        "gpt2", "GPT2LMHeadModel", "GPT2Config", causal(N), vocab_size=VOCABULARY, n_embd=8,
        n_head=2, n_layer=2, n_positions=64, bos_token_id=1, eos_token_id=2,
    ),
    case("llama", "LlamaForCausalLM", "LlamaConfig", causal(N), **SIZES, **TOKENS),
    case(
        "llama, added finite mask", "LlamaForCausalLM", "LlamaConfig", causal(N),
        attn_implementation="eager", **SIZES, **TOKENS,
    ),
    case(
        "llama, more than a word", "LlamaForCausalLM", "LlamaConfig", causal(70),
        inputs=lambda: alone(70), **SIZES, **TOKENS,
    ),
    case(
        "mistral", "MistralForCausalLM", "MistralConfig", window(N, 5),
        {"model.layers.0": window(N, 3), "model.layers.1": window(N, 5)},
        sliding_window=3, **SIZES, **TOKENS, **HEADS,
    ),
    case(
        "gemma 3", "Gemma3ForCausalLM", "Gemma3TextConfig", causal(N),
        {"model.layers.0": window(N, 3), "model.layers.1": causal(N)}, sliding_window=3,
        layer_types=["sliding_attention", "full_attention"], **SIZES, **TOKENS, **HEADS,
    ),
    case(
        "gemma 3, sliding only", "Gemma3ForCausalLM", "Gemma3TextConfig", window(N, 5),
        sliding_window=3, layer_types=["sliding_attention"] * 2, **SIZES, **TOKENS, **HEADS,
    ),
    case(
        "bert", "BertModel", "BertConfig", full(N), inputs=lambda: {"input_ids": tokens(N)},
        **SIZES, **TOKENS,
    ),
    case(
        "t5", "T5ForConditionalGeneration", "T5Config",
        tuple(full(ENCODER)[0] | row << ENCODER for row in causal(DECODER)),
        {"encoder": full(ENCODER)}, inputs=pair, vocab_size=VOCABULARY, d_model=8, d_kv=4, d_ff=12,
        num_layers=1, num_decoder_layers=2, num_heads=2, pad_token_id=0, eos_token_id=1,
        decoder_start_token_id=0,
    ),
    case(
        "mamba", "MambaForCausalLM", "MambaConfig", causal(N), {"backbone.layers.0": causal(N)},
        **SCAN, **TOKENS,
    ),
    *(
        case(
            f"mamba 2, chunks of {chunk}", "Mamba2ForCausalLM", "Mamba2Config", causal(N),
            chunk_size=chunk, num_heads=4, head_dim=4, n_groups=1, **SCAN, **TOKENS,
        )
        for chunk in (4, 5, 64)
    ),
    case(
        "bamba", "BambaForCausalLM", "BambaConfig", causal(N), attn_layer_indices=[1],
        **SIZES, **TOKENS, **HYBRID,
    ),
    case(
        "falcon h1", "FalconH1ForCausalLM", "FalconH1Config", causal(N), head_dim=4,
        mamba_d_ssm=16, **SIZES, **TOKENS, **HYBRID,
    ),
    case(
        "zamba 2", "Zamba2ForCausalLM", "Zamba2Config", causal(N), num_key_value_heads=2,
        mamba_d_state=4, n_mamba_heads=4, mamba_headdim=4, mamba_ngroups=1, chunk_size=4,
        layers_block_type=["mamba", "hybrid"], num_mem_blocks=1, attention_head_dim=8,
        **SIZES, **TOKENS,
    ),
]  # fmt: skip


def measured(model: Any, given: dict[str, Any], names: Sequence[str]) -> Rows:
    """The output positions whose first output is another number when one token is another."""
    rows: list[int] = []
    place = 0
    with torch.no_grad():
        before = model(**given)[0]
        rows = [0] * before.shape[1]
        for name in names:
            for k in range(given[name].shape[1]):
                changed = given[name].clone()
                changed[0, k] = 3 + (changed[0, k] - 2) % (VOCABULARY - 3)
                differs = (model(**{**given, name: changed})[0] != before).any(-1)[0]
                for q in differs.nonzero().reshape(-1).tolist():
                    rows[q] |= 1 << place
                place += 1
    return tuple(rows)


def rows_of(found: StructuralRelation) -> Rows:
    return tuple(found.relation.rows.bits())


@pytest.mark.parametrize("given", CASES, ids=lambda given: given.id)
def test_models_have_the_relation_they_promise(given: Case) -> None:
    """For all weights and tokens, with every operator followed; changed tokens show no more."""
    model, inputs = given.build(), given.inputs()
    found = structural(model, inputs)
    assert rows_of(found) == given.expected
    for name, rows in given.modules.items():
        (call,) = (each for each in found.modules if each.module == name)
        assert tuple(call.relation.rows.bits()) == rows
    assert found.unconditional
    assert found.united == ()
    assert found.unregistered == ()
    assert found.masked_rows == ()
    if len(given.expected) < 64:
        ids = [name for name in inputs if name.endswith("input_ids")]
        assert measured(model, inputs, ids) == given.expected


def test_xlnet_two_streams() -> None:
    """A target reads the content of positions before it in the order, never its own."""
    order, targets = [3, 0, 7, 1, 9, 5, 2, 10, 8, 4, 6], (2, 7, 3)
    blocks = torch.tensor([[[float(j >= i) for j in order] for i in order]])
    mapping = torch.zeros(1, len(targets), N)
    for row, target in enumerate(targets):
        mapping[0, row, target] = 1.0
    model = model_of(
        "XLNetLMHeadModel", "XLNetConfig", vocab_size=VOCABULARY, d_model=8, n_layer=2, n_head=2,
        d_inner=12,
    )  # fmt: skip
    inputs = {"input_ids": tokens(N), "perm_mask": blocks, "target_mapping": mapping}
    found = structural(model, inputs, constants=["perm_mask", "target_mapping"])
    before = tuple(sum(1 << k for k in range(N) if order[k] < order[q]) for q in range(N))
    content = tuple(row | 1 << q for q, row in enumerate(before))
    expected = product(before, content)
    assert rows_of(found) == tuple(expected[target] for target in targets)
    assert found.weakest == pytest.approx(1e30)
    assert measured(model, inputs, ["input_ids"]) == rows_of(found)


@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
def test_left_padding(kernel: str) -> None:
    """Live rows are causal and read no padding; an added finite mask makes padding rows uniform."""
    model = model_of(
        "LlamaForCausalLM", "LlamaConfig", attn_implementation=kernel, **SIZES, **TOKENS
    )
    kept = torch.tensor([[0] * 3 + [1] * (N - 3)])
    found = structural(model, {**alone(), "attention_mask": kept}, constants=["attention_mask"])
    own = 0b111
    assert rows_of(found)[3:] == tuple(row & ~own for row in causal(N)[3:])
    everything = (1 << N) - 1
    padding = {"eager": (everything,) * 3, "sdpa": (1, 2, 4)}[kernel]
    assert rows_of(found)[:3] == padding
    becomes = {"eager": EmptySoftmax.UNIFORM, "sdpa": EmptySoftmax.ZERO}[kernel]
    assert {rows.becomes for rows in found.masked_rows} == {becomes}


def test_flex_attention_is_followed() -> None:
    """A block mask of FlexAttention is a mask like any other."""
    block_mask = flex.create_block_mask(
        lambda b, h, q, k: (q >= k) & (q - k < 3), None, None, N, N, device="cpu", BLOCK_SIZE=2
    )

    def attend(x: Tensor) -> Any:
        return flex.flex_attention(x, x, x, block_mask=block_mask)

    found = structural(attend, torch.randn(1, 1, N, 16), positions={0: 2}, output_axis=2)
    assert rows_of(found) == window(N, 3)
    assert found.unconditional


def test_strict_inf_rejects_an_added_finite_mask() -> None:
    """Without a bound on scores the eager kernel has no causal mask; the sdpa kernel has one."""
    for kernel, expected in (("eager", full(N)), ("sdpa", causal(N))):
        model = model_of(
            "LlamaForCausalLM", "LlamaConfig", attn_implementation=kernel, **SIZES, **TOKENS
        )
        assert rows_of(structural(model, alone(), strict_inf=True)) == expected


def test_the_module_with_the_wrong_mask_is_named() -> None:
    """A mask that lets one query read ahead shows first in the attention of the first layer."""
    model = model_of("LlamaForCausalLM", "LlamaConfig", **SIZES, **TOKENS)
    mask = torch.ones(N, N, dtype=torch.bool).tril()
    mask[2, 5] = True
    found = structural(
        model, {**alone(), "attention_mask": mask[None, None]}, constants=["attention_mask"]
    )
    origin = found.first_outside(Mask.of(Bits(causal(N), N)))
    assert origin is not None
    assert (origin.module, origin.operator) == ("model.layers.0.self_attn", "bmm")
    assert origin.pairs == ((2, 5),)
