"""Paths of information, replayed layer by layer.

A path is written as tokens, one after each layer, or as (token, layer after which it holds), where
a token stays in place between two entries.
"""

from collections.abc import Sequence
from itertools import pairwise

from .envelope import Invalid, array, integer, integers, need
from .rows import Rows

Steps = list[tuple[int, int]]


def read_steps(value: object, size: int, period: int) -> Steps:
    """A path as (token, layer); plain tokens only where there is one layer."""
    entries = array(value, "path")
    need(bool(entries), "the path is empty")
    if period == 1 and not isinstance(entries[0], list):
        return [(token, level) for level, token in enumerate(integers(entries, size, "path"))]
    steps = []
    for entry in entries:
        if not isinstance(entry, list) or len(entry) != 2:
            raise Invalid("the path holds an entry that is no pair")
        token, level = entry
        steps.append((integer(token, size, "a token"), integer(level, None, "a layer")))
    return steps


def replays(layers: Sequence[Rows], steps: Steps) -> bool:
    """Does each token stay where it is, layer by layer, until the next one reads it?"""
    if steps[0][1] != 0 or any(start >= stop for (_, start), (_, stop) in pairwise(steps)):
        return False
    for (token, start), (reader, stop) in pairwise(steps):
        *waiting, last = (layers[level % len(layers)] for level in range(start, stop))
        if not all(layer.has(token, token) for layer in waiting):
            return False
        if not last.has(reader, token):
            return False
    return True
