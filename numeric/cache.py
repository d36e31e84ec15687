"""Key-value cache: what computed positions offer to later queries, one pair a layer.

Convention: a position is named by its index in the sequence. Keys are kept before any rotation, so
that a position may be used again under another position id.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from attnproof.symbolic.errors import ShapeError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cache:
    """Keys and values ``(b, h, n, e)`` of each layer, the n positions in the order named."""

    positions: tuple[int, ...]
    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]

    def reuse(self, taken: Mapping[int, int]) -> "Cache":
        """Only some positions, under new names: ``p`` stands for the cached ``taken[p]``.

        Raises :class:`ShapeError` for one that is not cached.
        """
        missing = sorted(set(taken.values()) - set(self.positions))
        if missing:
            raise ShapeError(
                f"position {missing[0]} is not cached; the cache holds {list(self.positions)}",
                missing=missing,
            )
        held = {p: place for place, p in enumerate(self.positions)}
        places = torch.tensor([held[old] for old in taken.values()], dtype=torch.long)
        return Cache(
            tuple(taken),
            tuple(x[:, :, places.to(x.device)] for x in self.keys),
            tuple(x[:, :, places.to(x.device)] for x in self.values),
        )

    def __or__(self, other: "Cache") -> "Cache":
        """The positions of two caches of one model, after one another.

        Raises :class:`ShapeError` where a position is in both.
        """
        twice = sorted(set(self.positions) & set(other.positions))
        if twice:
            raise ShapeError(
                f"position {twice[0]} is cached twice; choose with reuse which call it comes from",
                twice=twice,
            )
        return Cache(
            self.positions + other.positions,
            tuple(torch.cat(pair, 2) for pair in zip(self.keys, other.keys, strict=True)),
            tuple(torch.cat(pair, 2) for pair in zip(self.values, other.values, strict=True)),
        )

    def __repr__(self) -> str:
        return f"Cache of positions {list(self.positions)} in {len(self.keys)} layers"
