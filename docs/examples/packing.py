import torch

document_id = torch.tensor([0, 0, 0, 1, 1, 2])
piece = torch.tensor([0, 1, 1, 2, 3, 3])  # text and images in turn


def packed(b, h, q_idx, kv_idx):
    return (document_id[q_idx] == document_id[kv_idx]) & (q_idx >= kv_idx)


def with_sink(b, h, q_idx, kv_idx):
    return packed(b, h, q_idx, kv_idx) | (kv_idx == 0)


def pieces(b, h, q_idx, kv_idx):
    return (piece[q_idx] == piece[kv_idx]) | (q_idx >= kv_idx)


def sliding_window(keys):
    def window(b, h, q_idx, kv_idx):
        return (q_idx >= kv_idx) & (q_idx - kv_idx < keys)

    return window


def lanes(b, h, q_idx, kv_idx):
    return (((q_idx ^ kv_idx) & 3) == 0) & (q_idx >= kv_idx)


def early_exit(b, h, q_idx, kv_idx):
    if q_idx < kv_idx:
        return False
    return q_idx - kv_idx < 4


def later_piece(q, k):
    return (piece[q] != piece[k]) & (k > q)
