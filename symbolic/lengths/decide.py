"""Decide a property of a mask for every length: search, ground proofs, invariants, in this order.

A property fails where an instance shows it and the replay confirms it. It holds where z3 and cvc5
both prove what it follows from. Everything else is unknown, with what was tried; what z3 proves
without cvc5 the checker may still accept.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import Term
from attnproof.symbolic.lengths.answer import ALONE, Answer
from attnproof.symbolic.lengths.atoms import atoms
from attnproof.symbolic.lengths.bits import bitwise
from attnproof.symbolic.lengths.budget import STEPS, Budget
from attnproof.symbolic.lengths.closure import GUESS, RELATIONS
from attnproof.symbolic.lengths.depth import settles
from attnproof.symbolic.lengths.ground import all_proved, proved, structural, well_defined
from attnproof.symbolic.lengths.horn import fixed_point
from attnproof.symbolic.lengths.instances import Instance
from attnproof.symbolic.lengths.invariants import conjunctive_invariant, plain_invariant
from attnproof.symbolic.lengths.learn import learned
from attnproof.symbolic.lengths.models import check_satisfiable, far_pair, models
from attnproof.symbolic.lengths.obligation import inductive
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Depth, Equals, Flow, Property
from attnproof.symbolic.lengths.samples import sample_instances, sampled
from attnproof.symbolic.lengths.search import first_failure, large_instances, small_instances
from attnproof.symbolic.lengths.solvers import Proved, Solvers
from attnproof.symbolic.verdict import Verdict

Invariant = tuple[Term, tuple[Proved, ...]]


def decide(problem: Problem, property: Property, *, budget: int = STEPS) -> Answer:
    """Whether a property holds for every length, all parameters and all tensors of a problem.

    ``budget`` counts steps, never seconds: the answer is the same at every run.

    >>> from attnproof.symbolic.formula import k, q, variable
    >>> from attnproof.symbolic.lengths.properties import causal
    >>> window = (k <= q) & (q - k < variable("keys"))
    >>> decide(Problem.of(window, least={"keys": 1}), causal)
    causal holds for every n, since reached pairs have k <= q
    >>> decide(Problem.of(k <= q + 1), causal)
    causal fails at n=2: (1, 0)

    Laws: what fails was replayed on the formula; what holds has no counterexample at any n.

    Raises :class:`InputError` where what is assumed contradicts itself, so that nothing would be
    proved, and :class:`ParameterError` for a budget of less than one step.
    """
    return _Decision(problem, property, Budget(budget)).answer()


class _Decision:
    """One decision: the problem, the property, and the solvers within the budget."""

    def __init__(self, problem: Problem, property: Property, budget: Budget) -> None:
        if isinstance(property, Flow):
            problem = problem.speaking_of(property.forbidden)
        elif isinstance(property, Equals):
            if len(problem.layers) > 1:
                raise InputError(
                    f"{len(problem.layers)} layers are compared with one formula; compare them one "
                    "by one",
                    layers=problem.layers,
                )
            problem = problem.speaking_of(property.other)
        self.problem, self.property = problem, property
        self.budget, self.solvers = budget, Solvers(budget)
        self.bits = any(map(bitwise, problem.formulas))

    def answer(self) -> Answer:
        found = self._failure("small lengths", small_instances(self.problem, self.budget))
        if found is not None:
            return found
        check_satisfiable(self.problem, self.solvers)
        needed = list(well_defined(self.problem))
        defined = [proved(self.solvers, each) for each in needed]
        lost = [each for each, shown in zip(needed, defined, strict=True) if shown is None]
        if lost:
            self.budget.note(f"not shown: {lost[0].name}, which takes {lost[0].goal!r}")
            return self._large_failure() or self._unknown()
        meant = tuple(each for each in defined if each is not None)
        if isinstance(self.property, Flow):
            return self._flow(self.property, meant)
        if isinstance(self.property, Depth):
            return self._depth(self.property, meant)
        shown = all_proved(self.solvers, structural(self.problem, self.property))
        if shown is not None:
            return self._holds((*meant, *shown))
        self.budget.note("ground implications")
        return self._large_failure() or self._unknown()

    def _flow(self, property: Flow, meant: tuple[Proved, ...]) -> Answer:
        found = plain_invariant(self.problem, property.forbidden, self.solvers)
        if found is None:
            self.budget.note("what is allowed, and what one layer reads, as invariants")
            leak = self._large_failure()
            if leak is not None:
                return leak
            ways = (way() for way in self._ways(property.forbidden))
            found = next((each for each in ways if each is not None), None)
        if found is None:
            return self._unknown()
        return self._holds((*meant, *found[1]), found[0])

    def _ways(self, forbidden: Term) -> Iterator[Callable[[], Invariant | None]]:
        samples = sample_instances(self.problem, self.budget)
        yield partial(conjunctive_invariant, self.problem, forbidden, samples, self.solvers)
        self.budget.note("conjunctions of short clauses")
        if not self.bits:
            yield partial(self._spacer, forbidden)
        yield partial(self._learned, forbidden, samples)
        self.budget.note("relations learned from samples")

    def _spacer(self, forbidden: Term) -> Invariant | None:
        relation = fixed_point(self.problem, forbidden, self.solvers)
        if relation is None:
            return None
        shown = all_proved(self.solvers, inductive(self.problem, relation, forbidden))
        if shown is None:
            self.budget.note("Spacer's invariant, which the solvers do not both confirm")
        return None if shown is None else (relation, shown)

    def _learned(self, forbidden: Term, samples: Sequence[Instance]) -> Invariant | None:
        cells = sampled(samples, atoms(self.problem, forbidden), self.budget)
        for relation in islice(learned(cells), RELATIONS):
            obligations = inductive(self.problem, relation, forbidden)
            shown = all_proved(self.solvers, obligations, most=GUESS)
            if shown is not None:
                return relation, shown
        return None

    def _depth(self, property: Depth, meant: tuple[Proved, ...]) -> Answer:
        if not self.problem.residual or len(self.problem.layers) > 1:
            self.budget.note("depth is proved for one layer with a residual")
            return self._unknown()
        found = settles(self.problem, property.layers, self.solvers)
        if found is not None:
            return self._holds((*meant, *found[1]), found[0])
        return self._large_failure() or self._unknown()

    def _large_failure(self) -> Answer | None:
        found = self._failure("large lengths", large_instances(self.problem, self.budget))
        if found is None and not self.bits:
            rare = models(self.problem, self.property, self.solvers)
            found = self._failure("lengths up to 8 with any values", rare)
        if found is None and (far := far_pair(self.problem, self.property, self.solvers)):
            return self._answer(Verdict.FAILS, counterexample=far)
        return found

    def _failure(self, where: str, instances: Iterable[Instance]) -> Answer | None:
        found = first_failure(self.problem, self.property, instances)
        if found is None:
            self.budget.note(f"instances of {where}")
            return None
        return self._answer(Verdict.FAILS, counterexample=found)

    def _holds(self, shown: tuple[Proved, ...], invariant: Term | None = None) -> Answer:
        shown = tuple(dict.fromkeys(shown))
        if not all(each.agreed for each in shown):
            self.budget.note(ALONE)
            return self._answer(Verdict.UNKNOWN, proved=shown, invariant=invariant)
        return self._answer(Verdict.HOLDS, proved=shown, invariant=invariant)

    def _unknown(self) -> Answer:
        if not self.budget.left:
            self.budget.note(f"the budget of {self.budget.steps} steps is used up")
        return self._answer(Verdict.UNKNOWN)

    def _answer(self, verdict: Verdict, **parts: Any) -> Answer:
        tried, steps = tuple(self.budget.tried), self.budget.used
        return Answer(self.property, verdict, tried=tried, steps=steps, **parts)
