"""Products of rows of runs, and the powers that a theorem gives at once.

Theorem: let every row be an interval ``first[q] .. last[q]`` around ``q`` and the positions
``floor[q] .. prefix[q]`` before it, where first, last and prefix never decrease, and no row crosses
a floor. A product of two such relations is one: what the lower one holds of an interval of the
upper one is an interval, since neighbours in it overlap, and a longest prefix; of a prefix it is a
prefix. So a window, one with sinks, and both within documents, multiply in one look-up a position.

Machine-checked: ``Windows.rows_after`` and ``Windows.good_after``.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from operator import le

from .intervals import Intervals, joined, without
from .limits import RUN_STEP, Steps
from .runs import Runs


@dataclass(frozen=True)
class Ends:
    """Row q holds ``floor[q] .. prefix[q] - 1`` and ``first[q] .. last[q] - 1``."""

    floor: "array[int]"
    prefix: "array[int]"
    first: "array[int]"
    last: "array[int]"

    @cached_property
    def is_causal(self) -> bool:
        """Does every interval end at its own position?"""
        return self.last == array("i", range(1, len(self.last) + 1))

    def after(self, lower: "Ends") -> "Ends":
        """The product: first ``lower`` runs, then this."""
        first = array("i", _at(lower.first, self.first))
        if self.is_causal and lower.is_causal and self.prefix == lower.prefix:
            return Ends(self.floor, self.prefix, first, self.last)
        last, prefix = _before(lower.last), _before(lower.prefix)
        longest = map(max, _at(prefix, self.last), _at(last, self.prefix))
        return Ends(self.floor, array("i", longest), first, array("i", _at(last, self.last)))

    def identity(self) -> "Ends":
        """Every position with itself."""
        every = array("i", range(len(self.floor) + 1))
        return Ends(self.floor, self.floor, every[:-1], every[1:])

    def merged(self) -> "Ends":
        """The same rows, where a prefix that meets its interval is part of it."""
        if self.prefix == self.floor:
            return self
        places = list(zip(self.floor, self.prefix, self.first, strict=True))
        prefix = array("i", [p if p < f else b for b, p, f in places])
        first = array("i", [f if p < f else b for b, p, f in places])
        return Ends(self.floor, prefix, first, self.last)

    def fills(self, goal: "Ends") -> bool:
        """Are these rows, which are within those of a merged ``goal``, all of them?"""
        return (
            self.last == goal.last
            and all(map(le, goal.prefix, self.prefix))
            and all(map(le, self.first, map(max, goal.first, self.prefix)))
        )

    def rows(self) -> Runs:
        """The rows, as runs."""
        whole = self.merged()
        return Runs.of(
            ((b, p), (f, e)) if b < p else ((f, e),)
            for b, p, f, e in zip(whole.floor, whole.prefix, whole.first, whole.last, strict=True)
        )


def _before(values: "array[int]") -> "array[int]":
    """The values one place later, after a zero."""
    return array("i", [0]) + values


def _at(values: "array[int]", places: "array[int]") -> Iterator[int]:
    return map(values.__getitem__, places)


def ends_of(layers: Sequence[Runs]) -> list[Ends] | None:
    """The ends of reflexive layers that are all of this kind, with common floors."""
    if not all(layer.is_reflexive for layer in layers):
        return None
    floor = _floors(layers)
    found = [_ends(layer, floor) for layer in layers]
    return [one for one in found if one] if all(found) else None


def _ends(layer: Runs, floor: "array[int]") -> Ends | None:
    """The last run of a row is around its position; there may be one before, at the floor."""
    ptr, starts, stops = layer.ptr, layer.starts, layer.stops
    several = [q for q, (i, j) in enumerate(pairwise(ptr)) if j > i + 1]
    if any(ptr[q + 1] > ptr[q] + 2 or starts[ptr[q]] != floor[q] for q in several):
        return None
    prefix = floor[:]
    for q in several:
        prefix[q] = stops[ptr[q]]
    first, last = (
        array("i", _at(_before(starts), ptr[1:])),
        array("i", _at(_before(stops), ptr[1:])),
    )
    around = all(map(le, first, range(len(first))))
    rising = all(all(map(le, ends, ends[1:])) for ends in (prefix, first, last))
    return Ends(floor, prefix, first, last) if around and rising else None


def _floors(layers: Sequence[Runs]) -> "array[int]":
    """Position to the last one up to it that no row of any layer reaches across."""
    size = len(layers[0])
    low, high = array("i", range(size)), array("i", range(size))
    for layer in layers:
        low = array("i", map(min, low, _at(layer.starts, layer.ptr)))
        high = array("i", map(max, high, _at(_before(layer.stops), layer.ptr[1:])))
    reached = accumulate(high[:-1], max, initial=0)
    down = array("i", accumulate(reversed(low), min))
    down.reverse()
    borders = [q for q, r, d in zip(range(size), reached, down, strict=True) if r <= q <= d]
    floor = array("i")
    for border, following in pairwise([*borders, size]):
        floor.extend(array("i", [border]) * (following - border))
    return floor


def after(layers: Sequence[Ends], depth: int) -> Ends:
    """The product of the first ``depth`` layers of a schedule; so many periods as there are
    positions change all that is ever changed."""
    periods, rest = divmod(min(depth, len(layers) * len(layers[0].floor)), len(layers))
    held = layers[0].identity()
    square = _period(layers)
    while periods:
        if periods & 1:
            held = square.after(held)
        periods >>= 1
        if periods:
            square = square.after(square)
    for layer in layers[:rest]:
        held = layer.after(held)
    return held


def _period(layers: Sequence[Ends]) -> Ends:
    held = layers[0]
    for layer in layers[1:]:
        held = layer.after(held)
    return held


def settling(layers: Sequence[Ends]) -> int:
    """The least number of layers whose product no further layer changes, by doubling."""
    powers = [_period(layers)]
    while (square := powers[-1].after(powers[-1])) != powers[-1]:
        powers.append(square)
    goal = powers.pop().merged()
    held, depth = layers[0].identity(), 0
    if held.fills(goal):
        return 0
    while powers:
        more = powers[-1].after(held)
        if not more.fills(goal):
            held, depth = more, depth + (len(layers) << (len(powers) - 1))
        powers.pop()
    for layer in layers:
        held, depth = layer.after(held), depth + 1
        if held.fills(goal):
            break
    return depth


def product(upper: Runs, lower: Runs, steps: Steps) -> Runs:
    """What ``upper`` reads of what ``lower`` holds, row by row."""
    everything = ((0, len(lower)),)

    def rows() -> Iterator[Intervals]:
        before: Intervals = ()
        held: Intervals = ()
        for row in upper:
            if row != before:
                held = _gathered(row, lower, b"", everything, steps)
            before = row
            yield held

    return Runs.of(rows())


def follow(layers: Sequence[Runs], limit: Runs, steps: Steps) -> int:
    """The least number of reflexive layers whose product is ``limit``, level by level."""
    size = len(limit)
    held = Runs.of(((q, q + 1),) for q in range(size))
    level = 0
    while held != limit:
        layer = layers[level % len(layers)]
        if level == 0:
            held = layer
        else:
            done = bytes(a == b for a, b in zip(held, limit, strict=True))
            held = Runs.of(
                want if done[q] else _gathered(row, held, done, want, steps)
                for q, (row, want) in enumerate(zip(layer, limit, strict=True))
            )
        level += 1
    return level


def _gathered(row: Intervals, held: Runs, done: bytes, want: Intervals, steps: Steps) -> Intervals:
    """The union of the rows of ``held`` at the positions of a row, which is within ``want``.

    A row that is done is closed: it holds the rows of its positions.
    """
    found: Intervals = ()
    left = row
    while left and found != want:
        steps.take(RUN_STEP)
        low, high = left[0][0], left[-1][1] - 1
        k = high if low == high or held.weight(high) >= held.weight(low) else low
        found = joined(found + held[k])
        left = without(left, held[k] if done and done[k] else ((k, k + 1),))
    return found
