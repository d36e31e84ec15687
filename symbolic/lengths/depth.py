"""The flow settles within c layers: whatever is reached is reached through c - 1 known positions.

It is enough that a closed relation R that contains the mask has, for each pair, positions between
with A(q, w1), A(w1, w2), ..., A(w, k). They are guessed on samples; the implication is proved.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import Term, dense, evaluate, joined, k, q, variable
from attnproof.symbolic.lengths.closure import closed
from attnproof.symbolic.lengths.ground import proved
from attnproof.symbolic.lengths.instances import Instance
from attnproof.symbolic.lengths.obligation import Obligation, obligation
from attnproof.symbolic.lengths.problem import Problem, at_positions
from attnproof.symbolic.lengths.samples import sample_instances
from attnproof.symbolic.lengths.solvers import Proved, Solvers
from attnproof.symbolic.lengths.witness import candidates, covered

#: Positions beyond which an instance is no sample, and chains of positions that are tried.
_LARGEST, _CHAINS = 40, 1200


def settles(
    problem: Problem, layers: int, solvers: Solvers
) -> tuple[Term | None, tuple[Proved, ...]] | None:
    """The proofs that the flow settles within so many layers, and the relation it settles to.

    >>> from attnproof.symbolic.lengths.budget import Budget
    >>> causal_or_first = Problem.of((q.eq(k)) | (k.eq(0)) | (q.eq(0)))
    >>> settles(causal_or_first, 2, Solvers(Budget())) is not None
    True
    """
    found = closed(problem, solvers)
    found = found.alone or found
    if found.relation is not None:
        samples = sample_instances(problem, solvers.budget)
        for chains in _guesses(problem, found.relation, samples, layers, solvers):
            shown = proved(solvers, shortened(problem, found.relation, chains))
            if shown is not None:
                return found.relation, (*found.sound, shown)
        solvers.budget.note(f"{layers - 1} positions between, for the closure that was proved")
    for more in ((), candidates(problem)) if layers <= 2 else ():
        shown = proved(solvers, one_less(problem, layers, more))
        if shown is not None:
            return None, (shown,)
        solvers.budget.note("shortening a path by its own positions")
    return None


def shortened(problem: Problem, relation: Term, chains: Sequence[Sequence[Term]]) -> Obligation:
    """Every pair of the relation is read, or read through one of the chains of positions.

    >>> shortened(Problem.of(k <= q), k <= q, [[q]]).name
    'settles'
    """
    goal = problem.read | q.eq(k)
    for chain in chains:
        goal = goal | _reads_through(problem, chain)
    return obligation(problem, "settles", (q, k), (relation,), goal)


def one_less(problem: Problem, layers: int, more: Sequence[Term] = ()) -> Obligation:
    """A path through ``layers + 1`` layers, one or two and one more, has one through ``layers``,
    with a position of its own or one of ``more``.

    >>> one_less(Problem.of(k <= q), 1).goal
    k <= q or q == k
    """
    places = [q, *(variable(f"between{i}") for i in range(1, layers + 1)), k]
    step = problem.read | q.eq(k)
    walked = [at_positions(step, a, b) for a, b in pairwise(places)]
    between = [*places[1:-1], *more] if layers > 1 else []
    goal = step
    for w in between:
        goal = goal | _reads_through(problem, [w])
    return obligation(problem, "settles", places, walked, goal)


def _reads_through(problem: Problem, chain: Sequence[Term]) -> Term:
    step = problem.read | q.eq(k)
    places = [q, *chain, k]
    walked = (at_positions(step, a, b) for a, b in pairwise(places))
    return joined("and", [*problem.inside(*chain), *walked])


def _guesses(
    problem: Problem,
    relation: Term,
    samples: Sequence[Instance],
    layers: int,
    solvers: Solvers,
) -> Iterator[list[tuple[Term, ...]]]:
    """Chains that serve every pair of the samples."""
    if layers == 1:
        yield []
        return
    import numpy as np

    between = sorted(candidates(problem), key=lambda w: "%" not in repr(w) and "//" not in repr(w))
    while len(between) ** (layers - 1) > _CHAINS:
        between.pop()
    chains = list(product(between, repeat=layers - 1))
    tables = []
    for instance in samples:
        if instance.size > _LARGEST:
            continue
        size, values = instance.size, instance.values
        try:
            held = dense(relation, size, size, values)
            read = dense(problem.read, size, size, values) | np.eye(size, dtype=bool)
        except InputError:
            continue
        rows, columns = np.nonzero(held & ~read)
        solvers.budget.cells(len(rows) * len(chains) + size**2)
        places = {}
        for w in between:
            try:
                places[w] = evaluate(w, {**values, "q": rows, "k": columns})
            except InputError:
                places[w] = np.full(len(rows), -1)
        served = np.zeros((len(chains), len(rows)), dtype=bool)
        for number, chain in enumerate(chains):
            stops = [rows, *(places[w] for w in chain), columns]
            good = np.ones(len(rows), dtype=bool)
            for a, b in pairwise(stops):
                inside = (a >= 0) & (a < size) & (b >= 0) & (b < size)
                good &= inside & read[np.where(inside, a, 0), np.where(inside, b, 0)]
            served[number] = good
        tables.append(served)
    chosen = covered(tables)
    if chosen is not None:
        yield [chains[x] for x in chosen]
