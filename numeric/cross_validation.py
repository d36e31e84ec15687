"""The gradient flow of all parameters of a model, against the two equations that it reduces to.

The full flow is integrated by differentiating the loss of a model with matrices and rotated
embeddings, the reduced one from its formulas, by the same integrator; and the orbit in closed form
is evaluated, by quadrature.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnproof.numeric.circuits import AttentionCircuits
from attnproof.numeric.integrate import integrate
from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.integrals import phi, psi
from attnproof.symbolic.gradient.ode import lambdified, velocity
from attnproof.symbolic.gradient.orbit import Orbit

#: By how much a full and a reduced flow may differ.
TOLERANCE = 1e-8
#: η_QK and η_OV at a time, as multiples of those of the circuits.
Factors = Callable[[float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class FlowRow:
    """α and β at a time, by the full flow, by the reduced one, and on the orbit in closed form.

    The orbit is None under a schedule. ``residual`` is the distance of the full flow from the
    manifold; ``phi`` and ``psi`` are Φ(β) and Ψ(α) on the full flow, NaN where they are not finite.
    """

    time: float
    alpha: float
    beta: float
    reduced: tuple[float, float]
    orbit: tuple[float, float] | None
    residual: float
    phi: float
    psi: float


@dataclass(frozen=True, slots=True, repr=False)
class FlowReport:
    """A full flow against the reduced one, at some times.

    ``line`` is how far (Ψ, Φ) is from the line of slope R through its first point, at most.
    """

    circuits: Circuits
    rows: tuple[FlowRow, ...]
    tolerance: float = TOLERANCE

    @property
    def difference(self) -> float:
        """The greatest difference between the full and the reduced flow, in α or β."""
        return max(_apart(row, *row.reduced) for row in self.rows)

    @property
    def closed_difference(self) -> float | None:
        """The greatest difference between the full flow and the orbit; None under a schedule."""
        found = [_apart(row, *row.orbit) for row in self.rows if row.orbit is not None]
        return max(found) if found else None

    @property
    def residual(self) -> float:
        """The greatest distance from the manifold."""
        return max(row.residual for row in self.rows)

    @property
    def line(self) -> float:
        """The greatest drift of Φ - R Ψ along the full flow; NaN where it is not finite."""
        slope, start = float(self.circuits.slope), self.rows[0]
        found = [row.phi - start.phi - slope * (row.psi - start.psi) for row in self.rows]
        return math.nan if any(map(math.isnan, found)) else max(map(abs, found))

    @property
    def agrees(self) -> bool:
        """All are the same, within the tolerance, and the full flow keeps the manifold."""
        apart = (self.difference, self.closed_difference or 0.0, self.residual)
        return all(each <= self.tolerance for each in apart)

    def __repr__(self) -> str:
        last = self.rows[-1]
        verdict = "agree" if self.agrees else "differ"
        closed = self.closed_difference
        more = "" if closed is None else f", from the closed form {closed:.1e}"
        return (
            f"{self.circuits.parametrisation.value} on {self.circuits.data}: full and reduced flow "
            f"{verdict}\n"
            f"  up to time {last.time:.6g}: alpha {last.alpha:.12g}, beta {last.beta:.12g}\n"
            f"  from the reduced equations at most {self.difference:.1e}{more}\n"
            f"  off the manifold {self.residual:.1e}, drift of the first integral {self.line:.1e}"
        )


def check_flow(
    circuits: Circuits,
    alpha: float,
    beta: float,
    times: Sequence[float],
    *,
    factors: Factors | None = None,
    head_width: int = 4,
    value_width: int | None = None,
    seed: int = 0,
) -> FlowReport:
    """Follow both flows from (α, β) at time 0, and compare them at ``times``.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> check_flow(two, 0.0, 0.0, [1.0]).agrees
    True

    ``factors`` are a schedule of the learning rates. Source of the law: ours, the invariance
    theorem.
    """
    model = AttentionCircuits(circuits, head_width=head_width, value_width=value_width, seed=seed)
    model.on_manifold(alpha, beta)
    all_times = [0.0, *times]
    full = integrate(model.velocity(factors), model.vector(), all_times)
    reduced = reduced_flow(circuits, alpha, beta, all_times, factors=factors)
    coordinates, rows = line_coordinates(circuits), []
    orbit = Orbit(circuits, alpha, beta) if factors is None else None
    for time, vector, pair in zip(all_times, full, reduced, strict=True):
        found = model.set_vector(vector).scalars()
        state = None if orbit is None else orbit.at_time(time)
        closed = None if state is None else (state.alpha, state.beta)
        line = coordinates(found.alpha, found.beta)
        rows.append(FlowRow(time, found.alpha, found.beta, pair, closed, found.residual, *line))
    return FlowReport(circuits, tuple(rows))


def _apart(row: FlowRow, alpha: float, beta: float) -> float:
    return max(abs(row.alpha - alpha), abs(row.beta - beta))


def reduced_flow(
    circuits: Circuits,
    alpha: float,
    beta: float,
    times: Sequence[float],
    *,
    factors: Factors | None = None,
) -> list[tuple[float, float]]:
    """(α, β) at ``times`` by integrating the two equations.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.FACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> a, b = reduced_flow(two, 0.0, 0.0, [1e3])[0]  # attention stays uniform
    >>> round(a, 3), b
    (11.007, 0.0)
    """
    rates = lambdified(velocity(circuits), "math")

    def field(time: float, state: Tensor) -> Tensor:
        qk, ov = (1.0, 1.0) if factors is None else factors(time)
        a, b = rates(*state.tolist())
        return torch.tensor([ov * a, qk * b], dtype=torch.float64)

    start = torch.tensor([alpha, beta], dtype=torch.float64)
    return [(float(a), float(b)) for a, b in integrate(field, start, times)]


def line_coordinates(circuits: Circuits) -> Callable[[float, float], tuple[float, float]]:
    """Φ(β) and Ψ(α) as floats, given α and β; NaN where they are not finite.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> line_coordinates(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)))(2.0, 0.0)
    (0.25, 2.0)
    """
    both = lambdified((phi(circuits), psi(circuits)), "mpmath")

    def found(alpha: float, beta: float) -> tuple[float, float]:
        first, second = (float(each) for each in both(alpha, beta))
        return (first if math.isfinite(first) else math.nan), second

    return found
