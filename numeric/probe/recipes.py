"""Recipes of small models: for each architecture of transformers its classes and settings.

Widths differ from the usual numbers of positions, so that the axis of positions of a tensor can be
told from the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_TOKENS = {"vocab_size": 40, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_SIZES = {
    **_TOKENS,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
}
_GROUPED = {**_SIZES, "num_key_value_heads": 2, "head_dim": 4}
_EXPERTS = {**_GROUPED, "num_local_experts": 4, "experts_implementation": "batched_mm"}
_SCAN = {**_TOKENS, "hidden_size": 16, "state_size": 4, "num_hidden_layers": 2}
_HYBRID = {
    **_SIZES,
    "num_key_value_heads": 2,
    "mamba_n_heads": 4,
    "mamba_d_head": 8,
    "mamba_n_groups": 1,
    "mamba_d_state": 4,
    "mamba_chunk_size": 4,
}
_ALTERNATING = ["sliding_attention", "full_attention"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The class of a model, that of its configuration, and small settings."""

    model: str
    config: str
    settings: Mapping[str, Any]


MODELS: dict[str, Recipe] = {
    "gpt2": Recipe(
        "GPT2LMHeadModel",
        "GPT2Config",
        {**_TOKENS, "n_embd": 16, "n_head": 4, "n_layer": 2, "n_positions": 128},
    ),
    "gpt_neo": Recipe(
        "GPTNeoForCausalLM",
        "GPTNeoConfig",
        {
            **_TOKENS,
            "hidden_size": 16,
            "num_heads": 4,
            "num_layers": 2,
            "attention_types": [[["global", "local"], 1]],
            "window_size": 3,
            "max_position_embeddings": 128,
        },
    ),
    "opt": Recipe(
        "OPTForCausalLM",
        "OPTConfig",
        {
            **_TOKENS,
            "hidden_size": 16,
            "ffn_dim": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "max_position_embeddings": 128,
            "word_embed_proj_dim": 16,
        },
    ),
    "llama": Recipe("LlamaForCausalLM", "LlamaConfig", _GROUPED),
    "qwen3": Recipe("Qwen3ForCausalLM", "Qwen3Config", _GROUPED),
    "mistral": Recipe("MistralForCausalLM", "MistralConfig", {**_GROUPED, "sliding_window": 3}),
    "mixtral": Recipe("MixtralForCausalLM", "MixtralConfig", _EXPERTS),
    "gemma3": Recipe(
        "Gemma3ForCausalLM",
        "Gemma3TextConfig",
        {**_GROUPED, "sliding_window": 3, "layer_types": _ALTERNATING},
    ),
    "gpt_oss": Recipe(
        "GptOssForCausalLM",
        "GptOssConfig",
        {
            **_EXPERTS,
            "sliding_window": 3,
            "layer_types": _ALTERNATING,
            "rope_parameters": {"rope_type": "default", "rope_theta": 150000.0},
        },
    ),
    "llama4": Recipe(
        "Llama4ForCausalLM",
        "Llama4TextConfig",
        {
            **_GROUPED,
            "attention_chunk_size": 4,
            "intermediate_size_mlp": 32,
            "moe_layers": [],
            "layer_types": ["chunked_attention", "full_attention"],
        },
    ),
    "bert": Recipe("BertForMaskedLM", "BertConfig", _SIZES),
    "modernbert": Recipe(
        "ModernBertForMaskedLM",
        "ModernBertConfig",
        {
            **_SIZES,
            "cls_token_id": 1,
            "sep_token_id": 2,
            "local_attention": 4,
            "layer_types": _ALTERNATING,
        },
    ),
    "t5": Recipe(
        "T5ForConditionalGeneration",
        "T5Config",
        {
            "vocab_size": 40,
            "pad_token_id": 0,
            "eos_token_id": 1,
            "decoder_start_token_id": 0,
            "d_model": 16,
            "d_kv": 4,
            "d_ff": 32,
            "num_layers": 2,
            "num_decoder_layers": 2,
            "num_heads": 4,
        },
    ),
    "bart": Recipe(
        "BartForConditionalGeneration",
        "BartConfig",
        {
            **_TOKENS,
            "d_model": 16,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 32,
            "decoder_ffn_dim": 32,
            "max_position_embeddings": 128,
        },
    ),
    "xlnet": Recipe(
        "XLNetLMHeadModel",
        "XLNetConfig",
        {"vocab_size": 40, "d_model": 16, "n_layer": 2, "n_head": 4, "d_inner": 32},
    ),
    "mamba": Recipe("MambaForCausalLM", "MambaConfig", _SCAN),
    "mamba2": Recipe(
        "Mamba2ForCausalLM",
        "Mamba2Config",
        {**_SCAN, "chunk_size": 4, "num_heads": 4, "head_dim": 8, "n_groups": 1},
    ),
    "bamba": Recipe("BambaForCausalLM", "BambaConfig", {**_HYBRID, "attn_layer_indices": [1]}),
    "falcon_h1": Recipe(
        "FalconH1ForCausalLM", "FalconH1Config", {**_HYBRID, "head_dim": 4, "mamba_d_ssm": 32}
    ),
    "zamba2": Recipe(
        "Zamba2ForCausalLM",
        "Zamba2Config",
        {
            **_SIZES,
            "num_key_value_heads": 4,
            "mamba_d_state": 4,
            "n_mamba_heads": 4,
            "mamba_headdim": 8,
            "mamba_ngroups": 1,
            "chunk_size": 4,
            "layers_block_type": ["mamba", "hybrid"],
            "num_mem_blocks": 1,
            "attention_head_dim": 8,
        },
    ),
    "jamba": Recipe(
        "JambaForCausalLM",
        "JambaConfig",
        {
            **_SIZES,
            "num_key_value_heads": 2,
            "attn_layer_period": 2,
            "attn_layer_offset": 1,
            "expert_layer_period": 4,
            "expert_layer_offset": 3,
            "mamba_d_state": 4,
            "num_experts": 2,
        },
    ),
    "qwen3_next": Recipe(
        "Qwen3NextForCausalLM",
        "Qwen3NextConfig",
        {
            **_GROUPED,
            "layer_types": ["linear_attention", "full_attention"],
            "linear_key_head_dim": 4,
            "linear_value_head_dim": 4,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 4,
            "num_experts": 0,
            "num_experts_per_tok": 0,
            "mlp_only_layers": [0, 1],
        },
    ),
    "recurrent_gemma": Recipe(
        "RecurrentGemmaForCausalLM",
        "RecurrentGemmaConfig",
        {
            **_GROUPED,
            "lru_width": 16,
            "attention_window_size": 3,
            "block_types": ["recurrent", "attention"],
        },
    ),
    "lfm2": Recipe(
        "Lfm2ForCausalLM",
        "Lfm2Config",
        {**_SIZES, "num_key_value_heads": 2, "layer_types": ["conv", "full_attention"]},
    ),
}
