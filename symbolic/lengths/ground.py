"""Structural properties as implications without quantifiers, and proofs of such implications.

Division by parameters is proved by linear facts about it, or as it stands; bit operations over bit
vectors.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from attnproof.symbolic.formula import Term, constant, joined, k, n, q, simplify, variables
from attnproof.symbolic.lengths.bits import bitwise, bounded, width_of
from attnproof.symbolic.lengths.division import with_constants_defined, without_division
from attnproof.symbolic.lengths.obligation import Obligation, m, obligation
from attnproof.symbolic.lengths.problem import Problem, at_positions
from attnproof.symbolic.lengths.properties import Equals, Structural
from attnproof.symbolic.lengths.solvers import QUESTION, Opinion, Proved, Solvers

#: What an implication may take as it stands, where it divides by parameters or by constants.
NONLINEAR, PERIODIC = 600, 300


@dataclass(frozen=True, slots=True)
class Form:
    """What may be proved in place of an obligation: over bit vectors of ``width`` bits, if any.

    ``same`` says that the obligation is valid only if the form is. ``most`` is what it may take.
    """

    obligation: Obligation
    same: bool = True
    width: int | None = None
    most: int = QUESTION


def forms(obligation: Obligation) -> list[Form]:
    """The forms of an obligation, in the order in which they are tried: linear facts for division
    by parameters, or the definition of division by constants, before the division itself; and
    bounded positions where there are bit operations.

    >>> [form.width for form in forms(Obligation("bits", (), (q & k) <= q))]
    [33]
    """
    if any(map(bitwise, (*obligation.assumptions, obligation.goal))):
        narrow = bounded(obligation)
        width = width_of(narrow)
        return [] if width is None else [Form(narrow, width=width)]
    linear = without_division(obligation)
    if linear is not None:
        return [Form(linear, same=False), Form(obligation, most=NONLINEAR)]
    defined = with_constants_defined(obligation)
    if defined is not None:
        return [Form(defined), Form(obligation, most=PERIODIC)]
    return [Form(obligation)]


def proved(solvers: Solvers, obligation: Obligation, *, most: int = QUESTION) -> Proved | None:
    """The obligation, or what it follows from, proved by both solvers; else None.

    >>> from attnproof.symbolic.formula import variable
    >>> from attnproof.symbolic.lengths.budget import Budget
    >>> block = variable("block")
    >>> same = Obligation("same", (block >= 1, (q // block).eq(k // block)), q - k < block)
    >>> proved(Solvers(Budget()), same).agreed
    True
    """
    for form in forms(obligation):
        limit = min(most, form.most)
        said, found = solvers.prove(form.obligation, most=limit, width=form.width)
        if found is not None:
            return replace(found, claim=obligation)
        if said is Opinion.SATISFIABLE and form.same:
            return None
    return None


def opinion(solvers: Solvers, obligation: Obligation, most: int) -> Opinion:
    """What z3 alone says of the refutation: enough to choose candidates.

    >>> from attnproof.symbolic.lengths.budget import Budget
    >>> opinion(Solvers(Budget()), Obligation("order", (k < q,), q < k), 100)
    <Opinion.SATISFIABLE: 'sat'>
    """
    for form in forms(obligation)[:1]:
        limit = min(most, form.most)
        said = solvers.z3(form.obligation.refutation, most=limit, width=form.width)
        return Opinion.UNKNOWN if said is Opinion.SATISFIABLE and not form.same else said
    return Opinion.UNKNOWN


def all_proved(
    solvers: Solvers, obligations: Iterable[Obligation], *, most: int = QUESTION
) -> tuple[Proved, ...] | None:
    """All of them proved; None from the first that is not.

    >>> from attnproof.symbolic.lengths.budget import Budget
    >>> order = Obligation("order", (k < q,), k <= q)
    >>> all_proved(Solvers(Budget()), [order, Obligation("turned", (k < q,), q < k)]) is None
    True
    """
    found: list[Proved] = []
    for each in obligations:
        one = proved(solvers, each, most=most)
        if one is None:
            return None
        found.append(one)
    return tuple(found)


def well_defined(problem: Problem) -> Iterator[Obligation]:
    """That divisors are positive, indices in range and shifts small, at all positions.

    >>> from attnproof.symbolic.formula import variable
    >>> [x.goal for x in well_defined(Problem.of((q // variable("block")).eq(0)))]
    [block > 0]
    """
    for formula, because in problem.meaning:
        positions = [x for x in (q, k) if x.name in variables(formula)]
        yield obligation(problem, f"`{because!r}` has a value", positions, (), formula)


def structural(problem: Problem, property: Structural | Equals) -> Iterator[Obligation]:
    """The implications that say that every layer has the property.

    >>> next(structural(Problem.of(k <= q), Structural("antisymmetric"))).goal
    q == k
    """
    if isinstance(property, Equals):
        goal = problem.layers[0].eq(property.other)
        yield obligation(problem, "equals", (q, k), (), goal)
        return
    name = property.name
    for layer, executed in zip(problem.layers, problem.executed, strict=True):
        if name == "reflexive":
            yield obligation(problem, name, (q,), (), at_positions(layer, q, q))
        elif name == "no-empty-rows":
            reads = [
                joined("and", problem.inside(w)) & at_positions(layer, q, w) for w in keys(problem)
            ]
            yield obligation(problem, name, (q,), (), joined("or", reads))
        elif name == "antisymmetric":
            premises = executed, at_positions(executed, k, q)
            yield obligation(problem, name, (q, k), premises, q.eq(k))
        else:
            whole = simplify(executed | q.eq(k))
            premises = at_positions(whole, q, m), at_positions(whole, m, k)
            yield obligation(problem, name, (q, m, k), premises, whole)


def keys(problem: Problem) -> tuple[Term, ...]:
    """Keys that a query may be expected to read.

    >>> keys(Problem.of(k <= q))
    (q, q - 1, q + 1, 0, n - 1)
    """
    last = simplify(problem.size - 1)
    found = [q, q - 1, q + 1, constant(0), last]
    if problem.size != n:
        found += [q - n, q + n, n]
    return tuple(dict.fromkeys(map(simplify, found)))
