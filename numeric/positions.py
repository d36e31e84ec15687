"""How a transformer sees position ids: added to the input, as differences in scores, or not.

Convention: ids are integers, one a position; a relative term depends on ``id(q) - id(k)`` alone.
"""

from enum import Enum

import torch
from torch import Tensor

#: The longest wavelength is 2π times this. Source: Vaswani et al. 2017, section 3.5.
BASE = 10000.0


class PositionEncoding(Enum):
    """Not at all, sinusoids added to the input, a bias of differences, or rotated queries and keys.

    The last two are relative: shifting every id changes nothing.
    """

    NONE = "none"
    ABSOLUTE = "absolute"
    BIAS = "bias"
    ROTARY = "rotary"


def angles(ids: Tensor, pairs: int) -> Tensor:
    """The phase ``(n, pairs)`` of each id at each of ``pairs`` frequencies, in radians.

    >>> angles(torch.tensor([0, 3]), 1).tolist()
    [[0.0], [3.0]]
    """
    frequency = BASE ** -(torch.arange(pairs, dtype=torch.float64, device=ids.device) / pairs)
    return ids[:, None] * frequency


def sinusoids(ids: Tensor, width: int) -> Tensor:
    """The vectors ``(n, width)`` that absolute encoding adds: sines, then cosines."""
    phase = angles(ids, (width + 1) // 2)
    return torch.cat([phase.sin(), phase.cos()], 1)[:, :width]


def rotated(state: Tensor, ids: Tensor) -> Tensor:
    """Queries or keys ``(..., n, e)`` turned by their ids: entry ``i`` with entry ``i + e/2``.

    Law: the product of a rotated query and a rotated key depends on the ids by their difference.
    Source: Su et al. 2021, RoFormer.
    """
    phase = angles(ids, state.shape[-1] // 2).to(state.dtype)
    first, second = state.chunk(2, -1)
    return torch.cat(
        [
            first * phase.cos() - second * phase.sin(),
            first * phase.sin() + second * phase.cos(),
        ],
        -1,
    )


def differences(query_ids: Tensor, key_ids: Tensor, span: int) -> Tensor:
    """``id(q) - id(k)``, cut off at ``span`` on both sides, as an index from 0 to ``2 span``.

    >>> differences(torch.tensor([0, 5]), torch.tensor([0, 1]), 2).tolist()
    [[2, 1], [4, 4]]
    """
    return (query_ids[:, None] - key_ids).clamp(-span, span) + span
