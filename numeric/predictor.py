"""Predictor: a transformer that is trained on tasks, from the tokens of a text to one loss.

Convention: a text is a row of tokens, one for each atom of the tasks; ``mask[q, k]`` is true when
query ``q`` reads key ``k``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.transformer import Architecture, Transformer
from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.tasks.task import Label, Task


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the tables of a predictor are indexed by: atoms, kinds, position ids and heads."""

    atoms: tuple[str, ...]
    kinds: tuple[str, ...]
    places: tuple[int | None, ...]
    heads: int

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> Self:
        """That of some tasks on the same atoms.

        >>> Vocabulary.of([Task.build(["x1", None], {1: "x2"}, "causal")])
        Vocabulary(atoms=('x1', 'x2'), kinds=('mask', 'tok'), places=(0, 1), heads=1)
        """
        lists = {task.atoms for task in tasks}
        if len(lists) != 1:
            raise TaskError(
                f"the tasks have {len(lists)} lists of atoms; give tasks on the same atoms",
                where="atoms",
            )
        (atoms,) = lists
        positions = [position for task in tasks for position in task.positions]
        places = sorted({p.pos for p in positions}, key=lambda place: (place is not None, place))
        heads = 1 + max((label.head for task in tasks for label in task.labels), default=0)
        return cls(atoms, tuple(sorted({p.kind for p in positions})), tuple(places), heads)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some tasks as tensors, side by side; shorter ones end in positions that nothing reads.

    ``carries`` is ``(t, n, atoms)``, ``kinds`` and ``places`` are ``(t, n)``, ``mask`` is
    ``(t, 1, n, n)``; of each label, its task, position, atom and head are in ``labels``
    ``(labels, 4)``, and how often it counts in ``weights``.
    """

    carries: Tensor
    kinds: Tensor
    places: Tensor
    mask: Tensor
    labels: Tensor
    weights: Tensor

    @classmethod
    def of(
        cls,
        tasks: Sequence[Task],
        known: Vocabulary,
        weights: Mapping[Label, int] | None = None,
        dtype: torch.dtype = torch.float64,
    ) -> Self:
        """Tasks of one mask each; a label counts once unless ``weights`` say otherwise.

        Raises :class:`TaskError` for a task of several layers or heads, and for one with derived
        items or segments, for which there are no vectors.
        """
        for task in tasks:
            _check(task)
        size = max(task.size for task in tasks)
        shape = (len(tasks), size)
        carries = torch.zeros(*shape, len(known.atoms), dtype=dtype)
        kinds, places = (torch.zeros(shape, dtype=torch.long) for _ in range(2))
        mask = torch.zeros(len(tasks), 1, size, size, dtype=torch.bool)
        labels, counted = [], []
        for t, task in enumerate(tasks):
            ((rows,),) = task.executed.layers
            for q, row in enumerate(rows):
                mask[t, 0, q, list(members(row))] = True
            for p, position in enumerate(task.positions):
                kinds[t, p] = known.kinds.index(position.kind)
                places[t, p] = known.places.index(position.pos)
                for atom in position.atoms:
                    carries[t, p, known.atoms.index(atom)] = 1
            for label in task.labels:
                labels.append((t, label.position, known.atoms.index(label.atom), label.head))
                counted.append(1 if weights is None else weights[label])
        return cls(
            carries,
            kinds,
            places,
            mask,
            torch.tensor(labels, dtype=torch.long).reshape(-1, 4),
            torch.tensor(counted, dtype=dtype),
        )


def _check(task: Task) -> None:
    """Raise :class:`TaskError` for what a batch does not hold."""
    masks = [mask for layer in task.executed.layers for mask in layer]
    if len(masks) != 1:
        raise TaskError(
            f"the task has {len(masks)} masks, of layers or heads; a predictor is trained with one "
            "mask for all",
            where="mask",
        )
    if task.derived or any(position.segment is not None for position in task.positions):
        raise TaskError(
            "the task has derived items or segments; a predictor has vectors for tokens, kinds and "
            "position ids alone",
            where="derived" if task.derived else "position",
        )


class Predictor(nn.Module):
    """Tables for tokens, kinds and position ids, a transformer, and a read-out for each head.

    A position starts from the sum of the vectors of its tokens, its kind and its position id, so
    equal own inputs start equal. Law: at positions that are equivalent it computes the same.
    Source: ours.
    """

    def __init__(
        self,
        known: Vocabulary,
        tokens: int,
        shape: Architecture,
        *,
        seed: int = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)

        def table(*sizes: int) -> nn.Parameter:
            drawn = torch.randn(sizes, generator=random, dtype=torch.float64) / shape.width**0.5
            return nn.Parameter(drawn.to(dtype))

        self.token = table(tokens, shape.width)
        self.kind = table(len(known.kinds), shape.width)
        self.place = table(len(known.places), shape.width)
        self.readout = table(known.heads, shape.width, tokens)
        self.body = Transformer(shape, seed=seed + 1, dtype=dtype)

    def forward(self, batch: Batch, texts: Tensor) -> Tensor:
        """The states ``(t, b, n, d)`` on texts ``(b, atoms)``."""
        own = torch.einsum("tna,bad->tbnd", batch.carries, self.token[texts])
        own = own + (self.kind[batch.kinds] + self.place[batch.places])[:, None]
        masks = batch.mask.repeat_interleave(len(texts), 0)
        states: Tensor = self.body(own.flatten(0, 1), masks)
        return states.reshape(own.shape)

    def loss(self, batch: Batch, texts: Tensor) -> Tensor:
        """The cross-entropies of all labels in nats, weighted and summed; the mean over texts."""
        task, position, atom, head = batch.labels.T
        states = self(batch, texts)[task, :, position]
        scores = torch.einsum("lbd,ldv->lbv", states, self.readout[head])
        wanted = texts[:, atom].T
        each = F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), reduction="none")
        return batch.weights @ each.reshape(wanted.shape).mean(1)
