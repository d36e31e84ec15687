"""At equal loss attention is the sharper, the greater ρ = η_QK/η_OV is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.balance import (
    Lemma,
    above_zero,
    balance,
    generic,
    identity,
    positive,
    symbols,
)
from attnproof.symbolic.gradient.balls import BITS, ball, enclosure, spanned, working
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation, exact
from attnproof.symbolic.gradient.enclosure import Enclosed
from attnproof.symbolic.gradient.integrals import phi, psi
from attnproof.symbolic.gradient.ode import attention, gains, in_quadrant
from attnproof.symbolic.gradient.symbols import variables
from attnproof.symbolic.gradient.theorem import (
    Compared,
    Instance,
    Theorem,
    decide,
    less,
    rising,
    starts,
    state,
    unmet,
)

if TYPE_CHECKING:
    from sympy import Expr


@dataclass(frozen=True, slots=True, repr=False)
class Monotone(Theorem):
    """T1."""

    def instance(
        self,
        circuits: Circuits,
        loss: Any,
        alpha0: Any,
        beta0: Any,
        ratios: Sequence[Any],
        *,
        bits: int = BITS,
    ) -> Instance:
        """Compares the states at one loss for several ratios ρ, in increasing order.

        Raises :class:`ParameterError` for ratios that are not positive and increasing.
        """
        rates = _increasing(ratios)
        if missing := starts(circuits, alpha0, beta0):
            return unmet(self.name, missing)

        def compare(bits: int) -> Compared:
            found = [state(at_ratio(circuits, rho), loss, alpha0, beta0, bits) for rho in rates]
            sharper = rising(one.attention for one in found)
            smaller = rising(one.alpha for one in reversed(found))
            told = ", ".join(
                f"rho {rho}: s = {float(one.attention):.6g}, alpha = {float(one.alpha):.6g}"
                for rho, one in zip(ratios, found, strict=True)
            )
            return Compared((*sharper, *smaller), told)

        return decide(self.name, compare, bits)


@dataclass(frozen=True, slots=True, repr=False)
class Rate(Theorem):
    """T1'."""

    def limit(self, circuits: Circuits, loss: Any, alpha0: Any) -> "Expr":
        """The limit of y/(R P_QK(β)) as ρ → ∞, Ψ(z) - Ψ(α₀), with P_QK = 1 or 2β/ω."""
        alpha, height = variables().alpha, in_quadrant(psi(circuits))
        end = height.subs(alpha, _margin(circuits, loss))
        return end - height.subs(alpha, exact("alpha0", alpha0))

    def instance(
        self,
        circuits: Circuits,
        loss: Any,
        alpha0: Any,
        beta0: Any,
        *,
        within: Any,
        bits: int = BITS,
    ) -> Instance:
        """Is y/(R P_QK(β)) within a relative distance of its limit, at the ratio of ``circuits``?

        Where it is not yet, the verdict is unknown: a limit excludes no single value.
        """
        missing = starts(circuits, alpha0, beta0)
        if not less(exact("alpha0", alpha0), _margin(circuits, loss)):
            missing.append(f"alpha0 < z (they are {alpha0} and {float(_margin(circuits, loss)):g})")
        if missing:
            return unmet(self.name, missing)
        wanted, bound = self.limit(circuits, loss, alpha0), exact("within", within)

        def compare(bits: int) -> Compared:
            away = _away(circuits, state(circuits, loss, alpha0, beta0, bits), wanted, bits)
            near = less(away, bound) and less(-bound, away)
            told = (
                f"y/(R P_QK) differs from its limit {float(wanted):.6g} by {float(away):+.2g} of it"
            )
            return Compared((near or None,), told)

        return decide(self.name, compare, bits)


def monotone() -> Monotone:
    """T1: at equal loss s increases and α decreases strictly in ρ.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> circuits = Circuits(Parametrisation.CACO, Data(5, 1, 15, 1))
    >>> found = monotone().instance(circuits, 0.001, 0, 0, [0.15, 0.3])
    >>> found.verdict, found.told
    (<Verdict.HOLDS: 'holds'>, 'rho 0.15: s = 0.810588, alpha = 10.2315, rho 0.3: s = 0.898195, \
alpha = 9.23357')
    """
    return Monotone(
        "T1",
        "At the time when the loss has a given value, attention s on the distinct tokens is "
        "strictly increasing and the OV scalar alpha strictly decreasing in rho = eta_QK/eta_OV, "
        "for each of the four parametrisations and all imbalances; s runs over the interval from "
        "s(beta0) to min(1, z/alpha0) as rho runs over (0, infinity).",
        r"\frac{\partial s}{\partial \rho}\Big|_{L} > 0, \qquad "
        r"\frac{\partial \alpha}{\partial \rho}\Big|_{L} < 0",
        (
            "alpha0 >= 0",
            "alpha0 > 0 where W_O W_V is a balanced product",
            "beta0 > 0 where W_K and W_Q are balanced",
            "the loss is below that of the start",
        ),
        "With z = s alpha fixed by the loss, beta is a root of Phi(beta) - Phi(beta0) = "
        "R (Psi(z/s(beta)) - Psi(alpha0)). The left side increases in beta, the right side "
        "decreases, so the root is unique. At the root both sides are positive, so a greater R, "
        "which is proportional to rho, raises the right side and moves the root up. The loss "
        "falls strictly along the flow, so it takes each value once.",
        tuple(step for kind in _KINDS for step in _signs(*kind)),
    )


def rate() -> Rate:
    """T1': at fixed loss, y/(R P_QK(β)) → Ψ(z) - Ψ(α₀) as ρ → ∞; with one QK matrix 1-s is of
    order 1/ρ.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> circuits = Circuits(Parametrisation.CACO, Data(3, 1, 4, 1), eta_qk=10**6)
    >>> rate().limit(circuits, 0.001, 0).evalf(8)
    28.883058
    >>> rate().instance(circuits, 0.001, 0, 0, within=1e-5).verdict
    <Verdict.HOLDS: 'holds'>
    """
    kinds = [kind for kind in _KINDS if not (kind[1] or kind[2])]
    return Rate(
        "T1'",
        "At a fixed loss, as rho = eta_QK/eta_OV tends to infinity, the odds y = s/(1-s) satisfy "
        "y/(R P_QK(beta)) -> Psi(z) - Psi(alpha0), where P_QK is 1 for one matrix and 2 beta/omega "
        "for a balanced product: with one QK matrix, 1 - s is of order 1/rho.",
        r"\frac{y}{R\,P_{QK}(\beta)} \to \Psi(z) - \Psi(\alpha_0)",
        (*monotone().hypotheses, "alpha0 < z, the margin at that loss"),
        "By T1 beta increases in rho, and it is unbounded, for the right side of its equation is. "
        "So s -> 1, z/s -> z, and Phi(beta) ~ kappa e^beta/P_QK(beta) = y/P_QK(beta) with all "
        "else bounded against it.",
        tuple(
            replace(step, statement=f"{kind[0].value}: {step.statement}")
            for kind in kinds
            for step in balance(*kind).steps
            if step.statement.startswith("Φ ~ κ")
        ),
    )


def at_ratio(circuits: Circuits, rho: Any) -> Circuits:
    """The same circuits with η_QK = ρ η_OV."""
    return replace(circuits, eta_qk=exact("rho", rho) * circuits.eta_ov)


_KINDS = (
    (Parametrisation.CACO, False, False),
    (Parametrisation.FACO, False, False),
    (Parametrisation.CAFO, False, False),
    (Parametrisation.FAFO, False, False),
    (Parametrisation.FAFO, True, True),
)


def _signs(kind: Parametrisation, uneven_qk: bool, uneven_ov: bool) -> tuple[Lemma, ...]:
    """What the proof needs: Φ' > 0, Ψ' > 0, and 1/s falls; and that Φ' and Ψ' are as said."""
    from sympy import Derivative, simplify

    circuits, of = generic(kind, uneven_qk, uneven_ov), symbols()
    gain_ov, gain_qk = gains(circuits)
    told = f"{kind.value}{', unbalanced' if uneven_qk else ''}"
    rise = positive((1 / (1 - attention(circuits))) / gain_qk)
    climb = positive(variables().alpha / gain_ov)
    slope = positive(phi(circuits)).diff(of.beta)
    return (
        identity(f"{told}: Φ' = 1/((1-s) P_QK)", slope, rise),
        identity(f"{told}: Ψ' = α/P_OV", Derivative(positive(psi(circuits)), of.alpha), climb),
        above_zero(f"{told}: Φ increases", simplify(rise)),
        above_zero(f"{told}: Ψ increases", simplify(climb)),
        above_zero(f"{told}: 1/s falls", -positive(1 / attention(circuits)).diff(of.beta)),
    )


def _increasing(ratios: Sequence[Any]) -> list[Any]:
    found = [exact("rho", rho) for rho in ratios]
    increasing = all(a < b for a, b in pairwise(found))
    if len(found) < 2 or not found[0] > 0 or not increasing:
        raise ParameterError(
            f"ratios are {list(ratios)}; give two or more positive numbers, in increasing order",
            ratios=ratios,
        )
    return found


def _margin(circuits: Circuits, loss: Any) -> "Expr":
    from sympy import exp, log

    given = exact("loss", loss)
    if given.is_positive is False:
        raise ParameterError(f"loss is {loss}; give a number above 0", loss=loss)
    return log((circuits.data.classes - 1) / (exp(given) - 1))


def _away(circuits: Circuits, found: Any, wanted: "Expr", bits: int) -> Any:
    """y/(R P_QK) over its limit, less 1: enclosed, or in floats."""
    beta = variables().beta
    scale = circuits.slope * in_quadrant(gains(circuits)[1]) * wanted
    if not isinstance(found, Enclosed):
        return found.odds / float(scale.subs(beta, found.beta)) - 1
    with working("a limit, compared rigorously", bits):
        quotient = spanned(found.odds) / ball("scale", scale, {beta: spanned(found.beta)})
        return enclosure(quotient - 1)
