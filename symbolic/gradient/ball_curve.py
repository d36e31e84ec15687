"""The orbit as a curve β(α) in ball arithmetic: Φ(β) - Φ(β₀) = R (Ψ(α) - Ψ(α₀)).

A coordinate x stands for β: β itself, or, where balanced factorised attention keeps its sign,
x = log β for β > 0 and x = -log(-β) for β < 0. Φ increases in x, without a singularity near the
reals, and x is found by Newton's method on intervals, which proves that there is one root.
"""

from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.balls import Ball, ball
from attnproof.symbolic.gradient.circuits import exact

if TYPE_CHECKING:
    from attnproof.symbolic.gradient.circuits import Circuits

#: Steps of a bisection, and of a search for a bracket.
_STEPS = 400
#: Steps of Newton's method from a point nearby, which either converges or is given up.
_FEW = 6
#: The bits of a first guess.
_COARSE = 64


class BallCurve:
    """β as a function of α on the orbit through (α₀, β₀); use it within ``balls.working``.

    Functions of x and of α take balls of Arb, real or complex, and enclose all values on them;
    where they cannot they give a ball that is not finite.
    """

    def __init__(self, circuits: "Circuits", alpha0: Any, beta0: Any) -> None:
        import flint

        self.flint = flint
        data, kind = circuits.data, circuits.parametrisation
        self.classes = ball("classes", data.classes)
        self.distinct = ball("distinct", data.distinct)
        self.kappa = ball("odds", data.odds)
        self.omega = ball("omega", circuits.omega)
        self.mu = ball("mu_ov", circuits.mu_ov)
        self.ratio = ball("slope", circuits.slope)
        self.imbalance_qk = ball("imbalance_qk", circuits.imbalance_qk)
        self.imbalance_ov = ball("imbalance_ov", circuits.imbalance_ov)
        self.product_qk, self.product_ov = kind.factorised_attention, kind.factorised_value
        start = exact("alpha0", alpha0), exact("beta0", beta0)
        self.alpha0, self.beta0 = ball("alpha0", start[0]), ball("beta0", start[1])
        self.balanced_qk = self.product_qk and circuits.imbalance_qk == 0
        self.balanced_ov = self.product_ov and circuits.imbalance_ov == 0
        #: Signs that the flow keeps, 0 where a balanced circuit stays at zero.
        self.sign_qk = _sign(start[1]) if self.balanced_qk else 1
        self.sign_ov = _sign(start[0]) if self.balanced_ov else 1
        self.still = self.balanced_qk and self.sign_qk == 0
        self.x0 = self.beta0
        if self.balanced_qk and self.sign_qk:
            self.x0 = self.sign_qk * abs(self.beta0).log()
        self._phi0: tuple[int, Ball] | None = None
        self._found: list[tuple[float, Ball]] = []

    def beta(self, x: Ball) -> Ball:
        """β at the coordinate x."""
        if self.still:
            return x * 0
        return self.sign_qk * (self.sign_qk * x).exp() if self.balanced_qk else x

    def beta_slope(self, x: Ball) -> Ball:
        """dβ/dx."""
        return self.sign_qk * self.beta(x) if self.balanced_qk else x * 0 + 1

    def rise(self, x: Ball) -> Ball:
        """Φ at x, less Φ(β₀)."""
        if self.product_qk and not self.balanced_qk:
            return self._integral(x)
        if self._phi0 is None or self._phi0[0] != self.flint.ctx.prec:
            self._phi0 = self.flint.ctx.prec, self._phi(self.x0)
        return self._phi(x) - self._phi0[1]

    def _phi(self, x: Ball) -> Ball:
        if not self.product_qk:
            return x + self.kappa * x.exp()
        if self.sign_qk > 0:
            return self.omega / 2 * (x + self.kappa * x.exp().ei())
        size = self.flint.acb((-x).exp())
        series = size * (-size).hypgeom([1, 1], [2, 2])
        entire: Ball = series if isinstance(x, self.flint.acb) else series.real
        return self.omega / 2 * (x + self.kappa * (x + entire - self.flint.arb.const_euler()))

    def _integral(self, x: Ball) -> Ball:
        acb = self.flint.acb

        def integrand(b: Ball, analytic: bool) -> Ball:
            square = self.imbalance_qk**2 + 4 * (b / self.omega) ** 2
            return (1 + self.kappa * b.exp()) / square.sqrt(analytic=analytic)

        return acb.integral(integrand, acb(self.beta0), acb(x)).real

    def rise_slope(self, x: Ball) -> Ball:
        """dΦ/dx, which is above 0 for real x."""
        rise = 1 + self.kappa * self.beta(x).exp()
        if self.balanced_qk:
            return self.omega / 2 * rise
        if self.product_qk:
            return rise / (self.imbalance_qk**2 + 4 * (x / self.omega) ** 2).sqrt()
        return rise

    def psi(self, alpha: Ball) -> Ball:
        """Ψ(α)."""
        if not self.product_ov:
            return alpha * alpha / 2
        if self.balanced_ov:
            return self.sign_ov * alpha / (2 * self.distinct.sqrt())
        return self.gain(alpha) / (4 * self.distinct)

    def gain(self, alpha: Ball) -> Ball:
        """P_OV(α), the factor by which a product moves faster than one matrix."""
        if not self.product_ov:
            return alpha * 0 + 1
        if self.balanced_ov:
            return 2 * self.distinct.sqrt() * self.sign_ov * alpha
        square = 4 * self.distinct * alpha * alpha
        if isinstance(alpha, self.flint.arb):
            return (self.imbalance_ov**2 + square.nonnegative_part()).sqrt()
        square = self.imbalance_ov**2 + square
        return square.sqrt() if square.real > 0 else square * self.flint.arb.nan()

    def psi_slope(self, alpha: Ball) -> Ball:
        """dΨ/dα."""
        if self.balanced_ov:
            return self.sign_ov / (2 * self.distinct.sqrt())
        return alpha / self.gain(alpha)

    def height(self, alpha: Ball) -> Ball:
        """R (Ψ(α) - Ψ(α₀))."""
        return self.ratio * (self.psi(alpha) - self.psi(self.alpha0))

    def attention(self, beta: Ball) -> Ball:
        """s(β)."""
        return 1 / (1 + (-beta).exp() / self.kappa)

    def closed(self) -> None:
        """Raises :class:`ParameterError` for attention that is a product out of balance."""
        if self.product_qk and not self.balanced_qk:
            raise ParameterError(
                f"imbalance_qk is {float(self.imbalance_qk):g}, and then Φ has no closed form; "
                "leave it 0, enclose the state at a loss, or take the orbit in floats",
                imbalance_qk=float(self.imbalance_qk),
            )

    def at(self, alpha: Ball) -> Ball:
        """β(α), on a complex ball the analytic function that is real on the reals.

        The ball must meet the reals, and Φ have a closed form: :meth:`closed`.
        """
        flint = self.flint
        if self.still:
            return alpha * 0
        real = isinstance(alpha, flint.arb)
        level = self.height(alpha)
        x = self._inverse(level)
        if real and not x.is_finite():
            x = self._inverse(level.lower()).union(self._inverse(level.upper()))
        return self.beta(x)

    def _inverse(self, level: Ball) -> Ball:
        """The x at which Φ has risen by a level: one exists, by Newton's method on a region."""
        flint = self.flint
        real = isinstance(level, flint.arb)
        if not level.is_finite():
            return flint.arb.nan()
        x, miss, steepness = self._near((level if real else level.real).mid())
        distance = (miss - level) / steepness
        if not distance.is_finite():
            return flint.arb.nan()
        rounding = (abs(x) + flint.arb(2) ** -flint.ctx.prec) * flint.arb(2) ** (4 - flint.ctx.prec)
        around = flint.arb(0, 2 * flint.arb(distance.abs_upper()) + rounding)
        region = x + around if real else flint.acb(x + around, around)
        if self.balanced_qk and self.sign_qk > 0 and not region.exp().real > 0:
            return flint.arb.nan()
        steepness = self.rise_slope(region)
        if steepness.contains(0) or not steepness.is_finite():
            return flint.arb.nan()
        found = x - (miss - level) / steepness
        return found if region.contains_interior(found) else flint.arb.nan()

    def _near(self, level: Ball) -> tuple[Ball, Ball, Ball]:
        """A point near the root, how far Φ has risen there, and how steep it is."""
        arb, bits = self.flint.arb, self.flint.ctx.prec
        with self.flint.ctx.workprec(_COARSE):
            x = self._guess(level)
        miss, steepness = self.rise(x), self.rise_slope(x)
        for _ in range(bits.bit_length()):
            step = (miss - level) / steepness
            enough = abs(step) < abs(x) * arb(2) ** (-bits * 9 // 16)
            if enough or not step.is_finite():
                break
            x = (x - step).mid()
            miss, steepness = self.rise(x), self.rise_slope(x)
        return x, miss, steepness

    def _guess(self, level: Ball) -> Ball:
        """A point near the root, from those found before or from a bracket."""
        wanted, place = level.mid(), float(level)
        k = bisect_left(self._found, place, key=itemgetter(0))
        for _, x in self._found[max(0, k - 1) : k + 1]:
            for _ in range(_FEW):
                step = ((self.rise(x) - wanted) / self.rise_slope(x)).mid()
                if not abs(step) < 1:
                    break
                x = (x - step).mid()
                if abs(step) <= abs(x) * 2**-40:
                    self._found.insert(k, (place, x))
                    return x
        x = self._bisected(wanted)
        self._found.insert(k, (place, x))
        return x

    def _bisected(self, wanted: Ball) -> Ball:
        """Newton's method, kept inside a bracket that bisection narrows."""
        low, high = self.bracket(lambda x: self.rise(x) - wanted, self.x0.mid())
        x = ((low + high) / 2).mid()
        for _ in range(_STEPS):
            miss = self.rise(x) - wanted
            low, high = (low, x) if miss > 0 else (x, high)
            following = (x - miss / self.rise_slope(x)).mid()
            if not (low < following and following < high):
                following = ((low + high) / 2).mid()
            if abs(following - x) <= abs(x) * 2**-40:
                return following
            x = following
        return x

    def bracket(self, function: Any, start: Ball) -> tuple[Ball, Ball]:
        """Two points between which an increasing function changes its sign, for certain."""
        step = self.flint.arb(1)
        low = high = start
        for _ in range(_STEPS):
            value = function(high)
            if value > 0:
                break
            low, high, step = (high if value < 0 else low), (high + step).mid(), 2 * step
        step = self.flint.arb(1)
        for _ in range(_STEPS):
            if function(low) < 0:
                break
            low, step = (low - step).mid(), 2 * step
        return low, high


def _sign(value: Any) -> int:
    return 1 if value > 0 else -1 if value < 0 else 0
