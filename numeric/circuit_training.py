"""A model trained by gradient descent up to a loss or a time, beside the orbit that it follows.

It is trained with steps h, h/2 and h/4, and h is halved until the ends are near each other and
approach each other with order 1. Then the error of a step is known from the ends alone, and the
orbit is compared with that.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, log
from typing import SupportsFloat

from attnproof.numeric.circuits import AttentionCircuits
from attnproof.numeric.descent import Descended, Descent, Record, descend
from attnproof.numeric.step_error import ALLOWED, Pair, apart, orders, richardson
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.ode import lambdified, velocity
from attnproof.symbolic.gradient.ode import loss as loss_of
from attnproof.symbolic.gradient.orbit import Orbit, State
from attnproof.symbolic.words import counted

#: Rounding, and the end of the last step, in α and β.
_SLACK = 1e-9
#: How far from 1 the measured order may be.
_ORDER = 0.2


@dataclass(frozen=True, slots=True, repr=False)
class TrainReport:
    """The ends of three trainings with steps h, h/2 and h/4, and of the orbit.

    ``loss`` or ``time`` is where they end, the other one is None. ``settled`` says that h became
    small enough for the last two ends to be near each other, and for ``order`` to be near 1.
    """

    circuits: Circuits
    loss: float | None
    time: float | None
    runs: tuple[Descended, Descended, Descended]
    orbit: State
    settled: bool

    @property
    def ends(self) -> tuple[Pair, ...]:
        """(α, β) at the end of each training."""
        return tuple(_pair(run.last) for run in self.runs)

    @property
    def order(self) -> float:
        """The power of h with which the ends approach each other: 1 where h is small enough."""
        return _order(self.ends)

    @property
    def estimate(self) -> float:
        """2|v_{h/2} - v_{h/4}| in (α, β): the estimated error of the step h/2."""
        return 2 * apart(*self.ends[1:])

    @property
    def errors(self) -> tuple[float, ...]:
        """How far each end is from the orbit, in α or β."""
        return tuple(apart(end, _pair(self.orbit)) for end in self.ends)

    @property
    def extrapolated(self) -> Pair:
        """(α, β) without the step, by Richardson: 2 v_{h/4} - v_{h/2}."""
        return richardson(*self.ends[1:])

    @property
    def agrees(self) -> bool:
        """The step explains how far training is from the orbit, and Richardson is nearer to it."""
        explained = self.errors[1] <= ALLOWED * self.estimate + _SLACK
        left = apart(self.extrapolated, _pair(self.orbit))
        return self.settled and explained and left <= 0.2 * self.errors[2] + _SLACK

    def __repr__(self) -> str:
        a, b = self.extrapolated
        last = [run.last for run in self.runs]
        goal = f"loss {self.loss:.6g}" if self.loss is not None else f"time {self.time:.6g}"
        if not self.settled:
            verdict = "took too long a step to tell; ask for less time, or for a greater loss"
        else:
            verdict = "agrees with the orbit" if self.agrees else "does not agree with the orbit"
        s = 2 * last[2].attention - last[1].attention
        rows = [
            *(
                (
                    f"h = {run.how.step:.4g}, {counted(run.last.steps, 'step')}",
                    *_three(run.last),
                    f"{error:.1e}",
                )
                for run, error in zip(self.runs, self.errors, strict=True)
            ),
            ("extrapolated to h = 0", a, b, s, f"{apart((a, b), _pair(self.orbit)):.1e}"),
            ("orbit", *_three(self.orbit), ""),
        ]
        width = max(len(row[0]) for row in rows)
        table = [
            f"{name:{width}}  {alpha:12.8f}  {beta:12.8f}  {attention:10.8f}  {error:>7}".rstrip()
            for name, alpha, beta, attention, error in rows
        ]
        kind, data = self.circuits.parametrisation.value, self.circuits.data
        return "\n".join(
            [
                f"{kind} on {data} trained to {goal}: {verdict}",
                f"{'':{width}}  {'alpha':>12}  {'beta':>12}  {'attention':>10}  {'error':>7}",
                *table,
                f"order {self.order:.3f}; estimated error of h = {self.runs[1].how.step:.4g}: "
                f"{self.estimate:.1e}; off the manifold {max(end.residual for end in last):.1e}",
            ]
        )


def train_like(
    circuits: Circuits,
    alpha0: SupportsFloat | None = None,
    beta0: SupportsFloat | None = None,
    *,
    loss: float | None = None,
    time: float | None = None,
    steps: int = 250,
    most_steps: int = 32_000,
    accuracy: float = 1e-2,
    head_width: int = 4,
    value_width: int | None = None,
    seed: int = 0,
) -> TrainReport:
    """Train a whole model by descent from (α₀, β₀) to a loss or a time, and compare with the orbit.

    Starts default as those of :class:`~attnproof.symbolic.gradient.orbit.Orbit`. The first h is
    such that the orbit takes ``steps`` of them; it is halved until |v_{h/2} - v_{h/4}| is at most
    ``accuracy`` of 1 + |v| and the measured order is within 0.2 of 1, or ``most_steps`` are taken
    with h/4. Before it is halved, the two scalars alone are descended with the last steps there
    could be.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> train_like(two, loss=0.3, steps=100).agrees
    True

    Raises :class:`ParameterError` unless one of ``loss`` and ``time`` is given, where the orbit
    never comes there, and where ``most_steps`` are far too few. Source: ours.
    """
    if (loss is None) == (time is None):
        raise ParameterError(
            f"loss is {loss} and time is {time}; give one of them", loss=loss, time=time
        )
    if steps < 1 or most_steps < 4 * steps:
        raise ParameterError(
            f"steps is {steps} and most_steps {most_steps}; give 1 or more steps, and at least "
            "four times as many at most",
            steps=steps,
            most_steps=most_steps,
        )
    orbit = Orbit(circuits, alpha0, beta0)
    end = orbit.at_loss(loss) if loss is not None else orbit.at_time(time or 0.0)
    if not 0 < end.time < 1e300:
        raise ParameterError(
            f"the orbit takes time {end.time:g}, and training takes a number of steps; give a "
            "loss below that of the start, or a positive time",
            time=end.time,
        )

    def trained(count: int) -> Descended:
        model = AttentionCircuits(
            circuits, head_width=head_width, value_width=value_width, seed=seed
        ).on_manifold(orbit.alpha0, orbit.beta0)
        most = count if loss is None else 2 * count + 10
        how = Descent(end.time / count)
        return descend(model, how, steps=most, loss=loss, exactly=loss is not None)

    runs, checked = [_tried(trained, factor * steps) for factor in (1, 2, 4)], False
    while not (settled := _settled(runs, accuracy, to_loss=loss is not None)):
        if 8 * steps > most_steps:
            break
        if not checked and _hopeless(orbit, end.time, loss, most_steps, accuracy):
            raise ParameterError(
                f"to time {end.time:.4g} even {most_steps} steps are too long to tell; ask for "
                "less time, or for a greater loss",
                time=end.time,
            )
        checked = True
        steps *= 2
        runs = [*runs[1:], _tried(trained, 4 * steps)]
    first, second, third = runs
    if first is None or second is None or third is None:
        raise InputError(
            f"descent diverges with {counted(steps, 'step')} to time {end.time:.4g}; give a "
            "greater loss or an earlier time, or more most_steps",
            steps=steps,
        )
    return TrainReport(circuits, loss, time, (first, second, third), end, settled)


def _hopeless(orbit: Orbit, time: float, loss: float | None, steps: int, accuracy: float) -> bool:
    """Are the ends far from settled when the two scalars alone take so many steps?

    They make the steps of the model where each circuit is one matrix. Where one is a product they
    make about those: there ends may be twice as far apart, and the order twice as far from 1.
    """
    kind = orbit.circuits.parametrisation
    slack = 2 if kind.factorised_attention or kind.factorised_value else 1
    rates = lambdified((*velocity(orbit.circuits), loss_of(orbit.circuits)), "math")
    counts = (steps // 4, steps // 2, steps)
    ends = [_scalars(rates, orbit, time / count, count, loss) for count in counts]
    done = [end for end in ends if end is not None]
    return len(done) < len(ends) or not _approach(done, slack * accuracy, slack * _ORDER)


def _scalars(
    rates: Callable[[float, float], tuple[float, float, float]],
    orbit: Orbit,
    step: float,
    count: int,
    loss: float | None,
) -> Pair | None:
    """(α, β) after so many steps, or at a loss in two to twice as many; None where it is not."""
    now, before, above = (orbit.alpha0, orbit.beta0), (0.0, 0.0), inf
    try:
        for taken in range(count if loss is None else 2 * count):
            by_alpha, by_beta, level = rates(*now)
            if loss is not None and level <= loss:
                if taken == 1:
                    return None
                part = log(loss / level) / log(above / level)
                return now[0] + part * (before[0] - now[0]), now[1] + part * (before[1] - now[1])
            before, above = now, level
            now = now[0] + step * by_alpha, now[1] + step * by_beta
    except (ArithmeticError, ValueError):
        return None
    return now if loss is None and isfinite(sum(now)) else None


def _settled(runs: Sequence[Descended | None], accuracy: float, *, to_loss: bool) -> bool:
    """All runs come to their end, and the ends approach each other.

    A single step to a loss is straight: then the ends are equal whatever its length, and tell
    nothing.
    """
    done = [run for run in runs if run is not None and (run.reached or not to_loss)]
    if len(done) < len(runs) or (to_loss and done[-1].last.steps == 1):
        return False
    return _approach([_pair(run.last) for run in done], accuracy, _ORDER)


def _approach(ends: Sequence[Pair], accuracy: float, off: float) -> bool:
    """The ends are near each other, and approach each other with an order near 1."""
    gap = apart(*ends[1:])
    near = gap <= accuracy * (1 + max(map(abs, ends[-1])))
    return near and (gap <= _SLACK or abs(_order(ends) - 1) <= off)


def _order(ends: Sequence[Pair]) -> float:
    return orders([apart(a, b) for a, b in pairwise(ends)])[0]


def _tried(trained: Callable[[int], Descended], count: int) -> Descended | None:
    """None where the loss is not finite."""
    try:
        return trained(count)
    except ParameterError:
        raise
    except InputError:
        return None


def _pair(end: Record | State) -> Pair:
    return end.alpha, end.beta


def _three(end: Record | State) -> tuple[float, float, float]:
    return end.alpha, end.beta, end.attention
