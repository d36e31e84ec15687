"""Learn a relation from samples: the fewest atoms of which the reached pairs are a function, and
that function as a disjunction.

Nothing here is trusted: what is learned is proved afterwards, or given up.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from attnproof.symbolic.formula import Term, constant, joined
from attnproof.symbolic.lengths.samples import Samples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: How many atoms are tried at once, and how many sets of the fewest are turned into relations.
_ATOMS, _SETS = 5, 6
#: Sets of atoms looked at.
_MOST = 30_000

#: Atom to its value; a conjunction of literals.
Cell = dict[int, bool]


def learned(samples: Samples) -> Iterator[Term]:
    """Relations that hold at every reached pair of the samples and at no other, the simplest first.

    >>> import numpy as np
    >>> from attnproof.symbolic.formula import k, q
    >>> cells = np.array([[True, False], [True, True]]), np.array([[False, False]])
    >>> list(learned(Samples((k <= q, k.eq(0)), *cells)))
    [k <= q]
    """
    if not len(samples.inside):
        return
    if not len(samples.outside):
        yield constant(True)
        return
    given: dict[Term, None] = {}
    for chosen in _fewest(samples.inside, samples.outside):
        inside = _distinct(samples.inside, chosen)
        outside = _distinct(samples.outside, chosen)
        for unseen in (True, False):
            term = _disjunction(samples.atoms, chosen, inside, outside, unseen)
            if term not in given:
                given[term] = None
                yield term


def _fewest(inside: "NDArray[np.bool_]", outside: "NDArray[np.bool_]") -> list[tuple[int, ...]]:
    """The first of the smallest sets of atoms that tell all inside from all outside."""
    import numpy as np

    looked = 0
    for count in range(1, _ATOMS + 1):
        found = []
        weights = 1 << np.arange(count)
        for chosen in combinations(range(inside.shape[1]), count):
            looked += 1
            seen = np.zeros(1 << count, dtype=bool)
            seen[inside[:, chosen] @ weights] = True
            if not seen[outside[:, chosen] @ weights].any():
                found.append(chosen)
                if len(found) == _SETS:
                    return found
            if looked > _MOST:
                return found
        if found:
            return found
    return []


def _distinct(rows: "NDArray[np.bool_]", chosen: Sequence[int]) -> list[tuple[bool, ...]]:
    return sorted({tuple(map(bool, row)) for row in rows[:, chosen].tolist()}, reverse=True)


def _disjunction(
    atoms: Sequence[Term],
    chosen: Sequence[int],
    inside: Sequence[tuple[bool, ...]],
    outside: Sequence[tuple[bool, ...]],
    unseen: bool,
) -> Term:
    """A disjunction of few conjunctions that covers the cells inside and none outside; cells that
    no sample has are covered where that is shorter, if ``unseen``, or never."""
    every = 1 << len(chosen)
    if not unseen:
        known = set(inside)
        outside = [cell for x in range(every) if (cell := _bits(x, len(chosen))) not in known]
    left, parts = list(inside), []
    while left:
        best = max((_widened(cell, outside) for cell in left), key=lambda c: _covers(c, left))
        parts.append(best)
        left = [cell for cell in left if not _in(cell, best)]
    terms = [
        joined("and", [atoms[chosen[x]] if value else ~atoms[chosen[x]] for x, value in c.items()])
        for c in parts
    ]
    return joined("or", terms)


def _widened(cell: tuple[bool, ...], outside: Sequence[tuple[bool, ...]]) -> Cell:
    """The cell with literals dropped while it meets nothing outside, the last first."""
    found = dict(enumerate(cell))
    for place in reversed(range(len(cell))):
        wider = {x: value for x, value in found.items() if x != place}
        if not any(_in(other, wider) for other in outside):
            found = wider
    return found


def _in(cell: Sequence[bool], wide: Cell) -> bool:
    return all(cell[place] == value for place, value in wide.items())


def _covers(wide: Cell, cells: Sequence[tuple[bool, ...]]) -> int:
    return sum(_in(cell, wide) for cell in cells)


def _bits(number: int, count: int) -> tuple[bool, ...]:
    return tuple(bool(number >> place & 1) for place in range(count))
