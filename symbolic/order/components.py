"""Classes: the strongly connected components of a relation, by Gabow's path-based search.

The search runs on bit sets: the set of unseen positions meets a row in one operation, so that the
cost is n²/64 words and not one step a pair. A row that reads a waiting position merges the groups
on the walk from that position on; a group is a class once its first position is left.
"""

from collections.abc import Sequence

from attnproof.symbolic.masks.bits import columns


def transpose(rows: Sequence[int]) -> list[int]:
    """The columns of a square relation, as bit sets.

    >>> transpose((0b11, 0b00))
    [1, 1]
    """
    return columns(rows, len(rows))


def components(rows: Sequence[int]) -> list[list[int]]:
    """The classes of mutually reaching positions; a class reads only later ones of the list.

    >>> components((0b010, 0b001, 0b111))
    [[2], [0, 1]]
    """
    unseen = (1 << len(rows)) - 1
    waiting = 0
    stack: list[int] = []
    walk: list[int] = []
    starts: list[int] = []
    groups: list[int] = []
    found: list[list[int]] = []
    while unseen:
        position = unseen.bit_length() - 1
        while position >= 0:
            own = 1 << position
            row = rows[position]
            start, group = len(stack), own
            back = row & waiting
            while back & ~group:
                start = starts.pop()
                group |= groups.pop()
            starts.append(start)
            groups.append(group)
            stack.append(position)
            walk.append(position)
            waiting |= own
            unseen ^= own
            fresh = row & unseen
            while not fresh and walk:
                if stack[starts[-1]] == walk.pop():
                    start = starts.pop()
                    waiting ^= groups.pop()
                    found.append(sorted(stack[start:]))
                    del stack[start:]
                fresh = rows[walk[-1]] & unseen if walk else 0
            position = fresh.bit_length() - 1
    found.reverse()
    return found
