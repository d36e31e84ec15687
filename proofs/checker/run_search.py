"""Searches in rows of runs: distances, strong connection, pairs that read each other.

``bytearray.find`` and ``str.find`` look for the next marked position of a run.
"""

from array import array
from bisect import bisect_left
from collections.abc import Sequence

from .runs import Runs


def distance(rows: Runs, source: int, reader: int) -> int | None:
    """The length of a shortest path, None if there is none; breadth-first from the reader.

    A union-find over the positions tells the next one that has not been met.
    """
    if source == reader:
        return 0
    fresh = array("i", range(len(rows) + 1))
    fresh[reader] += 1
    front, steps = [reader], 0
    while front:
        steps += 1
        ahead: list[int] = []
        for q in front:
            for start, stop in rows[q]:
                if start <= source < stop:
                    return steps
                k = _next(fresh, start)
                while k < stop:
                    ahead.append(k)
                    fresh[k] = k + 1
                    k = _next(fresh, k + 1)
        front = ahead
    return None


def _next(fresh: "array[int]", k: int) -> int:
    while fresh[k] != k:
        fresh[k] = fresh[fresh[k]]
        k = fresh[k]
    return k


def readers(rows: Runs, held: int) -> int:
    """The positions that read some position of a set of bits."""
    marks = f"{held:0{len(rows)}b}"[::-1]
    reads = ["01"[any(marks.find("1", a, b) >= 0 for a, b in row)] for row in rows]
    return int("".join(reversed(reads)), 2)


class Connected:
    """Sets of positions that reach each other within the set; no position is in two sets."""

    _FRESH, _DONE = b"\1", b"\2"

    def __init__(self, rows: Runs) -> None:
        self._rows = rows
        self._state = bytearray(len(rows))

    def are(self, positions: Sequence[int]) -> bool:
        """Does every position, in ascending order, reach every other within the set?

        The first one reaches all, and each reaches an earlier one, so all reach the first.
        """
        first, last = positions[0], positions[-1]
        if first == last:
            return True
        self._first, self._stop = first, last + 1
        connected = self._reaches_all(positions) and self._all_reach(positions)
        for p in positions:
            self._state[p] = 0
        return connected

    def _runs(self, q: int) -> list[tuple[int, int]]:
        """Row ``q`` between the first and the last position of the set."""
        clipped = ((max(a, self._first), min(b, self._stop)) for a, b in self._rows[q])
        return [(a, b) for a, b in clipped if a < b]

    def _reaches_all(self, positions: Sequence[int]) -> bool:
        state = self._state
        for p in positions:
            state[p] = 1
        state[positions[0]] = 0
        queue = [positions[0]]
        for q in queue:
            if len(queue) == len(positions):
                return True
            for start, stop in self._runs(q):
                k = state.find(self._FRESH, start, stop)
                while k >= 0:
                    queue.append(k)
                    state[k] = 0
                    k = state.find(self._FRESH, k + 1, stop)
        return len(queue) == len(positions)

    def _all_reach(self, positions: Sequence[int]) -> bool:
        state = self._state
        for p in positions:
            state[p] = 1
        state[positions[0]] = 2
        for i, q in enumerate(positions):
            if state[q] != 2:
                if self._rows.has(q, positions[i - 1]) or self._rows.has(q, positions[0]):
                    state[q] = 2
                elif not self._way_down(q):
                    return False
        return True

    def _way_down(self, q: int) -> bool:
        """Mark a path of reading from ``q`` to what is done, if there is one."""
        state = self._state
        path, met = [q], [q]
        state[q] = 0
        while path:
            runs = self._runs(path[-1])
            if any(state.find(self._DONE, start, stop) >= 0 for start, stop in runs):
                for p in met:
                    state[p] = 1
                for p in path:
                    state[p] = 2
                return True
            ahead = max(state.find(self._FRESH, start, stop) for start, stop in runs or [(0, 0)])
            if ahead < 0:
                path.pop()
            else:
                path.append(ahead)
                met.append(ahead)
                state[ahead] = 0
        return False


def is_antisymmetric(rows: Runs) -> bool:
    """Do no two different positions read each other?

    At each ``q`` in turn those earlier ``k`` are open that read ``q``; none may be read by it.
    """
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for k, row in enumerate(rows):
        for start, stop in row[max(bisect_left(row, (k + 1,)) - 1, 0) :]:
            if stop > k + 1:
                opening.setdefault(max(start, k + 1), []).append(k)
                closing.setdefault(stop, []).append(k)
    if not opening:
        return True
    reading = bytearray(len(rows))
    for q, row in enumerate(rows):
        for k in closing.get(q, ()):
            reading[k] = 0
        for k in opening.get(q, ()):
            reading[k] = 1
        if any(start < q and reading.find(1, start, min(stop, q)) >= 0 for start, stop in row):
            return False
    return True
