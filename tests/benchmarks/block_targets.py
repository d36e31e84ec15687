"""T10: a FlexAttention ``BlockMask`` of 16384 positions, read tile by tile and checked.

Both figures are ratios to ``create_block_mask`` in the same run: reading the listed tiles alone,
and asking ``mask_mod`` everywhere as well, which finds blocks that disagree with it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from attnproof.numeric.read.block_mask import decode_block_mask
from attnproof.symbolic.masks.bits import unpack
from attnproof.symbolic.masks.blocks import Blocks
from attnproof.symbolic.masks.tiling import from_lists
from attnproof.symbolic.order.run_closure import RunClosure
from tests.benchmarks import long
from tests.benchmarks.figures import Figure
from tests.benchmarks.run_targets import everything
from tests.benchmarks.targets import Target
from tests.benchmarks.timing import seconds

N = 16384
MaskMod = Callable[[Any, Any, Any, Any], Any]


def block_targets() -> Iterator[Target]:
    """One line a mask; for the causal one also the comparison with its rule."""
    if find_spec("torch") is None:
        return
    for name, rule in rules().items():
        made, created = create(rule)
        took = seconds(partial(check, made), repeats=5) / created
        case = f"BlockMask {name} {N}: read and checked, over create_block_mask"
        yield Target("T10", case, Figure(took, 0.1, "x"))
        if name == "causal":
            everywhere = seconds(partial(decode_block_mask, made), repeats=1) / created
            case = "the same mask read with mask_mod asked everywhere"
            yield Target("T10", case, Figure(everywhere, float("inf"), "x"))


def create(rule: MaskMod) -> tuple[Any, float]:
    """A BlockMask, and how many seconds it took to make it."""
    import torch
    from torch.nn.attention.flex_attention import create_block_mask

    torch.set_num_threads(1)
    make = partial(create_block_mask, rule, None, None, N, N, device="cpu")
    return make(), seconds(make, repeats=3, enough=6.0)


def check(mask: Any) -> RunClosure:
    """Closure, classes, covers and transitivity of its tiles."""
    return everything(tiles(mask).as_runs())


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


def tiles(mask: Any) -> Blocks:
    """The tiles that a BlockMask lists, partial ones filled by its rule, all of them at once."""
    import torch

    high, wide = mask.BLOCK_SIZE
    queries, keys = mask.seq_lengths
    full = listed(mask.full_kv_num_blocks, mask.full_kv_indices)
    ragged = listed(mask.kv_num_blocks, mask.kv_indices)
    rows = torch.tensor([i for i, found in enumerate(ragged) for _ in found])
    columns = torch.tensor([j for found in ragged for j in found])
    q = (rows[:, None] * high + torch.arange(high))[:, :, None]
    k = (columns[:, None] * wide + torch.arange(wide))[:, None, :]
    zero = torch.tensor(0)
    inside = (q < queries) & (k < keys)
    read = mask.mask_mod(zero, zero, q.clamp(max=queries - 1), k.clamp(max=keys - 1)) & inside
    packed = np.packbits(read.numpy(), axis=2, bitorder="little")
    sets = unpack(packed.reshape(len(rows) * high, -1))
    place = {pair: at for at, pair in enumerate(zip(rows.tolist(), columns.tolist(), strict=True))}
    return from_lists(
        full,
        ragged,
        lambda i, j: sets[place[i, j] * high : (place[i, j] + 1) * high],
        queries=queries,
        keys=keys,
        block=(high, wide),
    )


def listed(counts: Any, indices: Any) -> list[list[int]]:
    """The block columns of each block row."""
    return [
        found[:count]
        for count, found in zip(counts[0, 0].tolist(), indices[0, 0].tolist(), strict=True)
    ]
