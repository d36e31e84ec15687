"""The window before attention has moved, in which the score grows fast: slow QK rates.

dβ/P_QK = R (1-s) dΨ, and s stays near s(β₀) while β stays near β₀: in CACO β goes as log² t, in
CAFO as log t, in FACO its logarithm as log² t, and in FAFO it is a power of t. This lasts until
log t is of order 1/√R, and 1/R where the value circuit is a product; after it β is of order
log log t.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, exact
from attnproof.symbolic.gradient.integrals import psi
from attnproof.symbolic.gradient.ode import attention, in_quadrant
from attnproof.symbolic.gradient.symbols import variables

if TYPE_CHECKING:
    from sympy import Expr


@dataclass(frozen=True, slots=True, repr=False)
class Window:
    """Laws while s is near ``attention`` = s(β₀): ``alpha`` and ``beta`` in ``variables().time``.

    ``leading`` is the leading term in t of β - β₀, and of log(β/β₀) for balanced factorised
    attention.
    """

    circuits: Circuits
    alpha0: "Expr"
    beta0: "Expr"
    attention: "Expr"
    alpha: "Expr"
    beta: "Expr"
    leading: "Expr"
    conditions: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Window: beta = {self.beta.evalf(6)}; {self.conditions[0]}"

    def _repr_latex_(self) -> str:
        from sympy import latex

        return rf"$\beta(t) \approx {latex(self.beta)}$"

    def score(self, alpha: Any, attention: Any = None) -> "Expr":
        """β at a value of α, with the attention held at a value, by default that of the start."""
        held = self.attention if attention is None else attention
        gained = self.circuits.slope * (1 - held) * (_psi(self.circuits, alpha) - self._psi0)
        return _moved(self.circuits, self.beta0, gained)

    def bounds(self, alpha: Any, drift: Any) -> tuple["Expr", "Expr"]:
        """A lower and an upper bound of β at α >= |α₀|, as long as β <= β₀ + ``drift``.

        The upper one holds without that. Theorem: 1 - s falls as β grows. Source: ours.
        """
        last = attention(self.circuits).subs(variables().beta, self.beta0 + exact("drift", drift))
        return self.score(alpha, last), self.score(alpha)

    def ends(self, drift: Any = 1) -> "Expr":
        """log t, up to lower orders, when the law for β has moved by ``drift`` from β₀.

        >>> from sympy import Symbol
        >>> from attnproof.symbolic.gradient.circuits import Parametrisation
        >>> from attnproof.symbolic.gradient.data import Data
        >>> rate = Symbol("eta", positive=True)
        >>> slow = Circuits(Parametrisation.CACO, Data(3, 1, 4, 1), eta_qk=rate)
        >>> window(slow, 0, 0).ends()
        sqrt(105)/(35*sqrt(eta))
        """
        from sympy import sqrt

        last = self.beta0 + exact("drift", drift)
        way = _coordinate(self.circuits, last) - _coordinate(self.circuits, self.beta0)
        height = self._psi0 + way / (self.circuits.slope * (1 - self.attention))
        r, uneven = self.circuits.data.distinct, self.circuits.imbalance_ov
        if not self.circuits.parametrisation.factorised_value:
            alpha = sqrt(2 * height)
        elif uneven == 0:
            alpha = 2 * sqrt(r) * height
        else:
            alpha = sqrt(((4 * r * height) ** 2 - uneven**2) / (4 * r))
        return self.attention * alpha

    @property
    def _psi0(self) -> "Expr":
        return _psi(self.circuits, self.alpha0)


def window(circuits: Circuits, alpha0: Any, beta0: Any) -> Window:
    """The laws before attention moves, for numbers or symbols.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> slow = Circuits(Parametrisation.CACO, Data(3, 1, 4, 1), eta_qk=1e-6)
    >>> float(window(slow, 0, 0).leading.subs(variables().time, 2.718281828459045**40))
    0.018666666666666665

    Raises :class:`ParameterError` where a balanced product starts at 0, or α₀ < 0. Source: ours;
    perhaps the regime of the paper's O(log² t).
    """
    from sympy import Abs, log, sqrt

    start, score = exact("alpha0", alpha0), exact("beta0", beta0)
    kind, uneven = circuits.parametrisation, circuits.imbalance_ov
    _needs(start, "alpha0", strict=kind.factorised_value and uneven == 0)
    balanced = kind.factorised_attention and circuits.imbalance_qk == 0
    if balanced:
        _needs(score, "beta0", strict=True)
    held = attention(circuits).subs(variables().beta, score)
    t, r = variables().time, circuits.data.distinct
    c = circuits.eta_ov / r
    if kind.factorised_value:
        alpha = (log(t) + log(log(t)) + log(2 * sqrt(r) * c * held)) / held
        power, height = 1, 1 / (2 * sqrt(r) * held)
    else:
        alpha = log(c * held**2 * t) / held
        power, height = 2, 1 / (2 * held**2)
    gained = circuits.slope * (1 - held) * height * log(t) ** power
    if balanced:
        gained = gained * 2 / circuits.omega
    elif kind.factorised_attention:
        gained = gained * sqrt(circuits.imbalance_qk**2 + 4 * score**2 / circuits.omega**2)
    risen = circuits.slope * (1 - held) * (_psi(circuits, alpha) - _psi(circuits, start))
    return Window(
        circuits,
        start,
        score,
        held,
        alpha,
        _moved(circuits, score, risen),
        gained,
        (
            "while beta <= beta0 + d, beta - beta0 at an alpha has a relative error below d"
            + (", and so has log(beta/beta0)" if balanced else "")
            + ", as a part of the law",
            f"log t is large against {_text(Abs(log(c * held**2)))} and against log log t",
        ),
    )


def _psi(circuits: Circuits, alpha: Any) -> "Expr":
    from sympy import sympify

    return in_quadrant(psi(circuits)).subs(variables().alpha, sympify(alpha))


def _coordinate(circuits: Circuits, beta: "Expr") -> "Expr":
    """∫ dβ/P_QK."""
    from sympy import Abs, asinh, log

    if not circuits.parametrisation.factorised_attention:
        return beta
    half, uneven = circuits.omega / 2, Abs(circuits.imbalance_qk)
    return half * (log(beta) if uneven == 0 else asinh(beta / (half * uneven)))


def _moved(circuits: Circuits, beta: "Expr", gained: "Expr") -> "Expr":
    """Where β is when ∫ dβ/P_QK has grown by so much."""
    from sympy import Abs, exp, sinh

    if not circuits.parametrisation.factorised_attention:
        return beta + gained
    half, uneven = circuits.omega / 2, Abs(circuits.imbalance_qk)
    if uneven == 0:
        return beta * exp(gained / half)
    return half * uneven * sinh((_coordinate(circuits, beta) + gained) / half)


def _needs(value: "Expr", name: str, *, strict: bool) -> None:
    if value.is_negative or (strict and value.is_zero):
        raise ParameterError(
            f"{name} is {value}, and the window needs a number "
            + ("above 0: a balanced product keeps its sign; give one" if strict else "not below 0"),
            **{name: value},
        )


def _text(value: "Expr") -> str:
    return f"{float(value):.3g}" if value.is_number else str(value)
