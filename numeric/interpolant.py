"""A net with rational weights as a torch module, its weights rounded to floats.

A block maps every token ``x`` to ``write relu(read . x + bias) + eta x``, and then token q to
``rho x_q + sum_h V_h mean_h``. Nothing that is computed here proves anything.
"""

from collections.abc import Sequence
from fractions import Fraction

import torch
from torch import Tensor, nn

from attnproof.numeric.attention import hardmax_attention, softmax_attention
from attnproof.symbolic.errors import ParameterError, ShapeError
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net


class Interpolant(nn.Module):
    """The blocks of a net on tokens ``(n, d)`` or ``(b, n, d)``.

    Attention is softmax at ``temperature``, or hardmax where that is None.

    >>> one = Fraction(1)
    >>> model = Interpolant(Net(1, (Block(Fraction(1, 2), heads=(
    ...     Head(Matrix(one), Matrix(Fraction(0))),)),)))
    >>> model(torch.tensor([[2.0], [6.0]])).flatten().tolist()
    [3.0, 5.0]

    Law: parameters are the weights of the net, each rounded once. Raises :class:`ParameterError`
    for a temperature that is not positive, :class:`ShapeError` for tokens of another dimension.
    """

    def __init__(
        self,
        net: Net,
        *,
        temperature: float | None = None,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if temperature is not None and not temperature > 0:
            raise ParameterError(
                f"the temperature is {temperature}; give one above 0, or None for hardmax"
            )
        self.dimension, self.causal, self.dtype = net.dimension, net.causal, dtype
        self.blocks = nn.ModuleList(
            _BlockModule(block, net.dimension, temperature, dtype) for block in net.blocks
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """The output token of every input token, in the shape that was given."""
        if tokens.dim() not in (2, 3) or tokens.shape[-1] != self.dimension:
            raise ShapeError(
                f"the tokens are {tuple(tokens.shape)}; give (n, {self.dimension}) or "
                f"(b, n, {self.dimension})",
                shape=tuple(tokens.shape),
            )
        state = tokens.to(self.dtype)
        state = state if tokens.dim() == 3 else state[None]
        n = state.shape[1]
        mask = torch.ones(n, n, dtype=torch.bool, device=state.device)
        mask = mask.tril() if self.causal else mask
        for block in self.blocks:
            state = block(state, mask)
        return state if tokens.dim() == 3 else state[0]


class _BlockModule(nn.Module):
    def __init__(self, block: Block, d: int, temperature: float | None, dtype: torch.dtype) -> None:
        super().__init__()
        self.eta = _parameter(block.eta, dtype)
        self.rho = _parameter(block.rho, dtype)
        width = len(block.neurons)
        self.read = _parameter([one.read for one in block.neurons], dtype, width, d)
        self.bias = _parameter([one.bias for one in block.neurons], dtype, width)
        self.write = _parameter([one.write for one in block.neurons], dtype, width, d)
        self.heads = nn.ModuleList(_HeadModule(head, temperature, dtype) for head in block.heads)

    def forward(self, state: Tensor, mask: Tensor) -> Tensor:
        hidden = torch.relu(state @ self.read.mT + self.bias)
        state = hidden @ self.write + self.eta * state
        added = [head(state, mask) for head in self.heads]
        return sum(added, self.rho * state)


class _HeadModule(nn.Module):
    def __init__(self, head: Head, temperature: float | None, dtype: torch.dtype) -> None:
        super().__init__()
        self.value = _MatrixModule(head.value, dtype)
        self.score = _MatrixModule(head.score, dtype)
        self.temperature = temperature

    def forward(self, state: Tensor, mask: Tensor) -> Tensor:
        query, key = self.score(state)[:, None], state[:, None]
        if self.temperature is None:
            mean = hardmax_attention(query, key, key, mask, scale=1.0)
        else:
            mean = softmax_attention(query, key, key, mask, scale=1 / self.temperature)
        applied: Tensor = self.value(mean[:, 0])
        return applied


class _MatrixModule(nn.Module):
    """``x -> scale x + left (right . x)``."""

    def __init__(self, matrix: Matrix, dtype: torch.dtype) -> None:
        super().__init__()
        self.scale = _parameter(matrix.scale, dtype)
        self.left = _parameter(matrix.left, dtype) if matrix.left else None
        self.right = _parameter(matrix.right, dtype) if matrix.left else None

    def forward(self, state: Tensor) -> Tensor:
        found = self.scale * state
        if self.left is None or self.right is None:
            return found
        return found + (state * self.right).sum(-1, keepdim=True) * self.left


def _parameter(
    values: "Fraction | Sequence[Fraction] | Sequence[Sequence[Fraction]]",
    dtype: torch.dtype,
    *shape: int,
) -> nn.Parameter:
    rounded = torch.tensor(_floats(values), dtype=dtype)
    return nn.Parameter(rounded.reshape(shape) if shape else rounded)


def _floats(value: object) -> object:
    return float(value) if isinstance(value, Fraction) else [_floats(x) for x in value]  # type: ignore[attr-defined]
