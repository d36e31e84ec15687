"""Linear integer arithmetic asked of z3: which formulas in normal form contradict each other.

Products of atoms are unknowns of their own. Nothing here is trusted: it guides the search for
proofs that the checker follows without a solver.
"""

from collections.abc import Sequence
from functools import cached_property
from math import lcm
from typing import Any

from attnproof.proofs.checker.inequalities import Form, Literal, Normal, whole
from attnproof.symbolic.lengths.budget import Z3, Budget
from attnproof.symbolic.lengths.solvers import resources

#: What one question may take.
QUESTION = 300


class Arithmetic:
    """Questions about formulas in normal form, within a budget.

    >>> at_most = Literal((((0,), 1),), 0)
    >>> at_least = Literal((((0,), -1),), 1)
    >>> Arithmetic(Budget()).core([at_most, Literal((((1,), 1),), 5), at_least])
    [0, 2]
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._names: dict[Normal, Any] = {}

    @cached_property
    def _context(self) -> Any:
        import z3

        return z3.Context()

    @cached_property
    def _solver(self) -> Any:
        import z3

        solver = z3.SolverFor("QF_LIA", ctx=self._context)
        solver.set("core.minimize", True)
        solver.set("rlimit", QUESTION * Z3)
        return solver

    def core(self, formulas: Sequence[Normal]) -> list[int] | None:
        """The places of formulas that contradict each other; None where z3 finds none."""
        import z3

        if not self.budget.left:
            return None
        names = [self._name(one) for one in formulas]
        said = self._said(self._solver, *names)
        if said != z3.unsat:
            return None
        wanted = {str(one) for one in self._solver.unsat_core()}
        found: dict[str, int] = {}
        for place, name in enumerate(names):
            if str(name) in wanted:
                found.setdefault(str(name), place)
        return sorted(found.values())

    def farkas(self, literals: Sequence[Literal]) -> list[tuple[int, int]] | None:
        """Multipliers whose sum has no unknown and a positive constant; None where there are none.

        >>> Arithmetic(Budget()).farkas([Literal((((0,), 2),), 1), Literal((((0,), -1),), 0)])
        [(0, 1), (1, 2)]
        """
        found = self.cut(literals, 1)
        return None if found is None else found[1]

    def cut(
        self, literals: Sequence[Literal], modulus: int
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]] | None:
        """A sum of literals that rounding by a modulus strengthens, and multipliers of literals and
        of that sum, which stands last, that contradict each other. With modulus 1 nothing is
        rounded, and the first is empty."""
        import z3

        if not self.budget.left:
            return None
        context = self._context
        solver = z3.Solver(ctx=context)
        solver.set("rlimit", QUESTION * Z3)
        places = range(len(literals))
        outer = [z3.Real(f"outer{i}", context) for i in places]
        solver.add(*(x >= 0 for x in outer))
        inner = [z3.Int(f"inner{i}", context) for i in places] if modulus > 1 else []
        solver.add(*(x >= 0 for x in inner), *(x < modulus for x in inner))
        slack = z3.Int("slack", context)
        rows = _rows(literals)
        total: Any = z3.RealVal(0, context)
        for number, (key, row) in enumerate(rows.items()):
            outside = z3.Sum([c * outer[i] for i, c in row] or [z3.RealVal(0, context)])
            if inner:
                inside = z3.Sum([c * inner[i] for i, c in row])
                if not key:
                    inside = inside + slack
                cofactor = z3.Int(f"cofactor{number}", context)
                solver.add(inside == modulus * cofactor)
                outside = outside + z3.ToReal(cofactor)
            if key:
                solver.add(outside == 0)
            else:
                total = outside
        solver.add(total > 0)
        if inner:
            solver.add(slack >= 1, slack < modulus)
        said = self._said(solver)
        if said != z3.sat:
            return None
        model = solver.model()
        cut = [(i, _integer(model, x)) for i, x in enumerate(inner)]
        fractions = [_fraction(model, x) for x in outer]
        scale = lcm(*(denominator for _, denominator in fractions))
        chosen = [(i, a * (scale // d)) for i, (a, d) in enumerate(fractions) if a]
        if inner:
            chosen.append((len(literals), scale))
        return [(i, c) for i, c in cut if c], chosen

    def point(self, literals: Sequence[Literal]) -> dict[tuple[int, ...], tuple[int, int]] | None:
        """A rational point of the literals: numerator and denominator of each unknown."""
        import z3

        solver = z3.SolverFor("QF_LRA", ctx=self._context)
        solver.set("rlimit", QUESTION * Z3)
        known: dict[tuple[int, ...], Any] = {}
        for one in literals:
            solver.add(self._sum(one, lambda key: _real(key, known, self._context)) <= 0)
        said = self._said(solver)
        if said != z3.sat:
            return None
        model = solver.model()
        return {key: _fraction(model, x) for key, x in known.items()}

    def _name(self, given: Normal) -> Any:
        import z3

        if given not in self._names:
            name = z3.Bool(f"formula{len(self._names)}", self._context)
            self._names[given] = name
            self._solver.add(z3.Implies(name, self._expression(given)))
        return self._names[given]

    def _expression(self, given: Normal) -> Any:
        import z3

        if isinstance(given, Literal):
            if not given.form:
                return z3.BoolVal(given.constant <= 0, self._context)
            return self._sum(given, lambda key: z3.Int(_text(key), self._context)) <= 0
        op, parts = given
        join = z3.And if op == "and" else z3.Or
        return join(
            *[self._expression(part) for part in parts], z3.BoolVal(op == "and", self._context)
        )

    def _sum(self, given: Literal, unknown: Any) -> Any:
        total: Any = given.constant
        for key, c in given.form:
            total = c * unknown(key) + total
        return total

    def _said(self, solver: Any, *given: Any) -> Any:
        """The answer of a solver, paid for."""
        before = resources(solver) or 0
        answer = solver.check(*given)
        if str(answer) == "unknown" and "interrupted" in solver.reason_unknown():
            raise KeyboardInterrupt
        self.budget.spend(1 + max(0, (resources(solver) or 0) - before) // Z3)
        return answer


def _rows(literals: Sequence[Literal]) -> dict[tuple[int, ...], list[tuple[int, int]]]:
    rows: dict[tuple[int, ...], list[tuple[int, int]]] = {(): []}
    for i, one in enumerate(literals):
        form: Form = whole(one)
        for key, c in form:
            rows.setdefault(key, []).append((i, c))
    return rows


def _real(key: tuple[int, ...], known: dict[tuple[int, ...], Any], context: Any) -> Any:
    import z3

    if key not in known:
        known[key] = z3.Real(_text(key), context)
    return known[key]


def _text(key: tuple[int, ...]) -> str:
    return "x" + "_".join(map(str, key))


def _integer(model: Any, unknown: Any) -> int:
    return int(model.eval(unknown, model_completion=True).as_long())


def _fraction(model: Any, unknown: Any) -> tuple[int, int]:
    value = model.eval(unknown, model_completion=True)
    return int(value.numerator_as_long()), int(value.denominator_as_long())
