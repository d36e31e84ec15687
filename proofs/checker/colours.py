"""Colour refinement of all that lies below two nodes, side by side.

``c_0`` is the input; ``c_{l+1}(q)`` is ``c_l(q)`` with the multiset of ``c_l(k)`` over the keys of
``q`` in layer ``l``: for "softmax" up to a common factor. Where differences of places are seen,
each key counts with its own. Theorem: when no round of a whole period splits a colour, none will.

Machine-checked: ``Layers.rounds_keep_states`` and ``StableColouring.quiet_period_is_stable``.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from math import gcd, lcm

from .nodes import Pair, Side

#: Position to colour.
Colours = dict[int, int]
#: The colours of both sides.
Two = tuple[Colours, Colours]


def rounds(pair: Pair, start: Two | None = None) -> Iterator[Two]:
    """The colours after 0, 1, 2, ... rounds, until they are stable; they begin with the inputs, or
    with other colours that already tell places apart."""
    period = lcm(len(pair.a.keys), len(pair.b.keys))
    held = start or named(pair.a.inputs, pair.b.inputs)
    yield held
    quiet = 0
    for level in count():
        if quiet == period:
            return
        before = held
        seen = (_seen(pair, i, before[i], level, start is None) for i in (0, 1))
        held = named(*seen)
        quiet = quiet + 1 if _kinds(held) == _kinds(before) else 0
        yield held


def settled(pair: Pair, start: Two) -> Two:
    """The stable colours."""
    held = start
    for colours in rounds(pair, start):
        held = colours
    return held


def _seen(
    pair: Pair, i: int, colours: Colours, level: int, placed: bool
) -> dict[int, tuple[object, ...]]:
    """Position to its colour and what it sees in each head of a layer."""
    side = pair.sides[i]
    return {q: (own, *_bags(pair, side, colours, q, level, placed)) for q, own in colours.items()}


def _bags(
    pair: Pair, side: Side, colours: Colours, q: int, level: int, placed: bool
) -> Iterator[object]:
    """What a query sees in each head."""
    place = side.places[q]
    for keys in side.keys[level % len(side.keys)]:
        pair.steps.take(1 + len(keys[q]))
        seen = Counter((colours[k], place - side.places[k] if placed else 0) for k in keys[q])
        common = gcd(*seen.values()) if pair.mode == "softmax" else 1
        yield frozenset((state, times // common) for state, times in seen.items())


def named(a: Mapping[int, object], b: Mapping[int, object]) -> Two:
    """Equal values become equal numbers, on both sides alike."""
    numbers: dict[object, int] = {}
    ours = {p: numbers.setdefault(value, len(numbers)) for p, value in a.items()}
    theirs = {p: numbers.setdefault(value, len(numbers)) for p, value in b.items()}
    return ours, theirs


def _kinds(colours: Two) -> int:
    return len({*colours[0].values(), *colours[1].values()})


def agree(pair: Pair, colours: Two) -> bool:
    """Do the two nodes have one colour, and, for "iso", as many of each colour, at each distance
    from the node where differences are seen, below them?"""
    same = colours[0][pair.a.node] == colours[1][pair.b.node]
    if not same or pair.mode != "iso":
        return same
    ours, theirs = map(cells, pair.sides, colours)
    return Counter(ours.values()) == Counter(theirs.values())


def cells(side: Side, colours: Colours) -> dict[int, tuple[int, int]]:
    """Position to its colour and its distance from the node."""
    place = side.places[side.node]
    return {p: (colour, place - side.places[p]) for p, colour in colours.items()}
