"""The time along an orbit, as one integral: μ_OV c dt = (1/s)(1 + e^z/(K-1)) dw.

Everything is kept as logarithms, so that times such as e^3000 are ordinary.
"""

from collections.abc import Callable
from math import inf, log
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.curve import Curve
from attnproof.symbolic.gradient.special import gauss

if TYPE_CHECKING:
    from attnproof.symbolic.gradient.special import Array

_NODES = 12
_FIRST = 8
_TOLERANCE = 1e-10
_MOST_ROUNDS = 200


class Clock:
    """log t along a curve."""

    def __init__(self, curve: Curve) -> None:
        self._curve = curve
        self._shift = -log(curve.ov.factor) - log(curve.constants.mu_ov)
        self._known = [(curve.low, -inf)]

    def log_rate(self, w: "Array") -> "Array":
        """log dt/dw at coordinates w of shape (n,)."""
        import numpy as np

        at = self._curve.points(w)
        slow = np.logaddexp(0, at.margin - self._curve.constants.log_wrong)
        found: Array = self._shift + slow + np.logaddexp(0, -at.log_odds)
        return found

    def log_time(self, w: float) -> float:
        """log t where the flow reaches the coordinate w."""
        import numpy as np

        begin, before = max(one for one in self._known if one[0] <= w)
        if w > begin:
            found = float(np.logaddexp(before, log_integral(self.log_rate, begin, w)))
            self._known.append((w, found))
            return found
        return before


def log_integral(log_integrand: "Callable[[Array], Array]", low: float, high: float) -> float:
    """log ∫ f over (low, high) for f > 0 given by its logarithm, by Gauss rules on halved panels.

    A panel is kept when its halves agree with it; the halves are what is added up.

    >>> round(log_integral(lambda x: x, 0.0, 3000.0), 9)
    3000.0
    """
    import numpy as np

    nodes, weights = gauss(_NODES)
    parts = np.log(weights)

    def integrals(left: "Array", right: "Array") -> "Array":
        inside = left[:, None] + (right - left)[:, None] * nodes
        values = log_integrand(inside.ravel()).reshape(inside.shape) + parts
        with np.errstate(divide="ignore"):
            found: Array = np.logaddexp.reduce(values, axis=1) + np.log(right - left)
        return found

    edges = np.linspace(low, high, _FIRST + 1)
    left, right = edges[:-1], edges[1:]
    apart = right > left
    left, right = left[apart], right[apart]
    whole = integrals(left, right)
    done = -inf
    for _ in range(_MOST_ROUNDS):
        middle = (left + right) / 2
        both = integrals(np.concatenate([left, middle]), np.concatenate([middle, right]))
        first, second = both[: len(left)], both[len(left) :]
        halves = np.logaddexp(first, second)
        total = float(np.logaddexp(done, np.logaddexp.reduce(halves)))
        wrong = abs(np.exp(halves - total) - np.exp(whole - total))
        tiny = (right - left) <= 1e-14 * np.maximum(abs(left), abs(right))
        fine = (wrong <= _TOLERANCE) | tiny
        if fine.any():
            done = float(np.logaddexp(done, np.logaddexp.reduce(halves[fine])))
        if fine.all():
            break
        open_ = ~fine
        left, right, whole = (
            np.concatenate([left[open_], middle[open_]]),
            np.concatenate([middle[open_], right[open_]]),
            np.concatenate([first[open_], second[open_]]),
        )
    return done
