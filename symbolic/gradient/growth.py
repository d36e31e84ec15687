"""Growth laws of both circuits as t → ∞: α ~ log t in each parametrisation, β of order log log t.

The laws come out of :mod:`~attnproof.symbolic.gradient.balance`; here they are in the constants of
given circuits, beside enclosures of the flow itself.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.gradient.balance import Lemma, balance, symbols
from attnproof.symbolic.gradient.balls import BITS, Enclosure, ball, enclosure, spanned, working
from attnproof.symbolic.gradient.enclosure import at_alpha, time
from attnproof.symbolic.gradient.symbols import variables
from attnproof.symbolic.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sympy import Expr, Symbol

    from attnproof.symbolic.gradient.circuits import Circuits

#: Steps of the numerical comparison: values of α, near and far.
NEAR, FAR = 300, 3000


@dataclass(frozen=True, slots=True)
class Growth:
    """The laws of some circuits, in ``variables().time``.

    ``alpha`` and ``beta`` are right up to o(1), ``odds`` and ``loss`` up to a factor 1 + o(1), as
    are the terms in ``leading``, with the keys ``alpha``, ``beta``, ``odds`` and ``loss``;
    ``deficit`` is the limit of α - z, and ``correction`` the next term of α where that limit is 0,
    else None. ``constants`` says what the symbols of the ``steps`` stand for.
    """

    circuits: "Circuits"
    alpha: "Expr"
    beta: "Expr"
    odds: "Expr"
    loss: "Expr"
    leading: "Mapping[str, Expr]"
    deficit: "Expr"
    correction: "Expr | None"
    conditions: tuple[str, ...]
    steps: tuple[Lemma, ...]
    constants: "Mapping[Symbol, Expr]"

    def check(self) -> Verdict:
        """Holds where every step of the derivation does."""
        found = Verdict.worst(step.check() for step in self.steps)
        return Verdict.UNKNOWN if found is None else found

    def _repr_latex_(self) -> str:
        from sympy import latex

        laws = (rf"\{name} &\sim {latex(getattr(self, name))}" for name in ("alpha", "beta"))
        rest = (rf"{sign} &\sim {latex(law)}" for sign, law in (("y", self.odds), ("L", self.loss)))
        return "$$\\begin{aligned}" + r" \\ ".join((*laws, *rest)) + "\\end{aligned}$$"

    def distances(
        self, alpha: Any, alpha0: Any, beta0: Any, *, bits: int = BITS
    ) -> "Mapping[str, Enclosure]":
        """How far the flow is from each law when the OV scalar has a value, enclosed.

        ``alpha`` and ``beta`` are differences, ``odds`` and ``loss`` quotients less 1; ``log_time``
        says when. Raises as :func:`~attnproof.symbolic.gradient.enclosure.time`.
        """
        state = at_alpha(self.circuits, alpha, alpha0, beta0, bits=bits)
        when = time(self.circuits, alpha, alpha0, beta0, bits=bits)
        with working("a growth law, compared rigorously", bits):
            at = {variables().time: spanned(when)}
            laws = {name: ball(name, getattr(self, name), at) for name in _LAWS}
            found = {name: spanned(getattr(state, name)) for name in _LAWS}
            apart = {
                "log_time": spanned(when).log(),
                "alpha": found["alpha"] - laws["alpha"],
                "beta": found["beta"] - laws["beta"],
                "odds": found["odds"] / laws["odds"] - 1,
                "loss": found["loss"] / laws["loss"] - 1,
            }
            return {name: enclosure(value) for name, value in apart.items()}

    def confirm(
        self, alpha0: Any, beta0: Any, *, near: Any = NEAR, far: Any = FAR, bits: int = BITS
    ) -> Verdict:
        """Is the flow nearer to all four laws at α = ``far`` than at α = ``near``? Enclosed.

        Compares numbers at two times of one orbit: evidence for the derivation, no part of it.
        """
        first, second = (self.distances(alpha, alpha0, beta0, bits=bits) for alpha in (near, far))
        nearer = [_size(second[name])[1] < _size(first[name])[0] for name in _LAWS]
        farther = [_size(second[name])[0] > _size(first[name])[1] for name in _LAWS]
        if all(nearer):
            return Verdict.HOLDS
        return Verdict.FAILS if any(farther) else Verdict.UNKNOWN


_LAWS = ("alpha", "beta", "odds", "loss")


def growth(circuits: "Circuits") -> Growth:
    """The growth laws of some circuits, numbers or symbols, with their derivation.

    >>> from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> laws = growth(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)))
    >>> laws.alpha, laws.odds, laws.loss
    (log(t), 7*log(t)**2/12, 2/t)
    >>> laws.leading["beta"], laws.correction
    (2*log(log(t)), 12/(7*log(t)))

    Laws: α ~ log t with coefficient 1 and the leading loss know nothing of η_QK; the odds are
    proportional to η_QK/η_OV. Source: ours; the paper has O(log t) for OV and O(log² t) for QK.
    """
    from sympy import log

    found = balance(
        circuits.parametrisation, circuits.imbalance_qk != 0, circuits.imbalance_ov != 0
    )
    of, t = symbols(), variables().time
    constants = {
        of.R: circuits.slope,
        of.kappa: circuits.data.odds,
        of.omega: circuits.omega,
        of.r: circuits.data.distinct,
        of.w: circuits.data.classes - 1,
        of.c: circuits.eta_ov / circuits.data.distinct,
        of.lambda_V: abs(circuits.imbalance_ov),
        of.lambda_Q: abs(circuits.imbalance_qk),
    }

    def here(law: "Expr") -> "Expr":
        return law.subs(of.ell, log(t)).subs(constants)

    odds, loss = here(found.odds), here(found.loss) / t
    leading = (*(here(term) for term in found.leading), odds, loss)
    return Growth(
        circuits,
        here(found.alpha),
        here(found.beta),
        odds,
        loss,
        dict(zip(_LAWS, leading, strict=True)),
        here(found.deficit),
        None if found.correction is None else here(found.correction),
        _conditions(circuits),
        found.steps,
        constants,
    )


def _conditions(circuits: "Circuits") -> tuple[str, ...]:
    kind = circuits.parametrisation
    starts = []
    if kind.factorised_value and circuits.imbalance_ov == 0:
        starts.append("alpha0 > 0: a balanced product never leaves its sign")
    if kind.factorised_attention and circuits.imbalance_qk == 0:
        starts.append("beta0 > 0: a balanced product never leaves its sign")
    return tuple(starts)


def _size(value: Enclosure) -> tuple[Any, Any]:
    """Bounds on the absolute value."""
    least = max(value.lower, -value.upper, 0)
    return least, max(-value.lower, value.upper)
