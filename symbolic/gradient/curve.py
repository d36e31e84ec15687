"""The orbit as a curve: for each w, the coordinate of α, the one β with the same first integral.

F(x) = F(x₀) + R' ∫ α dw, and F is increasing and convex in x, the coordinate of β: Newton's method
from above converges from one side.
"""

from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log
from typing import TYPE_CHECKING, NamedTuple

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.coordinates import Coordinate, coordinate

if TYPE_CHECKING:
    from attnproof.symbolic.gradient.special import Array

#: Bounds on what the first integral gains, and on α: products with them are still finite.
_LARGEST_RISE = 1e150
_LARGEST_ALPHA = 1e70
_MOST_STEPS = 200

TOO_FAR = "so far along the orbit numbers exceed double precision; ask for an earlier point"


class Points(NamedTuple):
    """Scalars, log-odds of the attention, attention and margin along the curve."""

    alpha: "Array"
    beta: "Array"
    log_odds: "Array"
    attention: "Array"
    margin: "Array"


@dataclass(frozen=True)
class Numbers:
    """The constants of some circuits in double precision."""

    log_wrong: float
    kappa: float
    slope: float
    mu_ov: float
    width_ov: float | None
    factor_ov: float
    width_qk: float | None
    factor_qk: float


def numbers(circuits: Circuits) -> Numbers:
    """The constants as floats. Raises :class:`ParameterError` where a symbol is left."""
    from sympy import sqrt, sympify

    data, kind = circuits.data, circuits.parametrisation
    root, omega = sqrt(data.distinct), circuits.omega

    def number(name: str, expression: object) -> float:
        free = getattr(expression, "free_symbols", ())
        if free:
            names = ", ".join(sorted(map(str, free)))
            raise ParameterError(
                f"{name} depends on {names}; an orbit in floats needs numbers, as in classes=3, "
                "distinct=1, common=4, queries=1",
                symbols=names,
            )
        found = float(sympify(expression).evalf(20))
        if expression != 0 and not 1e-100 < abs(found) < 1e100:
            raise ParameterError(
                f"{name} is {found:g}; floats need it between 1e-100 and 1e100", **{name: found}
            )
        return found

    return Numbers(
        log_wrong=log(number("K - 1", data.classes - 1)),
        kappa=number("r/M", data.odds),
        slope=number("R", circuits.slope),
        mu_ov=number("mu_OV", circuits.mu_ov),
        width_ov=abs(number("imbalance_ov", circuits.imbalance_ov / (2 * root)))
        if kind.factorised_value
        else None,
        factor_ov=number("r", 2 * root) if kind.factorised_value else 1.0,
        width_qk=abs(number("imbalance_qk", circuits.imbalance_qk * omega / 2))
        if kind.factorised_attention
        else None,
        factor_qk=number("omega", 2 / omega) if kind.factorised_attention else 1.0,
    )


class Curve:
    """β along α, from a start at which α can move.

    ``ov`` is the coordinate w of α, and ``qk`` that of β, or None where β rests at 0. Source: ours.
    """

    def __init__(self, constants: Numbers, alpha0: float, beta0: float) -> None:
        ov = coordinate(alpha0, constants.width_ov, constants.factor_ov)
        if ov is None:
            raise ParameterError("alpha rests at 0, so there is no curve")
        self.constants, self.alpha0, self.beta0 = constants, alpha0, beta0
        self.ov: Coordinate = ov
        self.qk = coordinate(beta0, constants.width_qk, constants.factor_qk)
        self.low = ov.of(alpha0)
        self._log_kappa = log(constants.kappa)

    @cached_property
    def furthest(self) -> float:
        """The largest size of α for which everything stays in double precision."""
        rise = _LARGEST_RISE / max(self._ratio, 1.0)
        return min(_LARGEST_ALPHA, rise if self.constants.width_ov is not None else rise**0.5)

    @property
    def end(self) -> float:
        """The α that the flow tends to: infinity, or 0 for a balanced product that starts below."""
        rests = self.constants.width_ov == 0 and self.alpha0 < 0
        return 0.0 if rests else inf

    def points(self, w: "Array") -> Points:
        """The curve at coordinates w of shape (n,)."""
        import numpy as np

        with np.errstate(over="ignore"):
            alpha = self.ov.value(w)
        beta = self.beta(alpha)
        log_odds = beta + self._log_kappa
        attention = np.exp(-np.logaddexp(0, -log_odds))
        return Points(alpha, beta, log_odds, attention, attention * alpha)

    def beta(self, alpha: "Array") -> "Array":
        """β where the first integral is that of the start."""
        import numpy as np

        if self.qk is None:
            return np.zeros_like(alpha)
        kappa, qk = self.constants.kappa, self.qk
        begin = qk.total(np.array([qk.of(self.beta0)]), kappa)[0]
        with np.errstate(over="ignore", invalid="ignore"):
            rise = self._ratio * self.ov.energy(alpha, self.alpha0)
        if not (abs(rise) <= 2 * _LARGEST_RISE).all():
            raise ParameterError(TOO_FAR)
        total = begin + rise
        x = qk.above(total, kappa)
        for _ in range(_MOST_STEPS):
            step = (qk.total(x, kappa) - total) / (1 + kappa * np.exp(qk.value(x)))
            x = x - step
            if (abs(step) <= 1e-10 * (1 + abs(x))).all():
                break
        found: Array = qk.value(x)
        return np.where(alpha == self.alpha0, self.beta0, found)

    def speed(self, at: Points) -> "Array":
        """dz/dw along the curve."""
        import numpy as np

        s, beta = at.attention, at.beta
        found: Array = s * self.ov.gain(at.alpha)
        if self.qk is not None:
            unread = np.exp(-np.logaddexp(0, at.log_odds))
            turn = self._ratio * at.alpha * unread * self.qk.gain(beta)
            found = found + at.alpha * s * unread * turn
        return found

    @property
    def _ratio(self) -> float:
        qk = 1.0 if self.qk is None else self.qk.factor
        return self.constants.slope * qk / self.ov.factor


def exponential(number: float) -> float:
    """e to the number, infinity where that is not finite in double precision."""
    return exp(number) if number < 709.78 else inf
