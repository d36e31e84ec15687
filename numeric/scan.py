"""Linear attention as a recurrence: positions write to one state, and read it, in a fixed order.

Convention: a chain is a list of groups of positions; a group writes, one position after the other,
and then reads. ``relation[q, k]`` is true when ``k`` has written by the time that ``q`` reads.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask


@dataclass(frozen=True, slots=True)
class Group:
    """Positions that write, in this order, and positions that read what was written so far."""

    writes: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chain:
    """The order in which one scan writes and reads.

    Law: a relation is that of a chain exactly when its rows are nested, one within the other
    (a Ferrers relation); so r scans, summed, realise a relation exactly when r nested families of
    rows unite to it. Raises :class:`ShapeError` for a position that writes twice or reads twice.
    Source: ours; interval orders and nested down-sets are Fishburn 1970.
    """

    groups: tuple[Group, ...]

    def __post_init__(self) -> None:
        for act in ("writes", "reads"):
            listed = [p for group in self.groups for p in getattr(group, act)]
            twice = sorted({p for p in listed if listed.count(p) > 1})
            if twice:
                raise ShapeError(
                    f"position {twice[0]} {act} twice in one chain; give it a second chain",
                    position=twice[0],
                )

    @staticmethod
    def inclusive(groups: Iterable[Sequence[int]]) -> "Chain":
        """Each group reads itself and all before it.

        >>> Chain.inclusive([[0], [1, 2]]).relation(3)
        Mask 3×3 (row = query)
        #··
        ###
        ###
        """
        return Chain(tuple(Group(tuple(group), tuple(group)) for group in groups))

    @staticmethod
    def exclusive(groups: Iterable[Sequence[int]]) -> "Chain":
        """Each group reads all before it, and not itself.

        >>> Chain.exclusive([[2], [1], [0]]).relation(3)
        Mask 3×3 (row = query)
        ·##
        ··#
        ···
        """
        steps = [(Group(reads=tuple(group)), Group(writes=tuple(group))) for group in groups]
        return Chain(tuple(step for pair in steps for step in pair))

    def relation(self, n: int) -> Mask:
        """Which of ``n`` positions reads which."""
        rows, written = [0] * n, 0
        for group in self.groups:
            for k in group.writes:
                written |= 1 << k
            for q in group.reads:
                rows[q] = written
        return Mask.of(Bits(tuple(rows), n))


class Update(Enum):
    """What a write does to the state: add, let the rest decay, or correct what its key recalls."""

    LINEAR = "linear"
    GATED = "gated"
    DELTA = "delta"


def linear(state: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """``S + v kᵀ``. Source: Katharopoulos et al. 2020."""
    return state + _outer(value, key)


def gated(state: Tensor, key: Tensor, value: Tensor, keep: Tensor) -> Tensor:
    """``S diag(a) + v kᵀ``, gates ``a`` between 0 and 1. Source: Yang et al. 2023."""
    return state * keep[:, None, :] + _outer(value, key)


def delta(state: Tensor, key: Tensor, value: Tensor, rate: Tensor) -> Tensor:
    """``S + β (v - S k) kᵀ`` with ``|k| = 1`` and a rate ``β`` between 0 and 1.

    Source: Schlag et al. 2021.
    """
    recalled = _recall(state, key)
    return state + _outer(rate * (value - recalled), key)


class Scan(nn.Module):
    """One scan a chain, each with weights of its own; what they read is summed.

    >>> model = Scan([Chain.inclusive([[0], [1]])], width=3)
    >>> model(torch.zeros(1, 2, 3, dtype=torch.float64)).shape
    torch.Size([1, 2, 3])

    Laws: output ``q`` depends on input ``k`` exactly where some chain has ``(q, k)`` or, with a
    residual, ``q = k``, for all but exceptional weights; without one, a position that reads
    anything depends on itself too, by its query. Merging two states is not defined for gated and
    delta updates: the order of writes matters for values, not for the relation.
    """

    def __init__(
        self,
        chains: Sequence[Chain],
        width: int,
        *,
        update: Update = Update.LINEAR,
        head_width: int = 3,
        residual: bool = True,
        seed: int = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        self.chains, self.update, self.residual = tuple(chains), update, residual

        def weight(rows: int, columns: int) -> nn.Parameter:
            sizes = (len(self.chains), rows, columns)
            drawn = torch.randn(sizes, generator=random, dtype=torch.float64) / rows**0.5
            return nn.Parameter(drawn.to(dtype))

        self.query, self.key = weight(width, head_width), weight(width, head_width)
        self.value, self.output = weight(width, head_width), weight(head_width, width)
        if update is not Update.LINEAR:
            self.gate = weight(width, head_width)

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        read = sum(
            (self.scanned(index, state) @ self.output[index] for index in range(len(self.chains))),
            torch.zeros_like(state),
        )
        return state + read if self.residual else read

    def scanned(self, index: int, state: Tensor) -> Tensor:
        """What each position reads ``(b, n, e)`` in one chain; zero where it reads nothing."""
        query, key, value = (state @ w[index] for w in (self.query, self.key, self.value))
        key = F.normalize(key, dim=-1)
        memory = state.new_zeros(len(state), value.shape[-1], key.shape[-1])
        read = [torch.zeros_like(value[:, 0])] * state.shape[1]
        for group in self.chains[index].groups:
            for k in group.writes:
                memory = self.written(index, memory, key[:, k], value[:, k], state[:, k])
            for q in group.reads:
                read[q] = _recall(memory, query[:, q])
        return torch.stack(read, 1)

    def written(
        self, index: int, memory: Tensor, key: Tensor, value: Tensor, state: Tensor
    ) -> Tensor:
        """The memory ``(b, e, e)`` of a chain after one position has written."""
        if self.update is Update.LINEAR:
            return linear(memory, key, value)
        gate = (state @ self.gate[index]).sigmoid()
        if self.update is Update.GATED:
            return gated(memory, key, value, gate)
        return delta(memory, key, value, gate[:, :1])


def _outer(value: Tensor, key: Tensor) -> Tensor:
    return value[:, :, None] * key[:, None, :]


def _recall(memory: Tensor, key: Tensor) -> Tensor:
    return torch.einsum("bvk,bk->bv", memory, key)
