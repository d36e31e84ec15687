"""Solutions of x' = v(t, x) to near rounding, by extrapolation of the midpoint rule.

The explicit midpoint rule with n substeps has an error in even powers of the substep (Gragg 1965).
Rules with 2, 4, ..., 2k substeps, extrapolated to none, give a step of order 2k, and the last two
of them its error.
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attnproof.symbolic.errors import InputError, ParameterError

Velocity = Callable[[float, Tensor], Tensor]

#: How many midpoint rules make a step, half its order.
_RULES = 6
_MOST_STEPS = 100_000


def integrate(
    velocity: Velocity,
    start: Tensor,
    times: Sequence[float],
    *,
    relative: float = 1e-12,
    absolute: float = 1e-14,
) -> list[Tensor]:
    """The states at increasing ``times`` from the state ``start`` at time 0.

    The estimated error of each step is at most ``absolute + relative·|x|`` in every entry.

    >>> decay = integrate(lambda _, x: -x, torch.ones(1, dtype=torch.float64), [0.0, 1.0, 5.0])
    >>> [round(x.item() * math.exp(t), 10) for x, t in zip(decay, [0.0, 1.0, 5.0])]
    [1.0, 1.0, 1.0]

    Law: from one of the states on, the later ones are found again. Raises :class:`ParameterError`
    for times that decrease, and :class:`InputError` where no step is small enough.
    """
    if any(b < a for a, b in zip([0.0, *times], times, strict=False)) or not all(
        map(math.isfinite, times)
    ):
        raise ParameterError(
            f"the times are {list(times)}; give times from 0 on, in increasing order", times=times
        )
    time, state, found = 0.0, start, []
    step = times[-1] / 100 if times else 0.0
    steps = 0
    for until in times:
        while time < until:
            last = step >= until - time
            taken = until - time if last else step
            proposal, error = extrapolated(velocity, time, state, taken)
            allowed = absolute + relative * torch.maximum(state.abs(), proposal.abs())
            ratio = (error.abs() / allowed).max().item()
            fits = ratio <= 1
            if fits:
                time, state = (until if last else time + taken), proposal
            steps += 1
            if steps > _MOST_STEPS or time + taken / 5 == time:
                raise InputError(
                    f"the flow cannot be followed beyond time {time:.6g}: it is too fast or not "
                    "finite there; give an earlier time",
                    time=time,
                )
            # A step cut short says little of the step that fits, unless it was too long itself.
            growth = (
                0.2 if math.isnan(ratio) else 0.9 * max(ratio, 1e-30) ** (-1 / (2 * _RULES - 1))
            )
            following = taken * min(4.0, max(0.2, growth))
            step = max(step, following) if fits and last else following
        found.append(state.clone())
    return found


def extrapolated(
    velocity: Velocity, time: float, state: Tensor, step: float, rules: int = _RULES
) -> tuple[Tensor, Tensor]:
    """One step of order ``2 rules``, and its difference from one of order ``2 rules - 2``: that
    which leaves out the coarsest rule.

    >>> one = torch.ones(1, dtype=torch.float64)
    >>> extrapolated(lambda _, x: x, 0.0, one, 1.0, rules=1)[0].item()  # 1 + 1 + 1/2
    2.5
    """
    slope = velocity(time, state)
    row: list[Tensor] = []
    for j in range(1, rules + 1):
        before, row = row, [_midpoint(velocity, time, state, slope, step, 2 * j)]
        for m, coarse in enumerate(before, 1):
            row.append(row[-1] + (row[-1] - coarse) / ((j / (j - m)) ** 2 - 1))
    return row[-1], row[-1] - (row[-2] if rules > 1 else state)


def _midpoint(
    velocity: Velocity, time: float, state: Tensor, slope: Tensor, step: float, parts: int
) -> Tensor:
    """The midpoint rule with this many substeps, the first of them by ``slope``."""
    small = step / parts
    before, here = state, state + small * slope
    for i in range(1, parts):
        before, here = here, before + 2 * small * velocity(time + i * small, here)
    return here
