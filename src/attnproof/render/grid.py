"""The cells of a heat map: what each (query, key) cell, or block of them, shows.

Convention: row = query, column = key position. Up to 128 rows and columns a cell is one pair;
above, it is a block of pairs, full or partly read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from attnproof.render.labels import tokens_of
from attnproof.render.picture import Picture

#: The most cells along one side.
MOST = 128


class Cell(IntEnum):
    """What a cell shows; ``LEVEL + i`` is what the picture's level ``i`` reaches first."""

    NOT_READ = 0
    READ = 1
    PARTLY_READ = 2
    ADDED = 3
    LEVEL = 4


@dataclass(frozen=True)
class Grid:
    """``cells[r][c]`` stands for ``block`` queries by ``block`` keys.

    ``first`` is the position of the first query, ``leaked`` the cells that hold a leaked pair.
    """

    cells: tuple[tuple[int, ...], ...]
    leaked: frozenset[tuple[int, int]]
    block: int
    first: int
    queries: int
    positions: int

    @property
    def rows(self) -> int:
        """How many rows of cells there are."""
        return len(self.cells)

    @property
    def columns(self) -> int:
        """How many columns of cells there are."""
        return -(-self.positions // self.block)


def grid(picture: Picture, most: int = MOST) -> Grid:
    """The cells of a picture.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> [list(map(int, row)) for row in grid(Picture("", Mask.from_rows(["1.", "11"]))).cells]
    [[1, 0], [1, 1]]

    Law: with one pair a cell, a cell is READ exactly where the mask is true.
    """
    mask = picture.mask
    block = max(1, -(-max(mask.queries, mask.size) // most))
    columns = -(-mask.size // block)
    first = mask.offset
    added = _union(picture.layers)
    cells: list[tuple[int, ...]] = []
    leaked: set[tuple[int, int]] = set()
    for r, start in enumerate(range(0, mask.queries, block)):
        queries = range(start, min(start + block, mask.queries))
        some, every = 0, -1
        for q in queries:
            row = mask.rows.row(q)
            some |= row
            every &= row
        bound = [added, *(level.rows for level in picture.levels)]
        later = [_any(rows, first, queries) for rows in bound]
        leaks = _any(picture.leaked, first, queries)
        line: list[int] = []
        for c in range(columns):
            keys = _between(c * block, min((c + 1) * block, mask.size))
            line.append(_cell(some & keys, every & keys == keys, [row & keys for row in later]))
            if leaks & keys:
                leaked.add((r, c))
        cells.append(tuple(line))
    return Grid(tuple(cells), frozenset(leaked), block, first, mask.queries, mask.size)


def _union(layers: Sequence[Sequence[int]]) -> tuple[int, ...]:
    from attnproof.symbolic.order.relation import union

    return union(layers) if layers else ()


def _any(rows: Sequence[int], first: int, queries: range) -> int:
    found = 0
    for q in queries:
        found |= rows[first + q] if rows else 0
    return found


def _between(start: int, stop: int) -> int:
    return (1 << stop) - (1 << start)


def _cell(some: int, full: bool, later: Sequence[int]) -> int:
    if some:
        return Cell.READ if full else Cell.PARTLY_READ
    if later[0]:
        return Cell.ADDED
    for i, row in enumerate(later[1:]):
        if row:
            return Cell.LEVEL + i
    return Cell.NOT_READ


def runs(line: Sequence[int]) -> list[tuple[int, int, int]]:
    """Maximal runs of equal cells as (start, stop, cell).

    >>> runs([1, 1, 0])
    [(0, 2, 1), (2, 3, 0)]
    """
    found: list[tuple[int, int, int]] = []
    for c, cell in enumerate(line):
        if found and found[-1][2] == cell:
            found[-1] = (found[-1][0], c + 1, cell)
        else:
            found.append((c, c + 1, cell))
    return found


def outline(cells: frozenset[tuple[int, int]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The boundary of a set of cells (row, column): segments of corner points (x, y), merged.

    >>> outline(frozenset({(0, 0), (0, 1)}))[0]
    ((0, 0), (2, 0))
    """
    level = _merged(cells, lambda r, c: (r, c), (-1, 0))
    upright = _merged(cells, lambda r, c: (c, r), (0, -1))
    return [((a, y), (b, y)) for y, a, b in level] + [((x, a), (x, b)) for x, a, b in upright]


def _merged(
    cells: frozenset[tuple[int, int]],
    turn: Callable[[int, int], tuple[int, int]],
    step: tuple[int, int],
) -> list[tuple[int, int, int]]:
    """Lines (level, start, stop) between a cell of the set and a neighbour that is not in it."""
    edges: set[tuple[int, int]] = set()
    for r, c in cells:
        line, along = turn(r, c)
        if (r + step[0], c + step[1]) not in cells:
            edges.add((line, along))
        if (r - step[0], c - step[1]) not in cells:
            edges.add((line + 1, along))
    found: list[tuple[int, int, int]] = []
    for line, along in sorted(edges):
        if found and found[-1][0] == line and found[-1][2] == along:
            found[-1] = (line, found[-1][1], along + 1)
        else:
            found.append((line, along, along + 1))
    return found


def hops(picture: Picture) -> tuple[tuple[int, int], ...]:
    """The steps (source, reader) of the path of the picture's finding.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> from attnproof.symbolic.verdict import Finding
    >>> hops(Picture("", Mask.from_rows(["1"]), finding=Finding("leak", "", path=(5, 7, 2))))
    ((5, 7), (7, 2))
    """
    path = picture.finding.path if picture.finding else None
    tokens = tokens_of(path) if path else ()
    return tuple(pairwise(tokens))
