"""What is reached through exactly so many layers, for every length: one implication, no invariant.

Query q is reached from key k through L layers along positions q, x1, ..., k, each of which reads
the next one: the last layer is read first.
"""

from dataclasses import replace
from itertools import pairwise

from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.lengths.answer import ALONE, Answer
from attnproof.symbolic.lengths.budget import STEPS, Budget
from attnproof.symbolic.lengths.ground import all_proved, well_defined
from attnproof.symbolic.lengths.instances import Counterexample
from attnproof.symbolic.lengths.models import check_satisfiable, far_pair
from attnproof.symbolic.lengths.obligation import Obligation, obligation
from attnproof.symbolic.lengths.problem import Problem, at_positions
from attnproof.symbolic.lengths.properties import Flow
from attnproof.symbolic.lengths.search import large_instances, small_instances
from attnproof.symbolic.lengths.solvers import Proved, Solvers
from attnproof.symbolic.order.schedule import reach
from attnproof.symbolic.verdict import Verdict

#: The most layers that are written out.
MOST = 32


def decide_exactly(problem: Problem, property: Flow, layers: int, *, budget: int = STEPS) -> Answer:
    """Whether no forbidden pair is reached through exactly so many layers, at any length.

    >>> from attnproof.symbolic.lengths.properties import forbid
    >>> window = Problem.of((k <= q) & (q - k < 3))
    >>> far = forbid(q - k > 4)
    >>> [decide_exactly(window, far, layers).verdict.value for layers in (2, 3)]
    ['holds', 'fails']

    Raises :class:`ParameterError` for more than ``MOST`` layers, and :class:`InputError` where no
    length was found that satisfies what is assumed.
    """
    if not 0 <= layers <= MOST:
        raise ParameterError(
            f"{layers} layers were asked for; for every length give 0 to {MOST}, or leave them out "
            "for any number",
            layers=layers,
        )
    problem = problem.speaking_of(property.forbidden)
    spent = Budget(budget)
    solvers = Solvers(spent)
    found = _leak(problem, property, layers, spent, large=False)
    alone: tuple[Proved, ...] = ()
    if found is None:
        check_satisfiable(problem, solvers)
        needed = (*well_defined(problem), through(problem, property, layers))
        shown = all_proved(solvers, needed)
        if shown is not None and all(each.agreed for each in shown):
            return Answer(
                property, Verdict.HOLDS, shown, tried=tuple(spent.tried), steps=spent.used
            )
        spent.note(f"a path through {layers} layers" if shown is None else ALONE)
        alone = shown or ()
        found = None if alone else _leak(problem, property, layers, spent, large=True)
        if found is None and not alone and problem.residual and layers:
            far = far_pair(problem, property, solvers)
            found = None if far is None else replace(far, depth=layers)
    verdict = Verdict.UNKNOWN if found is None else Verdict.FAILS
    tried = tuple(spent.tried)
    return Answer(property, verdict, alone, counterexample=found, tried=tried, steps=spent.used)


def through(problem: Problem, property: Flow, layers: int) -> Obligation:
    """No path of that many layers ends in a forbidden pair.

    >>> from attnproof.symbolic.lengths.properties import causal
    >>> through(Problem.of(k <= q, residual=False), causal, 2).assumptions[-2:]
    (between1 <= q, k <= between1)
    """
    places = [q, *(variable(f"between{i}") for i in range(1, layers)), k]
    executed = problem.executed
    levels = range(layers - 1, -1, -1)
    walked = [
        at_positions(executed[level % len(executed)], a, b)
        for level, (a, b) in zip(levels, pairwise(places), strict=False)
    ]
    if not layers:
        walked = [q.eq(k)]
    return obligation(problem, f"{layers} layers", places, walked, ~property.forbidden)


def _leak(
    problem: Problem, property: Flow, layers: int, budget: Budget, *, large: bool
) -> Counterexample | None:
    """The first instance that leaks through so many layers."""
    for instance in (large_instances if large else small_instances)(problem, budget):
        try:
            forbidden = instance.relation(property.forbidden)
            held = reach(instance.layers, layers)
        except InputError:
            continue
        for reader, (row, bad) in enumerate(zip(held, forbidden, strict=True)):
            if leak := row & bad:
                source = (leak & -leak).bit_length() - 1
                ends = source, reader
                return instance.counterexample(property.name, reader, source, layers, ends)
    budget.note("instances of large lengths" if large else "instances of small lengths")
    return None
