"""Schedules of the learning rates: a common factor re-clocks an orbit, a moving ratio bends it.

With rates h(t) η_QK and h(t) η_OV both velocities have the factor h, and dβ/dα does not. With
η_QK = ρ(t) η_OV the slope of the line of (Ψ, Φ) is R(t), and the first integral is not conserved.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.gradient.circuits import Circuits, positive
from attnproof.symbolic.gradient.integrals import phi, psi
from attnproof.symbolic.gradient.ode import in_quadrant, velocity
from attnproof.symbolic.gradient.symbols import in_time, variables

if TYPE_CHECKING:
    from sympy import Expr


@dataclass(frozen=True, slots=True, repr=False)
class Schedule:
    """What a schedule does: a statement, the equations (α', β'), and what must be 0 for it to hold.

    ``clock`` is the time τ of the flow without a schedule that has the same state at t; it is None
    where there is no such time.
    """

    statement: str
    ode: "tuple[Expr, Expr]"
    clock: "Expr | None"
    residuals: "tuple[Expr, ...]"

    def __repr__(self) -> str:
        clock = "" if self.clock is None else f"\n  tau = {self.clock}"
        return self.statement + clock

    def _repr_latex_(self) -> str:
        from sympy import latex

        return self.statement + ("" if self.clock is None else rf" $\tau = {latex(self.clock)}$")

    def holds(self) -> bool:
        """SymPy simplifies every residual to 0."""
        from sympy import simplify

        return all(simplify(one) == 0 for one in self.residuals)


def common(circuits: Circuits, factor: Any = None) -> Schedule:
    """Both rates times ``factor``, a positive expression in t, the symbol of that name; by default
    h(t).

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> flow = Circuits(Parametrisation.FAFO, Data(3, 1, 4, 1))
    >>> halving = common(flow, 1 / (1 + variables().time))
    >>> halving.clock.doit(), halving.holds()
    (log(t + 1), True)

    Raises :class:`ParameterError` for a factor that is not positive. Source: ours.
    """
    from sympy import Function, Integral, Symbol, simplify

    time = variables().time
    rate = (
        Function("h", positive=True)(time)
        if factor is None
        else in_time(positive("factor", factor))
    )
    alpha_rate, beta_rate = velocity(circuits)
    ode = (rate * alpha_rate, rate * beta_rate)
    inner = Symbol("u", positive=True)
    clock = Integral(rate.subs(time, inner), (inner, 0, time))
    return Schedule(
        statement=(
            "A common schedule changes when the orbit is passed, not the orbit: the state at t is "
            "that of the unscheduled flow at tau(t)."
        ),
        ode=ode,
        clock=clock,
        residuals=(
            ode[0] * beta_rate - ode[1] * alpha_rate,
            clock.diff(time) * alpha_rate - ode[0],
            simplify(clock.diff(time)) * beta_rate - ode[1],
        ),
    )


def ratio(circuits: Circuits, moving: Any = None) -> Schedule:
    """η_QK = ``moving`` η_OV, where ``moving`` is a positive expression in t, the symbol of that
    name; by default ρ(t).

    The residuals are Φ' - R(t) Ψ' for the equations; and, for a drift that is not 0, the first
    integral of the start drifts by exactly (R(t) - R) Ψ'.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> ratio(Circuits(Parametrisation.CAFO, Data(3, 1, 4, 1))).holds()
    True

    Law: while α is not negative, Φ - Φ₀ lies between R_min (Ψ - Ψ₀) and R_max (Ψ - Ψ₀), so at a
    loss the attention lies between those of the two constant ratios. Raises as :func:`common`.
    Source: ours.
    """
    from sympy import Function

    alpha, beta, time = variables()
    value = (
        Function("rho", positive=True)(time)
        if moving is None
        else in_time(positive("ratio", moving))
    )
    bent = replace(circuits, eta_qk=value * circuits.eta_ov)
    ode = velocity(bent)
    left = in_quadrant(phi(circuits)).diff(beta) * in_quadrant(ode[1])
    right = in_quadrant(psi(circuits)).diff(alpha) * in_quadrant(ode[0])
    drift = left - circuits.slope * right
    return Schedule(
        statement=(
            "A schedule of the ratio eta_QK/eta_OV bends the line of (Psi, Phi): its slope at t is "
            "R(t), and between two ratios the orbit stays between their orbits."
        ),
        ode=ode,
        clock=None,
        residuals=(left - bent.slope * right, drift - (bent.slope - circuits.slope) * right),
    )
