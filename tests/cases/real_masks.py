"""Masks of real models, built with numpy from their description; ``k <= q`` is "q reads k".

Two streams stand one after the other: contents (or the noisy half) first where that is usual.
``forbidden`` holds (reader, source): the label that a position predicts and where its token is.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.bool_]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Real:
    """A mask with the pairs that would be leaks."""

    mask: Array
    forbidden: list[Pair] = field(default_factory=list)


def grid(n: int, rule: Callable[[NDArray[np.int_], NDArray[np.int_]], Array]) -> Array:
    """The n×n mask of a rule on index arrays."""
    q, k = np.indices((n, n))
    return rule(q, k)


def next_token(n: int, rows: Iterable[int] | None = None) -> list[Pair]:
    """Position q predicts token q + 1."""
    return [(q, q + 1) for q in (rows if rows is not None else range(n - 1)) if q + 1 < n]


def causal(n: int) -> Array:
    return grid(n, lambda q, k: k <= q)


def window(n: int, keys: int, sink: bool = False) -> Array:
    return grid(n, lambda q, k: (k <= q) & ((q - k < keys) | (sink & (k == 0))))


def prefix_lm(n: int, prefix: int) -> Array:
    return grid(n, lambda q, k: (k <= q) | (k < prefix))


def packed(parts: Sequence[Array]) -> Array:
    """Documents side by side, without a pair between two of them."""
    n = sum(map(len, parts))
    mask = np.zeros((n, n), bool)
    start = 0
    for part in parts:
        mask[start : start + len(part), start : start + len(part)] = part
        start += len(part)
    return mask


def streams(contents: Array, queries_of_contents: Array) -> Array:
    """Contents, then queries that read contents and, by the residual alone, themselves."""
    c, g = len(contents), len(queries_of_contents)
    mask = np.zeros((c + g, c + g), bool)
    mask[:c, :c] = contents
    mask[c:, :c] = queries_of_contents
    return mask


def xlnet(z: Sequence[int], strict: bool = True, contents: int | None = None) -> Array:
    """Permutation language model over the order z; contents and queries stand in that order."""
    n = len(z)
    kept = n - 1 if contents is None else contents
    order = np.arange(n)
    reads = order[None, :kept] < order[:, None] if strict else order[None, :kept] <= order[:, None]
    return streams(causal(kept), reads)


def block_diffusion(blocks: int, b: int, off_by_one: bool = False) -> Array:
    """[noisy | clean]: a noisy block reads itself and earlier clean blocks."""
    n = blocks * b
    block = np.arange(n) // b
    mask = np.zeros((2 * n, 2 * n), bool)
    mask[:n, :n] = block[:, None] == block[None, :]
    earlier = block[None, :] <= block[:, None]
    mask[:n, n:] = earlier if off_by_one else block[None, :] < block[:, None]
    mask[n:, n:] = earlier
    return mask


def tree(parents: Sequence[int]) -> Array:
    """A draft token reads its ancestors."""
    mask = np.eye(len(parents), dtype=bool)
    for child, parent in enumerate(parents):
        if parent >= 0:
            mask[child] |= mask[parent]
    return mask


def bigbird(n: int) -> Array:
    """A window of one to each side, a global token 0, and two more keys a row."""
    mask = grid(n, lambda q, k: (abs(q - k) <= 1) | (q == 0) | (k == 0))
    for q in range(n):
        mask[q, [(7 * q + 3) % n, (5 * q + 9) % n]] = True
    return mask


def log_sparse(n: int) -> Array:
    """The distance to a key is a power of two."""
    return grid(n, lambda q, k: (q > k) & (np.bitwise_count(np.abs(q - k)) == 1) | (q == k))


def own(n: int, contents_at: int = 0, queries_at: int = 0) -> list[Pair]:
    """Query i must not hold token i."""
    return [(queries_at + i, contents_at + i) for i in range(n)]


#: Named as in orders.json, whose numbers they must have.
MASKS: dict[str, Real] = {
    "causal": Real(causal(8), next_token(8)),
    "causal sliding window w=2": Real(window(8, 2), next_token(8)),
    "causal sliding window w=4": Real(window(8, 4), next_token(8)),
    "causal window w=3 + sink token 0 (reads itself only)": Real(
        window(8, 3, sink=True), next_token(8)
    ),
    "prefix-LM p=3, labels everywhere": Real(prefix_lm(8, 3), next_token(8)),
    "prefix-LM p=3, labels only from last prefix position on": Real(
        prefix_lm(8, 3), next_token(8, range(2, 7))
    ),
    "prefix-LM + packing (prefix 2 per document), labels after the prefix": Real(
        packed([prefix_lm(3, 2), prefix_lm(5, 2)]), next_token(8, [1, 4, 5, 6])
    ),
    "BigBird-like (window, 1 global, 2 random), masked labels": Real(bigbird(16)),
    "BERT with 'keep' positions 7,12 (own token kept)": Real(
        grid(16, lambda q, k: abs(q - k) <= 1), [(7, 7), (12, 12)]
    ),
    "XLNet two-stream, z=31425": Real(xlnet([3, 1, 4, 2, 5]), own(4, queries_at=4)),
    "two-stream, content full, query reads all but own (bug)": Real(
        streams(np.ones((5, 5), bool), ~np.eye(5, dtype=bool)), own(5, queries_at=5)
    ),
    "T-TA: content isolated, query reads all but own": Real(
        streams(np.eye(5, dtype=bool), ~np.eye(5, dtype=bool)), own(5, queries_at=5)
    ),
    "BD3-LM training mask m=3,b=3": Real(block_diffusion(3, 3), own(9, contents_at=9)),
    # Six of the nine noisy tokens carry a label; any six leak alike.
    "BD3-LM offset-by-one (reads own clean block)": Real(
        block_diffusion(3, 3, off_by_one=True), own(9, contents_at=9)[3:]
    ),
    "look-ahead 1 per layer, label 4 ahead": Real(
        grid(8, lambda q, k: k <= q + 1), [(q, q + 4) for q in range(4)]
    ),
    "multi-token prediction k=2 on causal": Real(
        causal(8), [(q, q + d) for d in (1, 2) for q in range(8 - d)]
    ),
}


@dataclass(frozen=True)
class Facts:
    """Expected of a mask: None where the table is silent; leaks as (least depth, how many)."""

    transitive: bool
    depth: int
    classes: int
    covers: int | None = None
    width: int | None = None
    leaks: tuple[tuple[int, int], ...] = ()


def _global_window() -> Real:
    mask = window(8, 3)
    mask[0, :] = mask[:, 0] = True
    return Real(mask, next_token(8))


#: Masks that orders.json does not hold, with their numbers, derived by hand.
MORE: dict[str, tuple[Real, Facts]] = {
    "causal window of 3 keys": (
        Real(window(8, 3), next_token(8)),
        Facts(transitive=False, depth=4, classes=8, covers=7, width=1),
    ),
    "window of 3 keys and a bidirectional global token": (
        _global_window(),
        Facts(transitive=False, depth=2, classes=1, covers=0, width=1, leaks=((1, 1), (2, 6))),
    ),
    "documents of 3 and 5 packed causally": (
        Real(packed([causal(3), causal(5)]), next_token(8, [0, 1, 3, 4, 5, 6])),
        Facts(transitive=True, depth=1, classes=8, covers=6, width=2),
    ),
    "two-stream, query keeps the diagonal": (
        Real(xlnet([1, 2, 3, 4, 5], strict=False, contents=5), own(5, queries_at=5)),
        Facts(transitive=True, depth=1, classes=10, covers=9, width=5, leaks=((1, 5),)),
    ),
    "full minus diagonal, own token as input": (
        Real(~np.eye(6, dtype=bool), own(6)),
        Facts(transitive=True, depth=1, classes=1, covers=0, width=1, leaks=((0, 6),)),
    ),
    "speculative tree": (
        Real(tree([-1, 0, 1, 1, 2, 2, 3]), [(2, 3), (3, 2), (4, 5), (6, 2)]),
        Facts(transitive=True, depth=1, classes=7, covers=6, width=3),
    ),
    "log-sparse causal": (
        Real(log_sparse(16), next_token(16)),
        Facts(transitive=False, depth=4, classes=16, covers=15, width=1),
    ),
}
