"""A budget of steps, counted and never timed, so that every run gives the same answer.

A step is about a millisecond on a common machine: 2000 units of z3, 700 of its fixed-point engine,
300 of cvc5, or 20000 cells of a concrete mask.
"""

from dataclasses import dataclass, field

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.progress import tick

#: What one decision may use unless it is told otherwise.
STEPS = 60_000
Z3, SPACER, CVC5, CELLS = 2000, 700, 300, 20_000


@dataclass
class Budget:
    """How many steps there are, and how many were used; ``tried`` tells what for.

    >>> budget = Budget(100)
    >>> budget.spend(30)
    >>> budget.left, budget.share(1000), budget.share(5)
    (70, 70, 5)
    """

    steps: int = STEPS
    used: int = 0
    tried: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ParameterError(
                f"the budget is {self.steps} steps; give 1 or more, or leave it out for {STEPS}",
                steps=self.steps,
            )

    @property
    def left(self) -> int:
        """How many steps are left."""
        return max(0, self.steps - self.used)

    def share(self, most: int) -> int:
        """As many steps as are left, ``most`` at most."""
        return min(most, self.left)

    def spend(self, steps: int) -> None:
        """Count steps as used, and say so to whoever listens."""
        self.used += steps
        tick(min(self.used, self.steps), self.steps)

    def cells(self, count: int) -> None:
        """Count so many cells of a concrete mask."""
        self.spend(1 + count // CELLS)

    def note(self, what: str) -> None:
        """Remember what was tried in vain."""
        if what not in self.tried:
            self.tried.append(what)
