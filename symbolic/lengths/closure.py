"""The reach relation of a mask for every length, as a formula: learned from samples, then proved.

R is *sound* when it contains every layer and is closed under one more, so that whatever is reached
at any depth is in R. It is *exact* when every pair of R is reached.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from attnproof.symbolic.formula import Term, constant
from attnproof.symbolic.lengths.answer import ALONE
from attnproof.symbolic.lengths.atoms import atoms
from attnproof.symbolic.lengths.budget import STEPS, Budget
from attnproof.symbolic.lengths.ground import all_proved, opinion, proved, well_defined
from attnproof.symbolic.lengths.instances import Instance
from attnproof.symbolic.lengths.invariants import conjunctive_invariant, shorter
from attnproof.symbolic.lengths.learn import learned
from attnproof.symbolic.lengths.obligation import init, step
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.samples import sample_instances, sampled
from attnproof.symbolic.lengths.solvers import Opinion, Proved, Solvers
from attnproof.symbolic.lengths.witness import Witness, exact, witnesses

#: What one guess may take.
GUESS = 1500
#: Guesses of a relation, and of a witness for one.
RELATIONS, _WITNESSES = 12, 4
#: Sound relations of which it is tried whether they are exact.
_EXACT = 3


@dataclass(frozen=True)
class Closure:
    """``relation`` contains what is reached at any depth; None where nothing was proved.

    ``sound`` are the proofs that it does, ``exact`` the proof that it is all reached, if there is
    one, with the ``witness`` it speaks of. ``alone`` is what one solver by itself proves, which
    counts once the checker accepts a proof.
    """

    problem: Problem
    relation: Term | None
    sound: tuple[Proved, ...] = ()
    exact: Proved | None = None
    witness: Witness | None = None
    tried: tuple[str, ...] = ()
    steps: int = 0
    alone: "Closure | None" = None

    @property
    def is_exact(self) -> bool:
        """Whether the relation is proved to be what is reached, no more."""
        return self.exact is not None

    def __repr__(self) -> str:
        if self.relation is None:
            return f"no relation was proved; tried: {'; '.join(self.tried) or 'nothing'}"
        kind = "exactly" if self.is_exact else "at most"
        return f"key k reaches query q {kind} where {self.relation!r}"


def closure(problem: Problem, *, budget: int = STEPS) -> Closure:
    """What reaches what at any depth, for every length, with proofs.

    >>> from attnproof.symbolic.formula import k, q, variable
    >>> window = (k <= q) & (q - k < variable("keys"))
    >>> closure(Problem.of(window, least={"keys": 2}))
    key k reaches query q exactly where k <= q

    Law: at every length the relation contains the closure of the layers; where it is exact it is
    the closure.
    """
    return closed(problem, Solvers(Budget(budget)))


def closed(problem: Problem, solvers: Solvers) -> Closure:
    """The closure within a budget that others share."""
    found = _closed(problem, solvers)
    if found.relation is None or len(solvers.names) > 1:
        return found
    return Closure(problem, None, tried=(*found.tried, ALONE), steps=found.steps, alone=found)


def _closed(problem: Problem, solvers: Solvers) -> Closure:
    """The closure as far as the solvers at hand prove it."""
    budget = solvers.budget
    best: Closure | None = None
    attempts = 0
    meant = all_proved(solvers, well_defined(problem))
    if meant is None:
        budget.note("not shown: divisors are positive and indices in range")
    samples = sample_instances(problem, budget)
    for relation in _candidates(problem, samples, solvers):
        if meant is None or not budget.left:
            break
        sound = _sound(problem, relation, solvers)
        if sound is None:
            continue
        attempts += 1
        for witness in _witnesses(problem, relation, samples, solvers):
            shown = proved(solvers, exact(problem, relation, witness), most=GUESS)
            if shown is not None:
                return _closure(problem, budget, relation, (*meant, *sound), shown, witness)
        if best is None and relation.value is not True:
            best = _closure(problem, budget, relation, (*meant, *sound))
        if attempts == _EXACT:
            break
    if best is None and meant is not None:
        found = conjunctive_invariant(problem, constant(False), samples, solvers)
        if found is not None:
            best = _closure(problem, budget, found[0], (*meant, *found[1][:2]))
    if best is None:
        budget.note("relations learned from samples, conjunctions of short clauses")
    return best or _closure(problem, budget, None)


def _closure(
    problem: Problem,
    budget: Budget,
    relation: Term | None,
    sound: tuple[Proved, ...] = (),
    exact: Proved | None = None,
    witness: Witness | None = None,
) -> Closure:
    tried = tuple(budget.tried)
    return Closure(problem, relation, sound, exact, witness, tried, budget.used)


def _candidates(problem: Problem, samples: list[Instance], solvers: Solvers) -> Iterator[Term]:
    yield shorter(problem, problem.read, solvers)
    cells = sampled(samples, atoms(problem), solvers.budget)
    for relation in islice(learned(cells), RELATIONS):
        yield shorter(problem, relation, solvers)


def _sound(problem: Problem, relation: Term, solvers: Solvers) -> tuple[Proved, ...] | None:
    """The proofs that the relation contains every layer and is closed."""
    obligations = init(problem, relation), step(problem, relation)
    for each in obligations:
        if opinion(solvers, each, GUESS) is Opinion.SATISFIABLE:
            return None
    return all_proved(solvers, obligations, most=GUESS)


def _witnesses(
    problem: Problem, relation: Term, samples: list[Instance], solvers: Solvers
) -> Iterator[Witness]:
    """Guesses; none for layers in turn without a residual, where a path may not wait."""
    if problem.residual or len(problem.layers) == 1:
        yield from islice(witnesses(problem, relation, samples, solvers.budget), _WITNESSES)
