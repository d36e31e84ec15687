"""Block diffusion: a noisy copy of each token, then the clean tokens; blocks of two."""

TOKENS, BLOCK = 4, 2


def mask(b, h, q_idx, kv_idx):
    clean_q, clean_k = q_idx >= TOKENS, kv_idx >= TOKENS
    block_q, block_k = q_idx % TOKENS // BLOCK, kv_idx % TOKENS // BLOCK
    noisy = ~clean_q & ~clean_k & (block_q == block_k)
    past = ~clean_q & clean_k & (block_k < block_q)
    clean = clean_q & clean_k & (block_k <= block_q)
    return noisy | past | clean


def own_answer(q, k):
    """A noisy token must not see the clean tokens of its own block, or of a later one."""
    return q < TOKENS and k >= TOKENS and (k - TOKENS) // BLOCK >= q // BLOCK
