"""Random masks as tensors, and what is to be expected of networks that have them."""

from collections.abc import Sequence

import torch
from hypothesis import strategies as st
from torch import Tensor

from attnproof.numeric.dependency import Method, dependency
from attnproof.numeric.transformer import Transformer
from attnproof.symbolic.masks.mask import Mask
from tests.laws.strategies import Rows, rows
from tests.reference import Pairs, after, pairs_of_sets

#: For each layer, the mask of each head.
Heads = tuple[tuple[Rows, ...], ...]


@st.composite
def head_masks(draw: st.DrawFn, most: int = 5, layers: int = 3, heads: int = 2) -> Heads:
    """Layers of heads on the same positions."""
    n = draw(st.integers(1, most))
    depth, width = draw(st.integers(1, layers)), draw(st.integers(1, heads))
    return tuple(tuple(draw(rows(n)) for _ in range(width)) for _ in range(depth))


def tensor_of(given: Rows) -> Tensor:
    """A relation as a Boolean tensor ``(n, n)``."""
    n = len(given)
    return torch.tensor([[bool(row >> k & 1) for k in range(n)] for row in given]).reshape(n, n)


def tensors_of(given: Heads) -> list[Tensor]:
    """One mask ``(h, n, n)`` a layer."""
    return [torch.stack([tensor_of(head) for head in layer]) for layer in given]


def normal(*sizes: int, seed: int = 0) -> Tensor:
    """Random vectors in float64."""
    random = torch.Generator().manual_seed(seed)
    return torch.randn(sizes, generator=random, dtype=torch.float64)


def pairs_of_mask(mask: Mask) -> Pairs:
    """The pairs of a mask."""
    return pairs_of_sets(mask.rows.bits())


def measured(
    model: Transformer, masks: Sequence[Tensor], method: Method, *, points: int = 1
) -> Pairs:
    """The pairs (output, input) that a model is seen to have."""
    n, width = masks[0].shape[-1], model.shape.width
    found = dependency(
        lambda state: model(state, masks), normal(1, n, width, seed=7), method, points=points
    )
    return pairs_of_mask(found.relation)


def product_of(layers: Sequence[Pairs], n: int) -> Pairs:
    """What the layers let through, each once."""
    return after(layers, len(layers), n)


def close(a: Tensor, b: Tensor, most: float = 1e-12) -> bool:
    """Equal within ``most``, in every entry; NaN is not."""
    return a.shape == b.shape and bool(((a - b).abs() <= most).all())
