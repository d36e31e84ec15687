"""Data that is hard to interpolate: equal means and power sums, subsets, targets in the way.

Each set was made to break one step of a construction.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

_TINY = Fraction(1, 10**9)
_FOUR = [(1, 0), (0, 1), (1, 1), (-1, -1)]
_LINE = [(10 * k + s, 0) for k in range(8) for s in (-1, 1)]


def _subsets(tokens: Sequence[Any]) -> list[list[Any]]:
    """All subsets that are not empty."""
    chosen = range(1, 1 << len(tokens))
    return [[x for i, x in enumerate(tokens) if bits >> i & 1] for bits in chosen]


#: name: pairs.
HARD: dict[str, list[tuple[Any, Any]]] = {
    "one token": [([(0, 0)], [(5, -7)])],
    "identity": [([(1, 2), (3, 4), (5, 6)], [(1, 2), (3, 4), (5, 6)])],
    "swapped sets": [
        ([(1, 1), (2, 2)], [(3, 3), (4, 4)]),
        ([(3, 3), (4, 4)], [(1, 1), (2, 2)]),
    ],
    "chain of subsets": [([(i, 0) for i in range(k + 1)], [(k, k)]) for k in range(8)],
    "equal means": [([(-k, 0), (k, 0)], [(k, 1)]) for k in range(1, 9)],
    "pairs far apart": [
        pair
        for k in range(6)
        for pair in (
            ([(100 * k + 1, 0), (100 * k + 4, 0)], [(k, 1)]),
            ([(100 * k + 2, 0), (100 * k + 3, 0)], [(k, 2)]),
        )
    ],
    "equal power sums": [
        ([(v, 0) for v in (0, 3, 5, 6, 9, 10, 12, 15)], [(1, 0), (2, 0)]),
        ([(v, 0) for v in (1, 2, 4, 7, 8, 11, 13, 14)], [(1, 0), (3, 0)]),
    ],
    "all subsets of 4": [(one, [(s, -s)]) for s, one in enumerate(_subsets(_FOUR), 1)],
    "collinear": [
        ([(-i, -2 * i) for i in range(1, 7)], [(-100, -100), (0, 0)]),
        ([(-i, -2 * i) for i in range(2, 9)], [(100, 100), (0, 0)]),
    ],
    "one target": [([(i, j) for i in range(3)], [(7, 7)]) for j in range(6)],
    "shared targets": [([(i, j) for i in range(4)], [(0, 0), (j, 1), (1, 1)]) for j in range(2, 6)],
    "as many outputs": [
        ([(i * i, j) for i in range(5)], [(i, -i * j) for i in range(5)]) for j in range(1, 5)
    ],
    "a query for each": [
        *(([*_LINE, (10 * k, 0)], [(k, 0)]) for k in range(5)),
        (_LINE, [(9, 9)]),
    ],
    "huge targets": [
        ([(0, 0), (1, 0)], [(10**9, 1), (10**9 + 1, 1)]),
        ([(0, 0), (2, 0)], [(-(10**9), 0)]),
    ],
    "tiny gaps": [
        ([(0, 0), (_TINY, 0)], [(1, 1), (2, 2)]),
        ([(0, 0), (2 * _TINY, 0)], [(3, 3)]),
    ],
    "zero, vertical": [
        ([(0, i) for i in range(5)], [(0, 0)]),
        ([(0, i) for i in range(1, 6)], [(0, 0), (0, 1)]),
    ],
    "targets of inputs": [
        ([(2, 1), (3, 1), (4, 1)], [(4, 1), (3, 1)]),
        ([(2, 1), (3, 1)], [(2, 1), (3, 1)]),
    ],
}
ON_A_LINE = [([(-1,), (0,), (1,)], [(5,), (-5,)]), ([(-1,), (1,)], [(0,)]), ([(0,)], [(9,)])]
