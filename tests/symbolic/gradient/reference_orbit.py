"""Orbits in mpmath with 50 digits, along β instead of α, and by small Runge-Kutta steps.

α is read off Ψ - Ψ₀ = (Φ - Φ₀)/R, and the time is an integral over β, for starts with α ≥ 0, and
β > 0 where W_QK is a product. Φ of an unbalanced product is integrated numerically. The caller sets
the precision.
"""

from collections.abc import Callable
from typing import Any

import mpmath
from mpmath import mpf

DIGITS = 50


class Reference:
    """The constants of an orbit, from the numbers of the data, computed from the definitions."""

    def __init__(
        self,
        kind: str,
        data: tuple[int, int, int, int],
        *,
        alpha0: Any,
        beta0: Any,
        eta_qk: Any = 1,
        scale: Any = 1,
        imbalances: tuple[Any, Any] = (0, 0),
    ) -> None:
        K, r, M, Q = map(mpf, data)
        self.kind, self.K, self.r, self.kappa = kind, K, r, r / M
        self.alpha0, self.beta0 = mpf(alpha0), mpf(beta0)
        squared = mpf(scale) ** 2 * (1 / (K * r) + 1 / M) / Q
        self.omega_squared = squared
        self.mu_ov, self.mu_qk = 1 / (r * (K - 1)), mpf(eta_qk) * squared
        self.imbalance_qk, self.imbalance_ov = map(mpf, imbalances)

    def gain_qk(self, beta: Any) -> Any:
        if self.kind[0] == "C":
            return mpf(1)
        return mpmath.sqrt(self.imbalance_qk**2 + 4 * beta**2 / self.omega_squared)

    def attention(self, beta: Any) -> Any:
        odds = self.kappa * mpmath.exp(beta)
        return odds / (1 + odds)

    def risen(self, beta: Any) -> Any:
        """Φ(β) - Φ(β₀)."""
        if self.kind[0] == "C":
            return beta - self.beta0 + self.kappa * (mpmath.exp(beta) - mpmath.exp(self.beta0))
        if self.imbalance_qk == 0:
            odds = self.kappa * (mpmath.ei(beta) - mpmath.ei(self.beta0))
            return mpmath.sqrt(self.omega_squared) / 2 * (mpmath.log(beta / self.beta0) + odds)
        return mpmath.quad(
            lambda b: (1 + self.kappa * mpmath.exp(b)) / self.gain_qk(b),
            mpmath.linspace(self.beta0, beta, 5),
        )

    def alpha(self, beta: Any) -> Any:
        """The α ≥ 0 with Ψ(α) - Ψ(α₀) = (Φ(β) - Φ(β₀))/R."""
        rise = self.risen(beta) * self.mu_ov / self.mu_qk
        if self.kind[2] == "C":
            return mpmath.sqrt(self.alpha0**2 + 2 * rise)
        begin = mpmath.sqrt(self.imbalance_ov**2 + 4 * self.r * self.alpha0**2)
        whole = begin + 4 * self.r * rise
        return mpmath.sqrt((whole**2 - self.imbalance_ov**2) / (4 * self.r))

    def loss(self, beta: Any) -> Any:
        margin = self.attention(beta) * self.alpha(beta)
        return mpmath.log1p((self.K - 1) * mpmath.exp(-margin))

    def beta_at_loss(self, loss: Any, guess: float) -> Any:
        return mpmath.findroot(
            lambda b: mpmath.log(self.loss(b)) - mpmath.log(mpf(loss)), (guess, guess * 1.001)
        )

    def time(self, beta: Any) -> Any:
        """∫ dβ/β'; α = 0 is an integrable end."""

        def slowness(b: Any) -> Any:
            s, alpha = self.attention(b), self.alpha(b)
            wrong = (self.K - 1) * mpmath.exp(-s * alpha)
            return (1 + wrong) / (wrong * self.mu_qk * self.gain_qk(b) * alpha * s * (1 - s))

        with mpmath.workdps(25):
            return mpmath.quad(slowness, [self.beta0, (self.beta0 + beta) / 2, beta])


def marched(
    velocity: Callable[[float, float], tuple[float, float]],
    alpha: float,
    beta: float,
    time: float,
    steps: int,
) -> tuple[float, float]:
    """(α, β) at a time by the classical Runge-Kutta method of order 4."""
    h = time / steps
    for _ in range(steps):
        a1, b1 = velocity(alpha, beta)
        a2, b2 = velocity(alpha + h / 2 * a1, beta + h / 2 * b1)
        a3, b3 = velocity(alpha + h / 2 * a2, beta + h / 2 * b2)
        a4, b4 = velocity(alpha + h * a3, beta + h * b3)
        alpha += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        beta += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    return alpha, beta
