"""Training: one model trained on a merged task, and on the single tasks that it is merged from.

Everything that lies below a position is the same in both, so the losses of one model on one text
are too: the family's loss is that of the merged task, each label counted as often as it is met.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from time import perf_counter

import torch
from torch import Tensor

from attnproof.numeric.predictor import Batch, Predictor
from attnproof.symbolic.tasks.merged import Merged
from attnproof.symbolic.tasks.task import Label


def multiplicities(merged: Merged) -> dict[Label, int]:
    """How many single tasks have each label of the merged task.

    >>> from attnproof.symbolic.tasks.merge import merge
    >>> from attnproof.symbolic.tasks.task import Task
    >>> merged = merge([Task.build(["x1"], {0: "x2"}, "causal")] * 3)
    >>> list(multiplicities(merged).values())
    [3]
    """
    met = Counter(
        (mapped[label.position], label.atom)
        for task, mapped in zip(merged.tasks, merged.maps, strict=True)
        for label in task.labels
    )
    return {label: met[label.position, label.atom] for label in merged.task.labels}


class Training:
    """A model that is trained on some batches in each step, their losses summed, by AdamW.

    ``losses`` are the means over ``labels``, in nats; ``seconds`` is how long each step took.
    """

    def __init__(
        self, model: Predictor, batches: Sequence[Batch], *, labels: int, rate: float
    ) -> None:
        self.model, self.batches, self.labels = model, batches, labels
        self.optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
        self.losses: list[float] = []
        self.seconds: list[float] = []

    @property
    def positions(self) -> int:
        """How many positions are computed for a text, padding included."""
        return sum(batch.kinds.numel() for batch in self.batches)

    def step(self, texts: Tensor) -> None:
        """One step on texts ``(b, atoms)``."""
        start = perf_counter()
        self.optimiser.zero_grad()
        total = 0.0
        for batch in self.batches:
            loss = self.model.loss(batch, texts) / self.labels
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        self.optimiser.step()
        self.seconds.append(perf_counter() - start)
        self.losses.append(total)


def differences(runs: Mapping[str, Training]) -> list[float]:
    """For each step, how far apart the losses of two runs are at most."""
    steps = zip(*(run.losses for run in runs.values()), strict=True)
    return [max(losses) - min(losses) for losses in steps]
