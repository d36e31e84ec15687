"""Two solvers asked the same question: a contradiction counts where both find it.

Each has a limit in its own units of work. z3 works in a context of its own, so that what it finds
does not depend on what was asked of it elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from attnproof.symbolic.formula import Term, fold, joined, to_z3
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.formula.solver_cvc5 import to_cvc5
from attnproof.symbolic.lengths.budget import CVC5, Z3, Budget
from attnproof.symbolic.lengths.obligation import Obligation

#: What one question may take of each solver. An interrupt waits for an answer of cvc5.
QUESTION = 3000


class Opinion(Enum):
    """What a solver, or both, say of formulas together."""

    CONTRADICTION = "unsat"
    SATISFIABLE = "sat"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Proved:
    """An obligation and the solvers that proved it, each a name and version.

    ``claim`` is what follows from it: itself, or the same with division by parameters, or for any
    positions. ``width`` counts the bits of the vectors it was proved over; None over integers.
    """

    obligation: Obligation
    solvers: tuple[str, ...]
    claim: Obligation
    width: int | None = None

    @property
    def agreed(self) -> bool:
        """Whether two solvers did."""
        return len(self.solvers) >= 2


class Solvers:
    """z3 and cvc5 within one budget.

    >>> from attnproof.symbolic.formula import k, q
    >>> Solvers(Budget()).prove(Obligation("order", (k < q,), k <= q))[1].agreed
    True
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget

    @cached_property
    def _context(self) -> Any:
        import z3

        return z3.Context()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The solvers at hand."""
        import z3

        found = [f"z3 {z3.get_version_string()}"]
        if find_spec("cvc5") is not None:
            import cvc5

            found.append(f"cvc5 {cvc5.__version__}")
        return tuple(found)

    def prove(
        self, obligation: Obligation, *, most: int = QUESTION, width: int | None = None
    ) -> tuple[Opinion, Proved | None]:
        """What z3 says of the refutation, and the obligation with the solvers that prove it; None
        where z3 does not, or cvc5, which is asked next, does not agree."""
        formulas = obligation.refutation
        said = self.z3(formulas, most=most, width=width)
        if said is not Opinion.CONTRADICTION:
            return said, None
        if len(self.names) > 1 and (
            self.cvc5(formulas, most=most, width=width) is not Opinion.CONTRADICTION
        ):
            self.budget.note(f"{obligation.name}: z3 alone proves it, cvc5 does not")
            return said, None
        return said, Proved(obligation, self.names, obligation, width)

    def z3(
        self, formulas: Sequence[Term], *, most: int = QUESTION, width: int | None = None
    ) -> Opinion:
        """What z3 says of the formulas together."""
        return self.model(formulas, most=most, width=width)[0]

    def model(
        self, formulas: Sequence[Term], *, most: int = QUESTION, width: int | None = None
    ) -> tuple[Opinion, Any]:
        """What z3 says, with a model where there is one."""
        import z3

        limit = self.budget.share(most)
        if limit == 0:
            return Opinion.UNKNOWN, None
        solver = z3.Solver(ctx=self._context)
        solver.set("rlimit", limit * Z3)
        before = resources(solver) or 0
        together = joined("and", formulas)
        solver.add(
            to_z3(together, _functions(together, width), width=width).translate(self._context)
        )
        try:
            answer = solver.check()
        except z3.Z3Exception:
            answer = z3.unknown
        if answer == z3.unknown and "interrupted" in solver.reason_unknown():
            raise KeyboardInterrupt
        self.budget.spend(1 + max(0, (resources(solver) or 0) - before) // Z3)
        if answer == z3.sat:
            return Opinion.SATISFIABLE, solver.model()
        return (Opinion.CONTRADICTION if answer == z3.unsat else Opinion.UNKNOWN), None

    def cvc5(
        self, formulas: Sequence[Term], *, most: int = QUESTION, width: int | None = None
    ) -> Opinion:
        """What cvc5 says of the formulas together."""
        import cvc5

        limit = self.budget.share(most)
        if limit == 0:
            return Opinion.UNKNOWN
        manager = cvc5.TermManager()
        solver = cvc5.Solver(manager)
        solver.setOption("rlimit-per", str(limit * CVC5))
        solver.setLogic("ALL")
        solver.assertFormula(to_cvc5(joined("and", formulas), manager, width=width))
        answer = solver.checkSat()
        used = solver.getStatistics()["resource::resourceUnitsUsed"]["value"]
        self.budget.spend(1 + int(used) // CVC5)
        if answer.isUnsat():
            return Opinion.CONTRADICTION
        return Opinion.SATISFIABLE if answer.isSat() else Opinion.UNKNOWN


def _functions(term: Term, width: int | None) -> dict[str, Any]:
    """A z3 function for each tensor of one axis or more, made once."""
    import z3

    found: dict[str, Any] = {}

    def combine(node: Term, _: list[None]) -> None:
        if node.op in TENSORS and node.children and node.name not in found:
            integer = z3.BitVecSort(width) if width else z3.IntSort()
            result = z3.BoolSort() if node.op == "holds" else integer
            found[node.name] = z3.Function(node.name, *[integer] * len(node.children), result)

    fold(term, combine)
    return found


def resources(solver: Any) -> int | None:
    """What z3 says that it has used, in its own units; None where it does not."""
    statistics = solver.statistics()
    pairs = (statistics[place] for place in range(len(statistics)))
    return next((int(value) for key, value in pairs if key == "rlimit count"), None)
