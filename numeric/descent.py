"""Gradient descent on the two circuits: θ ← θ - h η ∂L/∂θ, and what is done in its place.

The step h is the time of the flow that one step stands for. The learning rates η_QK and η_OV are
those of the circuits; a schedule multiplies both, or η_QK alone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch import Tensor

from attnproof.numeric.circuits import AttentionCircuits
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.progress import tick
from attnproof.symbolic.words import counted

#: An entry of a gradient below this part of the largest is rounding, and has no sign.
_ROUNDING = 1e-11
#: After how many steps by batches the population loss is looked at.
_LOOK = 20


class Method(Enum):
    """What a step is: along the gradient, along its signs, or as Adam has it."""

    GRADIENT = "gradient descent"
    SIGN = "sign descent"
    ADAM = "Adam"


@dataclass(frozen=True, slots=True)
class Descent:
    """How to descend: the step h, the method, and the sequences of a batch (None: all of them).

    ``common(t)`` multiplies both learning rates at time t = h·(steps taken), ``ratio(t)`` η_QK
    alone. ``decay`` is the weight decay of AdamW, none unless given; only Adam has one. ``seed``
    draws the batches.

    >>> Descent(step=0.1, batch=4)
    gradient descent, step 0.1, batches of 4, seed 0

    Raises :class:`ParameterError` for steps and batches that are not positive.
    """

    step: float
    method: Method = Method.GRADIENT
    batch: int | None = None
    common: Callable[[float], float] | None = None
    ratio: Callable[[float], float] | None = None
    decay: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.step < math.inf:
            raise ParameterError(f"step is {self.step}; give a positive number", step=self.step)
        if self.batch is not None and self.batch < 1:
            raise ParameterError(f"batch is {self.batch}; give 1 or more", batch=self.batch)
        if self.decay < 0 or (self.decay and self.method is not Method.ADAM):
            raise ParameterError(
                f"decay is {self.decay} for {self.method.value}; give 0, or a positive number "
                "for Adam",
                decay=self.decay,
            )

    def rates(self, time: float) -> tuple[float, float]:
        """The factors of η_QK and of η_OV at a time."""
        both = 1.0 if self.common is None else self.common(time)
        return (both if self.ratio is None else both * self.ratio(time)), both

    def __repr__(self) -> str:
        parts = [self.method.value, f"step {self.step:.6g}"]
        parts += [f"batches of {self.batch}, seed {self.seed}"] if self.batch else []
        parts += ["a schedule"] if self.common or self.ratio else []
        return ", ".join([*parts, f"weight decay {self.decay:.6g}"] if self.decay else parts)


@dataclass(frozen=True, slots=True)
class Record:
    """The model after so many steps: its population loss, α, β, and attention over sequences.

    ``time`` is that of the flow, and ``least`` and ``most`` are of the attention on distinct
    tokens, of which ``attention`` is the mean.
    """

    steps: int
    time: float
    loss: float
    alpha: float
    beta: float
    residual: float
    attention: float
    least: float
    most: float

    def __repr__(self) -> str:
        return (
            f"step {self.steps}: loss {self.loss:.4g}, alpha {self.alpha:.6g}, beta "
            f"{self.beta:.6g}, attention {self.attention:.6g}"
        )


@dataclass(frozen=True, slots=True)
class Descended:
    """Records of a descent, the start first and the end last; whether it came to its loss."""

    how: Descent
    records: tuple[Record, ...]
    reached: bool

    @property
    def last(self) -> Record:
        """The end."""
        return self.records[-1]


def descend(
    model: AttentionCircuits,
    how: Descent,
    *,
    steps: int = 100_000,
    loss: float | None = None,
    every: int | None = None,
    exactly: bool = False,
) -> Descended:
    """Descend so many steps, or fewer where the population loss is at most ``loss``.

    The loss is looked at after every step of a full batch, else after every 20 and at the end.
    ``every`` so many steps a record is kept, else at start and end only. ``exactly`` shortens the
    last step of a full-batch gradient descent, so that it ends at ``loss`` and not below. The model
    is changed.

    >>> from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(2, 1, 1, 1))
    >>> model = AttentionCircuits(two).on_manifold(0.0, 0.0)
    >>> descend(model, Descent(1.0), steps=1).last  # alpha' = s e = 1/4, beta' = 0
    step 1: loss 0.6326, alpha 0.25, beta 0, attention 0.5

    Law: it is the same on every run, on one thread. Raises :class:`InputError` where the loss is
    no longer finite, and :class:`ParameterError` for ``exactly`` where a step is not a multiple of
    the gradient, and for numbers of steps that are none.
    """
    for name, number, least in (("steps", steps, 0), ("every", every, 1)):
        if number is not None and number < least:
            raise ParameterError(f"{name} is {number}; give {least} or more", **{name: number})
    plain = how.method is Method.GRADIENT and how.batch is None
    if exactly and not (plain and loss is not None):
        raise ParameterError(
            f"only gradient descent on a full batch can end exactly at a loss, and this is {how} "
            f"to loss {loss}",
            loss=loss,
        )
    stepper = _Stepper(model, how)
    records = [_record(model, 0, 0.0)]
    taken, time, before = 0, 0.0, None
    while True:
        found = stepper.look(taken)
        looked = how.batch is None or taken % _LOOK == 0 or taken == steps
        if how.batch is not None and loss is not None and looked:
            with torch.no_grad():
                found = _finite(model.loss().item(), taken)
        reached = loss is not None and looked and found <= loss
        if reached and before is not None and loss is not None:
            time += how.step * (_shorten(model, before, loss) - 1)
        if reached or taken == steps:
            break
        before = model.vector() if exactly else None
        stepper.step(taken)
        taken, time = taken + 1, time + how.step
        if every is not None and taken % every == 0:
            records.append(_record(model, taken, time))
        if taken % 64 == 0:
            tick(taken, steps)
    if records[-1].steps == taken:
        records.pop()
    tick(steps, steps)
    return Descended(how, (*records, _record(model, taken, time)), reached)


class _Stepper:
    """The gradient at the parameters, and one step by it."""

    def __init__(self, model: AttentionCircuits, how: Descent) -> None:
        self.model, self.how = model, how
        self.random = torch.Generator().manual_seed(how.seed)
        self.named = dict(model.named_parameters())
        self.found: dict[str, Tensor] = {}
        groups: list[dict[str, Any]] = [{"params": [each]} for each in self.named.values()]
        self.adam = None
        if how.method is Method.ADAM:
            self.adam = torch.optim.AdamW(groups, lr=how.step, weight_decay=how.decay)

    def look(self, taken: int) -> float:
        """The loss of the next batch, with its gradient."""
        some = None
        if self.how.batch is not None:
            count = len(self.model.labels)
            some = torch.randint(count, (self.how.batch,), generator=self.random)
        loss, self.found = self.model.gradients(some)
        return _finite(loss, taken)

    @torch.no_grad()
    def step(self, taken: int) -> None:
        """One step by the gradient that was looked at."""
        qk, ov = self.how.rates(taken * self.how.step)
        lengths = {
            name: self.how.step * rate * (qk if name in self.model.attention_names else ov)
            for name, rate in self.model.rates.items()
        }
        if self.adam is None:
            direction = _sign if self.how.method is Method.SIGN else torch.clone
            for name, each in self.named.items():
                each.sub_(lengths[name] * direction(self.found[name]))
            return
        for (name, each), group in zip(self.named.items(), self.adam.param_groups, strict=True):
            each.grad, group["lr"] = self.found[name], lengths[name]
        self.adam.step()


def _finite(loss: float, taken: int) -> float:
    if not math.isfinite(loss):
        raise InputError(
            f"the loss is {loss} after {counted(taken, 'step')}; give a smaller step", steps=taken
        )
    return loss


def _sign(gradient: Tensor) -> Tensor:
    size = gradient.abs()
    return gradient.sign() * (size > _ROUNDING * size.max())


@torch.no_grad()
def _shorten(model: AttentionCircuits, before: Tensor, loss: float) -> float:
    """The part of the last step after which the loss is ``loss``, where the model is left."""
    after = model.vector()
    low, high = 0.0, 1.0
    while high - low > 1e-15:
        middle = (low + high) / 2
        found = model.set_vector(before.lerp(after, middle)).loss().item()
        low, high = (middle, high) if found > loss else (low, middle)
    model.set_vector(before.lerp(after, high))
    return high


@torch.no_grad()
def _record(model: AttentionCircuits, steps: int, time: float) -> Record:
    found, attention = model.scalars(), model.attention()
    return Record(
        steps,
        time,
        _finite(model.loss().item(), steps),
        found.alpha,
        found.beta,
        found.residual,
        attention.mean().item(),
        attention.min().item(),
        attention.max().item(),
    )
