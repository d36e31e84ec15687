"""A rule over positions, and the rule of a decode step that adds its own offset."""

from torch.nn.attention.flex_attention import create_block_mask


def window(b, h, q_idx, kv_idx):
    return (kv_idx <= q_idx) & (q_idx - kv_idx < 4)


def step(offset):
    """Two new queries behind the cache, as FlexAttention runs them: q_idx is 0 and 1."""

    def rule(b, h, q_idx, kv_idx):
        return window(b, h, q_idx + offset, kv_idx)

    return create_block_mask(rule, None, None, 2, 8, device="cpu")
