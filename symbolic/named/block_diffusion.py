"""Block diffusion (BD3-LM): a noisy copy of the tokens, then a clean one.

A noisy token reads its own noisy block and the clean blocks before it; a clean token reads the
clean blocks up to its own.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import ite, k, n, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

block = variable("block")
query_clean, key_clean = q >= n, k >= n
query_block = ite(query_clean, q - n, q) // block
key_block = ite(key_clean, k - n, k) // block
block_diagonal = query_block.eq(key_block) & query_clean.eq(key_clean)
offset_block_causal = ~query_clean & key_clean & (key_block < query_block)
block_causal = query_clean & key_clean & (key_block <= query_block)


def row_runs(n: int, block: int) -> Iterator[RowRuns]:
    for token in range(n):
        start = token // block * block
        yield union([(start, min(n, start + block)), (n, n + start)], 2 * n)
    for token in range(n):
        yield ((n, n + min(n, (token // block + 1) * block)),)


def intervals(q: Any, n: int, block: int) -> Intervals:
    noisy, start = q < n, q % n // block * block
    stop = (start + block).clip(max=n)
    return [(start, stop * noisy), (n, n + start * noisy + stop * ~noisy)]


def size(n: int, block: int) -> int:
    return 2 * n


MASK = NamedMask(
    name="block_diffusion",
    doc="Noisy tokens read their noisy block and earlier clean blocks; clean ones, clean blocks.",
    source="Arriola et al., BD3-LM, arXiv:2503.09573",
    definition=block_diagonal | offset_block_causal | block_causal,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 6, "block": 2},
    parameters=(Parameter("block", "how many tokens a block has", at_least(1)),),
    size=size,
    positions_doc="n noisy tokens, then n clean ones",
)
