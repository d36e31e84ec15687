"""At equal loss: which circuits attend more sharply, one matrix or a product of two.

A value circuit that is one matrix always makes the sharper attention from a loss on that is small
enough (T2); an attention that is a product is sharper exactly beyond a score b* (T3).
"""

from dataclasses import dataclass, replace
from typing import Any

from attnproof.symbolic.gradient.balance import above_zero, generic, identity, positive, symbols
from attnproof.symbolic.gradient.balls import BITS, Enclosure, available
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation, exact
from attnproof.symbolic.gradient.crossover import crossover, crossover_float
from attnproof.symbolic.gradient.integrals import phi, psi
from attnproof.symbolic.gradient.theorem import (
    Compared,
    Instance,
    Theorem,
    decide,
    less,
    starts,
    state,
    unmet,
)


@dataclass(frozen=True, slots=True, repr=False)
class CollapsedValue(Theorem):
    """T2."""

    def instance(
        self,
        circuits: Circuits,
        loss: Any,
        beta0: Any,
        *,
        alpha0_one: Any = 0,
        alpha0_product: Any = 1e-6,
        bits: int = BITS,
    ) -> Instance:
        """Compares W_OV as one matrix and as a balanced product, all else as in ``circuits``.

        The general condition is looked up at the state of the product; the sufficient one,
        z >= 1/√r from ``alpha0_one`` = 0, implies it.
        """
        one, two = value_pair(circuits)
        missing = starts(one, alpha0_one, beta0) + starts(two, alpha0_product, beta0)
        if missing:
            return unmet(self.name, list(dict.fromkeys(missing)))
        outside: list[str] = []

        def compare(bits: int) -> Compared:
            first = state(one, loss, alpha0_one, beta0, bits)
            second = state(two, loss, alpha0_product, beta0, bits)
            gained = _condition(circuits, second.alpha, alpha0_one, alpha0_product)
            del outside[:]
            if gained is not True:
                outside.append(_CONDITION + ("" if gained is None else " (it fails)"))
                return Compared((), "")
            told = (
                f"s = {float(first.attention):.6g} for one matrix, "
                f"{float(second.attention):.6g} for a product"
            )
            return Compared((less(second.attention, first.attention),), told)

        found = decide(self.name, compare, bits)
        return unmet(self.name, outside) if outside else found


@dataclass(frozen=True, slots=True, repr=False)
class Crossover(Theorem):
    """T3."""

    def instance(
        self, circuits: Circuits, loss: Any, alpha0: Any, beta0: Any, *, bits: int = BITS
    ) -> Instance:
        """Compares balanced factorised attention and one matrix, all else as in ``circuits``."""
        one, two = attention_pair(circuits)
        if missing := starts(two, alpha0, beta0):
            return unmet(self.name, missing)

        def compare(bits: int) -> Compared:
            first, second = (state(kind, loss, alpha0, beta0, bits) for kind in (one, two))
            star = (
                crossover(circuits, beta0, bits=bits)
                if available()
                else crossover_float(circuits, beta0)
            )
            sharper, beyond = less(first.beta, second.beta), less(star, first.beta)
            told = (
                f"beta = {float(first.beta):.6g} for one matrix, {float(second.beta):.6g} for a "
                f"product, b* = {float(star):.6g}"
            )
            decided = None not in (sharper, beyond)
            return Compared((sharper is beyond if decided else None,), told)

        return decide(self.name, compare, bits)


_CONDITION = (
    "alpha^2 - alpha0_one^2 > (alpha - alpha0_product)/sqrt(r) at alpha = z/s of the product"
)


def collapsed_value() -> CollapsedValue:
    """T2: at equal loss one matrix W_OV makes sharper attention than a product, if z >= 1/√r.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> found = collapsed_value().instance(
    ...     Circuits(Parametrisation.CACO, Data(5, 1, 15, 1), eta_qk=0.15), 0.001, 0)
    >>> found.verdict, found.told
    (<Verdict.HOLDS: 'holds'>, 's = 0.810588 for one matrix, 0.299222 for a product')
    """
    from sympy import sqrt

    of = symbols()
    one, two = (
        positive(psi(generic(kind, False, False)))
        for kind in (Parametrisation.CACO, Parametrisation.CAFO)
    )
    gap = one - two
    beyond = gap.subs(of.alpha, 1 / sqrt(of.r) + of.beta)
    return CollapsedValue(
        "T2",
        "With the same attention circuit and the same beta0, W_OV as one matrix from alpha0 = 0, "
        "and as a balanced product from any alpha0 > 0: at equal loss with z >= 1/sqrt(r), s is "
        "greater for the one matrix, for every rho. In general it is so exactly if "
        + _CONDITION
        + ".",
        r"z \ge \tfrac{1}{\sqrt r} \;\Rightarrow\; s_{CO} > s_{FO}",
        (
            _CONDITION,
            "which z >= 1/sqrt(r) with alpha0_one = 0 implies",
            "alpha0_product > 0",
            "beta0 > 0 where W_K and W_Q are balanced",
            "the loss is below that of both starts",
        ),
        "At the state of the product Phi - Phi0 = R (alpha - alpha0)/(2 sqrt(r)), which the "
        "condition makes less than R (alpha^2 - alpha0^2)/2: for one matrix the left side of its "
        "equation is still below the right one, and its root lies above. As alpha = z/s > z, "
        "z >= 1/sqrt(r) gives alpha^2 > alpha/sqrt(r).",
        (
            identity(
                "Ψ of one matrix less Ψ of a product is (α² - α/√r)/2",
                gap,
                (of.alpha**2 - of.alpha / sqrt(of.r)) / 2,
            ),
            above_zero("and is above 0 for α = 1/√r + β, β > 0", beyond.expand()),
        ),
    )


def attention_crossover() -> Crossover:
    """T3: factorised attention is the sharper at equal loss exactly where β of one matrix > b*.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> circuits = Circuits(Parametrisation.FACO, Data(5, 1, 15, 1), eta_qk=0.15)
    >>> found = attention_crossover().instance(circuits, 0.001, 0, 1e-4)
    >>> found.told
    'beta = 4.1619 for one matrix, 6.74519 for a product, b* = 2.26558'
    """
    from sympy import exp

    of = symbols()
    one, two = (
        positive(phi(generic(kind, False, False)))
        for kind in (Parametrisation.CACO, Parametrisation.FACO)
    )
    slope = (1 - of.omega / (2 * of.beta)) * (1 + of.kappa * exp(of.beta))
    return Crossover(
        "T3",
        "With the same value circuit and the same start, beta0 > 0: at equal loss balanced "
        "factorised attention is sharper than one matrix W_QK exactly if beta of the one matrix "
        "exceeds b*, which is beta0 where beta0 >= omega/2 and else the root above omega/2 of "
        "int_{beta0}^{b*} (1 - omega/(2 beta)) (1 + kappa e^beta) dbeta = 0. b* depends on "
        "neither rho nor the value circuit.",
        r"\beta_{FA} > \beta_{CA} \iff \beta_{CA} > b^*, \qquad \int_{\beta_0}^{b^*} "
        r"\Big(1 - \frac{\omega}{2\beta}\Big)\big(1 + \kappa e^{\beta}\big)\,d\beta = 0",
        (
            "beta0 > 0",
            "alpha0 >= 0, and alpha0 > 0 where W_O W_V is a balanced product",
            "W_K and W_Q are balanced",
            "the loss is below that of the start",
        ),
        "At the state of the one matrix Phi_CA - Phi_CA(beta0) = R (Psi(alpha) - Psi(alpha0)). "
        "The root for the product lies above exactly if Phi_FA - Phi_FA(beta0) is less there, "
        "that is, if h(beta) = int (1 - omega/(2 beta)) (1 + kappa e^beta) > 0. h falls up to "
        "omega/2 and rises after, to infinity, so from h(beta0) = 0 it is above 0 exactly "
        "beyond b*.",
        (identity("Φ_CA' - Φ_FA' = (1 - ω/(2β)) (1 + κ e^β)", (one - two).diff(of.beta), slope),),
    )


def value_pair(circuits: Circuits) -> tuple[Circuits, Circuits]:
    """The circuits with W_OV as one matrix, and as a balanced product."""
    factorised = circuits.parametrisation.factorised_attention
    names = ("FACO", "FAFO") if factorised else ("CACO", "CAFO")
    one, two = (
        replace(circuits, parametrisation=Parametrisation[name], imbalance_ov=0) for name in names
    )
    return one, two


def attention_pair(circuits: Circuits) -> tuple[Circuits, Circuits]:
    """The circuits with W_QK as one matrix, and as a balanced product."""
    factorised = circuits.parametrisation.factorised_value
    names = ("CAFO", "FAFO") if factorised else ("CACO", "FACO")
    one, two = (
        replace(circuits, parametrisation=Parametrisation[name], imbalance_qk=0) for name in names
    )
    return one, two


def _condition(circuits: Circuits, alpha: Any, one: Any, product: Any) -> bool | None:
    """(α - α₀)²/r < (α² - α₀²)², the starts being those of the product and of the one matrix."""
    ends = (alpha.lower, alpha.upper) if isinstance(alpha, Enclosure) else (alpha, alpha)
    low, high = (exact("alpha", end) for end in ends)
    r, first, second = circuits.data.distinct, exact("alpha0", one), exact("alpha0", product)
    if low > first and r * (low**2 - first**2) ** 2 > (high - second) ** 2:
        return True
    if high <= first or r * (high**2 - first**2) ** 2 <= (low - second) ** 2:
        return False
    return None
