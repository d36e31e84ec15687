"""flow-reference: values of the gradient flow that were computed by other code, found in four ways.

The orbit in floats, rigorous balls, the closed form of SymPy to 50 digits, and the flow of all
matrices of a model. The first three rest on the same first integral, the last one does not know it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

from attnproof.numeric.studies.flow_figures import KINDS
from attnproof.numeric.studies.flow_values import (
    AT_LOSS,
    AT_TIME,
    LOSS,
    START,
    START_ALPHA,
    TIMES,
    AtLoss,
    AtTime,
)
from attnproof.numeric.studies.study import Cell, Record, Study, Table

if TYPE_CHECKING:
    from attnproof.symbolic.gradient.circuits import Circuits
    from attnproof.symbolic.gradient.closed_form import ClosedForm

#: Digits of the work; a time, from a start where its integrand is not bounded, has half of them.
DIGITS, TIME_DIGITS = 50, 25
#: Sizes of the data on which a whole model is integrated too.
SMALL = (3, 1, 4, 1)


@dataclass(frozen=True, slots=True)
class Point:
    """A value, and whether a whole model is integrated for it."""

    value: AtLoss | AtTime
    whole: bool = False


def points(seed: int, quick: bool) -> list[Point]:
    """Every value, or with ``quick`` five; nothing is drawn at random."""
    at_loss = [one for one in AT_LOSS if not quick or one.ratio == 0.6]
    at_time = AT_TIME[:1] if quick else AT_TIME
    return [
        *map(Point, at_loss),
        *(Point(one, not quick and one.data == SMALL) for one in at_time),
    ]


def run(point: Point) -> Record:
    """One value in each way, and the differences."""
    from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    from attnproof.symbolic.gradient.data import Data

    start, value = perf_counter(), point.value
    scale = value.scale if isinstance(value, AtLoss) else 1
    kind = Parametrisation(value.kind)
    circuits = Circuits(kind, Data(*value.data), scale=scale, eta_qk=value.ratio)
    if isinstance(value, AtLoss):
        begin = START_ALPHA * kind.factorised_value, value.beta0
        found = _at_loss(circuits, value, *begin)
    else:
        begin = START * kind.factorised_value, START * kind.factorised_attention
        found = _at_time(circuits, value, *begin, point.whole)
    return {
        "at": "loss" if isinstance(value, AtLoss) else "time",
        "kind": value.kind,
        "data": list(value.data),
        "ratio": value.ratio,
        "scale": scale,
        "start": list(begin),
        **found,
        "seconds": round(perf_counter() - start, 3),
    }


def _at_loss(circuits: "Circuits", value: AtLoss, alpha0: float, beta0: float) -> Record:
    import mpmath

    from attnproof.symbolic.gradient import enclosure
    from attnproof.symbolic.gradient.orbit import Orbit

    state = Orbit(circuits, alpha0, beta0).at_loss(LOSS)
    ball = enclosure.at_loss(circuits, LOSS, alpha0, beta0).attention
    with mpmath.workdps(DIGITS):
        exact = _Exact(circuits, alpha0, beta0)
        p = exact.where(lambda p: mpmath.log(exact.loss(p) / mpmath.mpf(LOSS)), state.beta)
        digits = mpmath.nstr(exact.attention(p), DIGITS - 2)
        apart = [
            float(abs(given - exact.attention(p))) for given in (value.attention, state.attention)
        ]
    return {
        "reference": value.attention,
        "floats": state.attention,
        "ball": [str(ball), float(ball.width / 2)],
        "digits": digits,
        "apart": apart,
        "inside": _inside(digits, ball.lower, ball.upper),
    }


def _at_time(
    circuits: "Circuits", value: AtTime, alpha0: float, beta0: float, whole: bool
) -> Record:
    """α and β in floats and by the model at each time; the last time, given its α, by balls and
    digits."""
    import mpmath

    from attnproof.symbolic.gradient import enclosure
    from attnproof.symbolic.gradient.orbit import Orbit

    orbit = Orbit(circuits, alpha0, beta0)
    states = [orbit.at_time(time) for time in TIMES]
    ball = enclosure.time(circuits, value.alpha[-1], alpha0, beta0)
    with mpmath.workdps(DIGITS):
        exact = _Exact(circuits, alpha0, beta0)
        p = exact.where(lambda p: exact.alpha(p) - mpmath.mpf(value.alpha[-1]), states[-1].beta)
        found = exact.time(p)
        digits = mpmath.nstr(found, TIME_DIGITS)
        apart = float(abs(found / TIMES[-1] - 1))
    pairs = [(state.alpha, state.beta) for state in states]
    return {
        "times": list(TIMES),
        "reference": [list(value.alpha), list(value.beta)],
        "floats": [list(one) for one in zip(*pairs, strict=True)],
        "ball": [str(ball), float(ball.width / 2)],
        "digits": digits,
        "apart": [apart, _most(pairs, value)],
        "close": float(abs(Fraction(digits) / ((ball.lower + ball.upper) / 2) - 1)),
        "whole": _most(_integrated(circuits, alpha0, beta0), value) if whole else None,
    }


def _most(pairs: Sequence[tuple[float, float]], value: AtTime) -> float:
    """The greatest difference in α or β."""
    given = zip(value.alpha, value.beta, strict=True)
    return max(max(abs(a - c), abs(b - d)) for (a, b), (c, d) in zip(pairs, given, strict=True))


def _integrated(circuits: "Circuits", alpha0: float, beta0: float) -> list[tuple[float, float]]:
    """α and β by the flow of all parameters of a model."""
    from attnproof.numeric.circuits import AttentionCircuits
    from attnproof.numeric.integrate import integrate
    from attnproof.numeric.one_thread import one_thread

    with one_thread():
        model = AttentionCircuits(circuits).on_manifold(alpha0, beta0)
        states = integrate(model.velocity(), model.vector(), TIMES)
        found = [model.set_vector(state).scalars() for state in states]
    return [(each.alpha, each.beta) for each in found]


class _Exact:
    """The closed form from a start, in mpmath at the digits of the caller."""

    def __init__(self, circuits: "Circuits", alpha0: float, beta0: float) -> None:
        import mpmath
        import sympy

        from attnproof.symbolic.gradient.closed_form import closed_form, starts

        form: ClosedForm = closed_form(circuits)
        begin = {starts().alpha: sympy.Rational(alpha0), starts().beta: sympy.Rational(beta0)}
        p, bound = form.parameter, form.time.limits[0]
        odds = circuits.data.odds * sympy.exp(form.beta)

        def numeric(expression: Any, symbol: Any = p) -> Any:
            return sympy.lambdify(symbol, expression.xreplace(begin), "mpmath")

        self.alpha, self.attention = numeric(form.alpha), numeric(odds / (1 + odds))
        self.rate = numeric(form.time.function, bound[0])
        self.first = mpmath.mpmathify(sympy.N(bound[1].xreplace(begin), mpmath.mp.dps))
        self.by_odds = not circuits.parametrisation.factorised_attention
        self.kappa = mpmath.mpf(int(circuits.data.distinct)) / int(circuits.data.common)
        self.wrong = int(circuits.data.classes) - 1

    def loss(self, p: Any) -> Any:
        import mpmath

        return mpmath.log1p(self.wrong * mpmath.exp(-self.attention(p) * self.alpha(p)))

    def where(self, function: Any, beta: float) -> Any:
        """The root nearest to the parameter of this β."""
        import mpmath

        guess = self.kappa * mpmath.exp(beta) if self.by_odds else mpmath.mpf(beta)
        return mpmath.findroot(function, (guess * 0.999, guess * 1.001))

    def time(self, p: Any) -> Any:
        """The integral of the closed form up to this parameter; where α rounds to the root of a
        number below 0 there is nothing to add."""
        import mpmath

        parts = mpmath.linspace(self.first, p, 4)
        return mpmath.quad(lambda along: mpmath.re(self.rate(along)), parts)


def _inside(digits: str, lower: Fraction, upper: Fraction) -> bool:
    """The ball holds the number with these digits, up to the last of them."""
    last = Fraction(1, 10 ** len(digits.partition(".")[2]))
    return lower - last <= Fraction(digits) <= upper + last


def tables(records: Sequence[Record]) -> list[Table]:
    """The greatest differences: at a loss, then at a time."""
    rows: list[tuple[Cell, ...]] = []
    late: list[tuple[Cell, ...]] = []
    for kind in KINDS:
        some = [one for one in records if (one["at"], one["kind"]) == ("loss", kind)]
        if some:
            inside = f"{sum(one['inside'] for one in some)} of {len(some)}"
            given, floats = (max(one["apart"][column] for one in some) for column in (0, 1))
            widest = max(one["ball"][1] for one in some)
            rows.append((kind, len(some), *map(_size, (given, floats, widest)), inside))
    for one in records:
        if one["at"] == "time":
            given, floats = one["apart"]
            whole = None if one["whole"] is None else _size(one["whole"])
            sizes = ", ".join(map(str, one["data"]))
            late.append(
                (one["kind"], sizes, _size(floats), whole, *map(_size, (given, one["close"])))
            )
    return [
        Table(
            f"Attention at loss {LOSS:g}: differences from the closed form to {DIGITS} digits",
            ("circuits", "values", "other code", "floats", "radius of balls", "digits inside"),
            tuple(rows),
        ),
        Table(
            "alpha and beta at times 1 to 1000: differences from the other code; and t at its last "
            "alpha",
            ("circuits", "K, r, M, Q", "floats", "model", "t/1000 - 1", "t: digits and balls"),
            tuple(late),
        ),
    ]


def _size(value: float) -> str:
    """
    >>> _size(3.21e-14)
    '3e-14'
    """
    return f"{value:.0e}"


STUDY = Study(
    name="flow-reference",
    sentence="Values of the gradient flow computed by other code are found again in floats, in "
    "rigorous balls, to 50 digits, and by the flow of all matrices of a model.",
    points=points,
    run=run,
    tables=tables,
    needs=(("torch", "torch"), ("flint", "exact")),
)
