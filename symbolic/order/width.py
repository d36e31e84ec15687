"""Width: the size of a largest antichain, with the chains that prove it (Dilworth).

The strict order is split into a bipartite graph; a maximum matching links the classes to as many
chains as the width, and the classes that the alternating search cannot leave form an antichain
(Fulkerson, König).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.closure import Closure

#: Strict pairs beyond which the width is computed only when it is asked for.
CHEAP_PAIRS = 1 << 18


@dataclass(frozen=True)
class Width:
    """``antichain`` and ``chains`` have the same length; chains run from source to reader."""

    antichain: Sequence[int]
    chains: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.antichain)


def is_cheap(order: Closure) -> bool:
    """Is the order a chain, or are there few strict pairs?"""
    if max(order.ranks) == len(order.classes):
        return True
    pairs = 0
    for row in order.below:
        pairs += row.bit_count()
        if pairs > CHEAP_PAIRS:
            return False
    return True


def width(order: Closure) -> Width:
    """A largest antichain of classes and as many chains that hold every class.

    >>> from attnproof.symbolic.order.closure import closure
    >>> found = width(closure((0b001, 0b010, 0b111)))
    >>> found.antichain, found.chains
    ((0, 1), ((0,), (1, 2)))
    """
    count = len(order.classes)
    if max(order.ranks) == count:
        return Width((0,), (tuple(range(count)),))
    upper = [row & ~(1 << c) for c, row in enumerate(order.below)]
    lower_of = _matching(upper)
    return Width(_antichain(upper, lower_of), _chains(lower_of))


def _matching(upper: Sequence[int]) -> list[int]:
    """Class to the class before it in its chain, -1 for none; as many as possible.

    Each class looks, breadth first along alternating paths, for a free class below it.
    """
    lower_of = [-1] * len(upper)
    upper_of: dict[int, int] = {}
    free = (1 << len(upper)) - 1
    for start in range(len(upper)):
        seen = 0
        found_from: dict[int, int] = {}
        queue = [start]
        for c in queue:
            fresh = upper[c] & ~seen
            ending = fresh & free
            if ending:
                d = ending.bit_length() - 1
                free ^= 1 << d
                while True:
                    d, lower_of[c] = lower_of[c], d
                    upper_of[lower_of[c]] = c
                    if c == start:
                        break
                    c = found_from[d]
                break
            seen |= fresh
            for d in members(fresh):
                found_from[d] = c
                queue.append(upper_of[d])
    return lower_of


def _antichain(upper: Sequence[int], lower_of: Sequence[int]) -> tuple[int, ...]:
    """Classes the alternating search from the unmatched ones reaches above and not below."""
    upper_of = {d: c for c, d in enumerate(lower_of) if d >= 0}
    front = [c for c, d in enumerate(lower_of) if d < 0]
    above = set(front)
    below = 0
    while front:
        fresh = upper[front.pop()] & ~below
        below |= fresh
        for d in members(fresh):
            c = upper_of[d]
            if c not in above:
                above.add(c)
                front.append(c)
    return tuple(c for c in sorted(above) if not below >> c & 1)


def _chains(lower_of: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    upper_of = {d: c for c, d in enumerate(lower_of) if d >= 0}
    chains = []
    for bottom in (c for c, d in enumerate(lower_of) if d < 0):
        chain = [bottom]
        while chain[-1] in upper_of:
            chain.append(upper_of[chain[-1]])
        chains.append(tuple(chain))
    return tuple(chains)
