"""Attention: each query returns a weighted mean of the values it reads.

Convention: ``mask[q, k]`` is true when query ``q`` reads key ``k``. Queries, keys and values are
``(b, h, n, d)``; a mask or a bias is ``(q, k)``, ``(h, q, k)`` or ``(b, h, q, k)``.
"""

import math
import warnings
from collections.abc import Callable
from enum import Enum
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.setting import EmptyRow


class Backend(Enum):
    """Who computes the softmax: the formula below, or one of the two kernels of torch."""

    PLAIN = "plain"
    SDPA = "sdpa"
    FLEX = "flex"


class Blocking(Enum):
    """How a key that is not read is taken out of a softmax.

    A Boolean mask, minus infinity added to its score, or the least finite number added to it.
    """

    BOOLEAN = "boolean"
    MINUS_INFINITY = "minus infinity"
    MINIMUM = "minimum"


class Attention(Protocol):
    """What a transformer needs of attention."""

    def __call__(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        bias: Tensor | None = None,
        scale: float | None = None,
    ) -> Tensor:
        """The values ``(b, h, q, d)`` that the queries receive."""
        ...


def softmax_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    bias: Tensor | None = None,
    scale: float | None = None,
    empty_row: EmptyRow = EmptyRow.ZERO,
    backend: Backend = Backend.PLAIN,
) -> Tensor:
    """The mean of the values a query reads, weighted by ``exp(scale * query . key + bias)``.

    ``scale`` is 1/√d unless given; ``bias`` is finite. A query that reads nothing returns zero,
    NaN or the mean of all values, as ``empty_row`` says, and its gradient is finite.

    >>> one = torch.ones(1, 1, 2, 1)
    >>> value = torch.tensor([[[[4.0], [8.0]]]])
    >>> softmax_attention(one, one, value, torch.tensor([[True, True], [False, False]])).flatten()
    tensor([6., 0.])

    Law: every backend gives the same values. Raises :class:`ShapeError` for axes that do not fit
    and :class:`InputError` for a mask that is not Boolean. Source: Vaswani et al. 2017, section
    3.2.1; the conventions of empty rows are ours.
    """
    reads, empty = _split(_expanded(query, key, value, mask))
    found = native_attention(query, key, value, reads, bias=bias, scale=scale, backend=backend)
    return _with_empty_rows(found, value, empty, empty_row)


def hardmax_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    bias: Tensor | None = None,
    scale: float | None = None,
    empty_row: EmptyRow = EmptyRow.ZERO,
) -> Tensor:
    """The mean of the values whose score is maximal among those a query reads.

    >>> query, key = torch.ones(1, 1, 1, 1), torch.tensor([[[[1.0], [3.0], [3.0]]]])
    >>> hardmax_attention(query, key, torch.tensor([[[[9.0], [2.0], [4.0]]]])).item()
    3.0

    Law: it is the limit of softmax attention as the scale grows; equal keys tie exactly, wherever
    they stand. Shapes, errors and empty rows as in :func:`softmax_attention`.
    """
    reads, empty = _split(_expanded(query, key, value, mask))
    # One sum a pair, all in the same order: a matrix product may round equal columns differently.
    scores = (query[:, :, :, None] * key[:, :, None]).sum(-1) * _scale(query, scale)
    scores = scores if bias is None else scores + bias
    scores = scores.masked_fill(~reads, -torch.inf)
    best = (scores == scores.amax(-1, keepdim=True)).to(value.dtype)
    return _with_empty_rows(best / best.sum(-1, keepdim=True) @ value, value, empty, empty_row)


def native_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    bias: Tensor | None = None,
    scale: float | None = None,
    backend: Backend = Backend.PLAIN,
    blocking: Blocking = Blocking.BOOLEAN,
) -> Tensor:
    """Softmax attention with whatever the backend itself does for a query that reads nothing.

    ``Blocking.BOOLEAN`` is the backend's own Boolean mask; the others add a bias.

    >>> one, mask = torch.ones(1, 1, 1, 1), torch.tensor([[False]])
    >>> native_attention(one, one, one, mask).item()
    nan
    >>> native_attention(one, one, one, mask, backend=Backend.SDPA).item()
    0.0
    >>> native_attention(one, one, one, mask, blocking=Blocking.MINIMUM).item()
    1.0

    Law: where every query reads something, it is :func:`softmax_attention`.
    """
    reads = None if mask is None else _expanded(query, key, value, mask)
    if reads is not None and blocking is not Blocking.BOOLEAN:
        low = torch.finfo(query.dtype).min if blocking is Blocking.MINIMUM else -math.inf
        bias, reads = _added(reads, bias, low, query), None
    kernel = {Backend.PLAIN: _plain, Backend.SDPA: _sdpa, Backend.FLEX: _flex}[backend]
    return kernel(query, key, value, reads, bias, _scale(query, scale))


def log_multiplicity(counts: Tensor) -> Tensor:
    """The bias under which softmax attention counts key ``k`` as ``counts[..., k]`` equal keys.

    >>> log_multiplicity(torch.tensor([1.0, 2.0])).exp()
    tensor([1., 2.])

    Law: it equals attention over the keys written out that often. Raises :class:`InputError` for a
    count below 1: a key that does not occur is taken out by the mask. It says nothing of hardmax.
    Source: ours.
    """
    if (counts < 1).any():
        raise InputError(
            f"a count is {counts.min().item()}; every key occurs at least once, and one that does "
            "not is taken out by the mask"
        )
    return counts.log()


def _plain(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    reads: Tensor | None,
    bias: Tensor | None,
    scale: float,
) -> Tensor:
    scores = query @ key.mT * scale
    if bias is not None:
        scores = scores + bias
    if reads is not None:
        scores = scores.masked_fill(~reads, -torch.inf)
    return scores.softmax(-1) @ value


def _sdpa(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    reads: Tensor | None,
    bias: Tensor | None,
    scale: float,
) -> Tensor:
    given = reads
    if bias is not None:
        given = bias if reads is None else _added(reads, bias, -math.inf, query)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=given, scale=scale)


def _flex(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    reads: Tensor | None,
    bias: Tensor | None,
    scale: float,
) -> Tensor:
    from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention

    (b, h, q, _), k = query.shape, key.shape[2]
    block_mask: BlockMask | None = None
    score_mod: Callable[..., Tensor] | None = None
    if reads is not None:
        block_mask = create_block_mask(
            lambda b, h, q, k: reads[b, h, q, k], b, h, q, k, device=str(query.device)
        )
    if bias is not None:
        added = bias.expand(b, h, q, k)
        score_mod = lambda score, *pair: score + added[pair]  # noqa: E731
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
        return flex_attention(
            query, key, value, score_mod=score_mod, block_mask=block_mask, scale=scale
        )


def _added(reads: Tensor, bias: Tensor | None, low: float, query: Tensor) -> Tensor:
    """The bias, with ``low`` in place of each key that is not read."""
    zero = torch.zeros((), dtype=query.dtype, device=query.device)
    return (zero if bias is None else bias).expand(reads.shape).masked_fill(~reads, low)


def _scale(query: Tensor, scale: float | None) -> float:
    return 1 / math.sqrt(query.shape[-1]) if scale is None else scale


def _expanded(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """The mask on ``(b, h, q, k)``."""
    shapes = [tuple(x.shape) for x in (query, key, value)]
    same = len({shape[:2] for shape in shapes}) == 1 and shapes[1][2:3] == shapes[2][2:3]
    if any(len(shape) != 4 for shape in shapes) or not same or shapes[0][3] != shapes[1][3]:
        raise ShapeError(
            "query, key and value are {}, {} and {}; give (b, h, q, d), (b, h, k, d) and "
            "(b, h, k, any)".format(*shapes),
            shapes=shapes,
        )
    full = (*shapes[0][:3], shapes[1][2])
    if mask is None:
        return torch.ones(full, dtype=torch.bool, device=query.device)
    if mask.dtype != torch.bool:
        raise InputError(
            f"the mask holds {mask.dtype}; give Booleans, true where a query reads a key, and "
            "numbers that are added to scores as bias",
            dtype=mask.dtype,
        )
    own = tuple(mask.shape)
    if len(own) not in (2, 3, 4) or any(
        have not in (want, 1) if axis < len(own) - 2 else have != want
        for axis, (have, want) in enumerate(zip(own, full[-len(own) :], strict=True))
    ):
        raise ShapeError(
            f"the mask is {own}; for these queries and keys give {full[2:]}, {full[1:]} or {full}",
            shape=own,
            needed=full,
        )
    return mask.expand(full)


def _split(reads: Tensor) -> tuple[Tensor, Tensor]:
    """The mask with empty rows filled, so that nothing is NaN, and which rows were empty."""
    empty = ~reads.any(-1, keepdim=True)
    return reads | empty, empty


def _with_empty_rows(found: Tensor, value: Tensor, empty: Tensor, convention: EmptyRow) -> Tensor:
    if convention is EmptyRow.UNIFORM:
        return torch.where(empty, value.mean(-2, keepdim=True), found)
    return found.masked_fill(empty, 0.0 if convention is EmptyRow.ZERO else math.nan)
