"""Gradient descent with step h on a whole model, against the flow: the error is C h + O(h²).

So 2|v_h - v_{h/2}| estimates the error of v_h, and 2 v_{h/2} - v_h has an error of order 2
(Richardson). Neither needs the flow, which is then compared with them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from attnproof.numeric.circuits import AttentionCircuits
from attnproof.numeric.cross_validation import reduced_flow
from attnproof.numeric.descent import Descent, descend
from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits

Pair = tuple[float, float]

#: An error is allowed to be this part of its estimate.
ALLOWED = 1.25


@dataclass(frozen=True, slots=True, repr=False)
class StepReport:
    """(α, β) at one time by descent with several steps, each half of the one before, and by flow.

    ``residual`` is how far descent got from the manifold, which it keeps exactly.
    """

    circuits: Circuits
    time: float
    steps: tuple[float, ...]
    values: tuple[Pair, ...]
    flow: Pair
    residual: float

    @property
    def errors(self) -> tuple[float, ...]:
        """|v_h - flow| for every h."""
        return tuple(apart(value, self.flow) for value in self.values)

    @property
    def estimates(self) -> tuple[float, ...]:
        """2|v_h - v_{h/2}| for every h but the last."""
        return tuple(2 * apart(a, b) for a, b in pairwise(self.values))

    @property
    def extrapolated(self) -> tuple[float, ...]:
        """|2 v_{h/2} - v_h - flow| for every h but the last."""
        return tuple(apart(richardson(a, b), self.flow) for a, b in pairwise(self.values))

    @property
    def order(self) -> float:
        """The exponent of h in the error, from the last two steps."""
        return orders(self.errors)[-1]

    @property
    def agrees(self) -> bool:
        """The last two steps keep the rules: the estimate, order 1, Richardson, the manifold.

        Where nothing moves, descent is exact and has no order.
        """
        if max(self.errors) <= 1e-14:
            return self.residual <= 1e-10
        estimated = self.errors[-2] <= ALLOWED * self.estimates[-1]
        better = self.extrapolated[-1] <= 0.2 * self.errors[-1]
        return estimated and better and 0.9 <= self.order <= 1.1 and self.residual <= 1e-10

    def __repr__(self) -> str:
        lines = [
            f"{self.circuits.parametrisation.value} on {self.circuits.data}: descent to time "
            f"{self.time:.6g} {'agrees' if self.agrees else 'does not agree'} with the flow",
            "       h     error  estimate  Richardson",
        ]
        for i, (step, error) in enumerate(zip(self.steps, self.errors, strict=True)):
            known = i < len(self.estimates)
            more = f"  {self.estimates[i]:8.2e}  {self.extrapolated[i]:10.2e}" if known else ""
            lines.append(f"{step:8.4g}  {error:8.2e}{more}")
        lines.append(f"order {self.order:.3f}, off the manifold {self.residual:.1e}")
        return "\n".join(lines)


def check_steps(
    circuits: Circuits,
    alpha: float,
    beta: float,
    time: float,
    steps: Sequence[int],
    *,
    seed: int = 0,
) -> StepReport:
    """Descend from (α, β) to a time in so many steps, each number twice the one before.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> check_steps(two, 0.0, 0.0, 4.0, [20, 40]).agrees
    True

    Raises :class:`ParameterError` for other numbers of steps.
    """
    if len(steps) < 2 or steps[0] < 1 or any(b != 2 * a for a, b in pairwise(steps)):
        raise ParameterError(
            f"the numbers of steps are {list(steps)}; give two or more, each twice the one before",
            steps=steps,
        )
    values, residual = [], 0.0
    for count in steps:
        model = AttentionCircuits(circuits, seed=seed).on_manifold(alpha, beta)
        end = descend(model, Descent(time / count), steps=count).last
        values.append((end.alpha, end.beta))
        residual = max(residual, end.residual)
    flow = reduced_flow(circuits, alpha, beta, [time])[0]
    lengths = tuple(time / count for count in steps)
    return StepReport(circuits, time, lengths, tuple(values), flow, residual)


def apart(a: Pair, b: Pair) -> float:
    """The greater of both differences.

    >>> apart((1.0, 2.0), (1.5, 2.25))
    0.5
    """
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def richardson(coarse: Pair, fine: Pair) -> Pair:
    """Twice the value at half the step, less the value: an error C h cancels.

    >>> richardson((1.5, 1.0), (1.25, 1.0))
    (1.0, 1.0)
    """
    return 2 * fine[0] - coarse[0], 2 * fine[1] - coarse[1]


def orders(errors: Sequence[float]) -> tuple[float, ...]:
    """The exponents with which errors fall as steps are halved.

    >>> orders([0.4, 0.2, 0.05])
    (1.0, 2.0)
    """
    return tuple(math.log2(a / b) if a > 0 and b > 0 else math.nan for a, b in pairwise(errors))
