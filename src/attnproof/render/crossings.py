"""The order of nodes within ranks that crosses few lines: barycenter sweeps and exchanges.

Convention: every step joins neighbouring ranks; ``above[v]`` are its upper ends. The result
depends on the graph alone.
"""

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence

Steps = Sequence[Sequence[int]]

_SWEEPS = 12
_FEW = 2000


def order(rank: Sequence[int], below: Steps, above: Steps) -> list[list[int]]:
    """Rows of nodes, bottom first, left to right.

    >>> order([0, 0, 1, 1], [[], [], [1], [0]], [[3], [2], [], []])
    [[0, 1], [3, 2]]
    """
    best: list[list[int]] = []
    fewest: int | None = None
    for start in _starts(rank, below, above):
        rows = _sweep(start, below, above)
        count = crossings(rows, above)
        if fewest is None or count < fewest:
            best, fewest = rows, count
        if not fewest:
            break
    return best


def crossings(rows: Sequence[Sequence[int]], above: Steps) -> int:
    """How many pairs of steps between neighbouring ranks cross: inversions of their upper ends.

    >>> crossings([[0, 1], [2, 3]], [[3], [2], [], []])
    1
    """
    place = {v: i for row in rows for i, v in enumerate(row)}
    found = 0
    for row in rows:
        seen: list[int] = []
        for v in row:
            ends = sorted(place[w] for w in above[v])
            found += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return found


def _starts(rank: Sequence[int], below: Steps, above: Steps) -> Iterator[list[list[int]]]:
    """First orders to improve: by number, and by depth-first search upward and downward."""
    count = max(rank, default=-1) + 1
    for visit in (
        range(len(rank)),
        _depth_first([v for v, r in enumerate(rank) if not below[v]], above),
        _depth_first([v for v, r in enumerate(rank) if not above[v]], below),
    ):
        rows: list[list[int]] = [[] for _ in range(count)]
        for v in visit:
            rows[rank[v]].append(v)
        yield rows


def _depth_first(roots: Sequence[int], ahead: Steps) -> list[int]:
    seen: dict[int, None] = {}
    stack = list(reversed(roots))
    while stack:
        v = stack.pop()
        if v not in seen:
            seen[v] = None
            stack += reversed(ahead[v])
    return list(seen)


def _sweep(start: Sequence[Sequence[int]], below: Steps, above: Steps) -> list[list[int]]:
    """Sort every row by the mean place of its neighbours, upward and downward in turn."""
    rows = [list(row) for row in start]
    best, fewest = rows, crossings(rows, above)
    place = _places(rows)
    few = sum(map(len, above)) <= _FEW
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        rows = [list(row) for row in rows]
        upward = sweep % 2 == 0
        beside = below if upward else above
        for row in rows if upward else reversed(rows):
            mean = {
                v: sum(place[w] for w in beside[v]) / len(beside[v]) if beside[v] else place[v]
                for v in row
            }
            row.sort(key=mean.__getitem__)
            place.update(_places([row]))
        if few:
            _exchange(rows, place, below, above)
        count = crossings(rows, above)
        if count < fewest:
            best, fewest = rows, count
    return best


def _exchange(rows: list[list[int]], place: dict[int, float], below: Steps, above: Steps) -> None:
    """Exchange neighbours of a row as long as that removes crossings."""

    def crossed(left: int, right: int) -> int:
        return sum(
            place[a] > place[b]
            for beside in (below, above)
            for a in beside[left]
            for b in beside[right]
        )

    better = True
    while better:
        better = False
        for row in rows:
            for i in range(len(row) - 1):
                left, right = row[i], row[i + 1]
                if crossed(left, right) > crossed(right, left):
                    row[i], row[i + 1] = right, left
                    place[left], place[right] = place[right], place[left]
                    better = True


def _places(rows: Sequence[Sequence[int]]) -> dict[int, float]:
    """Places within rows that are centred on 0."""
    return {v: i - (len(row) - 1) / 2 for row in rows for i, v in enumerate(row)}
