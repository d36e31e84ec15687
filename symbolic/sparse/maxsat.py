"""The sparsest mask, or schedule of masks, of any relation, by MaxSAT.

Hard clauses say that K layers reach every pair of the relation; each edge is a soft clause against
itself. RC2 raises a lower bound, one core of edges after the other, until it meets a model. Effort
is counted in conflicts, so that an answer repeats on any machine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from typing import Any

from attnproof.symbolic.errors import MissingExtra
from attnproof.symbolic.masks.rows import members

#: Clauses beyond which a formula is not built.
MOST_CLAUSES = 1 << 20

Clauses = list[list[int]]


@dataclass(frozen=True, slots=True)
class Sparsest:
    """At least ``fewest`` edges are needed; ``layers`` has so many, None when that was not found.

    Layers are bit sets a position, the diagonal included; one where a mask is used K times.
    """

    fewest: int
    layers: tuple[tuple[int, ...], ...] | None


class _Exhausted(Exception):
    """The conflicts are spent."""


class _Limited:
    """A solver that spends from one budget of conflicts; RC2 sets smaller ones for single calls."""

    def __init__(self, solver: Any, conflicts: int) -> None:
        self._solver = solver
        self._left = conflicts
        self._once = -1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._solver, name)

    def conf_budget(self, budget: int = -1) -> None:
        """What a single call may spend; -1 is what is left."""
        self._once = budget

    def solve(self, **given: Any) -> Any:
        """As the solver does it, while conflicts are left."""
        return self.solve_limited(**given)

    def solve_limited(self, **given: Any) -> Any:
        """The same; None when a single call has spent what it may."""
        if self._left <= 0:
            raise _Exhausted
        before = self._solver.accum_stats()["conflicts"]
        self._solver.conf_budget(self._left if self._once < 0 else min(self._left, self._once))
        satisfied = self._solver.solve_limited(**given)
        self._left -= self._solver.accum_stats()["conflicts"] - before
        if satisfied is None and (self._once < 0 or self._left <= 0):
            raise _Exhausted
        return satisfied


def is_small(rows: Sequence[int], layers: int) -> bool:
    """Is the formula small enough to be built?"""
    between = 0
    for q, row in enumerate(rows):
        for m in members(row):
            between += (rows[m] & ~(1 << q)).bit_count()
            if 2 * between * layers > MOST_CLAUSES:
                return False
    return True


def sparsest(rows: Sequence[int], layers: int, schedule: bool, conflicts: int) -> Sparsest:
    """The fewest edges off the diagonal whose product of ``layers`` layers is a closed relation.

    ``rows`` are bit sets, reflexive and transitive. With ``schedule`` every layer has a mask of its
    own, and their edges are added.

    >>> sparsest((0b0001, 0b0011, 0b0111, 0b1111), 2, False, 1000).fewest
    4

    Raises :class:`MissingExtra` without python-sat. Law: ``layers`` of the result, multiplied, are
    the relation; brute force finds nothing smaller. Source: RC2, Ignatiev, Morgado and
    Marques-Silva, JSAT 11 (2019); the sparsest masks as transitive-closure spanners, ours.
    """
    if find_spec("pysat") is None:
        raise MissingExtra("the fewest edges", "optimal")
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    hard, edges = clauses(rows, layers, schedule)
    formula = WCNF()
    formula.extend(hard)
    for layer in edges:
        for variable in layer.values():
            formula.append([-variable], weight=1)
    with RC2(formula, solver="g4", adapt=True, exhaust=True, minz=True) as search:
        search.oracle = _Limited(search.oracle, conflicts)
        try:
            model = search.compute()
        except _Exhausted:
            return Sparsest(search.cost, None)
        chosen = {literal for literal in model if literal > 0}
    held = [[1 << q for q in range(len(rows))] for _ in edges]
    for level, variables in enumerate(edges):
        for (q, k), variable in variables.items():
            if variable in chosen:
                held[level][q] |= 1 << k
    return Sparsest(search.cost, tuple(map(tuple, held)))


def clauses(
    rows: Sequence[int], layers: int, schedule: bool
) -> tuple[Clauses, list[dict[tuple[int, int], int]]]:
    """The hard clauses, and the variable of each edge (reader, source), layer by layer.

    What is reached after some layers is reached after one less, or through one edge of the last.
    """
    fresh = count(1)
    pairs = [(q, k) for q, row in enumerate(rows) for k in members(row) if k != q]
    edges = [
        {pair: next(fresh) for pair in pairs} for _ in range(layers if schedule else min(layers, 1))
    ]
    hard: Clauses = []
    held = edges[0]
    for level in range(1, layers):
        last = edges[level if schedule else 0]
        reached = {pair: next(fresh) for pair in pairs}
        for (q, k), known in reached.items():
            ways = [-known, held[q, k], *([last[q, k]] if schedule else [])]
            for m in _between(rows, q, k):
                way = next(fresh)
                hard += [[-way, last[q, m]], [-way, held[m, k]]]
                ways.append(way)
            hard.append(ways)
        held = reached
    return hard + [[known] for known in held.values()], edges


def _between(rows: Sequence[int], q: int, k: int) -> Iterator[int]:
    for m in members(rows[q] & ~(1 << q | 1 << k)):
        if rows[m] >> k & 1:
            yield m
