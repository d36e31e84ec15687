"""The numbering of classes: sources first, smallest member first among those that are ready."""

import heapq
from array import array
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.masks.runs import Runs, integers
from attnproof.symbolic.order import fast_runs
from attnproof.symbolic.order.run_arrays import taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]


def numbered(
    component_of: "Places", own: Runs, down: Runs, ptr: "Places", below: "Places"
) -> "tuple[Places, Runs, Places, Places]":
    """``class_of``, ``down``, ``ptr`` and ``below`` of :class:`RunClosure`, renumbered.

    The classes come in an order in which each covers only earlier ones; row ``c`` of ``own`` has
    the members of class ``c``, those it covers are ``below[ptr[c]:ptr[c + 1]]``.
    """
    at, starts, _ = own.arrays()
    first = starts[at[:-1]]
    if (first[1:] > first[:-1]).all():
        return component_of, down, ptr, below
    reader = np.repeat(np.arange(len(own)), np.diff(ptr))
    order = np.argsort(first)
    number = _inverse(order)
    if (number[below] > number[reader]).any():
        order = _sources_first(first, reader, below)
        number = _inverse(order)
    reader, below = number[reader], number[below]
    by_reader = np.lexsort((below, reader))
    ptr = np.append(0, np.cumsum(np.bincount(reader, minlength=len(own))))
    return number[component_of], taken(down, order), ptr, below[by_reader]


def _inverse(order: "Places") -> "Places":
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return number


def _sources_first(
    first: "NDArray[np.signedinteger]", reader: "Places", below: "Places"
) -> "Places":
    """The least topological order by smallest member, after Kahn."""
    count = len(first)
    if fast_runs.ready(count):
        return fast_runs.sources_first(first, reader, below)
    by_below = np.argsort(below, kind="stable")
    above = integers(reader[by_below])
    ptr = integers(np.searchsorted(below[by_below], np.arange(count + 1)))
    missing = integers(np.bincount(reader, minlength=count))
    smallest = integers(first)
    ready = [(smallest[c], c) for c in range(count) if not missing[c]]
    heapq.heapify(ready)
    order = array("q")
    while ready:
        _, d = heapq.heappop(ready)
        order.append(d)
        for c in above[ptr[d] : ptr[d + 1]]:
            missing[c] -= 1
            if not missing[c]:
                heapq.heappush(ready, (smallest[c], c))
    return np.frombuffer(order, np.int64)
