"""As t → ∞ the loss does not know the learning rate of the QK circuit, and the attention does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.balance import Lemma, balance, identity, symbols
from attnproof.symbolic.gradient.balls import BITS, available
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation, exact
from attnproof.symbolic.gradient.growth import growth
from attnproof.symbolic.gradient.monotone import at_ratio
from attnproof.symbolic.gradient.symbols import variables
from attnproof.symbolic.gradient.theorem import (
    Compared,
    Instance,
    Theorem,
    decide,
    less,
    starts,
    unmet,
)


@dataclass(frozen=True, slots=True, repr=False)
class Decoupling(Theorem):
    """T4."""

    def instance(
        self,
        circuits: Circuits,
        alpha0: Any,
        beta0: Any,
        ratios: Sequence[Any],
        *,
        alpha: Any = 200,
        within: Any = 0.05,
        bits: int = BITS,
    ) -> Instance:
        """Is the loss, for each ratio ρ, its leading law up to a relative distance when the OV
        scalar is ``alpha``? Where it is not yet, the verdict is unknown.

        Needs enclosures: in floats it compares the orbit with the law and decides nothing. Raises
        :class:`ParameterError` where there is no ratio.
        """
        if not ratios:
            raise ParameterError("there are no ratios; give one or more", ratios=())
        missing = starts(circuits, alpha0, beta0)
        if circuits.imbalance_qk != 0 or circuits.imbalance_ov != 0:
            missing.append("balanced products (an imbalance is given)")
        if missing:
            return unmet(self.name, missing)
        bound = exact("within", within)

        def compare(bits: int) -> Compared:
            away = [_away(at_ratio(circuits, rho), alpha, alpha0, beta0, bits) for rho in ratios]
            near = [(less(one, bound) and less(-bound, one)) or None for one in away]
            told = "loss/law - 1: " + ", ".join(
                f"rho {rho}: {float(one):+.2g}" for rho, one in zip(ratios, away, strict=True)
            )
            return Compared(tuple(near), told)

        return decide(self.name, compare, bits)


def decoupling() -> Decoupling:
    """T4: the leading loss is free of η_QK, and 1 - s is of order 1/ρ.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> circuits = Circuits(Parametrisation.CACO, Data(3, 1, 4, 1))
    >>> found = decoupling().instance(circuits, 0, 0, [0.1, 1, 10], within=1e-5)
    >>> found.verdict, found.told
    (<Verdict.HOLDS: 'holds'>, 'loss/law - 1: rho 0.1: -2.4e-06, rho 1: -3.3e-08, rho 10: -4.1e-10')
    """
    from sympy import Symbol

    R, other = symbols().R, Symbol("R_1", positive=True)
    lemmas: list[Lemma] = []
    for kind in Parametrisation:
        found = balance(kind, False, False)
        lemmas += [
            identity(
                f"{kind.value}: t L_∞ at another R is the same",
                found.loss.subs(R, other),
                found.loss,
            ),
            identity(
                f"{kind.value}: y_∞ at another R is proportional to it",
                found.odds.subs(R, other),
                other / R * found.odds,
            ),
        ]
        lemmas += [
            replace(step, statement=f"{kind.value}: {step.statement}") for step in found.steps
        ]
    return Decoupling(
        "T4",
        "The leading order L_∞ of the loss as t tends to infinity, r(K-1)/(eta_OV t) where W_OV is "
        "one matrix and sqrt(r)(K-1)/(2 eta_OV t log t) where it is a product, does not depend on "
        "eta_QK; the attention that is not on distinct tokens, 1 - s, is of order 1/rho.",
        r"L(t) \sim L_\infty(t) = \begin{cases} \frac{r(K-1)}{\eta_{OV}\,t} & "
        r"\text{one matrix } W_{OV} \\ \frac{\sqrt r\,(K-1)}{2\,\eta_{OV}\,t \log t} & "
        r"\text{a product}\end{cases} \qquad \frac{\partial L_\infty}{\partial\eta_{QK}} = 0, "
        r"\qquad 1 - s(t) \sim \frac{1}{y_\infty(t)}, \quad y_\infty \propto \rho",
        ("alpha0 >= 0", "products are balanced, with alpha0 > 0 and beta0 > 0"),
        "z = alpha - alpha/(1+y), and dt/dalpha ~ e^(alpha-d)/(c P_OV): eta_QK enters through "
        "the limit d of alpha - z alone, and cancels from z = log(c P_OV t) + o(1) and from the "
        "loss ~ (K-1) e^(-z). The odds are of order R Psi(alpha) P_QK(beta), and 1-s = 1/(1+y).",
        tuple(lemmas),
    )


def _away(circuits: Circuits, alpha: Any, alpha0: Any, beta0: Any, bits: int) -> Any:
    """The loss over its leading law, less 1."""
    laws = growth(circuits)
    if available():
        return laws.distances(alpha, alpha0, beta0, bits=bits)["loss"]
    from math import expm1, log

    from sympy import log as logarithm

    from attnproof.symbolic.gradient.orbit import Orbit

    found, t = Orbit(circuits, alpha0, beta0).at_alpha(alpha), variables().time
    law = float((laws.loss * t).subs(logarithm(t), found.log_time))
    return expm1(found.log_loss + found.log_time - log(law))
