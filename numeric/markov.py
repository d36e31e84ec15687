"""Texts of a stationary Markov chain, and the least loss that any model can have on a task.

Convention: ``matrix[a, b]`` is the probability that token ``b`` follows token ``a``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.tasks.task import Label, Task


@dataclass(frozen=True, slots=True, eq=False)
class MarkovChain:
    """A chain of order 1 that starts in its stationary distribution ``start``."""

    matrix: Tensor
    start: Tensor

    @classmethod
    def of(cls, tokens: int, seed: int) -> Self:
        """A random chain; every token may follow every other.

        >>> chain = MarkovChain.of(3, seed=0)
        >>> torch.allclose(chain.start @ chain.matrix, chain.start)
        True
        """
        random = torch.Generator().manual_seed(seed)
        drawn = torch.randn(tokens, tokens, generator=random, dtype=torch.float64)
        matrix = (2 * drawn).softmax(1)
        return cls(matrix, torch.linalg.matrix_power(matrix, 1 << 20)[0])

    def texts(self, count: int, length: int, random: torch.Generator) -> Tensor:
        """Random texts ``(count, length)``."""
        token = self.start.expand(count, -1).multinomial(1, generator=random)
        tokens = [token]
        for _ in range(length - 1):
            token = self.matrix[token[:, 0]].multinomial(1, generator=random)
            tokens.append(token)
        return torch.cat(tokens, 1)

    def entropy(self, left: int | None, right: int | None) -> float:
        """That of a token in nats, given the tokens so many places to its left and its right.

        >>> fair = MarkovChain(torch.full((2, 2), 0.5), torch.full((2,), 0.5))
        >>> round(fair.entropy(1, None), 4)
        0.6931
        """
        power = torch.linalg.matrix_power
        joint = self.start[None, :, None]
        if left is not None:
            joint = (self.start[:, None] * power(self.matrix, left))[:, :, None]
        if right is not None:
            joint = joint * power(self.matrix, right)[None]
        given = joint.sum(1, keepdim=True)
        return -torch.xlogy(joint, joint / given).sum().item()

    def least(self, task: Task, weights: Mapping[Label, int]) -> float:
        """The least mean loss over the labels of a task whose atoms are a text in order.

        Law: the nearest tokens on either side say all that known tokens say.
        """
        total = 0.0
        for label in task.labels:
            below = members(task.executed.below[label.position])
            known = {task.atoms.index(a) for p in below for a in task.positions[p].atoms}
            place = task.atoms.index(label.atom)
            left = min((place - i for i in known if i < place), default=None)
            right = min((i - place for i in known if i > place), default=None)
            total += weights[label] * self.entropy(left, right)
        return total / sum(weights.values())
