"""Embedding: the vector of what a position is given, from its atoms, its kind and its position id.

Equal own inputs have equal vectors; each part has a random vector of its own, drawn from its name.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

import torch
from torch import Tensor

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.tasks.task import Position, PosMode


@dataclass(frozen=True, slots=True)
class Embedding:
    """Random vectors of ``width`` entries; the position id is a part where positions are absolute.

    >>> embed = Embedding(width=4)
    >>> a, b = embed([Position(("x1", "x2"), pos=1), Position(("x2", "x1"), pos=1)])
    >>> torch.equal(a, b)
    True

    Law: a vector is the sum of those of its atoms, its kind, its segment and its position id.
    """

    width: int
    seed: int = 0
    dtype: torch.dtype = torch.float64
    mode: PosMode = PosMode.ABSOLUTE

    def __call__(self, positions: Iterable[Position]) -> Tensor:
        """The vectors ``(n, width)`` of own inputs."""
        return torch.stack([self._sum(position) for position in positions])

    def part(self, kind: str, name: object) -> Tensor:
        """The vector ``(width,)`` of one part, as ``part("atom", "x1")``."""
        digest = sha256(repr((self.seed, kind, name)).encode()).digest()
        random = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))
        drawn = torch.randn(self.width, generator=random, dtype=torch.float64)
        return drawn.to(self.dtype)

    def _sum(self, position: Position) -> Tensor:
        parts = [self.part("atom", atom) for atom in sorted(position.atoms)]
        parts.append(self.part("kind", position.kind))
        if position.segment is not None:
            parts.append(self.part("segment", position.segment))
        if self.mode is PosMode.ABSOLUTE and position.pos is not None:
            parts.append(self.part("position", position.pos))
        return torch.stack(parts).sum(0)


def position_ids(positions: Iterable[Position]) -> Tensor:
    """The position ids ``(n,)``, for relative encodings.

    >>> position_ids([Position(("x1",), pos=4)])
    tensor([4])

    Raises :class:`InputError` for a position without an id.
    """
    ids = []
    for index, position in enumerate(positions):
        if position.pos is None:
            raise InputError(
                f"position {index} has no pos; relative positions need one at every position"
            )
        ids.append(position.pos)
    return torch.tensor(ids)
