"""An orbit of the gradient flow in floats: where it is at a loss, a margin, an α or a time.

The first integral gives β for each α, one integral gives the time, and Newton's method in brackets
inverts both. Odds, losses and times are kept as logarithms: log t = 3000 is ordinary.
"""

from dataclasses import dataclass
from math import exp, expm1, inf, isfinite, log, log1p
from typing import SupportsFloat

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.clock import Clock
from attnproof.symbolic.gradient.curve import Curve, exponential, numbers
from attnproof.symbolic.gradient.roots import increasing_root

#: Starts where none is given: at 0 a product of two matrices would rest.
PRODUCT_ALPHA = 0.01
PRODUCT_BETA = 1e-4
_MOST_BETA = 700.0
_MOST_RESTING = 1e300


@dataclass(frozen=True, slots=True)
class State:
    """A point of an orbit. ``odds`` and ``time`` are infinite where only their logarithms are
    finite; ``attention`` rounds to 1 where ``log_odds`` still tells how near it is."""

    alpha: float
    beta: float
    attention: float
    odds: float
    log_odds: float
    margin: float
    loss: float
    log_loss: float
    time: float
    log_time: float

    def __repr__(self) -> str:
        return (
            f"alpha {self.alpha:.6g}, beta {self.beta:.6g}, attention {self.attention:.6g}, "
            f"loss {self.loss:.6g}, log t {self.log_time:.6g}"
        )


class Orbit:
    """The orbit from (``alpha0``, ``beta0``), which default to 0, and to 0.01 and 1e-4 where the
    circuit is a product of two matrices.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> five = Data(classes=5, distinct=1, common=15, queries=1)
    >>> Orbit(Circuits(Parametrisation.CACO, five, eta_qk=0.15)).at_loss(1e-3)
    alpha 10.2315, beta 4.16189, attention 0.810588, loss 0.001, log t 8.34417

    Along an orbit α increases and the loss decreases. β moves with the sign of α: from α < 0 it
    first falls, and is back where it began at -α. A balanced product keeps its sign: it rests at 0,
    and from below 0 it tends to 0 and never crosses.

    Raises :class:`ParameterError` for circuits with symbols, for starts that are no finite numbers,
    and, in each method, for what the orbit never reaches or has passed. Source: ours.
    """

    def __init__(
        self,
        circuits: Circuits,
        alpha0: SupportsFloat | None = None,
        beta0: SupportsFloat | None = None,
    ) -> None:
        kind = circuits.parametrisation
        self.circuits = circuits
        self.alpha0 = _number(
            "alpha0", PRODUCT_ALPHA * kind.factorised_value if alpha0 is None else alpha0
        )
        self.beta0 = _number(
            "beta0", PRODUCT_BETA * kind.factorised_attention if beta0 is None else beta0
        )
        if abs(self.beta0) > _MOST_BETA:
            raise ParameterError(
                f"beta0 is {self.beta0}; give at most {_MOST_BETA:.0f} in size", beta0=self.beta0
            )
        self._constants = numbers(circuits)
        self._moves: tuple[Curve, Clock] | None = None
        if not (self._constants.width_ov == 0 and self.alpha0 == 0):
            curve = Curve(self._constants, self.alpha0, self.beta0)
            if abs(self.alpha0) > curve.furthest:
                raise ParameterError(
                    f"alpha0 is {self.alpha0}; give at most {curve.furthest:g} in size",
                    alpha0=self.alpha0,
                )
            self._moves = curve, Clock(curve)

    def __repr__(self) -> str:
        kind = self.circuits.parametrisation.value
        return f"Orbit of {kind} from alpha {self.alpha0:g}, beta {self.beta0:g}"

    @property
    def start(self) -> State:
        """The state at time 0."""
        return self._state(None, -inf)

    @property
    def rests(self) -> bool:
        """Nothing moves: a balanced product W_O W_V that starts at 0 has no gradient."""
        return self._moves is None

    def at_loss(self, loss: SupportsFloat) -> State:
        """Where the population loss has this value, which happens at most once.

        Raises :class:`ParameterError` for a loss above that of the start, and for one that is
        never reached.
        """
        given = _number("loss", loss)
        if given <= 0:
            raise ParameterError(
                f"loss is {given}; the cross-entropy is above 0 at all times, so give a positive "
                "number",
                loss=given,
            )
        odds_wrong = log(expm1(given)) if given < 30 else given + log1p(-exp(-given))
        return self._at_margin(self._constants.log_wrong - odds_wrong, f"loss is {given:g}")

    def at_margin(self, margin: SupportsFloat) -> State:
        """Where the logit of the label leads by this much: for losses below 1e-308."""
        given = _number("margin", margin)
        return self._at_margin(given, f"margin is {given:g}")

    def at_alpha(self, alpha: SupportsFloat) -> State:
        """Where α has this value.

        Raises :class:`ParameterError` for a value below ``alpha0``, as the flow only raises α, and
        for one that is never reached.
        """
        given = _number("alpha", alpha)
        if given == self.alpha0:
            return self.start
        if given < self.alpha0:
            raise ParameterError(
                f"alpha is {given}, and the orbit starts at {self.alpha0}; the flow only raises "
                "alpha, so give more",
                alpha=given,
            )
        curve, _ = self._moving(f"alpha is {given}")
        if given >= curve.end:
            raise ParameterError(f"alpha is {given}; {self._sign_kept()}", alpha=given)
        if given > curve.furthest:
            raise ParameterError(f"alpha is {given}; give at most {curve.furthest:g}", alpha=given)
        return self._at(curve.ov.of(given))

    def at_time(self, time: SupportsFloat) -> State:
        """Where the flow is at this time, 0 or later; for times above 1e308 use
        :meth:`at_log_time`."""
        given = _number("time", time)
        if given < 0:
            raise ParameterError(f"time is {given}; give 0 or more", time=given)
        return self.start if given == 0 else self.at_log_time(log(given))

    def at_log_time(self, log_time: SupportsFloat) -> State:
        """Where the flow is when the logarithm of the time has this value."""
        import numpy as np

        given = _number("log_time", log_time)
        if self._moves is None:
            return self._state(None, given)
        curve, clock = self._moves

        def ahead(w: float) -> tuple[float, float]:
            now = clock.log_time(w)
            if now == -inf:
                return -inf, inf
            return now - given, exponential(clock.log_rate(np.array([w]))[0] - now)

        first = exponential(min(given - clock.log_rate(np.array([curve.low]))[0], 700.0))
        step = first if curve.end == 0.0 else min(first, 1.0)
        if curve.end != 0.0 and max(50.0, self.alpha0) < given < curve.furthest:
            step = curve.ov.of(given) - curve.low  # alpha is about log t
        scale = 1 + abs(given)
        return self._state(increasing_root(ahead, curve.low, step, self._last(curve), scale), given)

    def _at_margin(self, margin: float, said: str) -> State:
        start = self.start
        slack = 1e-14 * (1 + abs(margin))
        if abs(margin - start.margin) <= slack:
            return start
        if margin < start.margin:
            raise ParameterError(
                f"{said}, and the orbit starts at loss {start.loss:g} and margin "
                f"{start.margin:g}; the flow only lowers the loss, so ask for a lower loss",
                loss=start.loss,
            )
        curve, _ = self._moving(said)
        if curve.end == 0.0 and margin >= 0:
            raise ParameterError(f"{said}; {self._sign_kept()}")

        def ahead(w: float) -> tuple[float, float]:
            import numpy as np

            at = curve.points(np.array([w]))
            return float(at.margin[0]) - margin, float(curve.speed(at)[0])

        low = curve.low
        if margin > max(self.alpha0, 0.0):
            low = curve.ov.of(margin)
            if ahead(low)[0] >= 0:
                return self._at(low)
        return self._at(increasing_root(ahead, low, 1.0, self._last(curve), 1 + abs(margin)))

    def _moving(self, said: str) -> tuple[Curve, Clock]:
        if self._moves is None:
            raise ParameterError(
                f"{said}, which is never reached: alpha0 is 0 and W_O W_V is balanced, so nothing "
                "moves; give another alpha0 or an imbalance_ov"
            )
        return self._moves

    def _sign_kept(self) -> str:
        return (
            f"it is never reached: W_O W_V is balanced and alpha0 is {self.alpha0:g}, so alpha "
            f"tends to 0 from below and the loss to log {self.circuits.data.classes}; give a "
            "positive alpha0 or an imbalance_ov"
        )

    def _last(self, curve: Curve) -> float:
        """The coordinate up to which a point is looked for."""
        return _MOST_RESTING if curve.end == 0.0 else curve.ov.of(curve.furthest)

    def _at(self, w: float) -> State:
        _, clock = self._moving(f"coordinate is {w}")
        return self._state(w, clock.log_time(w))

    def _state(self, w: float | None, log_time: float) -> State:
        import numpy as np

        constants = self._constants
        if w is None or self._moves is None:
            alpha, beta = self.alpha0, self.beta0
        else:
            at = self._moves[0].points(np.array([w]))
            alpha, beta = float(at.alpha[0]), float(at.beta[0])
        log_odds = beta + log(constants.kappa)
        attention = float(np.exp(-np.logaddexp(0, -log_odds)))
        margin = attention * alpha
        lead = margin - constants.log_wrong
        loss = float(np.logaddexp(0, -lead))
        return State(
            alpha=alpha,
            beta=beta + 0.0,
            attention=attention,
            odds=exponential(log_odds),
            log_odds=log_odds,
            margin=margin,
            loss=loss,
            log_loss=-lead if lead > 40 else log(loss),
            time=exponential(log_time),
            log_time=log_time,
        )


def _number(name: str, given: object) -> float:
    if isinstance(given, bool | str):
        raise ParameterError(f"{name} is {given!r}; give a finite number", **{name: given})
    try:
        found = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        found = inf
    if not isfinite(found):
        raise ParameterError(f"{name} is {given!r}; give a finite number", **{name: given})
    return found
