"""A theorem on the gradient flow, its hypotheses and proof, and what an instance of it says.

An instance is decided by enclosures alone. Where python-flint is missing it is compared in floats,
and then its verdict is unknown, whatever the floats say.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient import enclosure
from attnproof.symbolic.gradient.balance import LEGEND, Lemma
from attnproof.symbolic.gradient.balls import BITS, Enclosure, available
from attnproof.symbolic.gradient.circuits import exact
from attnproof.symbolic.verdict import Verdict
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.gradient.circuits import Circuits

#: What floats may be wrong by, relative to the greater of two numbers.
_FLOAT_ERROR = Fraction(1, 10**9)
#: An undecided comparison is repeated with four times the bits, so often.
_ROUNDS = 3


@dataclass(frozen=True, slots=True, repr=False)
class Theorem:
    """A statement in words and in LaTeX, its hypotheses and its proof.

    ``lemmas`` are the equations and signs of the proof, which SymPy checks; the argument that leads
    from them to the statement is ``proof``, in words, and no machine reads it.
    """

    name: str
    statement: str
    latex: str
    hypotheses: tuple[str, ...]
    proof: str
    lemmas: tuple[Lemma, ...]
    source: str = "ours"

    def __repr__(self) -> str:
        count = counted(len(self.lemmas), "lemma")
        return (
            f"{self.name}. {self.statement}\n"
            f"  if {'; '.join(self.hypotheses)}\n"
            f"  {count} by SymPy in check(), argument in words in proof; in {LEGEND}"
        )

    def _repr_latex_(self) -> str:
        needed = "; ".join(self.hypotheses)
        return f"{self.name}. {self.statement} If {needed}:\n$${self.latex}$$"

    def check(self) -> Verdict:
        """Holds where all lemmas do, in symbols, for all positive values of the constants.

        The argument between the lemmas is not checked.
        """
        found = Verdict.worst(step.check() for step in self.lemmas)
        return Verdict.UNKNOWN if found is None else found


@dataclass(frozen=True, slots=True)
class Instance:
    """What one instance of a theorem says. ``unmet`` names the hypotheses that it does not meet;
    the verdict is then unknown. ``rigorous`` says whether enclosures or floats were compared."""

    theorem: str
    verdict: Verdict
    told: str
    unmet: tuple[str, ...] = ()
    rigorous: bool = True


@dataclass(frozen=True, slots=True)
class Compared:
    """The claims of an instance, each true, false or undecided, and a sentence with numbers."""

    claims: tuple[bool | None, ...]
    told: str


def decide(name: str, compare: Any, bits: int = BITS) -> Instance:
    """Runs ``compare(bits)``, a :class:`Compared`, with more bits while it is undecided.

    A start or a loss that no flow meets makes a :class:`ParameterError` there, which is told as a
    hypothesis that is not met.
    """
    rigorous = available()
    try:
        found: Compared = compare(bits)
        for k in range(1, _ROUNDS if rigorous else 1):
            if None in found.claims:
                found = compare(4**k * bits)
    except ParameterError as error:
        if not {"loss", "alpha0"} & set(error.parts):
            raise
        return unmet(name, [f"the flow falls to this loss from above: {error}"])
    if not rigorous:
        side = "for it" if all(found.claims) else "not decided by them, or against it"
        told = f"{found.told}; in floats, which prove nothing ({side}): install attnproof[exact]"
        return Instance(name, Verdict.UNKNOWN, told, rigorous=False)
    if False in found.claims:
        return Instance(name, Verdict.FAILS, found.told)
    verdict = Verdict.UNKNOWN if None in found.claims else Verdict.HOLDS
    return Instance(name, verdict, found.told)


def unmet(name: str, hypotheses: Sequence[str]) -> Instance:
    """An instance outside the theorem."""
    told = "not an instance: it needs " + "; ".join(hypotheses)
    return Instance(name, Verdict.UNKNOWN, told, tuple(hypotheses))


def starts(circuits: "Circuits", alpha0: Any, beta0: Any) -> list[str]:
    """Which of the hypotheses on the start fail: α₀ >= 0, and > 0 for balanced products."""
    kind, needed = circuits.parametrisation, []
    for name, given in (("alpha0", alpha0), ("beta0", beta0)):
        exact(name, given)
    if alpha0 < 0:
        needed.append(f"alpha0 >= 0 (it is {alpha0})")
    if kind.factorised_value and circuits.imbalance_ov == 0 and alpha0 == 0:
        needed.append("alpha0 > 0, for W_O W_V is balanced (it is 0)")
    if kind.factorised_attention and circuits.imbalance_qk == 0 and not beta0 > 0:
        needed.append(f"beta0 > 0, for W_K and W_Q are balanced (it is {beta0})")
    return needed


def state(circuits: "Circuits", loss: Any, alpha0: Any, beta0: Any, bits: int) -> Any:
    """The state at a loss: enclosed, or in floats where python-flint is missing."""
    if available():
        return enclosure.at_loss(circuits, loss, alpha0, beta0, bits=bits)
    from attnproof.symbolic.gradient.orbit import Orbit

    return Orbit(circuits, alpha0, beta0).at_loss(loss)


def less(left: Any, right: Any) -> bool | None:
    """``left < right``: certain for enclosures and exact numbers, beyond the error for floats.

    SymPy decides between two of its numbers.

    >>> less(Enclosure(Fraction(0), Fraction(1)), Enclosure(Fraction(2), Fraction(3)))
    True
    >>> less(1.0, 1.0 + 1e-15) is None
    True
    """
    if all(hasattr(value, "is_number") for value in (left, right)):
        decided = left < right
        return bool(decided) if decided in (True, False) else None
    low, high = (_ends(value) for value in (left, right))
    if low[1] < high[0]:
        return True
    return False if low[0] >= high[1] else None


def rising(values: Iterable[Any]) -> list[bool | None]:
    """Is each less than the next?"""
    known = list(values)
    return [less(*pair) for pair in pairwise(known)]


def _ends(value: Any) -> tuple[Fraction, Fraction]:
    if isinstance(value, Enclosure):
        return value.lower, value.upper
    exact = Fraction(value)
    error = abs(exact) * _FLOAT_ERROR if isinstance(value, float) else Fraction(0)
    return exact - error, exact + error
