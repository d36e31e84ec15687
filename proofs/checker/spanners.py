"""The formula of a sparse mask: few edges, and after K layers everything that a relation holds.

Theorem: let R be reflexive and transitive. If one mask used K times, or a schedule of K masks, is
within R, has the product R and at most ``most`` edges off the diagonal, the formula has a model:
let an edge variable say that the edge is there, ``reached`` after t layers that the product of the
first t holds the pair, and ``through`` that the last of these layers reads m, to which the ones
before bring k. In a product of masks within R each m lies between k and q. So if the formula has no
model, more edges are needed.

On a path of n positions, where each reads those before it, the edges within an interval are a
sparse mask of that interval. So they are at least ``fewest[length]``; and since intervals that
share an end share no edge, at most ``most`` less what the positions up to the interval and those
from it on need.

Machine-checked: ``Spanner.reached_by_ways``, ``Spanner.interval_spans_by`` and
``Spanner.interval_needs``.
"""

from collections.abc import Iterator, Sequence

from .counting import NOTHING, Count, Formula, added, bound, one

Pair = tuple[int, int]
#: Edge to its variable, layer by layer; one entry where one mask is used K times.
Edges = list[dict[Pair, int]]


def spanner(rows: Sequence[int], layers: int, schedule: bool, most: int) -> tuple[Formula, Edges]:
    """The formula of at most ``most`` edges for a closed relation, given as sets of bits."""
    formula = Formula()
    edges = _flow(formula, rows, layers, schedule)
    count = NOTHING
    for layer in edges:
        for variable in layer.values():
            count = added(formula, count, one(variable), 0, most)
    return formula, edges


def path(
    size: int, layers: int, schedule: bool, most: int, fewest: Sequence[int]
) -> tuple[Formula, Edges]:
    """The formula of at most ``most`` edges for a path; ``fewest[n]`` edges are needed for each
    ``n`` below ``size``."""
    formula = Formula()
    edges = _flow(formula, [(2 << q) - 1 for q in range(size)], layers, schedule)
    into, out_of = [[NOTHING] * size for _ in range(size)], [[NOTHING] * size for _ in range(size)]
    within = [[NOTHING] * size for _ in range(size)]
    for length in range(1, size):
        for first in range(size - length):
            last = first + length
            least = fewest[length + 1] if length + 1 < size else 0
            outside = fewest[first + 1] + fewest[size - last] if length + 1 < size else 0
            spare = most - outside - fewest[length]
            here = [layer[last, first] for layer in edges]
            into[first][last] = _with(formula, into[first + 1][last], here, spare)
            out_of[first][last] = _with(formula, out_of[first][last - 1], here, spare)
            within[first][last] = added(
                formula, within[first][last - 1], into[first][last], least, most - outside
            )
            bound(formula, within[first + 1][last], out_of[first][last], within[first][last])
    return formula, edges


def _with(formula: Formula, count: Count, literals: Sequence[int], most: int) -> Count:
    """The count and some literals more; the last position of an interval reads another one of it,
    and the first is read, so that it is at least 1."""
    for literal in literals:
        count = added(formula, count, one(literal), 0, most)
    return added(formula, count, NOTHING, 1, most)


def _flow(formula: Formula, rows: Sequence[int], layers: int, schedule: bool) -> Edges:
    """The clauses that every pair of the relation is reached after all layers; one mask reaches
    what it ever does in one layer less than there are positions."""
    if not schedule:
        layers = min(layers, max(len(rows) - 1, 1))
    pairs = [(q, k) for q, row in enumerate(rows) for k in _members(row) if q != k]
    edges = [{pair: formula.variable() for pair in pairs} for _ in range(layers if schedule else 1)]
    reached = edges[0]
    for level in range(1, layers):
        read = edges[level] if schedule else edges[0]
        after = {pair: formula.variable() for pair in pairs}
        for q, k in pairs:
            ways = [reached[q, k], read[q, k]] if schedule else [reached[q, k]]
            for m in _between(rows, q, k):
                through = formula.variable()
                formula.add(-through, read[q, m])
                formula.add(-through, reached[m, k])
                ways.append(through)
            formula.add(-after[q, k], *ways)
        reached = after
    for variable in reached.values():
        formula.add(variable)
    return edges


def _between(rows: Sequence[int], q: int, k: int) -> Iterator[int]:
    """The positions that q is reached from and that k reaches, other than the two."""
    return (m for m in _members(rows[q]) if m not in (q, k) and rows[m] >> k & 1)


def _members(row: int) -> Iterator[int]:
    while row:
        low = row & -row
        yield low.bit_length() - 1
        row ^= low
