"""T10: a FlexAttention ``BlockMask``, read and verified by the public call.

At 16384 positions the figure is a ratio to ``create_block_mask`` in the same run. At 65536 the
blocks are given, because ``create_block_mask`` would hold every pair.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import attnproof as ap
from tests.benchmarks import long
from tests.benchmarks.figures import Figure
from tests.benchmarks.targets import Target
from tests.benchmarks.timing import seconds

N = 16384
MaskMod = Callable[[Any, Any, Any, Any], Any]


def block_targets() -> Iterator[Target]:
    """One line a mask, and one for the longer causal mask."""
    if find_spec("torch") is None:
        return
    for name, rule in rules().items():
        made, created = create(rule)
        took = seconds(partial(ap.verify, made, causal=True), repeats=5) / created
        case = f"BlockMask {name} {N}: verified, over create_block_mask"
        yield Target("T10", case, Figure(took, 0.1, "x"))
    took = seconds(partial(ap.verify, causal_blocks(4 * N), causal=True), repeats=5)
    yield Target("T10", f"BlockMask causal {4 * N}, blocks given: verified", Figure(took, 0.1))


def create(rule: MaskMod) -> tuple[Any, float]:
    """A BlockMask, and how many seconds it took to make it."""
    import torch
    from torch.nn.attention.flex_attention import create_block_mask

    torch.set_num_threads(1)
    make = partial(create_block_mask, rule, None, None, N, N, device="cpu")
    return make(), seconds(make, repeats=3, enough=6.0)


def rules() -> dict[str, MaskMod]:
    """The rules as FlexAttention takes them."""
    import torch

    document = torch.repeat_interleave(torch.tensor(long.documents(N)))
    half, block = N // 2, 32

    def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
        return k <= q

    def prefix(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (k <= q) | (k < N // 4)

    def documents(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (k <= q) & (document[q] == document[k])

    def block_diffusion(b: Any, h: Any, q: Any, k: Any) -> Any:
        q_clean, k_clean = q >= half, k >= half
        q_block, k_block = q % half // block, k % half // block
        same = (q_block == k_block) & (q_clean == k_clean)
        return same | (k_clean & (k_block < q_block + q_clean.long()))

    return {
        "causal": causal,
        "prefix n/4": prefix,
        "document": documents,
        "blockdiff32": block_diffusion,
    }


def causal_blocks(n: int, size: int = 128) -> Any:
    """The causal BlockMask from its tables."""
    import torch
    from torch.nn.attention.flex_attention import BlockMask

    def listed(table: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[Any, Any]:
        indices = np.argsort(~table, axis=1, kind="stable")
        counts = table.sum(axis=1)
        return torch.from_numpy(counts[None, None]).int(), torch.from_numpy(
            indices[None, None]
        ).int()

    own = np.eye(n // size, dtype=np.bool_)
    before = np.tri(n // size, k=-1, dtype=np.bool_)
    return BlockMask.from_kv_blocks(
        *listed(own),
        *listed(before),
        BLOCK_SIZE=size,
        mask_mod=rules()["causal"],
        seq_lengths=(n, n),
    )
