"""The parameters move along a line: this phrase in each of its precise senses.

The phrase is of the paper; the senses, their hypotheses and their checks are ours. (α, β) itself
does not move on a line in general.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient import matrices
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.closed_form import starts
from attnproof.symbolic.gradient.integrals import conserved, phi, psi
from attnproof.symbolic.gradient.ode import attention, gains, in_quadrant, velocity
from attnproof.symbolic.gradient.symbols import variables

if TYPE_CHECKING:
    from sympy import Expr

#: Sizes at which matrices are compared; the proof for all sizes is by symmetry.
_SIZES = ((2, 1, 1, 1), (3, 2, 3, 2), (4, 1, 2, 1))


class Sense(Enum):
    """What moves on a line: a matrix, a pair of functions, early scalars, scalars under signs."""

    RAY = "ray"
    INTEGRAL = "integral"
    EARLY = "early"
    SIGN = "sign"


@dataclass(frozen=True, slots=True, repr=False)
class Line:
    """One sense: a statement, what it needs, and an equation where there is one.

    ``slope`` is that of the line; it is None for matrices, which move on rays.
    """

    sense: Sense
    statement: str
    hypotheses: tuple[str, ...]
    equation: "Expr | None"
    slope: "Expr | None"
    _check: Callable[[], bool] = field(repr=False, compare=False)

    def __repr__(self) -> str:
        shown = self.equation
        equation = "" if shown is None else f"\n  {shown.lhs} = {shown.rhs}"
        return f"{self._told()}{equation}"

    def _repr_latex_(self) -> str:
        from sympy import latex

        shown = self.equation
        return self._told() + ("" if shown is None else f"\n$${latex(shown)}$$")

    def _told(self) -> str:
        return f"{self.sense.value}: {self.statement}\n  if {'; '.join(self.hypotheses)}"

    def holds(self) -> bool:
        """SymPy finds it true, in exact numbers: for all sizes, or, of matrices, for three."""
        return self._check()


def line(circuits: Circuits, sense: Sense) -> Line:
    """The line in one sense.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> flow = Circuits(Parametrisation.CACO, Data(3, 1, 4, 1))
    >>> line(flow, Sense.INTEGRAL).slope
    7/6
    >>> line(flow, Sense.INTEGRAL).holds()
    True

    Raises :class:`ParameterError` for signs where a circuit is a product of two matrices. Source:
    the phrase, the paper; the senses, ours.
    """
    return {
        Sense.RAY: _ray,
        Sense.INTEGRAL: _integral,
        Sense.EARLY: _early,
        Sense.SIGN: _sign,
    }[sense](circuits)


def lines(circuits: Circuits) -> tuple[Line, ...]:
    """The line in every sense that these circuits have.

    >>> from attnproof.symbolic.gradient.data import Data
    >>> [one.sense.value for one in lines(Circuits(Parametrisation.FAFO, Data()))]
    ['ray', 'integral', 'early']
    """
    signs = circuits.parametrisation is Parametrisation.CACO
    return tuple(line(circuits, sense) for sense in Sense if sense is not Sense.SIGN or signs)


def _ray(circuits: Circuits) -> Line:
    kind = circuits.parametrisation
    needs = [
        "every token of the class and every common token occurs once in a sequence",
        "classes are uniform, and queries are uniform among the first Q common tokens",
        "embeddings are orthonormal",
        "the start has W_OV on the ray of U and W_QK on the ray of n q^T",
    ]
    if kind.factorised_attention or kind.factorised_value:
        needs.append("the factors of a product share their inner directions at the start")
    return Line(
        Sense.RAY,
        "W_OV = alpha U and W_QK = gamma n q^T for all times: each matrix moves on a fixed ray of "
        "the space of matrices.",
        tuple(needs),
        None,
        None,
        _rays_hold,
    )


def _rays_hold() -> bool:
    from sympy import cancel

    alpha, _, wrong = matrices.point()
    for numbers in _SIZES:
        sizes = matrices.Sizes(*numbers)
        s, U = matrices.attention(sizes), matrices.centred(sizes)
        ov, qk = matrices.descents(sizes, alpha * U)
        along = wrong * s / (sizes.distinct * (sizes.classes - 1))
        turning = alpha * wrong * s * (1 - s)
        for found, expected in ((ov, along * U), (qk, turning * matrices.contrast(sizes))):
            if any(cancel(entry) != 0 for entry in found - expected):
                return False
    return True


def _integral(circuits: Circuits) -> Line:
    from sympy import Eq

    alpha, beta, _ = variables()
    begin = dict(zip((alpha, beta), starts(), strict=True))
    left, right = in_quadrant(phi(circuits)), in_quadrant(psi(circuits))
    return Line(
        Sense.INTEGRAL,
        "(Psi(alpha), Phi(beta)) moves on a straight line whose slope is R, a constant times "
        "eta_QK/eta_OV.",
        ("the matrices are on their rays", "a scalar of a balanced product starts above 0"),
        Eq(left - left.subs(begin), circuits.slope * (right - right.subs(begin))),
        circuits.slope,
        lambda: conserved(circuits),
    )


def _early(circuits: Circuits) -> Line:
    from sympy import Eq, log, simplify

    alpha, beta, _ = variables()
    begin = dict(zip((alpha, beta), starts(), strict=True))
    right = in_quadrant(psi(circuits))
    gain = in_quadrant(gains(circuits)[1])
    slope = circuits.slope * (1 - attention(circuits)).subs(begin)
    kind = circuits.parametrisation
    balanced = kind.factorised_attention and circuits.imbalance_qk == 0
    if balanced:
        left, slope = log(beta / starts().beta), slope * gain / beta
    else:
        left, slope = beta - starts().beta, slope * gain.subs(begin)
    axis = "log beta" if balanced else "beta"
    straight = kind.factorised_value and circuits.imbalance_ov == 0
    across = "alpha" if straight else "Psi(alpha)"

    def holds() -> bool:
        rates = tuple(map(in_quadrant, velocity(circuits)))
        turn = left.diff(beta) * rates[1] / (right.diff(alpha) * rates[0])
        return bool(simplify(turn.subs(beta, starts().beta) - slope) == 0)

    return Line(
        Sense.EARLY,
        f"While beta is near its start, {axis} is an affine function of {across}, up to the square "
        "of the change of beta.",
        (
            "the matrices are on their rays",
            "alpha is not negative",
            "beta has changed little: the equation is the tangent at the start",
        ),
        Eq(left, slope * (right - right.subs(begin))),
        slope,
        holds,
    )


def _sign(circuits: Circuits) -> Line:
    from sympy import Eq, Symbol

    if circuits.parametrisation is not Parametrisation.CACO:
        raise ParameterError(
            f"{circuits.parametrisation.value} has a product of two matrices; signs of gradients "
            "give a line in CACO",
            parametrisation=circuits.parametrisation.value,
        )
    alpha, beta, _ = variables()
    step = Symbol("h", positive=True)
    slope = circuits.rho * circuits.scale
    return Line(
        Sense.SIGN,
        "Descent by the signs of the gradients, with steps h on W_OV and h eta_QK/eta_OV on W_QK, "
        "moves alpha and beta on a straight line from its first step on, for ever: alpha grows by "
        "2 h a step, and beta follows one step later.",
        (
            "embeddings are one-hot: a rotation of them changes the signs",
            "there is one query",
            "both matrices start at 0",
        ),
        Eq(beta, slope * (alpha - 2 * step)),
        slope,
        _signs_hold,
    )


def _signs_hold() -> bool:
    """On the points that sign descent visits, gradients have the signs that lead to the next."""
    from sympy import cancel, factor, sign, zeros

    alpha, _, _ = matrices.point()
    for K, r, M, _ in _SIZES:
        sizes = matrices.Sizes(K, r, M, 1)
        ray = matrices.centred(sizes).applyfunc(sign)
        turn = matrices.contrast(sizes).applyfunc(sign)
        signs = [
            matrix.applyfunc(lambda entry: sign(factor(cancel(entry))))
            for matrix in matrices.descents(sizes, alpha * ray / 2)
        ]
        still = matrices.descents(sizes, zeros(K, sizes.tokens))
        if signs != [ray, turn] or still[1] != zeros(sizes.tokens, sizes.tokens):
            return False
        if still[0].applyfunc(lambda entry: sign(factor(cancel(entry)))) != ray:
            return False
    return True
