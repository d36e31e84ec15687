"""Regularised training: which of the points found cannot be global minimisers.

Let ``J_e(theta) = loss(theta) + e |theta|^2``, and ``theta_e`` the point found at ``e``. A point
``w`` with ``J_e(w) < J_e(theta_e)`` shows that ``theta_e`` is no global minimiser. Where some ``w``
has loss 0, a global minimiser has ``loss <= e |w|^2``, so its loss falls at least like ``e``.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from attnproof.symbolic.errors import InputError

#: The slope of log loss against log e below which a fit is suspicious; a global one has 1 or more.
LEAST_SLOPE = 0.85
#: Relative error that is granted to losses and norms.
TOLERANCE = 1e-9


class Finding(Enum):
    """What the table shows of the points found; none says that they are global."""

    NOT_GLOBAL = "not-global"
    SUSPICIOUS = "suspicious"
    CONSISTENT = "consistent"


@dataclass(frozen=True, slots=True)
class Run:
    """Training at ``epsilon`` ended at a point with this ``loss`` (not regularised) and this
    ``norm``, the sum of the squares of its parameters."""

    epsilon: float
    loss: float
    norm: float

    def objective(self, epsilon: float) -> float:
        """``J`` of its point at any epsilon."""
        return self.loss + epsilon * self.norm


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis:
    """``witness`` lists the epsilons at which the interpolant is better than the point found, and
    ``crossed`` pairs of epsilons where the point found at the second is better at the first.

    ``rising`` lists neighbours ``(a, b)``, ``a < b``, where the loss is greater at ``a``, and
    ``falling`` those where the norm is smaller. ``slope`` is None for fewer than three losses above
    the floor.
    """

    finding: Finding
    slope: float | None
    witness: tuple[float, ...]
    crossed: tuple[tuple[float, float], ...]
    rising: tuple[tuple[float, float], ...]
    falling: tuple[tuple[float, float], ...]

    def __repr__(self) -> str:
        slope = "no slope" if self.slope is None else f"slope {self.slope:.2f}"
        shown = len({*self.witness, *(a for a, _ in self.crossed)})
        return f"Diagnosis: {self.finding.value}, {slope}, {shown} points not global"


def diagnose(
    runs: Iterable[Run | Sequence[float]],
    *,
    interpolant: float | None = None,
    floor: float = 1e-14,
    tolerance: float = TOLERANCE,
) -> Diagnosis:
    """What runs ``(epsilon, loss, norm)`` of one problem show.

    ``interpolant`` is the norm (a sum of squares) of a point of loss 0 with the same parameters.
    Losses up to ``floor`` are left out of the slope. Values are taken to be right up to the
    relative ``tolerance``, and what is found then follows.

    >>> diagnose([(1, 0.1111, 0.2222), (0.1, 0.0023, 0.4535), (0.01, 0.00002, 0.4951)])
    Diagnosis: consistent, slope 1.87, 0 points not global
    >>> diagnose([(0.1, 0.5, 1), (0.01, 0.5, 1), (0.001, 0.5, 1)], interpolant=2).witness
    (0.001, 0.01, 0.1)

    Law: where loss or norm is not monotone beyond the tolerance, one of the two points is not
    global. Raises :class:`InputError` for numbers that are negative or not finite. Source: the
    scaling of the loss is of Alcalde, Fantuzzi, Zuazua 2025; the tests ours.
    """
    points = sorted(map(_run, runs), key=lambda run: run.epsilon)
    _check(points, interpolant)
    witness = tuple(
        run.epsilon
        for run in points
        if interpolant is not None
        and _less(run.epsilon * interpolant, run.objective(run.epsilon), tolerance)
    )
    crossed = tuple(
        (a.epsilon, b.epsilon)
        for a in points
        for b in points
        if _less(b.objective(a.epsilon), a.objective(a.epsilon), tolerance)
    )
    neighbours = list(pairwise(points))
    rising = tuple(
        (a.epsilon, b.epsilon) for a, b in neighbours if _less(b.loss, a.loss, tolerance)
    )
    falling = tuple(
        (a.epsilon, b.epsilon) for a, b in neighbours if _less(a.norm, b.norm, tolerance)
    )
    slope = _slope([run for run in points if run.loss > floor])
    if witness or crossed:
        finding = Finding.NOT_GLOBAL
    elif slope is not None and slope < LEAST_SLOPE:
        finding = Finding.SUSPICIOUS
    else:
        finding = Finding.CONSISTENT
    return Diagnosis(finding, slope, witness, crossed, rising, falling)


def _run(value: Run | Sequence[float]) -> Run:
    if isinstance(value, Run):
        return value
    try:
        epsilon, loss, norm = map(float, value)
    except (TypeError, ValueError):
        raise InputError(
            f"{value!r:.60} is no run; give epsilon, loss and the sum of the squared parameters"
        ) from None
    return Run(epsilon, loss, norm)


def _check(points: Sequence[Run], interpolant: float | None) -> None:
    if not points:
        raise InputError("there is no run; give at least one, (epsilon, loss, norm)")
    numbers = [number for run in points for number in (run.epsilon, run.loss, run.norm)]
    numbers.append(0.0 if interpolant is None else float(interpolant))
    wrong = [number for number in numbers if not (math.isfinite(number) and number >= 0)]
    if wrong or any(run.epsilon == 0 for run in points):
        given = f"{wrong[0]}" if wrong else "an epsilon of 0"
        raise InputError(
            f"{given} was given; epsilons are above 0, losses and sums of squares not negative"
        )
    twice = {a.epsilon for a, b in pairwise(points) if a.epsilon == b.epsilon}
    if twice:
        raise InputError(
            f"epsilon {min(twice)} stands twice; give one run for each, that with the lower "
            "objective"
        )


def _less(a: float, b: float, tolerance: float) -> bool:
    """Is a certainly less than b, when both are right up to the tolerance?"""
    return a * (1 + tolerance) < b * (1 - tolerance)


def _slope(points: Sequence[Run]) -> float | None:
    """Of log loss against log epsilon, by least squares."""
    if len(points) < 3:
        return None
    xs, ys = [math.log(run.epsilon) for run in points], [math.log(run.loss) for run in points]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True)) / sum(
        (x - x0) ** 2 for x in xs
    )
