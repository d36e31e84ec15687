"""A merged mask in FlexAttention, beside the same mask as an array."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from two_tasks_mask import merged

import attnproof as ap

n = merged.n
query, key, value = torch.randn(3, 1, 2, n, 8).unbind()
blocks = create_block_mask(merged, None, None, n, n, device="cpu")
flex = flex_attention(query, key, value, block_mask=blocks)

mask = torch.from_numpy(ap.merge("two_tasks.toml").mask.dense())
sdpa = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
torch.testing.assert_close(flex, sdpa)
