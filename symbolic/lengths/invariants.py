"""Simple invariants: closed relations that contain every layer, found without a fixed-point engine.

First what the property allows and what one layer reads; then the strongest conjunction of short
clauses over the atoms that is inductive, after Flanagan and Leino's Houdini.
"""

from collections.abc import Sequence
from itertools import combinations

from attnproof.symbolic.formula import Term, joined, k, q, simplify
from attnproof.symbolic.lengths.atoms import atoms
from attnproof.symbolic.lengths.budget import Budget
from attnproof.symbolic.lengths.ground import all_proved, opinion
from attnproof.symbolic.lengths.instances import Instance
from attnproof.symbolic.lengths.obligation import (
    Obligation,
    inductive,
    init,
    obligation,
    safe,
    step,
)
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.samples import sampled
from attnproof.symbolic.lengths.solvers import Opinion, Proved, Solvers

#: What one question about a candidate may take.
CANDIDATE = 400
#: Atoms beyond which clauses of two are not formed, and clauses in all.
_PAIRS, _CLAUSES = 16, 40


def plain_invariant(
    problem: Problem, forbidden: Term, solvers: Solvers
) -> tuple[Term, tuple[Proved, ...]] | None:
    """What is allowed, or what one layer reads, with the proof that it is closed and safe.

    >>> from attnproof.symbolic.formula import k, q
    >>> plain_invariant(Problem.of(k < q), k > q, Solvers(Budget()))[0]
    k <= q
    """
    for relation in (simplify(~forbidden), shorter(problem, problem.read, solvers)):
        found = all_proved(solvers, inductive(problem, relation, forbidden), most=CANDIDATE)
        if found is not None:
            return relation, found
    return None


def conjunctive_invariant(
    problem: Problem, forbidden: Term, samples: Sequence[Instance], solvers: Solvers
) -> tuple[Term, tuple[Proved, ...]] | None:
    """The strongest inductive conjunction of clauses, where it is safe, without those that are not
    needed. Where nothing is forbidden, a clause is needed that does not follow from the others.

    >>> from attnproof.symbolic.formula import constant
    >>> from attnproof.symbolic.lengths.samples import sample_instances
    >>> jumps = Problem.of((q - k).eq(6) | (q - k).eq(10))
    >>> samples = sample_instances(jumps, Budget())
    >>> conjunctive_invariant(jumps, constant(False), samples, Solvers(Budget()))[0]
    k <= q and (q - k) % 2 == 0
    """
    clauses = _clauses(problem, forbidden, samples, solvers.budget)
    clauses = [c for c in clauses if _valid(solvers, init(problem, c))]
    while clauses:
        relation = joined("and", clauses)
        if not _valid(solvers, safe(problem, relation, forbidden)):
            return None
        kept = [c for c in clauses if _valid(solvers, step(problem, relation, c))]
        if len(kept) == len(clauses):
            break
        clauses = kept
    if not clauses:
        return None
    relation = joined("and", _needed(problem, forbidden, clauses, solvers))
    found = all_proved(solvers, inductive(problem, relation, forbidden))
    return None if found is None else (relation, found)


def shorter(problem: Problem, relation: Term, solvers: Solvers) -> Term:
    """The relation without alternatives that others of it contain, at positions of the problem.

    >>> from attnproof.symbolic.formula import k, q
    >>> shorter(Problem.of(k <= q), (k <= q) | q.eq(k), Solvers(Budget()))
    k <= q
    """
    if relation.op != "or":
        return relation
    kept = list(relation.children)
    for part in reversed(relation.children):
        others = [each for each in kept if each is not part]
        rest = joined("or", others)
        if others and _valid(solvers, obligation(problem, "shorter", (q, k), (part,), rest)):
            kept = others
    return joined("or", kept)


def _needed(
    problem: Problem, forbidden: Term, clauses: Sequence[Term], solvers: Solvers
) -> list[Term]:
    """Fewer clauses that do as well, tried without each in turn, the last first."""
    kept = list(clauses)
    for clause in reversed(clauses):
        fewer = [each for each in kept if each is not clause]
        if not fewer:
            continue
        relation = joined("and", fewer)
        asked = inductive(problem, relation, forbidden)
        if forbidden.value is False:
            asked = (obligation(problem, "follows", (q, k), (relation,), clause),)
        if all(_valid(solvers, each) for each in asked):
            kept = fewer
    return kept


def _valid(solvers: Solvers, asked: Obligation) -> bool:
    """Whether z3 alone proves it: enough for a candidate."""
    return opinion(solvers, asked, CANDIDATE) is Opinion.CONTRADICTION


def _clauses(
    problem: Problem, forbidden: Term, samples: Sequence[Instance], budget: Budget
) -> list[Term]:
    """The literals and disjunctions of two that hold at every reached pair of the samples, and
    exclude a pair that is not reached; a disjunction only where neither literal does."""
    import numpy as np

    found = sampled(samples, atoms(problem, forbidden), budget)
    if not len(found.inside):
        return []
    inside = np.concatenate([found.inside, ~found.inside], 1)
    outside = np.concatenate([found.outside, ~found.outside], 1)
    literals = [*found.atoms, *(simplify(~atom) for atom in found.atoms)]
    units = [x for x in range(len(literals)) if inside[:, x].all() and not outside[:, x].all()]
    clauses = [literals[x] for x in units]
    if len(found.atoms) > _PAIRS:
        return clauses
    left = ~outside[:, units].all(1) if units else np.zeros(len(outside), dtype=bool)
    pairs = []
    for x, y in combinations([x for x in range(len(literals)) if x not in units], 2):
        if (inside[:, x] | inside[:, y]).all():
            excluded = ~(outside[:, x] | outside[:, y]) & ~left
            if excluded.any():
                pairs.append((-int(excluded.sum()), x, y))
    best = sorted(pairs)[: max(0, _CLAUSES - len(clauses))]
    return [*clauses, *(literals[x] | literals[y] for _, x, y in best)]
