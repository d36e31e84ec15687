"""A one-layer attention that classifies: logits W_OV Xᵀ softmax(X W_QK x_q), four ways.

X (B, T, d) are embeddings of tokens and of their distance to the query, which is the last valid
token and is attended like any other. W_QK is one matrix or W_Kᵀ W_Q, and W_OV (K, d) is one matrix
or W_O W_V. There is no score scale, no bias and no dropout.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Self

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.datasets.dataset import Dataset
from attnproof.numeric.datasets.text import Vocabulary
from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Parametrisation


class Embedding(Enum):
    """How tokens become vectors."""

    LEARNED = "learned"
    ONE_HOT = "one-hot"


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Examples as tensors: ``tokens``, ``valid`` and ``relevant`` (N, T), ``labels`` (N,)."""

    tokens: Tensor
    valid: Tensor
    relevant: Tensor
    labels: Tensor

    @classmethod
    def of(cls, dataset: Dataset, known: Vocabulary) -> Self:
        """The examples of a data set; shorter ones are padded at their end."""
        examples = dataset.examples
        shape = len(examples), max(len(example.tokens) for example in examples)
        tokens, valid, relevant = np.zeros(shape, int), np.zeros(shape, bool), np.zeros(shape, bool)
        for row, example in enumerate(examples):
            tokens[row, : len(example.tokens)] = [known[word] for word in example.tokens]
            valid[row, : len(example.tokens)] = True
            relevant[row, list(example.relevant)] = True
        labels = torch.tensor([example.label for example in examples])
        return cls(
            torch.from_numpy(tokens), torch.from_numpy(valid), torch.from_numpy(relevant), labels
        )

    def __getitem__(self, rows: Tensor) -> Self:
        return type(self)(
            self.tokens[rows], self.valid[rows], self.relevant[rows], self.labels[rows]
        )

    def __len__(self) -> int:
        return len(self.labels)


class Classifier(nn.Module):
    """The model; every matrix of a circuit starts from N(0, ``start``²), from a seed.

    ``inner`` is the width between the two factors of a circuit. Learned vectors start from
    N(0, 1/d), so that they have about length 1; one-hot ones are a token's axis and a position's,
    and stay. Raises :class:`ParameterError` for ``inner`` below K - 1: then W_O W_V has not the
    rank that K classes need.
    """

    def __init__(
        self,
        parametrisation: Parametrisation,
        words: int,
        length: int,
        classes: int,
        *,
        embedding: Embedding = Embedding.LEARNED,
        width: int = 32,
        inner: int = 16,
        start: float = 0.05,
        seed: int = 0,
    ) -> None:
        super().__init__()
        if inner < classes - 1:
            raise ParameterError(
                f"inner is {inner} for {classes} classes; give {classes - 1} or more", inner=inner
            )
        random = torch.Generator().manual_seed(seed)
        self.length = length

        def drawn(*shape: int, scale: float = start) -> nn.Parameter:
            return nn.Parameter(scale * torch.randn(shape, generator=random, dtype=torch.float64))

        if embedding is Embedding.ONE_HOT:
            d = words + length
            axes = torch.eye(d, dtype=torch.float64)
            self.register_buffer("token_vectors", axes[:words])
            self.register_buffer("position_vectors", axes[words:])
        else:
            d = width
            self.token_vectors = drawn(words, d, scale=d**-0.5)
            self.position_vectors = drawn(length, d, scale=d**-0.5)
        qk = ((inner, d), (inner, d)) if parametrisation.factorised_attention else ((d, d),)
        ov = ((classes, inner), (inner, d)) if parametrisation.factorised_value else ((classes, d),)
        self.qk = nn.ParameterList([drawn(*shape) for shape in qk])
        self.ov = nn.ParameterList([drawn(*shape) for shape in ov])

    def circuits(self) -> tuple[Tensor, Tensor]:
        """W_QK (d, d), of which the first axis is the key's, and W_OV (K, d)."""
        keys, *queries = self.qk
        out, *values = self.ov
        qk = keys.T @ queries[0] if queries else keys
        return qk, out @ values[0] if values else out

    def vectors(self, tokens: Tensor, valid: Tensor) -> Tensor:
        """X (B, T, d); padding has vectors too, which nothing attends."""
        last = valid.sum(1, keepdim=True) - 1
        back = (last - torch.arange(tokens.shape[1])).clamp(0, self.length - 1)
        return self.token_vectors[tokens] + self.position_vectors[back]

    def forward(
        self, batch: Encoded, keep: Tensor | None = None, zeroed: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Logits (B, K) and attention (B, T).

        Of the tokens outside ``keep`` (B, T) the keys are masked, or with ``zeroed`` the
        embeddings are zero as keys and values; the query vector is that of the full input. Where
        every key is masked, nothing is attended and the logits are 0.
        """
        x = self.vectors(batch.tokens, batch.valid)
        rows = torch.arange(len(batch))
        query = x[rows, batch.valid.sum(1) - 1]
        read = batch.valid
        if keep is not None and zeroed:
            x = x * keep[..., None]
        elif keep is not None:
            read = read & keep
        qk, ov = self.circuits()
        scores = torch.einsum("btd,bd->bt", x, query @ qk.T)
        attention = torch.softmax(scores.masked_fill(~read, -torch.inf), 1).nan_to_num(0)
        return torch.einsum("bt,btd->bd", attention, x) @ ov.T, attention


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """AdamW with ``rate`` for W_OV and embeddings, and ``ratio`` times that for W_QK.

    At most ``steps`` steps on ``size`` examples each, or on all of them; after every ``look`` steps
    the loss of all examples is taken, and training ends when it is at most ``stop``: models are
    compared at equal loss, not after equal steps. ``decay`` is the weight decay, of all parameters.
    Raises :class:`ParameterError` for what is not positive, and for a negative decay.
    """

    rate: float = 1e-3
    ratio: float = 1.0
    steps: int = 1000
    size: int | None = None
    stop: float = 0.0
    look: int = 10
    decay: float = 1e-4

    def __post_init__(self) -> None:
        for name in ("rate", "ratio", "steps", "size", "look"):
            given = getattr(self, name)
            if given is not None and not given > 0:
                raise ParameterError(f"{name} is {given}; give a positive number", **{name: given})
        if not self.decay >= 0:
            raise ParameterError(f"decay is {self.decay}; give 0 or more", decay=self.decay)


@dataclass(frozen=True, slots=True)
class Trained:
    """How many steps training took, and the losses of all examples that it looked at, in nats."""

    steps: int
    losses: tuple[float, ...]


def train(model: Classifier, data: Encoded, settings: Hyperparameters, seed: int = 0) -> Trained:
    """Train a model with these hyperparameters.

    Law: the same seed gives the same losses, on one thread.
    """
    random = torch.Generator().manual_seed(seed)
    attention = list(model.qk)
    known = {id(parameter) for parameter in attention}
    others = [parameter for parameter in model.parameters() if id(parameter) not in known]
    optimiser = torch.optim.AdamW(
        [
            {"params": attention, "lr": settings.rate * settings.ratio},
            {"params": others, "lr": settings.rate},
        ],
        weight_decay=settings.decay,
    )
    losses = [_looked(model, data)]
    step = 0
    while step < settings.steps and losses[-1] > settings.stop:
        for rows in _batches(len(data), settings, random):
            step += 1
            optimiser.zero_grad()
            loss(model, data if rows is None else data[rows]).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            if step % settings.look == 0 or step == settings.steps:
                losses.append(_looked(model, data))
            if step == settings.steps or losses[-1] <= settings.stop:
                break
    return Trained(step, tuple(losses))


def loss(model: Classifier, data: Encoded) -> Tensor:
    """The mean cross-entropy, in nats."""
    return F.cross_entropy(model(data)[0], data.labels)


@torch.no_grad()
def _looked(model: Classifier, data: Encoded) -> float:
    return loss(model, data).item()


def _batches(n: int, settings: Hyperparameters, random: torch.Generator) -> Sequence[Tensor | None]:
    """The rows of each step of one pass through all examples, None for all of them."""
    if settings.size is None or settings.size >= n:
        return [None]
    return torch.split(torch.randperm(n, generator=random), settings.size)
