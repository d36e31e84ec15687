"""Edges that a long path needs, from what shorter ones need."""

from collections.abc import Sequence


def at_least(size: int, layers: int, fewest: Sequence[int]) -> int:
    """A lower bound of the edges of a path of ``size`` positions; ``fewest[n]`` edges are needed
    for each ``n`` that it lists.

    Two intervals that share an end share no edge. With two layers the halves share none either,
    and between them each position on one side has an edge of its own: were position i without one
    that leaves its half, and j without one that enters its own, no edge would bring i to j.

    >>> at_least(8, 2, [0, 0, 1, 2, 4])
    12

    Source: ours.
    """
    known = list(fewest[: size + 1])
    longest = len(known) - 1
    for n in range(longest + 1, size + 1):
        best = known[n - 1] + 1
        if longest > 1:
            best = max(best, known[longest] + known[n - longest + 1])
        if layers == 2:
            best = max(best, known[n // 2] + known[n - n // 2] + n // 2)
        known.append(best)
    return known[size]
