"""A transformer: layers of masked attention and a position-wise MLP, on vectors ``(b, n, d)``.

Convention: ``mask[q, k]`` is true when query ``q`` reads key ``k``; each layer may have a mask of
its own, and each head of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.attention import Attention, softmax_attention
from attnproof.numeric.cache import Cache
from attnproof.numeric.positions import PositionEncoding, differences, rotated, sinusoids
from attnproof.symbolic.errors import ParameterError, ShapeError

#: Differences of ids beyond this share one bias.
SPAN = 16


class Norm(Enum):
    """What normalises a state before attention and before the MLP."""

    NONE = "none"
    LAYER = "layer"
    RMS = "rms"


@dataclass(frozen=True, slots=True)
class Architecture:
    """Sizes and switches: ``width`` of a state, ``head_width`` of a query, ``hidden`` of the MLP.

    No MLP where ``hidden`` is 0. Without ``residual`` a layer returns what attention and the MLP
    return, and forgets the state.
    """

    layers: int = 2
    width: int = 8
    heads: int = 2
    head_width: int = 4
    hidden: int = 16
    residual: bool = True
    norm: Norm = Norm.NONE
    position: PositionEncoding = PositionEncoding.NONE

    def __post_init__(self) -> None:
        for name in ("layers", "hidden"):
            if getattr(self, name) < 0:
                raise ParameterError(f"{name} is {getattr(self, name)}; give 0 or more")
        for name in ("width", "heads", "head_width"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} is {getattr(self, name)}; give 1 or more")
        if self.position is PositionEncoding.ROTARY and self.head_width % 2:
            raise ParameterError(
                f"rotary positions turn pairs of entries and head_width is {self.head_width}; give "
                "an even one"
            )


class Layer(nn.Module):
    """One layer: ``write`` what positions offer, then ``read`` it."""

    def __init__(self, shape: Architecture, random: torch.Generator, dtype: torch.dtype) -> None:
        super().__init__()
        self.shape = shape
        h, d, e, m = shape.heads, shape.width, shape.head_width, shape.hidden

        def weight(*sizes: int) -> nn.Parameter:
            drawn = torch.randn(sizes, generator=random, dtype=torch.float64) / sizes[-2] ** 0.5
            return nn.Parameter(drawn.to(dtype))

        self.query, self.key, self.value = weight(h, d, e), weight(h, d, e), weight(h, d, e)
        self.output = weight(h, e, d)
        if m:
            self.up, self.down = weight(d, m), weight(m, d)
        if shape.position is PositionEncoding.BIAS:
            self.distance = weight(h, 2 * SPAN + 1)

    def write(self, state: Tensor) -> tuple[Tensor, Tensor]:
        """The keys and the values ``(b, h, n, e)`` of states ``(b, n, d)``."""
        normal = self.normalised(state)
        return _by_head(normal, self.key), _by_head(normal, self.value)

    def read(
        self,
        state: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        query_ids: Tensor,
        key_ids: Tensor,
        bias: Tensor | None = None,
        attention: Attention = softmax_attention,
    ) -> Tensor:
        """The states ``(b, q, d)`` after these queries have read, heads summed, MLP applied."""
        query = _by_head(self.normalised(state), self.query)
        if self.shape.position is PositionEncoding.ROTARY:
            query, key = rotated(query, query_ids), rotated(key, key_ids)
        if self.shape.position is PositionEncoding.BIAS:
            relative = self.distance[:, differences(query_ids, key_ids, SPAN)]
            bias = relative if bias is None else relative + bias
        read = attention(query, key, value, mask, bias=bias)
        state = self.added(state, torch.einsum("bhqe,hed->bqd", read, self.output))
        return self.added(state, self.mlp(self.normalised(state))) if self.shape.hidden else state

    def mlp(self, state: Tensor) -> Tensor:
        """The same function at every position."""
        return F.gelu(state @ self.up) @ self.down

    def normalised(self, state: Tensor) -> Tensor:
        """A state as attention and the MLP see it."""
        if self.shape.norm is Norm.NONE:
            return state
        norm = F.layer_norm if self.shape.norm is Norm.LAYER else F.rms_norm
        return norm(state, (self.shape.width,), eps=1e-5)

    def added(self, state: Tensor, update: Tensor) -> Tensor:
        """The update, on top of the state where there is a residual."""
        return state + update if self.shape.residual else update


class Transformer(nn.Module):
    """Layers in sequence, with random weights from a seed.

    >>> model = Transformer(Architecture(layers=1, width=2))
    >>> model(torch.zeros(1, 3, 2, dtype=torch.float64)).shape
    torch.Size([1, 3, 2])

    Laws: one seed, one model. After L layers output ``q`` depends on input ``k`` exactly where the
    Boolean product of the layers' relations has ``(q, k)``, for all but exceptional weights; a
    layer's relation is the union of its heads' masks and, with a residual, the diagonal. Without a
    residual a query still weighs what it reads: the diagonal can be there in each row where some
    head reads two keys or more. Source: ours.
    """

    def __init__(
        self,
        shape: Architecture,
        *,
        seed: int = 0,
        dtype: torch.dtype = torch.float64,
        attention: Attention = softmax_attention,
    ) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        self.shape, self.attention = shape, attention
        self.layers = nn.ModuleList(Layer(shape, random, dtype) for _ in range(shape.layers))

    def forward(
        self,
        state: Tensor,
        masks: Tensor | Sequence[Tensor] | None = None,
        *,
        ids: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        """The states ``(b, n, d)`` after the last layer.

        One mask for all layers, or one a layer, each ``(n, n)``, ``(h, n, n)`` or ``(b, h, n, n)``;
        ``bias`` of the same shapes is added to the scores of every layer. ``ids`` are the position
        ids ``(n,)``, 0, 1, ... unless given.
        """
        everyone = range(state.shape[-2])
        return self.extend(state, everyone, masks, ids=ids, bias=bias)[0]

    def extend(
        self,
        state: Tensor,
        computed: Sequence[int],
        masks: Tensor | Sequence[Tensor] | None = None,
        cache: Cache | None = None,
        *,
        ids: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> tuple[Tensor, Cache]:
        """The states ``(b, len(computed), d)`` of some positions, and a cache that holds them too.

        Masks, ids and bias speak of all n positions of the sequence. A key that is neither cached
        nor computed is not read.

        Law: the states are those of the full run where the positions computed so far are, at every
        call, a down-set of the flow: they reach nothing outside themselves. Raises
        :class:`ShapeError` for a position computed twice, for as many masks as there are not layers
        and for a mask that does not hold the positions. Source: ours.
        """
        new = tuple(computed)
        known = (cache.positions if cache else ()) + new
        if len(set(known)) != len(known) or len(new) != state.shape[-2]:
            raise ShapeError(
                f"{state.shape[-2]} states are given for the positions {list(new)} beside the "
                f"cached {list(known[: -len(new)])}; give one state a position, each position once",
                computed=new,
            )
        if self.shape.position is PositionEncoding.ABSOLUTE:
            state = state + sinusoids(_ids(ids, new, state), self.shape.width).to(state.dtype)
        keys, values = [], []
        for level, (layer, mask) in enumerate(zip(self.layers, self._masks(masks), strict=True)):
            assert isinstance(layer, Layer)
            key, value = layer.write(state)
            if cache:
                key = torch.cat([cache.keys[level], key], 2)
                value = torch.cat([cache.values[level], value], 2)
            state = layer.read(
                state,
                key,
                value,
                _part(mask, new, known),
                query_ids=_ids(ids, new, state),
                key_ids=_ids(ids, known, state),
                bias=_part(bias, new, known),
                attention=self.attention,
            )
            keys.append(key)
            values.append(value)
        return state, Cache(known, tuple(keys), tuple(values))

    def _masks(self, masks: Tensor | Sequence[Tensor] | None) -> Sequence[Tensor | None]:
        if masks is None or isinstance(masks, Tensor):
            return [masks] * self.shape.layers
        if len(masks) != self.shape.layers:
            raise ShapeError(
                f"{len(masks)} masks were given for {self.shape.layers} layers; give one for all, "
                "or one a layer",
                masks=len(masks),
            )
        return masks


def _by_head(state: Tensor, weight: Tensor) -> Tensor:
    return torch.einsum("bnd,hde->bhne", state, weight)


def _ids(ids: Tensor | None, positions: Sequence[int], state: Tensor) -> Tensor:
    places = torch.tensor(positions, dtype=torch.long, device=state.device)
    return places if ids is None else ids[places]


def _part(whole: Tensor | None, queries: Sequence[int], keys: Sequence[int]) -> Tensor | None:
    """The rows and columns of some positions of a mask or a bias."""
    if whole is None:
        return None
    if max(queries, default=0) >= whole.shape[-2] or max(keys, default=0) >= whole.shape[-1]:
        raise ShapeError(
            f"a mask or bias {tuple(whole.shape)} does not hold position "
            f"{max((*queries, *keys))}; its last two axes are the positions of the sequence",
            shape=tuple(whole.shape),
        )
    rows = torch.tensor(queries, dtype=torch.long, device=whole.device)
    columns = torch.tensor(keys, dtype=torch.long, device=whole.device)
    return whole[..., rows[:, None], columns]
