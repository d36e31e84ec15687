"""Search for a counterexample: instances of growing length, the flow of each by bit sets.

What is found is the smallest length among the instances tried, and replayed.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import evaluate
from attnproof.symbolic.lengths.budget import Budget
from attnproof.symbolic.lengths.draw import constants, drawn
from attnproof.symbolic.lengths.instances import Counterexample, Instance
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Property
from attnproof.symbolic.lengths.replay import replayed

SMALL = tuple(range(1, 13))
LARGE = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
#: Positions beyond which an instance is not looked at.
MOST = 1600


def small_instances(problem: Problem, budget: Budget, count: int = 10) -> Iterator[Instance]:
    """Instances of every small length, the shortest first.

    >>> from attnproof.symbolic.formula import k, q
    >>> len(list(small_instances(Problem.of(k <= q), Budget())))
    12
    """
    for n in SMALL:
        for instance in drawn(problem, n, count):
            budget.cells(instance.size**2 * len(problem.layers))
            yield instance


def large_instances(problem: Problem, budget: Budget, count: int = 2) -> Iterator[Instance]:
    """A few instances of larger lengths, among them beyond every constant of the formulas.

    >>> from attnproof.symbolic.formula import k, q
    >>> beyond = large_instances(Problem.of((q // 300).eq(k // 300)), Budget())
    >>> 601 in [each.size for each in beyond]
    True
    """
    zeros = dict.fromkeys(problem.parameters, 0)
    wanted = {*LARGE, *(2 * value + 1 for value in constants(problem))}
    for n in sorted(wanted):
        if n <= SMALL[-1] or problem.positions({"n": n, **zeros}) > MOST:
            continue
        for instance in drawn(problem, n, count):
            if instance.size <= MOST and budget.left:
                budget.cells(4 * instance.size**2 * len(problem.layers))
                yield instance


def first_failure(
    problem: Problem, property: Property, instances: Iterable[Instance]
) -> Counterexample | None:
    """The first counterexample that the replay confirms, shortened where it can be.

    >>> from attnproof.symbolic.formula import k, q
    >>> from attnproof.symbolic.lengths.properties import causal
    >>> problem = Problem.of(k <= q + 1)
    >>> first_failure(problem, causal, small_instances(problem, Budget()))
    causal fails at n=2: (1, 0)
    """
    for instance in instances:
        found = _failure(instance, property)
        if found is not None and replayed(problem, property, found):
            return _shortened(problem, property, instance, found)
    return None


def _failure(instance: Instance, property: Property) -> Counterexample | None:
    try:
        return instance.failure(property)
    except InputError:
        return None


def _shortened(
    problem: Problem, property: Property, instance: Instance, found: Counterexample
) -> Counterexample:
    """The same parameters and the beginnings of the tensors at the least length that fails,
    by bisection."""
    low, high = 0, found.n
    while high - low > 1:
        middle = (low + high) // 2
        shorter = _truncated(problem, instance, middle)
        again = None if shorter is None else _failure(shorter, property)
        if again is not None and replayed(problem, property, again):
            high, found = middle, again
        else:
            low = middle
    return found


def _truncated(problem: Problem, instance: Instance, n: int) -> Instance | None:
    values = {**instance.values, "n": n}
    try:
        for tensor in problem.tensors:
            shape = [int(evaluate(size, values)) for size in tensor.shape]
            values[tensor.name] = values[tensor.name][tuple(slice(size) for size in shape)]
        shorter = Instance(problem, values)
        return shorter if problem.admits(values) and shorter.given else None
    except InputError:
        return None


def example(problem: Problem, budget: Budget) -> Instance | None:
    """An instance of three positions or more: what is assumed can be satisfied.

    >>> from attnproof.symbolic.formula import k, n, q
    >>> example(Problem.of(k <= q, requires=[n >= 5]), Budget()).values
    {'n': 5}
    """
    for n in SMALL[2:]:
        for instance in islice(drawn(problem, n, 1, valued=False), 1):
            budget.cells(instance.size**2)
            if instance.size >= 3:
                return instance
    return None
