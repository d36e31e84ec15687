"""Strongly connected components of a relation in runs, by Tarjan's search.

A union-find over the positions answers which position of a run is the next unseen one; a tree of
minima answers which waiting position of a run was seen first. A row costs log n a run.
"""

from collections.abc import Sequence

from attnproof.symbolic.progress import tick

_STEP = 1 << 16


def search(ptr: Sequence[int], starts: Sequence[int], stops: Sequence[int]) -> list[int]:
    """Position to the number of its component; a component reads only lower numbers.

    Row ``q`` has the runs ``ptr[q] .. ptr[q + 1] - 1``, which may overlap.

    >>> search([0, 1, 2, 3], [1, 0, 0], [2, 1, 3])
    [0, 0, 1]
    """
    n = len(ptr) - 1
    component = [-1] * n
    unseen = list(range(n + 1))
    waiting = Waiting(n)
    place, low, at = [0] * n, [0] * n, list(ptr[:n])
    stack: list[int] = []
    count = 0
    for root in range(n):
        walk = [root] if unseen[root] == root else []
        while walk:
            q = walk[-1]
            if unseen[q] == q:
                unseen[q] = q + 1
                place[q] = low[q] = len(stack)
                stack.append(q)
                waiting.add(q, place[q])
            fresh = n
            while at[q] < ptr[q + 1]:
                fresh = _next(unseen, starts[at[q]])
                if fresh < stops[at[q]]:
                    break
                at[q] += 1
            if at[q] < ptr[q + 1]:
                walk.append(fresh)
                continue
            for i in range(ptr[q], ptr[q + 1]):
                low[q] = min(low[q], waiting.least(starts[i], stops[i]))
            walk.pop()
            if low[q] == place[q]:
                while len(stack) > place[q]:
                    p = stack.pop()
                    waiting.remove(p)
                    component[p] = count
                count += 1
                if not count % _STEP:
                    tick(count, n)
            elif walk:
                low[walk[-1]] = min(low[walk[-1]], low[q])
    return component


def _next(unseen: list[int], position: int) -> int:
    """The first unseen position not before ``position``, paths halved on the way."""
    while unseen[position] != position:
        unseen[position] = unseen[unseen[position]]
        position = unseen[position]
    return position


class Waiting:
    """Places of waiting positions, with the least place in any run.

    >>> waiting = Waiting(4)
    >>> waiting.add(2, 0)
    >>> waiting.add(1, 1)
    >>> waiting.least(0, 2), waiting.least(0, 4), waiting.least(3, 4)
    (1, 0, 4)
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._tree = [n] * (2 * n)

    def add(self, position: int, place: int) -> None:
        """Let a position wait; its place is later than every other."""
        tree, i = self._tree, position + self._n
        while i and tree[i] > place:
            tree[i] = place
            i >>= 1

    def remove(self, position: int) -> None:
        """Let the position with the latest place wait no longer."""
        tree, i = self._tree, position + self._n
        place = tree[i]
        tree[i] = self._n
        i >>= 1
        while i and tree[i] == place:
            tree[i] = min(tree[2 * i], tree[2 * i + 1])
            i >>= 1

    def least(self, start: int, stop: int) -> int:
        """The least place among waiting positions ``start .. stop - 1``; n if none waits."""
        tree, least = self._tree, self._n
        low, high = start + self._n, stop + self._n
        while low < high:
            if low & 1:
                least = min(least, tree[low])
                low += 1
            if high & 1:
                high -= 1
                least = min(least, tree[high])
            low >>= 1
            high >>= 1
        return least
