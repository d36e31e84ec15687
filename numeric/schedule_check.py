"""Learning-rate schedules: one for both rates changes the clock, one for η_QK bends the line.

On the manifold (Ψ(α), Φ(β)) moves along a line whose slope is R = μ_QK/μ_OV at every time.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from attnproof.numeric.cross_validation import TOLERANCE, check_flow
from attnproof.symbolic.gradient.circuits import Circuits


@dataclass(frozen=True, slots=True, repr=False)
class ScheduleReport:
    """What schedules do to a full flow from one start, up to one time.

    ``clock`` is the greatest difference, in α or β, between the flow under a common schedule c and
    the flow without one at the time ∫c. ``common_line`` and ``ratio_line`` are how far (Ψ, Φ) is
    from the line of slope R under that schedule, and under one that multiplies η_QK alone;
    ``ratio_difference`` is between the latter and the reduced equations under it.
    """

    circuits: Circuits
    clock: float
    common_line: float
    ratio_line: float
    ratio_difference: float
    tolerance: float = TOLERANCE

    @property
    def agrees(self) -> bool:
        """A common schedule changes the clock alone, and one of the ratio bends the line."""
        same = max(self.clock, self.common_line, self.ratio_difference) <= self.tolerance
        return same and self.ratio_line > 1e3 * self.tolerance

    def __repr__(self) -> str:
        return (
            f"{self.circuits.parametrisation.value} on {self.circuits.data}\n"
            f"  common schedule: {self.clock:.1e} from the flow on the other clock, "
            f"{self.common_line:.1e} from the line of slope R\n"
            f"  schedule of eta_QK: {self.ratio_line:.1e} from the line of slope R, "
            f"{self.ratio_difference:.1e} from the reduced equations"
        )


def check_schedules(
    circuits: Circuits,
    alpha: float,
    beta: float,
    time: float,
    *,
    schedule: Callable[[float], float] = lambda t: 1 / (1 + t),
    clock: Callable[[float], float] = math.log1p,
    parts: int = 4,
) -> ScheduleReport:
    """Flow under c(t) for both rates, then for η_QK alone; ``clock`` is t ↦ ∫₀ᵗ c.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> check_schedules(two, 0.0, 0.0, 2.0).agrees
    True

    Law: (α, β) at time t under c is (α, β) at ∫c without. Source: ours; η_QK/η_OV is all that the
    orbit depends on.
    """
    times = [time * (i + 1) / parts for i in range(parts)]
    other = check_flow(circuits, alpha, beta, [clock(each) for each in times])
    common = check_flow(circuits, alpha, beta, times, factors=lambda t: (schedule(t), schedule(t)))
    ratio = check_flow(circuits, alpha, beta, times, factors=lambda t: (schedule(t), 1.0))
    apart = max(
        max(abs(a.alpha - b.alpha), abs(a.beta - b.beta))
        for a, b in zip(common.rows, other.rows, strict=True)
    )
    return ScheduleReport(circuits, apart, common.line, ratio.line, ratio.difference)
