"""Width of an order in runs: a largest antichain of classes, with the chains that prove it.

Where no class covers two, the classes that nobody covers are an antichain, and the chains down from
each, cut where they meet, hold every class: it is largest (Dilworth). The same upside down. Every
other order goes through the matching of ``width``, as bit sets of classes.
"""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.runs import integers
from attnproof.symbolic.order.closure import Closure
from attnproof.symbolic.order.run_closure import RunClosure
from attnproof.symbolic.order.run_views import Classes
from attnproof.symbolic.order.width import CHEAP_PAIRS, Width, width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

#: The most classes for which an order is turned into bit sets.
MOST_CLASSES = 1 << 16


def is_forest(order: RunClosure) -> bool:
    """Does every class cover at most one, or is every class covered by at most one?"""
    return bool((np.diff(order.ptr) <= 1).all() or _covered(order).max(initial=0) <= 1)


def is_cheap(order: RunClosure) -> bool:
    """Is the width read off the covers, or are there few pairs of classes?"""
    if is_forest(order):
        return True
    if order.class_count > MOST_CLASSES:
        return False
    first = np.zeros(len(order.class_of) + 1, np.int64)
    first[np.unique(order.class_of, return_index=True)[1] + 1] = 1
    before = np.cumsum(first)
    _, starts, stops = order.down.arrays()
    return bool((before[stops] - before[starts]).sum() <= CHEAP_PAIRS)


def run_width(order: RunClosure) -> Width:
    """A largest antichain of classes and as many chains that hold every class.

    Raises :class:`ShapeError` for more than ``MOST_CLASSES`` classes, unless it is read off.
    """
    if (np.diff(order.ptr) <= 1).all():
        below = np.full(order.class_count, -1)
        below[np.diff(order.ptr) == 1] = order.below
        tops = np.flatnonzero(_covered(order) == 0)
        return Width(integers(tops), _chains(tops, below, downward=True))
    if _covered(order).max(initial=0) <= 1:
        above = np.full(order.class_count, -1)
        above[order.below] = np.repeat(np.arange(order.class_count), np.diff(order.ptr))
        bottoms = np.flatnonzero(np.diff(order.ptr) == 0)
        return Width(integers(bottoms), _chains(bottoms, above, downward=False))
    if order.class_count > MOST_CLASSES:
        raise ShapeError(
            f"the width of {order.class_count} classes takes too much memory; it is computed for "
            f"at most {MOST_CLASSES} classes: leave the width out",
            classes=order.class_count,
        )
    below_of = np.split(order.below, order.ptr[1:-1])
    covers = tuple(tuple(one.tolist()) for one in below_of)
    return width(Closure((), tuple(order.classes), (), (), covers))


def _covered(order: RunClosure) -> "Places":
    """Class to the number of classes that cover it."""
    return np.bincount(order.below, minlength=order.class_count)


def _chains(ends: "Places", following: "Places", *, downward: bool) -> Sequence[tuple[int, ...]]:
    """From each end on, until a class that another chain has; every chain from source to reader."""
    next_ = following.tolist()
    used = bytearray(len(next_))
    ptr, members = array("q", [0]), array("q")
    for end in ends.tolist():
        chain = array("q")
        while end >= 0 and not used[end]:
            used[end] = 1
            chain.append(end)
            end = next_[end]
        members.extend(reversed(chain) if downward else chain)
        ptr.append(len(members))
    return Classes(np.frombuffer(ptr, np.int64), np.frombuffer(members, np.int64))
