"""Leading-order balance: what Φ ~ R Ψ and dt/dα say as α → ∞, each step a limit of SymPy.

The constants are symbols: R, κ = r/M, ω, r, w = K-1, c = η_OV/r, and imbalances λ_V, λ_Q > 0
(only their squares enter). What holds for the symbols holds for all positive values.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.integrals import phi, psi
from attnproof.symbolic.gradient.ode import gains, in_quadrant, velocity
from attnproof.symbolic.gradient.symbols import variables
from attnproof.symbolic.verdict import Verdict

if TYPE_CHECKING:
    from sympy import Expr, Symbol

#: What the lemmas are written in.
LEGEND = (
    "R = eta_QK omega^2 r (K-1)/eta_OV, omega = beta/gamma, kappa = r/M, w = K-1, c = eta_OV/r, "
    "ell = log t"
)
#: How a lemma is checked.
LIMIT = "limit by SymPy"
IDENTITY = "identity by SymPy"
SIGN = "sign by SymPy"


@dataclass(frozen=True, slots=True, repr=False)
class Lemma:
    """A part of a derivation or a proof: a statement, its equation, how a machine checks it.

    Equations are in the constants of :data:`LEGEND`.
    """

    statement: str
    equation: Any
    how: str

    def __repr__(self) -> str:
        sides, told = self.equation, str(self.equation)
        if hasattr(sides, "lhs"):
            relation = "=" if sides.rel_op == "==" else sides.rel_op
            told = f"{sides.lhs} {relation} {sides.rhs}"
        return f"{self.statement}: {told} ({self.how})"

    def _repr_latex_(self) -> str:
        from sympy import latex

        return rf"{self.statement}: $\displaystyle {latex(self.equation)}$ ({self.how})"

    def check(self) -> Verdict:
        """Holds where SymPy finds both sides equal, or the inequality true; else unknown.

        >>> from sympy import Eq, Limit, Symbol, oo
        >>> x = Symbol("x", positive=True)
        >>> Lemma("1/x vanishes", Eq(Limit(1 / x, x, oo), 0), LIMIT).check()
        <Verdict.HOLDS: 'holds'>
        """
        return Verdict.HOLDS if _proved(self.equation) else Verdict.UNKNOWN


def identity(statement: str, left: "Expr", right: Any) -> Lemma:
    """Both sides are equal."""
    from sympy import Eq

    return Lemma(statement, Eq(left, right, evaluate=False), IDENTITY)


def above_zero(statement: str, expression: "Expr") -> Lemma:
    """An expression is greater than 0."""
    from sympy import Gt

    return Lemma(statement, Gt(expression, 0, evaluate=False), SIGN)


@cache
def _proved(equation: Any) -> bool:
    from sympy import Eq, Gt, simplify

    if isinstance(equation, Gt):
        return (equation.lhs - equation.rhs).is_positive is True
    if isinstance(equation, Eq):
        left, right = equation.lhs.doit(), equation.rhs.doit()
        return bool(left == right or simplify(left - right) == 0)
    return bool(equation)


class Symbols(NamedTuple):
    """Positive symbols for the constants, the scalars, and ℓ = log t."""

    R: "Symbol"
    kappa: "Symbol"
    omega: "Symbol"
    r: "Symbol"
    w: "Symbol"
    c: "Symbol"
    lambda_V: "Symbol"
    lambda_Q: "Symbol"
    alpha: "Symbol"
    beta: "Symbol"
    ell: "Symbol"


class PowerLaw(NamedTuple):
    """f(x) ~ coefficient · x^power."""

    coefficient: "Expr"
    power: "Expr"

    def of(self, x: "Expr") -> "Expr":
        """The leading term at x."""
        return self.coefficient * x**self.power


@dataclass(frozen=True, slots=True)
class Balance:
    """Laws in ℓ = log t, up to factors 1 + o(1) for ``odds`` and ``loss``, up to o(1) for
    ``alpha`` and ``beta``, whose leading terms are ``leading``; ``deficit`` is the limit of α - z,
    and ``correction`` the next term of α where the deficit is 0, else None. ``loss`` is without
    the factor 1/t."""

    alpha: "Expr"
    beta: "Expr"
    odds: "Expr"
    loss: "Expr"
    leading: "tuple[Expr, Expr]"
    deficit: "Expr"
    correction: "Expr | None"
    steps: tuple[Lemma, ...]


@cache
def symbols() -> Symbols:
    """The symbols, always the same."""
    from sympy import Symbol

    names = Symbols._fields[:-3]
    made = [
        Symbol(name, positive=True, integer=True if name in ("r", "w") else None) for name in names
    ]
    scalars = [Symbol(name, positive=True) for name in ("alpha", "beta", "ell")]
    return Symbols(*made, *scalars)


def generic(kind: Parametrisation, uneven_qk: bool, uneven_ov: bool) -> Circuits:
    """Circuits whose constants are :func:`symbols`."""
    from sympy import Symbol, sqrt

    of = symbols()
    queries = Symbol("Q", integer=True, positive=True)
    data = Data(of.w + 1, of.r, of.r / of.kappa, queries)
    return Circuits(
        kind,
        data,
        scale=of.omega / sqrt(data.contrast / queries),
        eta_qk=of.R * of.c / (of.w * of.omega**2),
        eta_ov=of.c * of.r,
        imbalance_qk=of.lambda_Q if uneven_qk else 0,
        imbalance_ov=of.lambda_V if uneven_ov else 0,
    )


def power_law(function: "Expr", x: "Symbol") -> PowerLaw:
    """The leading term as x → ∞ of a function that grows as a power.

    >>> x = symbols().alpha
    >>> power_law((3 * x**2 + 1) ** 2, x)
    PowerLaw(coefficient=9, power=4)
    """
    from sympy import limit, oo, simplify

    power = limit(simplify(x * function.diff(x) / function), x, oo)
    return PowerLaw(limit(simplify(function / x**power), x, oo), power)


@cache
def balance(kind: Parametrisation, uneven_qk: bool, uneven_ov: bool) -> Balance:
    """The laws of one parametrisation, balanced or not, with their derivation.

    >>> balance(Parametrisation.CACO, False, False).odds
    R*ell**2/2
    """
    found = _Derivation(generic(kind, uneven_qk, uneven_ov))
    found.unbounded()
    odds = found.orbit()
    deficit = found.clock(odds)
    return found.laws(odds, deficit)


class _Derivation:
    """Lemmas in order; each method needs those above it."""

    def __init__(self, circuits: Circuits) -> None:
        self.of, self.steps = symbols(), list[Lemma]()
        self.gain_ov, self.gain_qk = (positive(gain) for gain in gains(circuits))
        self.rate = positive(velocity(circuits)[0])
        self.phi, self.psi = positive(phi(circuits)), positive(psi(circuits))
        self.ov, self.qk = (
            power_law(self.gain_ov, self.of.alpha),
            power_law(self.gain_qk, self.of.beta),
        )
        self.height = power_law(self.psi, self.of.alpha)

    def unbounded(self) -> None:
        """α → ∞."""
        told = "α' > 0, and while α is bounded α' has a bound above 0, for s does not fall: α → ∞"
        self.steps.append(above_zero(told, self.rate))

    def orbit(self) -> "Expr":
        """The odds as a function of α, from the leading terms of Φ and of R Ψ."""
        from sympy import UnevaluatedExpr, exp, log, simplify

        of, alpha, beta = self.of, self.of.alpha, self.of.beta
        for names, whole, law, x in (
            (("P_OV", "g", "α", "h"), self.gain_ov, self.ov, alpha),
            (("P_QK", "p", "β", "m"), self.gain_qk, self.qk, beta),
            (("Ψ", "q", "α", "n"), self.psi, self.height, alpha),
        ):
            left, factor, over, power = names
            told = (
                f"{left} = {whole} ~ {factor} {over}^{power}, with {factor} = {law.coefficient} "
                f"and {power} = {law.power}"
            )
            self._limit(told, UnevaluatedExpr(whole) / law.of(x), x, 1)
        term = of.kappa * exp(beta) / self.qk.of(beta)
        slopes = simplify(self.phi.diff(beta) / term.diff(beta))
        self._limit("Φ ~ κ e^β/(p β^m), for the derivatives have the ratio 1", slopes, beta, 1)
        odds = of.R * self.qk.of(self.height.power * log(alpha)) * self.height.of(alpha)
        reached, wanted = term.subs(beta, log(odds / of.kappa)), of.R * self.height.of(alpha)
        told = "y ~ R p (n log α)^m q α^n, for then Φ ~ R Ψ"
        self._limit(told, _quotient(reached, wanted), alpha, 1)
        return odds

    def clock(self, odds: "Expr") -> "Expr":
        """The limit d of α - z, with dt/dα and its integral."""
        from sympy import exp, limit, log, oo

        of, alpha = self.of, self.of.alpha
        behind, margin = alpha / (1 + odds), alpha * odds / (1 + odds)
        deficit = limit(behind, alpha, oo)
        self._limit("α - z = α/(1+y) tends to d", behind, alpha, deficit)
        slow = (of.w * exp(-margin) + 1) * (1 + 1 / odds)
        written = slow * exp(margin) / (of.c * self.gain_ov)
        integrand = 1 / self.rate.subs(of.beta, log(odds / of.kappa))
        told = "dt/dα = 1/α' at s = y/(1+y), z = α s"
        self.steps.append(identity(told, integrand, written))
        ratio = slow * self.ov.of(alpha) / self.gain_ov * exp(deficit - behind)
        self._limit("dt/dα ~ e^(α-d)/(c g α^h)", ratio, alpha, 1)
        time = exp(alpha - deficit) / (of.c * self.ov.of(alpha))
        told = "t ~ e^(α-d)/(c g α^h), for it is near its own derivative"
        self._limit(told, _quotient(time.diff(alpha), time), alpha, 1)
        return deficit

    def laws(self, odds: "Expr", deficit: "Expr") -> Balance:
        """Everything as a function of ℓ = log t."""
        from sympy import UnevaluatedExpr, exp, expand_log, log

        of, ell, alpha, power = self.of, self.of.ell, self.of.alpha, self.ov.power
        constant = log(of.c * self.ov.coefficient)
        law = ell + power * log(ell) + constant + deficit
        back = UnevaluatedExpr(law) - deficit - power * log(law) - constant
        self._limit("log t = α - d - log(c g α^h) + o(1), inverted", back - ell, ell, 0)
        in_time = of.R * self.qk.of(self.height.power * log(ell)) * self.height.of(ell)
        self._limit("the odds at this α", odds.subs(alpha, law) / in_time, ell, 1)
        n, m = self.height.power, self.qk.power
        factor = of.R * self.qk.coefficient * n**m * self.height.coefficient / of.kappa
        beta = n * log(ell) + m * log(log(ell)) + log(factor)
        odds_law = expand_log(log(in_time / of.kappa))
        self.steps.append(identity("β = log(y/κ)", odds_law, beta))
        wrong = 1 / alpha
        self._limit("the loss is log(1+u), u = (K-1) e^(-z)", log(1 + wrong) / wrong, alpha, 1)
        loss = of.w / (of.c * self.ov.of(ell))
        u = of.w * exp(deficit - law + ell)
        self.steps.append(identity("t u at z = α - d", u, loss))
        leading = ell, n * log(ell)
        for told, whole, first in zip("αβ", (law, beta), leading, strict=True):
            self._limit(f"the leading term of {told}", whole / first, ell, 1)
        correction = None if deficit != 0 else self._correction(odds)
        return Balance(law, beta, in_time, loss, leading, deficit, correction, tuple(self.steps))

    def _correction(self, odds: "Expr") -> "Expr":
        """The next term of α is α - z itself, where that vanishes more slowly than all others."""
        from sympy import log, simplify

        alpha = self.of.alpha
        gap = alpha / odds
        others = {
            "the derivative of α - z": gap.diff(alpha),
            "1/y": 1 / odds,
            "h log α/α": self.ov.power * log(alpha) / alpha,
        }
        for name, other in others.items():
            self._limit(f"{name} is smaller than α - z", simplify(other / gap), alpha, 0)
        return gap.subs(alpha, self.of.ell)

    def _limit(self, told: str, expression: "Expr", x: "Symbol", value: Any) -> None:
        from sympy import Eq, Limit, oo

        self.steps.append(Lemma(told, Eq(Limit(expression, x, oo), value, evaluate=False), LIMIT))


def _quotient(left: "Expr", right: "Expr") -> "Expr":
    """left/right, simplified, but with both sides to be seen where that is a number."""
    from sympy import UnevaluatedExpr, simplify

    found = simplify(left / right)
    return UnevaluatedExpr(left) / right if found.is_number else found


def positive(expression: "Expr") -> "Expr":
    """The expression in symbols for α > 0 and β > 0."""
    alpha, beta, _ = variables()
    of = symbols()
    return in_quadrant(expression).xreplace({alpha: of.alpha, beta: of.beta})
