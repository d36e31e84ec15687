"""Masks in the styles of the field, in own words: what users of FlexAttention write."""

import functools
from collections.abc import Callable
from typing import Any

import torch

Rule = Callable[[Any, Any, Any, Any], Any]

IDS = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2, 2, 2])
STARTS = torch.tensor([0, 3, 5, 10])
POSITIONS = torch.tensor([0, 1, 2, 0, 1, 0, 1, 2, 3, 4])
PADDING = torch.tensor([[1, 1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0]], dtype=torch.bool)
PREFIXES = torch.tensor([2, 5])
ENTER = torch.tensor([0, 1, 2, 3, 5, 6])
LEAVE = torch.tensor([12, 5, 4, 4, 9, 7])
SPANS = torch.tensor([[2, 4], [6, 9]])
INTERVALS = torch.tensor([[0, 2], [0, 2], [2, 5], [2, 5], [5, 9], [5, 9]])
ANCESTORS = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1]], dtype=torch.bool)
BLOCKS = torch.tensor([[[0, 1], [1, 0], [2, 0]], [[0, 2], [0, 1], [1, 2]]])
GLOBAL = torch.tensor([1, 0, 0, 0, 0, 1, 0, 0], dtype=torch.bool)
RANKS = torch.tensor([2, 0, 3, 1])


def causal(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return q_idx >= kv_idx


def sliding_window(keys: Any) -> Rule:
    def near(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        return (q_idx - kv_idx < keys) & causal(b, h, q_idx, kv_idx)

    return near


def prefix_lm(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return (kv_idx < PREFIXES[b]) | (kv_idx <= q_idx)


def documents(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    same = IDS[q_idx] == IDS[kv_idx]
    return same & (q_idx >= kv_idx)


def packed(document_id: torch.Tensor, offsets: torch.Tensor, inner: Rule) -> Rule:
    def own_indices(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        same = document_id[q_idx] == document_id[kv_idx]
        q = q_idx - offsets[document_id[q_idx]]
        k = kv_idx - offsets[document_id[kv_idx]]
        return same & inner(b, h, q, k)

    return own_indices


def natten(width: Any, kernel: int) -> Rule:
    def near(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        row, column = q_idx // width, q_idx % width
        across, down = kv_idx % width, kv_idx // width
        middle = kernel // 2
        column = column.clamp(middle, (width - 1) - middle)
        row = row.clamp(min=middle)
        return ((column - across).abs() <= middle) & (torch.abs(row - down) <= middle)

    return near


def dilated(keys: int, step: int) -> Rule:
    def near(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        gap = torch.abs(q_idx - kv_idx)
        return (gap <= keys) & (gap % step == 0)

    return near


def strided(stride: Any) -> Rule:
    return lambda b, h, q, k: ((q // stride == k // stride) | (k % stride == stride - 1)) & (k <= q)


def transfusion(spans: torch.Tensor) -> Rule:
    def in_span(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        start, end = spans[:, 0], spans[:, 1]
        inside = (q_idx >= start) & (q_idx < end) & (kv_idx < end)
        return causal(b, h, q_idx, kv_idx) | inside.any(-1)

    return in_span


def spans_unsqueezed(b: Any, h: Any, q: Any, k: Any) -> Any:
    edges = torch.stack([q, k]).unsqueeze(-1)
    inside = torch.logical_and(SPANS[:, 0] <= edges, edges < SPANS[:, 1])
    return inside.all(dim=0).any() | (q >= k)


def flamingo(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return (kv_idx >= INTERVALS[q_idx][0]) & (kv_idx < INTERVALS[q_idx, 1])


def ancestors(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return ANCESTORS[q_idx, kv_idx]


def ancestors_by_rows(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return ANCESTORS[q_idx][kv_idx]


def tree_intervals(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (ENTER[k] <= ENTER[q]) & (LEAVE[k] >= LEAVE[q])


def block_diffusion(tokens: Any, block: Any) -> Rule:
    def two_copies(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        clean_q, clean_k = q_idx >= tokens, kv_idx >= tokens
        block_q = torch.where(clean_q, q_idx - tokens, q_idx) // block
        block_k = torch.where(clean_k, kv_idx - tokens, kv_idx) // block
        diagonal = (block_q == block_k) & (clean_q == clean_k)
        offset = (block_q > block_k) & ~clean_q & clean_k
        return diagonal | offset | ((block_q >= block_k) & clean_q & clean_k)

    return two_copies


def two_stream(tokens: int) -> Rule:
    def ranked(b: Any, h: Any, q: Any, k: Any) -> Any:
        query = q < tokens
        own = RANKS[torch.where(query, q, q - tokens)]
        other = RANKS[torch.where(k < tokens, k, k - tokens)]
        return (k >= tokens) & torch.where(query, other < own, other <= own)

    return ranked


def top_blocks(b: Any, h: Any, q: Any, k: Any) -> Any:
    chosen = BLOCKS[h, q // 4]
    return (chosen == (k // 4).unsqueeze(-1)).any(-1)


def morton(b: Any, h: Any, q: Any, k: Any) -> Any:
    def spread(x: Any) -> Any:
        x = (x | (x << 2)) & 0x33
        return (x | (x << 1)) & 0x55

    return spread(q & 7) | (spread(q >> 3) << 1) >= (spread(k & 7) | (spread(k >> 3) << 1))


def butterfly(b: Any, h: Any, q: Any, k: Any) -> Any:
    differ = torch.bitwise_xor(q, k)
    return (differ & (differ - 1)) == 0


def sinks(count: Any, keys: Any) -> Rule:
    return lambda b, h, q, k: ((k < count) | (q - k < keys)) & (k <= q)


def global_tokens(b: Any, h: Any, q: Any, k: Any) -> Any:
    return ((q - k).abs() <= 2) | GLOBAL[q] | GLOBAL[k]


def head_windows(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q >= k) & (q - k < 2 ** (h + 1))


def alternating_heads(b: Any, h: Any, q: Any, k: Any) -> Any:
    return torch.where(h % 2 == 0, q - k < 4, q - k >= 0) & (q >= k)


def counted(b: Any, h: Any, q: Any, k: Any) -> Any:
    return ((q >= k) + (q - k < 3) + (k < 2)).logical_not().logical_not()


def votes(b: Any, h: Any, q: Any, k: Any) -> Any:
    parts = torch.stack([q >= k, q - k < 3, k < 2])
    return parts.sum() >= 2


def halves(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (torch.floor(q / 3) >= torch.floor(k / 3)) & (k.float() * 0.5 <= q.float())


def quotient(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q / 3 >= k) | (torch.div(q - k, 2, rounding_mode="trunc") == 0)


def sinks_listed(b: Any, h: Any, q: Any, k: Any) -> Any:
    return torch.isin(k, torch.tensor([0, 5])) | (q == k)


def by_offsets(b: Any, h: Any, q: Any, k: Any) -> Any:
    return torch.searchsorted(STARTS, q, right=True) == torch.searchsorted(STARTS, k, right=True)


def previous_document(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (IDS[q] == IDS[k]) | (IDS[q - 1] == IDS[k])


def last_document(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (IDS[k] != IDS[-1]) | (q >= k)


def padded(b: Any, h: Any, q: Any, k: Any) -> Any:
    return PADDING[b][k] & (q >= k)


def everything(b: Any, h: Any, q: Any, k: Any) -> Any:
    return b.new_ones((), dtype=torch.bool)


def python_true(b: Any, h: Any, q: Any, k: Any) -> Any:
    return True


def with_step(step: int, b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q - k) % step == 0


class Documents:
    """A rule that is an object."""

    def __init__(self, ids: torch.Tensor) -> None:
        self.ids = ids

    def __call__(self, b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        return self.ids[q_idx] == self.ids[kv_idx]

    def later(self, b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        return self.ids[q_idx] >= self.ids[kv_idx]


def branching(b: Any, h: Any, q: Any, k: Any) -> Any:
    if q < 4:
        return k < 4
    return k <= q


def chained(b: Any, h: Any, q: Any, k: Any) -> Any:
    return k == 0 or q - 4 < k <= q


#: Rules without a branch.
RULES: dict[str, Rule] = {
    "causal": causal,
    "window": sliding_window(4),
    "wide window": sliding_window(129),
    "prefix": prefix_lm,
    "documents": documents,
    "packed causal": packed(IDS, STARTS, causal),
    "packed window": packed(IDS, STARTS, sliding_window(2)),
    "natten": natten(5, 3),
    "dilated": dilated(6, 2),
    "strided": strided(8),
    "transfusion": transfusion(SPANS),
    "spans unsqueezed": spans_unsqueezed,
    "flamingo": flamingo,
    "ancestors": ancestors,
    "ancestors by rows": ancestors_by_rows,
    "tree intervals": tree_intervals,
    "block diffusion": block_diffusion(6, 2),
    "two stream": two_stream(4),
    "top blocks": top_blocks,
    "morton": morton,
    "butterfly": butterfly,
    "sinks": sinks(2, 4),
    "global tokens": global_tokens,
    "head windows": head_windows,
    "alternating heads": alternating_heads,
    "counted": counted,
    "votes": votes,
    "halves": halves,
    "quotient": quotient,
    "sinks listed": sinks_listed,
    "by offsets": by_offsets,
    "previous document": previous_document,
    "last document": last_document,
    "padded": padded,
    "everything": everything,
    "python true": python_true,
    "partial": functools.partial(with_step, 3),
    "object": Documents(IDS),
    "method": Documents(IDS).later,
}
