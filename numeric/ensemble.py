"""Many transformers of one shape that are trained at once, each on data of its own.

A block maps a token ``x`` to ``eta x + sum write relu(read . x + bias)``, and then token q to
``rho x_q + V mean``, the mean weighted by the softmax of ``<A x_q, x_k>``; ``V`` and ``A`` are each
a multiple of the identity plus rank one. That is the block of
:class:`~attnproof.numeric.interpolant.Interpolant`, with one head.
"""

from fractions import Fraction

import torch
from torch import Tensor, nn

from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron


class Ensemble(nn.Module):
    """``members`` transformers of ``blocks`` blocks of ``width`` neurons on tokens of ``dimension``
    coordinates, with random weights.

    Every parameter has the axes ``(member, block, ...)``. Law: a member computes what the
    :class:`Interpolant` of :meth:`net` does at temperature 1, up to rounding.
    """

    def __init__(
        self, members: int, blocks: int, dimension: int, *, width: int = 4, seed: int = 0
    ) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        axes = members, blocks

        def drawn(*shape: int, scale: float = 1.0) -> nn.Parameter:
            made = torch.randn(*axes, *shape, generator=random, dtype=torch.float64)
            return nn.Parameter(scale * made)

        self.eta = nn.Parameter(torch.ones(*axes, dtype=torch.float64))
        self.rho = nn.Parameter(torch.ones(*axes, dtype=torch.float64))
        self.read, self.bias = drawn(width, dimension), drawn(width)
        self.write = drawn(width, dimension, scale=0.5)
        self.value, self.score = drawn(scale=0.3), drawn(scale=0.3)
        self.value_left, self.value_right = (drawn(dimension, scale=0.7) for _ in range(2))
        self.score_left, self.score_right = (drawn(dimension, scale=0.7) for _ in range(2))

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens ``(member, sequence, n, d)`` to tokens of the same shape."""
        members, sequences, n, d = tokens.shape
        state = tokens.flatten(1, 2)
        for b in range(self.depth):
            hidden = torch.baddbmm(self.bias[:, b, None], state, self.read[:, b].mT).relu()
            state = torch.baddbmm(_each(self.eta[:, b]) * state, hidden, self.write[:, b])
            score = _matrix(self.score[:, b], self.score_left[:, b], self.score_right[:, b])
            value = _matrix(self.value[:, b], self.value_left[:, b], self.value_right[:, b])
            keys = state.view(members, sequences, n, d)
            query = torch.bmm(state, score.mT).view_as(keys)
            mean = (torch.softmax(query @ keys.mT, -1) @ keys).flatten(1, 2)
            state = torch.baddbmm(_each(self.rho[:, b]) * state, mean, value.mT)
        return state.view_as(tokens)

    def net(self, member: int) -> Net:
        """The weights of one member, as the rationals that its floats are."""
        return Net(self.read.shape[-1], tuple(self._block(member, b) for b in range(self.depth)))

    @property
    def depth(self) -> int:
        """The number of blocks."""
        return self.eta.shape[1]

    def _block(self, member: int, b: int) -> Block:
        def of(values: Tensor) -> tuple[Fraction, ...]:
            return tuple(Fraction(x) for x in values[member, b].flatten().tolist())

        def one(values: Tensor) -> Fraction:
            return Fraction(values[member, b].item())

        d = self.read.shape[-1]
        read, write, bias = of(self.read), of(self.write), of(self.bias)
        neurons = tuple(
            Neuron(read[i * d : i * d + d], bias[i], write[i * d : i * d + d])
            for i in range(len(bias))
        )
        head = Head(
            Matrix(one(self.value), of(self.value_left), of(self.value_right)),
            Matrix(one(self.score), of(self.score_left), of(self.score_right)),
        )
        return Block(one(self.eta), neurons, one(self.rho), (head,), "trained")


def chamfer(outputs: Tensor, wanted: Tensor) -> Tensor:
    """For each member the mean over sequences of the squared distances of outputs ``(..., n, d)``
    to the nearest wanted tokens ``(..., m, d)``, and of these to the nearest outputs.

    >>> a, b = torch.zeros(1, 1, 2, 1), torch.tensor([[[[0.0], [2.0]]]])
    >>> chamfer(a, b).tolist()
    [2.0]

    Law: 0 exactly where the sets are equal.
    """
    apart = (outputs[..., :, None, :] - wanted[..., None, :, :]).square().sum(-1)
    return (apart.amin(-1).mean(-1) + apart.amin(-2).mean(-1)).mean(-1)


def hausdorff(outputs: Tensor, wanted: Tensor) -> Tensor:
    """For each member the greatest distance over all sequences, in the maximum norm.

    >>> hausdorff(torch.zeros(1, 1, 2, 1), torch.tensor([[[[0.0], [2.0]]]])).tolist()
    [2.0]
    """
    apart = (outputs[..., :, None, :] - wanted[..., None, :, :]).abs().amax(-1)
    return torch.maximum(apart.amin(-1).amax(-1), apart.amin(-2).amax(-1)).amax(-1)


def _each(numbers: Tensor) -> Tensor:
    return numbers[:, None, None]


def _matrix(scale: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """``scale I + left right^T`` for each member."""
    rank_one = left[:, :, None] * right[:, None]
    return rank_one + _each(scale) * torch.eye(left.shape[-1], dtype=left.dtype)
