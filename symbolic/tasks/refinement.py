"""Colour refinement along what is read: after L rounds two positions have one colour exactly when
no network of L layers tells them apart.

``c_0`` is the input; ``c_{l+1}(q) = (c_l(q), bag of c_l(k) over the keys k of q in layer l)``. Only
keys are looked at, so a colour depends on what is below a position and on nothing else.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from math import gcd, lcm

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.tasks.upstream import Executed

#: One number a node; equal numbers are equal colours.
Colours = tuple[int, ...]


class Bag(Enum):
    """What a layer sees of the states of its keys.

    ``MULTISET``: how often each state occurs. These are all layers ``h' = F(h, {{h_k}})``.
    ``SHARES``: the multiset up to a common factor. These are the layers ``h' = F(h, D)`` where D
    is the distribution of the state of a key drawn uniformly: softmax attention, whatever its
    weights, and means. A query's own state counts as a key where it is among its keys.
    """

    MULTISET = "multiset"
    SHARES = "shares"


@dataclass(frozen=True)
class Nodes:
    """Positions of several tasks side by side, closed under what they read.

    ``keys[layer][head][v]`` names the list ``lists[...]`` of the keys of node ``v``; queries with
    the same keys share it. ``places`` are position ids where their differences are seen.
    """

    inputs: tuple[Hashable, ...]
    places: tuple[int, ...] | None
    lists: tuple[tuple[int, ...], ...]
    keys: tuple[tuple[tuple[int, ...], ...], ...]

    @cached_property
    def pairs(self) -> int:
        """How many keys one round of all layers looks at."""
        lengths = list(map(len, self.lists))
        return len(self.inputs) + sum(
            lengths[name] for heads in self.keys for head in heads for name in head
        )

    def restarted(self, inputs: Iterable[Hashable]) -> "Nodes":
        """The same keys, other inputs, and no position ids."""
        return replace(self, inputs=tuple(inputs), places=None)


def side_by_side(parts: Sequence[tuple[Executed, Sequence[int]]]) -> Nodes:
    """The positions of each part as nodes, numbered on; each part is closed under what it reads.

    >>> from attnproof.symbolic.tasks.task import Task
    >>> pair = Task.build(["x", "y"], {}, ["1.", "11"]).executed
    >>> side_by_side([(pair, [0, 1]), (pair, [0])]).lists
    ((0,), (0, 1), (2,))
    """
    period = lcm(*(len(part.layers) for part, _ in parts))
    heads = parts[0][0].heads
    lists: dict[tuple[int, ...], int] = {}
    keys: list[list[list[int]]] = [[[] for _ in range(heads)] for _ in range(period)]
    start = 0
    for part, positions in parts:
        number = {p: start + i for i, p in enumerate(positions)}
        names: dict[int, int] = {}
        for layer in range(period):
            for head, rows in enumerate(part.layers[layer % len(part.layers)]):
                for p in positions:
                    row = rows[p]
                    if row not in names:
                        listed = tuple(map(number.__getitem__, members(row)))
                        names[row] = lists.setdefault(listed, len(lists))
                    keys[layer][head].append(names[row])
        start += len(positions)
    seen = [part.places for part, _ in parts]
    return Nodes(
        tuple(part.inputs[p] for part, positions in parts for p in positions),
        None
        if seen[0] is None
        else tuple(part.places[p] for part, positions in parts if part.places for p in positions),
        tuple(lists),
        tuple(tuple(map(tuple, layer)) for layer in keys),
    )


def rounds(nodes: Nodes, bag: Bag = Bag.MULTISET) -> Iterator[Colours]:
    """The colours after 0, 1, 2, ... rounds, the last of which no further round would split.

    >>> from attnproof.symbolic.tasks.task import Task
    >>> chain = Task.build(["x", None, None], {}, ["1..", "11.", ".11"], pos_mode="none")
    >>> list(rounds(side_by_side([(chain.executed, range(3))])))
    [(0, 1, 1), (0, 1, 2)]

    Laws: each round refines the one before; isomorphic nodes always have one colour. Source:
    Weisfeiler and Leman 1968; equality with what networks of this form can tell apart, Xu et al.
    2019 and Morris et al. 2019; the reading for masks is ours.
    """
    colours = _numbered(nodes.inputs)
    yield colours
    level = quiet = 0
    while quiet < len(nodes.keys) and len(set(colours)) < len(colours):
        finer = _round(nodes, colours, level % len(nodes.keys), bag)
        quiet = quiet + 1 if finer == colours else 0
        colours = finer
        level += 1
        yield colours


def after(nodes: Nodes, bag: Bag, depth: int | None) -> Colours:
    """The colours after ``depth`` rounds; stable ones where it is None."""
    found = rounds(nodes, bag)
    colours = next(found)
    for level, finer in enumerate(found):
        if level == depth:
            break
        colours = finer
    return colours


def _round(nodes: Nodes, colours: Colours, layer: int, bag: Bag) -> Colours:
    seen = [_bags(nodes, colours, head, bag) for head in nodes.keys[layer]]
    return _numbered(zip(colours, *seen, strict=True))


def _bags(nodes: Nodes, colours: Colours, head: Sequence[int], bag: Bag) -> Iterator[int]:
    """For every node a number of the bag that it sees, equal where bags are."""
    numbers: dict[Hashable, int] = {}
    summed = _SUMMED[bag]
    if nodes.places is None:
        named: dict[int, int] = {}
        for name in head:
            if name not in named:
                seen = summed(map(colours.__getitem__, nodes.lists[name]))
                named[name] = numbers.setdefault(seen, len(numbers))
            yield named[name]
        return
    places = nodes.places
    for q, name in enumerate(head):
        seen = summed((places[q] - places[k], colours[k]) for k in nodes.lists[name])
        yield numbers.setdefault(seen, len(numbers))


def _multiset(states: Iterable[Hashable]) -> Hashable:
    return tuple(sorted(states))  # type: ignore[type-var]


def _shares(states: Iterable[Hashable]) -> Hashable:
    counts = Counter(states)
    common = gcd(*counts.values())
    return frozenset((state, times // common) for state, times in counts.items())


_SUMMED: dict[Bag, Callable[[Iterable[Hashable]], Hashable]] = {
    Bag.MULTISET: _multiset,
    Bag.SHARES: _shares,
}


def _numbered(values: Iterable[Hashable]) -> Colours:
    """Equal values get equal numbers, in order of first occurrence."""
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(value, len(numbers)) for value in values)
