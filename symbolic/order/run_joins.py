"""The pass over the classes of a relation in runs: what reaches each, and its covers.

A class takes the nearest class not covered yet, joins what reaches that, skips what this covers;
those taken are its covers. A class that reads the one before it, and besides only what that one
reads, takes nothing else: followers of the plainest kind are found and closed all at once.
"""

from array import array
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.masks.run_sets import contains, difference, union
from attnproof.symbolic.masks.runs import Runs, positions
from attnproof.symbolic.order import fast_runs
from attnproof.symbolic.order.run_arrays import (
    MOST_HELD,
    SMALL,
    Fragmented,
    check_fragments,
    most_runs,
    taken,
)
from attnproof.symbolic.progress import tick

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

#: Covers beyond which they no longer fit in memory.
MOST_COVERS = 1 << 26
#: Beyond so many positions nothing takes over: covers are bounded as runs are.
LONG = 1 << 16
_STEP = 1 << 16


def joined(reads: Runs, own: Runs, component_of: "Places") -> "tuple[Runs, Places, Places]":
    """What reaches each class, as rows, and the classes it covers: ``below[ptr[c]:ptr[c + 1]]``.

    Row ``c`` of ``own`` has the members of class ``c``, row ``c`` of ``reads`` also what they read:
    only classes of lower numbers.

    >>> reads = Runs.from_rows([[(0, 1)], [(0, 2)], [(0, 1), (2, 3)]], 3)
    >>> own = Runs.from_rows([[(0, 1)], [(1, 2)], [(2, 3)]], 3)
    >>> down, ptr, below = joined(reads, own, np.arange(3))
    >>> list(down.runs()), below.tolist()
    ([((0, 1),), ((0, 2),), ((0, 1), (2, 3))], [0, 0])
    """
    if fast_runs.ready(0):
        return compiled(reads, own, component_of)
    follows = _followers(reads, own)
    if fast_runs.ready(len(own) - int(follows.sum())):
        return compiled(reads, own, component_of)
    down, counts, covered = _led(reads, own, component_of, follows)
    if not follows.any():
        return down, np.append(0, np.cumsum(counts)), covered
    every = np.ones(len(own), np.int64)
    every[~follows] = counts
    ptr = np.append(0, np.cumsum(every))
    below = np.empty(ptr[-1], np.int64)
    below[ptr[:-1][follows]] = np.flatnonzero(follows) - 1
    below[np.repeat(~follows, every)] = covered
    down = taken(down, np.cumsum(~follows) - 1)
    at, starts, stops = down.arrays()
    stops = stops.copy()
    stops[at[1:] - 1] = own.arrays()[2]
    return Runs.from_arrays(at, starts, stops, own.keys), ptr, below


def compiled(reads: Runs, own: Runs, component_of: "Places") -> "tuple[Runs, Places, Places]":
    """As :func:`joined`, by the kernels of the extra ``fast``; ``reads`` may lack the members."""
    n = own.keys
    most_covers = _most_covers(n)

    def check(runs: int, covers: int) -> None:
        check_fragments(runs, n)
        _check_covers(covers, most_covers, n)

    return fast_runs.joined(reads, own, component_of, check)


def _followers(reads: Runs, own: Runs) -> "NDArray[np.bool_]":
    """Classes that read the one before and have its runs, but the last, which begins no earlier.

    Only among classes that are intervals in order are any found.
    """
    count = len(own)
    follows = np.zeros(count, np.bool_)
    _, first, stop = own.arrays()
    if len(first) > count or (first[1:] != stop[:-1]).any():
        return follows
    ptr, starts, stops = reads.arrays()
    runs, last = np.diff(ptr), starts[ptr[1:] - 1]
    follows[1:] = (last < first)[1:] & (last[1:] >= last[:-1]) & (runs[1:] == runs[:-1])
    if len(starts) > count:
        final = np.zeros(len(starts), np.bool_)
        final[ptr[1:] - 1] = True
        inner = np.flatnonzero(~final)
        owner = np.searchsorted(ptr, inner, "right") - 1
        before = inner - runs[owner]
        differs = (starts[inner] != starts[before]) | (stops[inner] != stops[before])
        follows[owner[differs]] = False
    return follows


def _led(
    reads: Runs, own: Runs, component_of: "Places", follows: "NDArray[np.bool_]"
) -> "tuple[Runs, Places, Places]":
    """What reaches each leader, how many classes it covers, and these, one after the other."""
    n = own.keys
    class_of = array("q", component_of.tobytes())
    leader_of = array("q", (np.cumsum(~follows) - 1).tobytes())
    following = follows.tobytes()
    most_covers = _most_covers(n)
    most = most_runs(n)
    down = Runs(array("q", [0]), positions(n), positions(n), n)
    ptr, starts, stops = down.ptr, down.starts, down.stops
    counts, below = array("q"), array("q")

    def reaching(d: int) -> RowRuns:
        """A follower is reached as its leader is, the last run prolonged to its own end."""
        found = down.row_runs(leader_of[d])
        return (*found[:-1], (found[-1][0], own.stops[d])) if following[d] else found

    for c in np.flatnonzero(~follows).tolist():
        row, reached = reads.row_runs(c), own.row_runs(c)
        covers: list[int] = []
        while reached != row:
            open_ = difference(row, reached)
            if not open_:
                break
            nearest = max([class_of[p] for start, stop in open_ for p in (start, stop - 1)])
            covers.append(nearest)
            reached = union(reached, reaching(nearest))
        for start, stop in reached:
            starts.append(start)
            stops.append(stop)
        ptr.append(len(starts))
        if len(covers) > 1:
            covers = _maximal(covers, reaching, own)
        below.extend(covers)
        counts.append(len(covers))
        if len(starts) > most or len(below) > most_covers:
            check_fragments(len(starts), n)
            _check_covers(len(below), most_covers, n)
        if not len(counts) % _STEP:
            tick(c + 1, len(own))
    return down, np.frombuffer(counts, np.int64), np.frombuffer(below, np.int64)


def _maximal(covers: list[int], reaching: Callable[[int], RowRuns], own: Runs) -> list[int]:
    """The classes taken that no other one of them reaches, ascending.

    A class taken after a higher one is not below it; hence a descending sequence has them all.
    """
    if all(a > b for a, b in pairwise(covers)):
        return covers[::-1]
    reached: RowRuns = ()
    kept = []
    for c in sorted(covers, reverse=True):
        if not contains(reached, own.starts[own.ptr[c]]):
            kept.append(c)
            reached = union(reached, reaching(c))
    return kept[::-1]


def _most_covers(n: int) -> int:
    return min(max(n, SMALL) ** 2 // 64, MOST_COVERS if n <= LONG else MOST_HELD)


def _check_covers(covers: int, most: int, n: int) -> None:
    if covers > most:
        raise Fragmented(
            f"the Hasse diagram of {n} positions has more than {most} edges; give at most 65536 "
            "positions, where bit sets are used",
            n=n,
            covers=covers,
        )
