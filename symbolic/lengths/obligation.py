"""Obligations: implications without quantifiers whose validity proves a property for every length.

The variables q, between, k, ... stand for any positions, n and the parameters for any values: each
obligation is read as "for all of them, if every assumption holds then the goal does".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attnproof.symbolic.formula import Like, Term, k, q, simplify, variable
from attnproof.symbolic.lengths.assumptions import instances
from attnproof.symbolic.lengths.problem import Problem, at_positions

#: A position between q and k on a path.
m = variable("between")


@dataclass(frozen=True, slots=True)
class Obligation:
    """``goal`` holds wherever all ``assumptions`` do.

    >>> Obligation("init", (k <= q, q < 3), k < 3)
    init: k <= q and q < 3 => k < 3
    """

    name: str
    assumptions: tuple[Term, ...]
    goal: Term

    def __repr__(self) -> str:
        given = " and ".join(map(repr, self.assumptions))
        return f"{self.name}: {given} => {self.goal!r}"

    @property
    def refutation(self) -> tuple[Term, ...]:
        """The assumptions and the negated goal: it is proved where these contradict each other."""
        return (*self.assumptions, simplify(~self.goal))


def obligation(
    problem: Problem, name: str, positions: Sequence[Like], premises: Iterable[Term], goal: Term
) -> Obligation:
    """The implication over some positions, with the instances of what is assumed of tensors.

    >>> obligation(Problem.of(k <= q), "reflexive", (q,), (), q <= q)
    reflexive: n >= 1 and q >= 0 and q < n => q <= q
    """
    given = [*problem.domain(*positions), *premises]
    laws = instances(problem.assumptions, [*given, goal])
    kept = tuple(dict.fromkeys(simplify(each) for each in (*given, *laws)))
    return Obligation(name, tuple(x for x in kept if x.value is not True), simplify(goal))


def init(problem: Problem, relation: Term) -> Obligation:
    """What is read in one layer, and every position itself, is in the relation.

    >>> init(Problem.of(k < q, residual=False), k <= q).goal
    k <= q
    """
    read = problem.read if problem.residual else problem.read | q.eq(k)
    return obligation(problem, "init", (q, k), (read,), relation)


def step(problem: Problem, relation: Term, goal: Term | None = None) -> Obligation:
    """The relation is closed under one layer more: R(q, m), A(m, k) give R(q, k), or ``goal``.

    >>> step(Problem.of(k < q, residual=False), k <= q)
    step: n >= 1 and q >= 0 and q < n and between >= 0 and between < n and k >= 0 and k < n and \
between <= q and k < between => k <= q
    """
    premises = (at_positions(relation, q, m), at_positions(problem.read, m, k))
    return obligation(problem, "step", (q, m, k), premises, relation if goal is None else goal)


def safe(problem: Problem, relation: Term, forbidden: Term) -> Obligation:
    """The relation meets no forbidden pair.

    >>> safe(Problem.of(k < q), k <= q, k > q).goal
    k <= q
    """
    return obligation(problem, "safe", (q, k), (relation,), ~forbidden)


def inductive(problem: Problem, relation: Term, forbidden: Term) -> tuple[Obligation, ...]:
    """All that shows that no forbidden pair is reached, at any depth.

    >>> [each.name for each in inductive(Problem.of(k < q), k <= q, k > q)]
    ['init', 'step', 'safe']
    """
    return init(problem, relation), step(problem, relation), safe(problem, relation, forbidden)
