"""Order on rows of runs: closedness and generation, by walks over covers.

The theorems are those of ``relations``. A row that is the row before it and its own position needs
no walk.
"""

from array import array
from collections.abc import Sequence
from operator import le

from .intervals import Intervals, includes, joined, without
from .limits import RUN_STEP, Steps
from .run_search import Connected
from .runs import Runs


def contains(larger: Runs, smaller: Runs) -> bool:
    """Is every pair of ``smaller`` a pair of ``larger``?"""
    if larger.is_single and smaller.is_single:
        return all(map(le, larger.starts, smaller.starts)) and all(
            map(le, smaller.stops, larger.stops)
        )
    return all(a == b or includes(a, b) for a, b in zip(larger, smaller, strict=True))


def leaders(rows: Runs) -> "array[int] | None":
    """Position to the first position that has the same row; None unless the relation is reflexive
    and transitive.

    Theorem: it is when each row S is a union of rows S' < S and of positions whose row is S. Where
    all rows pass, each position with row S in S is met in the walk of S: it is in no S' < S. A row
    that no other position shares leaves, without its own position, a set that holds the rows of
    its positions, by induction on the size of rows; with another position added to the same set,
    there is nothing to walk.
    """
    if not rows.is_reflexive:
        return None
    leader, steps = array("i", [-1]) * len(rows), Steps()
    before: Intervals = ()
    below: Intervals = ()
    for q, row in enumerate(rows):
        if row == before:
            leader[q] = leader[q - 1]
        elif leader[q] < 0:
            leader[q] = q
            left = () if _is_next(q, row, before) else without(row, ((q, q + 1),))
            if left and left != below:
                sharing = _sharing(rows, row, left, steps)
                if sharing is None:
                    return None
                for k in sharing:
                    leader[k] = q
                below = () if sharing else left
        before = row
    return leader


def _is_next(q: int, row: Intervals, before: Intervals) -> bool:
    """Is ``row`` the row of ``q - 1``, which ends there, with ``q``?"""
    return (
        len(row) == len(before)
        and before[-1][1] == q
        and row[-1] == (before[-1][0], q + 1)
        and row[:-1] == before[:-1]
    )


def _sharing(rows: Runs, row: Intervals, left: Intervals, steps: Steps) -> list[int] | None:
    """The positions in ``left`` that have this row, if the rows of all others are within it."""
    found = []
    while left:
        steps.take(RUN_STEP)
        k = top(left, rows)
        other = rows[k]
        if other == row:
            found.append(k)
            left = without(left, ((k, k + 1),))
        elif includes(row, other):
            left = without(left, other)
        else:
            return None
    return found


def top(left: Intervals, rows: Runs) -> int:
    """The end of a set whose row is the larger one."""
    low, high = left[0][0], left[-1][1] - 1
    return high if low == high or rows.weight(high) >= rows.weight(low) else low


def is_generated(closed: Runs, leader: Sequence[int], rows: Runs) -> bool:
    """Is a closed relation that contains ``rows`` the least one that does?

    Theorem: it is when the positions of each row of ``closed`` are strongly connected in ``rows``
    and that row holds them and the union of the rows of what they read, nothing more.
    """
    several: dict[int, list[int]] = {}
    for q, first in enumerate(leader):
        if first != q:
            several.setdefault(first, [first]).append(q)
    connected, steps = Connected(rows), Steps()
    before: Intervals = ()
    left: Intervals = ()
    below: Intervals = ()
    for q, row in enumerate(closed):
        if leader[q] == q and not (
            q not in several and _is_next(q, row, before) and rows.has(q, q - 1)
        ):
            equal = several.get(q, [q])
            own = joined((p, p + 1) for p in equal)
            reads = without(rows[q] if len(equal) == 1 else _reads(rows, equal), own)
            if reads != left:
                left, below = reads, _below(closed, reads, steps)
            if joined(own + below) != row or not connected.are(equal):
                return False
        before = row
    return True


def _reads(rows: Runs, positions: Sequence[int]) -> Intervals:
    return joined(run for row in {rows[p] for p in positions} for run in row)


def _below(closed: Runs, positions: Intervals, steps: Steps) -> Intervals:
    """The union of the rows of some positions."""
    found: Intervals = ()
    while positions:
        steps.take(RUN_STEP)
        row = closed[top(positions, closed)]
        found = joined(found + row)
        positions = without(positions, row)
    return found
