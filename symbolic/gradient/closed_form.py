"""Closed forms of an orbit: α and β along one parameter, odds by Lambert W, time by one integral.

For one attention matrix Φ = y + log y - log κ in the odds y = κ e^β, so that y = W₀(κ e^H) with
H = Φ(β₀) + R (Ψ(α) - Ψ(α₀)). For a product the parameter is β itself. α and the starts are
not negative, and positive where a product is balanced; β₀ of any other circuit may be negative.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, exact
from attnproof.symbolic.gradient.integrals import drift, phi, psi
from attnproof.symbolic.gradient.ode import attention, error, gains, in_quadrant, velocity
from attnproof.symbolic.gradient.symbols import variables

if TYPE_CHECKING:
    from sympy import Expr, Symbol


class Starts(NamedTuple):
    """The symbols α₀ and β₀ of a start."""

    alpha: "Symbol"
    beta: "Symbol"


def starts() -> Starts:
    """Always the same symbols, not negative.

    >>> starts()
    Starts(alpha=alpha_0, beta=beta_0)
    """
    from sympy import Symbol

    return Starts(Symbol("alpha_0", nonnegative=True), Symbol("beta_0", nonnegative=True))


@dataclass(frozen=True, slots=True, repr=False)
class ClosedForm:
    """An orbit as functions of ``parameter``: the odds y, or β where W_QK is a product.

    ``odds`` is y as a function of α by Lambert W, and ``time_by_alpha`` the time as an integral
    over α; both are None where W_QK is a product. ``time`` is an integral over the parameter.
    """

    circuits: Circuits
    parameter: "Symbol"
    alpha: "Expr"
    beta: "Expr"
    time: "Expr"
    odds: "Expr | None"
    time_by_alpha: "Expr | None"

    def _repr_latex_(self) -> str:
        from sympy import latex

        parts = [rf"\alpha &= {latex(self.alpha)}", rf"t &= {latex(self.time)}"]
        if self.beta != self.parameter:
            parts.insert(1, rf"\beta &= {latex(self.beta)}")
        if self.odds is not None:
            parts.append(f"y &= {latex(self.odds)}")
        return "$$\\begin{aligned}" + r" \\ ".join(parts) + "\\end{aligned}$$"

    def __repr__(self) -> str:
        return f"ClosedForm: alpha = {self.alpha}, beta = {self.beta}"


def closed_form(circuits: Circuits, alpha0: Any = None, beta0: Any = None) -> ClosedForm:
    """The orbit from (α₀, β₀) in closed form: with those symbols where no number is given.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> one = closed_form(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)))
    >>> alpha0, beta0 = starts()
    >>> one.odds.subs({alpha0: 0, beta0: 0})
    LambertW(exp(7*alpha**2/12 + 1/4)/4)

    Law: :func:`residuals` are all 0. Raises :class:`ParameterError` for α₀ < 0, where the
    odds fall and rise again, and where a balanced product does not start above 0. Source: ours.
    """
    from sympy import Dummy, Integral, LambertW, Symbol, exp, log

    alpha, beta, _ = variables()
    begin = {
        symbol: _begun(circuits, name, given)
        for symbol, name, given in zip(starts(), ("alpha0", "beta0"), (alpha0, beta0), strict=True)
        if given is not None
    }
    kappa = circuits.data.odds
    straight = not circuits.parametrisation.factorised_attention
    parameter = Symbol("y", positive=True) if straight else beta
    beta_at = log(parameter / kappa) if straight else parameter
    left = in_quadrant(phi(circuits))
    begun = left.xreplace({beta: starts().beta})
    risen = left.xreplace({beta: beta_at}) - begun
    alpha_at = _alpha(circuits, risen)
    uneven = not straight and circuits.imbalance_qk != 0
    inner = Dummy("u", real=True, positive=None if uneven else True)
    integrand = _slowness(circuits, alpha_at, beta_at, parameter).xreplace({parameter: inner})
    first = kappa * exp(starts().beta) if straight else starts().beta
    odds = by_alpha = None
    if straight:
        right = in_quadrant(psi(circuits))
        rise = right - right.xreplace({alpha: starts().alpha})
        odds = LambertW(kappa * exp(begun + circuits.slope * rise))
        along = Dummy("a", nonnegative=True)
        rate = in_quadrant(velocity(circuits)[0]).subs(beta, log(odds / kappa))
        by_alpha = Integral((1 / rate).xreplace({alpha: along}), (along, starts().alpha, alpha))
    return ClosedForm(
        circuits=circuits,
        parameter=parameter,
        alpha=alpha_at.subs(begin),
        beta=beta_at,
        time=Integral(integrand, (inner, first, parameter)).subs(begin),
        odds=None if odds is None else odds.subs(begin),
        time_by_alpha=None if by_alpha is None else by_alpha.subs(begin),
    )


def _begun(circuits: Circuits, name: str, given: Any) -> "Expr":
    """A number of the start, where a closed form begins there."""
    found, balanced = exact(name, given), name.removesuffix("0") in circuits.balanced
    wrong = found.is_positive is False if balanced else name == "alpha0" and found.is_negative
    if wrong:
        needed = "above 0, as a product is balanced" if balanced else "of 0 or more"
        raise ParameterError(
            f"{name} is {given}, and the closed form needs one {needed}; give that, or ask for the "
            "first integral, or at_time and at_loss",
            **{name: given},
        )
    return found


def residuals(found: ClosedForm) -> "tuple[Expr, ...]":
    """What must be 0 for a closed form to be right, simplified by SymPy.

    R (Ψ(α) - Ψ(α₀)) at the given α, less the rise of Φ; the drift of the first integral; the speed
    of the parameter times the integrand of the time, less 1; and for Lambert W, d log y/dα less
    β'/α'.
    """
    from sympy import Dummy, log, simplify

    alpha, beta, _ = variables()
    circuits, parameter = found.circuits, found.parameter
    rise = Dummy("rise", positive=True)
    right = in_quadrant(psi(circuits))
    reached = right.subs(alpha, _alpha(circuits, rise)) - right.subs(alpha, starts().alpha)
    bound = found.time.limits[0][0]
    slow = _slowness(circuits, alpha, found.beta, parameter)
    integrand = found.time.function.xreplace({bound: parameter})
    speed = in_quadrant(velocity(circuits)[1]).subs(beta, found.beta) / found.beta.diff(parameter)
    parts = [
        circuits.slope * reached - rise,
        slow * speed - 1,
        integrand - slow.xreplace({alpha: found.alpha}),
    ]
    if found.odds is not None:
        rates = velocity(circuits)
        turn = in_quadrant(rates[1] / rates[0]).subs(beta, log(found.odds / circuits.data.odds))
        parts.append(found.odds.diff(alpha) / found.odds - turn)
    return (*(simplify(part) for part in parts), drift(circuits)[0])


def late_margin(circuits: Circuits) -> "Expr":
    """The margin z for late times: log(c t), or -W₋₁(-1/(2√r c t)) where W_OV is a product.

    With c = μ_OV (K-1). The difference to z tends to 0 wherever the attention tends to 1, with any
    imbalance.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> late_margin(Circuits(Parametrisation.CAFO, Data(3, 1, 4, 1)))
    -LambertW(-1/(2*t), -1)

    Source: ours.
    """
    from sympy import LambertW, log, sqrt

    clock = circuits.mu_ov * (circuits.data.classes - 1) * variables().time
    if not circuits.parametrisation.factorised_value:
        return log(clock)
    return -LambertW(-1 / (2 * sqrt(circuits.data.distinct) * clock), -1)


def early(
    circuits: Circuits, alpha0: object, beta0: object, order: int = 2
) -> tuple["Expr", "Expr"]:
    """α and β for early times, as polynomials in t up to ``order``: their Taylor expansions at 0.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> early(Circuits(Parametrisation.CACO, Data(2, 1, 1, 1)), 0, 0)
    (-t**2/128 + t/4, 3*t**2/128)

    Raises :class:`ParameterError` for an order below 0. Source: ours.
    """
    from sympy import Dummy, Integer, cancel, exp, expand, factorial

    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise ParameterError(f"order is {order!r}; give an integer, 0 or more", order=order)
    alpha, beta, time = variables()
    begin = {alpha: exact("alpha0", alpha0), beta: exact("beta0", beta0)}
    signs = [-1 if begin[one].is_negative else 1 for one in (alpha, beta)]
    gain_ov, gain_qk = (in_quadrant(gain, *signs) for gain in gains(circuits))
    s, e = Dummy("s"), Dummy("e")
    rates = {
        alpha: circuits.mu_ov * gain_ov * s * e,
        beta: circuits.mu_qk * gain_qk * alpha * s * (1 - s) * e,
    }
    rates[s] = s * (1 - s) * rates[beta]
    rates[e] = -e * (1 - e) * (s * rates[alpha] + alpha * rates[s])
    start = {**begin, s: attention(circuits).subs(begin), e: error(circuits).subs(begin)}
    found = []
    for one in (alpha, beta):
        derivative, series = one, Integer(0)
        for k in range(order + 1):
            value = derivative.xreplace(start)
            value = value if value.has(exp) else cancel(value)
            series += value * time**k / factorial(k)
            derivative = expand(sum(derivative.diff(x) * rate for x, rate in rates.items()))
        found.append(series)
    return found[0], found[1]


def _alpha(circuits: Circuits, risen: "Expr") -> "Expr":
    """α where Φ has risen by ``risen``."""
    from sympy import sqrt

    begin, r = starts().alpha, circuits.data.distinct
    gained, uneven = risen / circuits.slope, circuits.imbalance_ov
    if not circuits.parametrisation.factorised_value:
        return sqrt(begin**2 + 2 * gained)
    if uneven == 0:
        return begin + 2 * sqrt(r) * gained
    whole = sqrt(uneven**2 + 4 * r * begin**2) + 4 * r * gained
    return sqrt(whole**2 - uneven**2) / (2 * sqrt(r))


def _slowness(circuits: Circuits, alpha_at: "Expr", beta_at: "Expr", parameter: "Symbol") -> "Expr":
    """dt/dp for the parameter p."""
    from sympy import exp

    kappa = circuits.data.odds
    odds = parameter if beta_at != parameter else kappa * exp(parameter)
    gain = in_quadrant(gains(circuits)[1])
    slow = 1 + exp(alpha_at * odds / (1 + odds)) / (circuits.data.classes - 1)
    along = beta_at.diff(parameter)
    return along * slow * (1 + odds) ** 2 / (odds * circuits.mu_qk * gain * alpha_at)
