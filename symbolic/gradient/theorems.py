"""The theorems on the reduced gradient flow, in one place, and what is only conjectured."""

from dataclasses import dataclass

from attnproof.symbolic.gradient.decoupling import decoupling
from attnproof.symbolic.gradient.monotone import monotone, rate
from attnproof.symbolic.gradient.sharper import attention_crossover, collapsed_value
from attnproof.symbolic.gradient.theorem import Theorem


@dataclass(frozen=True, slots=True, repr=False)
class Conjecture:
    """A statement without a proof, and what speaks for it."""

    statement: str
    evidence: str

    def __repr__(self) -> str:
        return f"Not proved: {self.statement} Seen: {self.evidence}"


def theorems() -> tuple[Theorem, ...]:
    """T1, T1', T2, T3 and T4.

    >>> [one.name for one in theorems()]
    ['T1', "T1'", 'T2', 'T3', 'T4']

    Each has ``check()`` for its lemmas, and ``instance(...)``. Source: ours.
    """
    return monotone(), rate(), collapsed_value(), attention_crossover(), decoupling()


def conjectures() -> tuple[Conjecture, ...]:
    """What is not proved here.

    >>> len(conjectures())
    2
    """
    return (
        Conjecture(
            "At equal time, too, attention is increasing in rho.",
            "480 random comparisons without a violation; the system is not cooperative, so the "
            "usual theorem does not apply.",
        ),
        Conjecture(
            "FAFO and CACO are ordered neither way in general.",
            "Both orders occur at equal loss, according to beta0, omega and rho.",
        ),
    )
