"""BlockMasks with any tables, and what they read by definition, pair by pair."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch.nn.attention.flex_attention import BlockMask

from attnproof.symbolic.masks.encoding import Decoded

Pair = tuple[int, int]
#: (batch, q, k, head), in the order in which the first is named.
Place = tuple[int, int, int, int]


def pairs_of(decoded: Decoded, batch: int = 0) -> set[Pair]:
    """The pairs (query, key) of one batch element."""
    rows = next(rows for indices, rows in decoded.masks if batch in indices)
    return {(q, k) for q in range(len(rows)) for k in range(rows.keys) if rows.reads(q, k)}


def ordered(table: NDArray[np.bool_]) -> tuple[torch.Tensor, torch.Tensor]:
    """Counts and indices of a table as a BlockMask holds them; rubbish follows the count."""
    counts = torch.from_numpy(table.sum(axis=-1)).int()
    indices = np.argsort(~table, axis=-1, kind="stable")
    return counts, torch.from_numpy(indices).int()


@dataclass(frozen=True)
class Case:
    """Tables ``(batch, head, query block, key block)`` and a table of what ``mask_mod`` says."""

    block: Pair
    partial: NDArray[np.bool_]
    full: NDArray[np.bool_] | None
    says: NDArray[np.bool_]

    def mask(self) -> BlockMask:
        """The BlockMask."""
        table = torch.from_numpy(self.says)
        some = ordered(self.partial)
        every = (None, None) if self.full is None else ordered(self.full)
        return BlockMask.from_kv_blocks(
            some[0],
            some[1],
            every[0],
            every[1],
            BLOCK_SIZE=self.block,
            mask_mod=lambda b, h, q, k: table[b, h, q, k],
            seq_lengths=self.says.shape[2:],
        )

    def places(self) -> Iterator[Place]:
        """Every pair of every head and batch element."""
        b, h, q, k = map(range, self.says.shape)
        yield from product(b, q, k, h)

    def reads(self, place: Place) -> bool:
        """Full blocks, united with partial blocks intersected with mask_mod."""
        b, q, k, h = place
        at = b, h, q // self.block[0], k // self.block[1]
        if self.full is not None and self.full[at]:
            return True
        return bool(self.partial[at] and self.says[b, h, q, k])

    def united(self, batch: int) -> set[Pair]:
        """The pairs (query, key) of one batch element that some head reads."""
        return {(q, k) for b, q, k, h in self.places() if b == batch and self.reads((b, q, k, h))}

    def differing(self) -> list[Place]:
        """Where that is not what mask_mod says, in order."""
        return [
            place
            for place in self.places()
            if self.reads(place) != self.says[place[0], place[3], place[1], place[2]]
        ]

    def on_the_border(self, place: Place, meets: Callable[[list[bool]], bool] = any) -> bool:
        """Whether a pair has the first or last query or key of its block; ``all``: both."""
        sides = zip(place[1:3], self.block, self.says.shape[2:], strict=True)
        return meets([x % size in (0, size - 1) or x == n - 1 for x, size, n in sides])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Blocks of any size that need not divide the lengths; the rule is any relation."""
    batches, heads = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    queries, keys = draw(st.integers(1, 11)), draw(st.integers(1, 11))
    block = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    chance = np.random.default_rng(draw(st.integers(0, 1 << 20)))
    size = batches, heads, -(-queries // block[0]), -(-keys // block[1])
    says = chance.random((batches, heads, queries, keys)) < draw(st.sampled_from([0.1, 0.5, 1]))
    full = chance.random(size) < 0.3 if draw(st.booleans()) else None
    partial = chance.random(size) < draw(st.sampled_from([0.3, 1]))
    if draw(st.booleans()):
        says = fitted(says, block, partial, full)
    return Case(block, partial, full, says)


def fitted(
    says: NDArray[np.bool_],
    block: Pair,
    partial: NDArray[np.bool_],
    full: NDArray[np.bool_] | None,
) -> NDArray[np.bool_]:
    """A rule that the blocks agree with, but for one pair."""
    grown = [
        np.kron(table, np.ones(block, np.bool_))[:, :, : says.shape[2], : says.shape[3]]
        for table in (partial, np.zeros_like(partial) if full is None else full)
    ]
    agreed = grown[1] | (grown[0] & says)
    agreed[0, 0, says.shape[2] // 2, says.shape[3] // 2] ^= True
    return agreed
