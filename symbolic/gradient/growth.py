"""Growth laws of both circuits as t → ∞: α ~ log t in each parametrisation, β of order log log t.

The laws come out of :mod:`~attnproof.symbolic.gradient.balance`; here they are in the constants of
given circuits, beside enclosures of the flow itself.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.gradient.balance import Lemma, balance, symbols
from attnproof.symbolic.gradient.balls import BITS, Enclosure, ball, enclosure, spanned, working
from attnproof.symbolic.gradient.circuits import exact
from attnproof.symbolic.gradient.enclosure import at_alpha, time
from attnproof.symbolic.gradient.symbols import variables, written
from attnproof.symbolic.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sympy import Expr, Symbol

    from attnproof.symbolic.gradient.circuits import Circuits

#: Steps of the numerical comparison: values of α, near and far.
NEAR, FAR = 300, 3000


@dataclass(frozen=True, slots=True, repr=False)
class Growth:
    """The laws of some circuits, in ``variables().time``.

    ``alpha`` and ``beta`` are right up to o(1), ``odds`` and ``loss`` up to a factor 1 + o(1), as
    are the terms in ``leading``, with the keys ``alpha``, ``beta``, ``odds`` and ``loss``;
    ``deficit`` is the limit of α - z, and ``correction`` the next term of α where that limit is 0,
    else None. ``constants`` says what the symbols of the ``steps`` stand for. ``conditions`` are on
    the start; ``unmet`` are those that a start fails, and from that start no law here holds.
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
    unmet: tuple[str, ...] = ()

    def check(self) -> Verdict:
        """Holds where every step of the derivation does."""
        found = Verdict.worst(step.check() for step in self.steps)
        return Verdict.UNKNOWN if found is None else found

    def rows(self) -> tuple[str, ...]:
        """The laws and their conditions as rows of an ``aligned`` block in LaTeX."""
        if self.unmet:
            words = (
                one.replace("0 > 0, and it is ", r"_0 > 0\text{, and it is }") for one in self.unmet
            )
            needed = r",\quad ".join("\\" + one for one in words)
            return (rf"&\text{{the growth laws are not met by this start: they need }} {needed}",)
        starts = ", ".join(rf"\{name}_0 > 0" for name in self.circuits.balanced)
        return (
            *(rf"\{name} &= {written(getattr(self, name))} + o(1)" for name in _LAWS[:2]),
            rf"y &\sim {written(self.odds)}",
            rf"L &\sim {written(self.loss)} \qquad (t \to \infty"
            + (rf",\ \text{{from }} {starts})" if starts else ")"),
        )

    def told(self) -> tuple[str, ...]:
        """The laws as lines of text, or the one line that says which conditions are not met."""
        if self.unmet:
            needed = "; ".join(self.unmet)
            return (f"these laws are not met by this start: they need {needed}",)
        return (
            *(f"{name} = {getattr(self, name)} + o(1)" for name in _LAWS[:2]),
            *(f"{name} ~ {getattr(self, name)}" for name in _LAWS[2:]),
        )

    def __repr__(self) -> str:
        kind, data = self.circuits.parametrisation.value, self.circuits.data
        needed = () if self.unmet else tuple(f"if {one}" for one in self.conditions)
        rows = (f"{kind} on {data!r} for large t:", *self.told(), *needed)
        return "\n  ".join(rows)

    def _repr_latex_(self) -> str:
        return "$$\\begin{aligned}" + r" \\ ".join(self.rows()) + "\\end{aligned}$$"

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


def growth(circuits: "Circuits", alpha0: Any = None, beta0: Any = None) -> Growth:
    """The growth laws of some circuits, numbers or symbols, with their derivation; a start that is
    given is held against their conditions.

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
        tuple(
            f"{name}0 > 0: a balanced product never leaves its sign" for name in circuits.balanced
        ),
        found.steps,
        constants,
        _unmet(circuits, {"alpha": alpha0, "beta": beta0}),
    )


def _unmet(circuits: "Circuits", starts: "Mapping[str, Any]") -> tuple[str, ...]:
    found = []
    for name in circuits.balanced:
        if starts[name] is None:
            continue
        given = exact(f"{name}0", starts[name])
        if given.is_positive is False:
            value = f"{float(given):g}" if given.is_number else str(given)
            found.append(f"{name}0 > 0, and it is {value}")
    return tuple(found)


def _size(value: Enclosure) -> tuple[Any, Any]:
    """Bounds on the absolute value."""
    least = max(value.lower, -value.upper, 0)
    return least, max(-value.lower, value.upper)
