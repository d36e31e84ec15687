"""Block two-stream: clean tokens of all blocks but the last, then one mask position a token.

A mask position reads the clean tokens of earlier blocks and the mask positions of its own block;
clean tokens read clean ones, block by block or token by token. The last block may be short.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import Term, ite, k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.kinds import at_least, choice
from attnproof.symbolic.named.named import NamedMask, Parameter

blocks, block = variable("blocks"), variable("block")
clean_tokens = (blocks - 1) * block
query_clean, key_clean = q < clean_tokens, k < clean_tokens
query_block = ite(query_clean, q, q - clean_tokens) // block
key_block = ite(key_clean, k, k - clean_tokens) // block


def definition(clean: str, **_: object) -> Term:
    clean_past = key_block <= query_block if clean == "block" else k <= q
    clean_reads_clean = query_clean & key_clean & clean_past
    mask_reads_clean = ~query_clean & key_clean & (key_block < query_block)
    mask_reads_mask = ~query_clean & ~key_clean & key_block.eq(query_block)
    return clean_reads_clean | mask_reads_clean | mask_reads_mask


def row_runs(n: int, m: int | None, b: int, clean: str) -> Iterator[RowRuns]:
    first_mask = n - 1 - (n - 1) % b
    for row in range(first_mask):
        yield ((0, (row // b + 1) * b if clean == "block" else row + 1),)
    for token in range(n):
        start = token // b * b
        own = (first_mask + start, first_mask + start + b)
        yield union([(0, start), own], first_mask + n)


def intervals(q: Any, n: int, m: int | None, b: int, clean: str) -> Intervals:
    first_mask = n - 1 - (n - 1) % b
    masked = q >= first_mask
    start = (q - first_mask * masked) // b * b
    past = start + b if clean == "block" else q + 1
    own = first_mask + start
    return [(0, start * masked + past * ~masked), (own, (own + b) * masked)]


def size(n: int, m: int | None, b: int, clean: str) -> int:
    return n - 1 - (n - 1) % b + n


def tokens(n: int | None, m: int | None, b: int, clean: str) -> int | None:
    fits = n is not None and (m is None or -(-n // b) == m)
    return n if fits or m is None else m * b


def captured(n: int, m: int | None, b: int, clean: str) -> Any:
    return {"blocks": -(-n // b), "block": b}


MASK = NamedMask(
    name="block_two_stream",
    doc="Mask positions read earlier clean blocks and their own block of masks.",
    source="arXiv:2606.09951 (layout ours)",
    definition=definition,
    row_runs=row_runs,
    intervals=intervals,
    example={"m": 3, "b": 2},
    parameters=(
        Parameter("m", "how many blocks there are; follows from n", at_least(1), None),
        Parameter("b", "how many tokens a block has", at_least(1)),
        Parameter("clean", "how clean tokens read each other", choice("block", "token"), "block"),
    ),
    size=size,
    tokens=tokens,
    captured=captured,
    positions_doc="(m - 1) * b clean tokens, then n mask positions",
)
