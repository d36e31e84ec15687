"""Exactness: a relation is reached, shown by a position between and a rank that decreases.

R is within the closure of A if for every pair of R that A does not read there is a position w with
A(q, w), R(w, k) and rank(w, k) < rank(q, k), or with R(q, w), A(w, k) and the same for (q, w). The
positions and the rank are guessed on samples, which prove nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import (
    Term,
    constant,
    dense,
    evaluate,
    fold,
    ite,
    joined,
    k,
    n,
    q,
    simplify,
    variable,
    variables,
)
from attnproof.symbolic.lengths.bits import bitwise
from attnproof.symbolic.lengths.budget import Budget
from attnproof.symbolic.lengths.draw import constants
from attnproof.symbolic.lengths.instances import Instance
from attnproof.symbolic.lengths.obligation import Obligation, obligation
from attnproof.symbolic.lengths.problem import Problem, at_positions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Positions between that one proof may name.
_MOST = 6
#: Positions beyond which an instance is no sample of witnesses.
_LARGEST = 60


@dataclass(frozen=True, slots=True)
class Witness:
    """``between`` are the positions of which one serves; ``reader`` says that the reader reads it,
    else it reads the source. ``rank`` is over q and k."""

    between: tuple[Term, ...]
    rank: Term
    reader: bool


def exact(problem: Problem, relation: Term, witness: Witness) -> Obligation:
    """That every pair of the relation is reached.

    >>> problem = Problem.of((k <= q) & (q - k < 2))
    >>> exact(problem, k <= q, Witness((q - 1,), q - k, True)).name
    'exact'
    """
    goal = problem.read | q.eq(k)
    for w in witness.between:
        here = (w, k) if witness.reader else (q, w)
        read = at_positions(problem.read, *((q, w) if witness.reader else (w, k)))
        rank = at_positions(witness.rank, *here)
        less = (rank < witness.rank) & (rank >= 0)
        inside = joined("and", problem.inside(w))
        goal = goal | (inside & read & at_positions(relation, *here) & less)
    return obligation(problem, "exact", (q, k), (relation,), goal)


def witnesses(
    problem: Problem, relation: Term, samples: Sequence[Instance], budget: Budget
) -> Iterator[Witness]:
    """Guesses that serve every sampled pair, the fewest positions that were found for each rank.

    >>> problem = Problem.of((k <= q) & (q - k < 2))
    >>> next(witnesses(problem, k <= q, [Instance(problem, {"n": 5})], Budget()))
    Witness(between=(q - 1,), rank=q - k, reader=True)
    """
    between = candidates(problem)
    tables = []
    for instance in samples:
        if instance.size <= _LARGEST:
            table = _table(problem, relation, instance, between)
            budget.cells(instance.size**2 * len(between))
            if table is not None:
                tables.append((instance, table))
    for rank in ranks(problem):
        for reader in (True, False):
            chosen = covered([_served(x, table, rank, reader) for x, table in tables])
            if chosen is not None:
                yield Witness(tuple(between[x] for x in chosen) or between[:1], rank, reader)


def ranks(problem: Problem) -> tuple[Term, ...]:
    """What may decrease: the distance, one way or the other, or the layers while they are two.

    >>> ranks(Problem.of(k <= q))[:2]
    (q - k, abs(q - k))
    """
    hops = ite(q.eq(k), 0, ite(problem.read, 1, 2))
    return q - k, abs(q - k), hops, k - q


def candidates(problem: Problem) -> tuple[Term, ...]:
    """Positions that may lie between q and k.

    >>> candidates(Problem.of((k <= q) & (q - k < 2)))[:4]
    (q - 1, q + 1, k + 1, k - 1)
    """
    last = simplify(problem.size - 1)
    found = [q - 1, q + 1, k + 1, k - 1, constant(0), last]
    parameters = [variable(name) for name in problem.parameters]
    steps = [constant(value) for value in constants(problem) if value <= 4096]
    steps += [*parameters, *([n] if problem.size != n else [])]
    for step in steps:
        found += [q - step, q + step, k + step, k - step]
        found += [q - step + 1, k + step - 1, q + step - 1, k - step + 1]
    for by in _divisors(problem):
        found += [k + (q - k) % by, q - (q - k) % by]
        for x in (k, q):
            start = x // by * by
            found += [start + by - 1, start, start - 1, start + by]
    if bitwise(problem.read):
        lowest = (q ^ k) & -(q ^ k)
        found += [k + lowest, q - lowest, q - (q & -q), k + (k & -k)]
    found += [*_elements(problem), *(x for p in parameters for x in (p, p - 1))]
    return tuple(dict.fromkeys(map(simplify, found)))


def _divisors(problem: Problem) -> list[Term]:
    found: dict[Term, None] = {}

    def combine(node: Term, _: list[None]) -> None:
        if node.op in ("//", "%") and not variables(node.children[1]) & {"q", "k"}:
            found[node.children[1]] = None

    fold(problem.read, combine)
    return list(found)


def _elements(problem: Problem) -> list[Term]:
    """Elements of integer tensors at one position, taken as positions."""
    found: dict[Term, None] = {}

    def combine(node: Term, _: list[None]) -> None:
        if node.op == "at" and len(variables(node) & {"q", "k"}) == 1:
            for x in (q, k):
                found[at_positions(node, x, x)] = None

    fold(problem.read, combine)
    return [x for each in found for x in (each, each - 1)]


@dataclass(frozen=True)
class _Table:
    """At an instance: what is related and read, the pairs in question, and for each candidate its
    position between, where that is one."""

    held: "NDArray[np.bool_]"
    read: "NDArray[np.bool_]"
    pairs: tuple["NDArray[np.int64]", "NDArray[np.int64]"]
    middle: "NDArray[np.int64]"
    inside: "NDArray[np.bool_]"


def _table(
    problem: Problem, relation: Term, instance: Instance, between: Sequence[Term]
) -> _Table | None:
    import numpy as np

    size, values = instance.size, instance.values
    try:
        held = dense(relation, size, size, values)
        read = dense(problem.read, size, size, values)
    except InputError:
        return None
    rows, columns = np.nonzero(held & ~read & ~np.eye(size, dtype=bool))
    middle = np.full((len(between), len(rows)), -1)
    for place, w in enumerate(between):
        try:
            middle[place] = evaluate(w, {**values, "q": rows, "k": columns})
        except InputError:
            continue
    inside = (middle >= 0) & (middle < size)
    return _Table(held, read, (rows, columns), np.where(inside, middle, 0), inside)


def _served(instance: Instance, table: _Table, rank: Term, reader: bool) -> "NDArray[np.bool_]":
    """For each candidate, which pairs it serves."""
    import numpy as np

    size = instance.size
    grid = {"q": np.arange(size)[:, None], "k": np.arange(size)[None, :]}
    ranked = np.broadcast_to(evaluate(rank, {**instance.values, **grid}), (size, size))
    rows, columns = table.pairs
    to_middle, from_middle = (rows, table.middle), (table.middle, columns)
    one, other = (to_middle, from_middle) if reader else (from_middle, to_middle)
    less = (ranked[other] < ranked[rows, columns]) & (ranked[other] >= 0)
    found: NDArray[np.bool_] = table.inside & table.read[one] & table.held[other] & less
    return found


def covered(tables: Sequence["NDArray[np.bool_]"]) -> list[int] | None:
    """Candidates that serve all pairs of all tables, chosen greedily; None where that takes many or
    cannot be.

    >>> import numpy as np
    >>> covered([np.array([[1, 0], [1, 1]], dtype=bool)])
    [1]
    """
    import numpy as np

    if not tables:
        return []
    served = np.concatenate(tables, 1)
    left = np.ones(served.shape[1], dtype=bool)
    chosen: list[int] = []
    while left.any():
        gains = (served & left).sum(1)
        best = int(gains.argmax())
        if not gains[best] or len(chosen) == _MOST:
            return None
        chosen.append(best)
        left &= ~served[best]
    return chosen
