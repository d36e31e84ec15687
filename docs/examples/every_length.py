"""Block diffusion of any number of tokens, in blocks of any size."""

import torch


def make(tokens, block):
    def mask(b, h, q_idx, kv_idx):
        clean_q, clean_k = q_idx >= tokens, kv_idx >= tokens
        block_q = torch.where(clean_q, q_idx - tokens, q_idx) // block
        block_k = torch.where(clean_k, kv_idx - tokens, kv_idx) // block
        noisy = ~clean_q & ~clean_k & (block_q == block_k)
        past = ~clean_q & clean_k & (block_k < block_q)
        clean = clean_q & clean_k & (block_k <= block_q)
        return noisy | past | clean

    return mask


def own_answer(q, k, tokens, block):
    return (q < tokens) & (k >= tokens) & ((k - tokens) // block >= q // block)
