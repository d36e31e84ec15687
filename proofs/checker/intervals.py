"""Sets of positions as maximal runs ``(start, stop)``: ``start`` is inside, ``stop`` is not.

Runs stand in order, are not empty and do not touch; equal sets are equal tuples.
"""

from bisect import bisect_right
from collections.abc import Iterable

from .envelope import Invalid, array

Intervals = tuple[tuple[int, int], ...]


def read_intervals(value: object, stop: int, where: str) -> Intervals:
    """A list of maximal runs of positions below ``stop``, in order."""
    found, last = [], -1
    for run in array(value, where):
        if not isinstance(run, list) or len(run) != 2:
            raise Invalid(f"{where} holds a run that is no pair")
        first, end = run
        if type(first) is not int or type(end) is not int:
            raise Invalid(f"{where} holds a run that is no pair of integers")
        if not last < first < end <= stop:
            raise Invalid(f"{where} holds runs that are not maximal, in order and in range")
        found.append((first, end))
        last = end
    return tuple(found)


def bits_of(runs: Iterable[tuple[int, int]]) -> int:
    """The set as bits."""
    row = 0
    for start, stop in runs:
        row |= (1 << stop) - (1 << start)
    return row


def joined(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """The union of intervals that are not empty, in any order; they may overlap and touch."""
    found: list[tuple[int, int]] = []
    last = -1
    for start, stop in sorted(intervals):
        if start > last:
            found.append((start, stop))
            last = stop
        elif stop > last:
            found[-1] = found[-1][0], stop
            last = stop
    return tuple(found)


def without(a: Intervals, b: Intervals) -> Intervals:
    """What is in ``a`` and not in ``b``."""
    found, at = [], 0
    for start, stop in a:
        while at < len(b) and b[at][1] <= start:
            at += 1
        i = at
        while i < len(b) and b[i][0] < stop:
            if start < b[i][0]:
                found.append((start, b[i][0]))
            start = b[i][1]
            i += 1
        if start < stop:
            found.append((start, stop))
    return tuple(found)


def includes(a: Intervals, b: Intervals) -> bool:
    """Is every position of ``b`` in ``a``?"""
    at = 0
    for start, stop in b:
        while at < len(a) and a[at][1] < stop:
            at += 1
        if at == len(a) or start < a[at][0]:
            return False
    return True


def holds(a: Intervals, position: int) -> bool:
    """Is the position in the set?"""
    at = bisect_right(a, position, key=_start) - 1
    return at >= 0 and position < a[at][1]


def _start(run: tuple[int, int]) -> int:
    return run[0]
