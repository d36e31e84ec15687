"""The two circuits of a one-layer attention, each one matrix or a product of two.

Scores are ς·xᵀ W_QK x_q over tokens x, logits W_OV Xᵀ A, the loss is mean cross-entropy. A circuit
is *collapsed* (one matrix) or *factorised* (W_QK = W_Kᵀ W_Q, W_OV = W_O W_V). On the invariant
manifold W_OV = α U and W_QK = γ n̂ q̂ᵀ, and β = ω γ is the score of a distinct token less that of a
common one.
"""

from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.data import Data

if TYPE_CHECKING:
    from sympy import Expr


class Parametrisation(Enum):
    """Which circuits are products: attention first, output and value second.

    >>> Parametrisation.FACO.factorised_attention, Parametrisation.FACO.factorised_value
    (True, False)
    """

    CACO = "CACO"
    FACO = "FACO"
    CAFO = "CAFO"
    FAFO = "FAFO"

    @property
    def factorised_attention(self) -> bool:
        """W_QK is a product."""
        return self.value.startswith("FA")

    @property
    def factorised_value(self) -> bool:
        """W_OV is a product."""
        return self.value.endswith("FO")


@dataclass(frozen=True, slots=True)
class Circuits:
    """A parametrisation on some data, with its score scale, learning rates and imbalances.

    ``imbalance_qk`` is u² - v² of W_K = u h n̂ᵀ, W_Q = v h q̂ᵀ, and ``imbalance_ov`` is x² - y² of
    W_O = x P Rᵀ, W_V = y R P': both are conserved, and 0 is *balanced*. Numbers are kept exactly,
    floats as the binary value that they are; expressions are allowed everywhere.

    >>> three = Circuits(Parametrisation.CACO, Data(classes=3, distinct=1, common=4, queries=1))
    >>> three.slope, three.omega
    (7/6, sqrt(21)/6)

    Raises :class:`ParameterError` for rates and scales that are not positive, and for an imbalance
    of a circuit that is no product. Source: ours.
    """

    parametrisation: Parametrisation
    data: Data
    scale: Any = 1
    eta_qk: Any = 1
    eta_ov: Any = 1
    imbalance_qk: Any = 0
    imbalance_ov: Any = 0

    def __post_init__(self) -> None:
        for name in ("scale", "eta_qk", "eta_ov"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        for name in ("imbalance_qk", "imbalance_ov"):
            object.__setattr__(self, name, exact(name, getattr(self, name)))
        kind = self.parametrisation
        for name, product in (
            ("imbalance_qk", kind.factorised_attention),
            ("imbalance_ov", kind.factorised_value),
        ):
            if not product and getattr(self, name) != 0:
                raise ParameterError(
                    f"{name} is {getattr(self, name)}, and in {kind.value} that circuit is one "
                    "matrix; leave it out",
                    **{name: getattr(self, name)},
                )

    @property
    def balanced(self) -> tuple[str, ...]:
        """Which of "alpha" and "beta" are scalars of balanced products: these keep their sign."""
        kind = self.parametrisation
        value = kind.factorised_value and self.imbalance_ov == 0
        score = kind.factorised_attention and self.imbalance_qk == 0
        return ("alpha",) * value + ("beta",) * score

    @property
    def rho(self) -> "Expr":
        """ρ = η_QK/η_OV."""
        return self.eta_qk / self.eta_ov

    @property
    def omega(self) -> "Expr":
        """ω = ς √(ν/Q), so that β = ω γ."""
        from sympy import sqrt

        return self.scale * sqrt(self.data.contrast / self.data.queries)

    @property
    def mu_ov(self) -> "Expr":
        """μ_OV = η_OV/(r (K-1)), the rate of α."""
        return self.eta_ov / (self.data.distinct * (self.data.classes - 1))

    @property
    def mu_qk(self) -> "Expr":
        """μ_QK = η_QK ω², the rate of β."""
        return self.eta_qk * self.omega**2

    @property
    def slope(self) -> "Expr":
        """R = μ_QK/μ_OV, the slope of the line on which (Ψ(α), Φ(β)) moves."""
        return self.mu_qk / self.mu_ov


def exact(name: str, given: Any) -> "Expr":
    """A number or an expression in SymPy; a float is the rational number that it is.

    >>> exact("rho", 0.5)
    1/2

    Raises :class:`ParameterError` for what is no finite number and no expression.
    """
    from sympy import Expr, Float, Rational, nan, sympify

    found: Any
    if isinstance(given, Expr):
        found = given
    elif isinstance(given, float) and not isfinite(given):
        found = None
    elif isinstance(given, bool | str):
        raise ParameterError(f"{name} is {given!r}; give a number", **{name: given})
    else:
        try:
            found = Rational(given) if isinstance(given, float) else sympify(given)
        except (TypeError, ValueError, OverflowError):
            found = None
    if isinstance(found, Float) and found.is_finite:
        found = Rational(found)
    if found is nan:
        found = None
    if not isinstance(found, Expr) or found.is_finite is False or found.is_real is False:
        raise ParameterError(f"{name} is {given!r}; give a finite number", **{name: given})
    return found


def positive(name: str, given: Any) -> "Expr":
    """:func:`exact`, and a :class:`ParameterError` for what is known not to be above 0 too."""
    found = exact(name, given)
    if found.is_positive is False:
        raise ParameterError(f"{name} is {given}; give a positive number", **{name: given})
    return found
