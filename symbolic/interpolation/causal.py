"""Interpolation under a causal mask, with a bound on blocks that ignores the length of inputs.

Each label of the trie of prefixes begins a *run*. A hat marks the first prefix ``v`` of a run, and
attention carries the mark to every longer prefix, which moves: then runs are disjoint intervals of
the line, and one sweep moves them to their targets. Where a token stands at several depths,
``1 / i`` is added first, as the mean of a mark that only the first of ``i`` tokens has.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil

from attnproof.symbolic.interpolation.data import Data
from attnproof.symbolic.interpolation.errors import NeedsDimensionTwo
from attnproof.symbolic.interpolation.groups import Group, joined, margin, widened
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron, times
from attnproof.symbolic.interpolation.prefixes import (
    Labelling,
    Obstruction,
    PrefixConflict,
    Trie,
    label,
)
from attnproof.symbolic.interpolation.project import Projection, project, unit
from attnproof.symbolic.interpolation.rationals import power_of_two_at_least
from attnproof.symbolic.interpolation.sweep import sweep
from attnproof.symbolic.words import counted

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True, repr=False)
class Causal:
    """A causal net with the data that it is made for, and the labels of its prefixes.

    ``bound`` is proved for every data with as many pairs and outputs; ``margin`` is the least
    distance of a token to the end of its plateau, None without plateaus.
    """

    data: Data
    net: Net
    labelling: Labelling
    bound: int
    margin: Fraction | None

    def __repr__(self) -> str:
        return f"Causal: {counted(len(self.net.blocks), 'block')}, at most {self.bound}"


def build(data: Data, *, robust: bool = False) -> Causal:
    """A causal net of width at most 4 that maps every input to its output, as sets.

    With ``robust`` every target has a plateau, so that softmax is exact at temperatures that are
    small enough.

    >>> from attnproof.symbolic.interpolation.prefixes import read
    >>> a, b = (1, 0), (0, 1)
    >>> found = build(read([([a, b], [a, b]), ([b, a], [b])]))
    >>> found, found.net.causal
    (Causal: 6 blocks, at most 9, True)

    Law: at most ``M + N + 1 + ceil((2 M + 2 N - 1) / 4)`` blocks for ``N`` pairs with ``M``
    outputs. Raises :class:`PrefixConflict` where no causal net exists and
    :class:`NeedsDimensionTwo` where tokens have one coordinate and the label of a prefix is not
    that of its last token alone. Source: ours.
    """
    labelling = label(data.pairs)
    if isinstance(labelling, Obstruction):
        raise PrefixConflict(data, labelling)
    line = project(data)
    routes = [
        _finished(data, line, labelling, separated, robust)
        for separated in _separated(data.dimension, line, labelling)
    ]
    blocks, least = min(routes, key=lambda route: len(route[0]))
    m, n = data.outputs, len(data.pairs)
    bound = m + n + 1 + ceil(Fraction(2 * m + 2 * n - 1, 4))
    return Causal(data, Net(data.dimension, blocks, causal=True), labelling, bound, least)


@dataclass(frozen=True, slots=True)
class _Apart:
    """Blocks after which every position has one label; ``places`` are those of the prefixes."""

    blocks: tuple[Block, ...]
    places: tuple[Fraction, ...]


class _Collision(Exception):
    """A prefix ``v`` that is to be marked stands where ``other`` stands."""

    def __init__(self, v: int, other: int) -> None:
        super().__init__()
        self.v, self.other = v, other


def _separated(d: int, line: Projection, labelling: Labelling) -> list[_Apart]:
    """The ways to go on: at once, where tokens decide, and by runs."""
    start = _places(line, labelling.trie)
    decided = dict(zip(start, labelling.labels, strict=True))
    at_once = all(decided[place] == one for place, one in zip(start, labelling.labels, strict=True))
    found = [_Apart((), start)] if at_once else []
    if d < 2 and not found:
        raise NeedsDimensionTwo(
            "tokens have 1 coordinate, and a causal net marks prefixes in a second one; append a "
            "0 to every token"
        )
    return found if d < 2 else [*found, _by_runs(line, labelling)]


def _by_runs(line: Projection, labelling: Labelling) -> _Apart:
    """Runs begin where a label is fresh, and where a prefix to be marked would not stand alone.

    Of two colliding prefixes of one depth the paths part above them; marking one of the two ways
    there parts them too. So of the ways at a branch at most all but one are added.
    """
    trie = labelling.trie
    depths, starts, deep = trie.depths, set(labelling.fresh), False
    while True:
        try:
            return _attempt(line, trie, sorted(starts, key=lambda v: (depths[v], v)), deep)
        except _Collision as met:
            if depths[met.v] != depths[met.other]:
                deep = True
            else:
                starts.add(_parting(trie, met.v, met.other))


def _attempt(line: Projection, trie: Trie, starts: Sequence[int], deep: bool) -> _Apart:
    places = list(_places(line, trie))
    blocks: list[Block] = []
    fresh = line.identity()
    e1 = unit(len(line.row), 0)
    gap = _least_gap(places)
    if deep:
        blocks, places = _deepened(line, trie, places, gap)
        fresh = Neuron(e1, _ZERO, e1)
    for v in starts[1:]:
        nearest, other = min((abs(t - places[v]), w) for w, t in enumerate(places) if w != v)
        if nearest == 0:
            raise _Collision(v, other)
        below = _descendants(trie, v)
        by = Fraction(ceil(max(places) - min(places[w] for w in below) + gap))
        blocks.append(_mark(fresh, places[v], power_of_two_at_least(nearest) / 2, by))
        for w in below:
            places[w] += by
        fresh = Neuron(e1, _ZERO, e1)
    return _Apart(tuple(blocks), tuple(places))


def _deepened(
    line: Projection, trie: Trie, places: Sequence[Fraction], gap: Fraction
) -> tuple[list[Block], list[Fraction]]:
    """Three blocks that add ``by / i`` to the i-th token: the first is where the greatest and the
    least token so far are one."""
    d, longest = len(line.row), max(trie.depths)
    e1, e2 = unit(d, 0), unit(d, 1)
    minus = times(-1, e1)
    by = Fraction(ceil((max(places) - min(places) + gap) * longest * (longest - 1)))
    most = Head(Matrix(_ZERO, e2, e1), Matrix(_ZERO, e1, e1))
    least = Head(Matrix(_ZERO, times(-1, e2), e1), Matrix(_ZERO, minus, e1))
    mean = Head(Matrix(_ZERO, times(2 * by / gap, e1), e2), Matrix(_ZERO))
    first = Neuron(times(-1, e2), gap / 2, e2)
    blocks = [
        Block(_ZERO, (line.identity(),), heads=(most,), phase="depth"),
        Block(Fraction(1), heads=(least,), phase="depth"),
        Block(_ZERO, (Neuron(e1, _ZERO, e1), first), heads=(mean,), phase="depth"),
    ]
    return blocks, [place + by / i for place, i in zip(places, trie.depths, strict=True)]


def _mark(fresh: Neuron, place: Fraction, half: Fraction, by: Fraction) -> Block:
    """Move every prefix that holds the token at ``place`` by ``by``; others read the mean 0."""
    d = len(fresh.write)
    e2 = unit(d, 1)
    hat = tuple(
        Neuron(fresh.read, fresh.bias - place + side * half, times(share, e2))
        for side, share in ((1, 1), (0, -2), (-1, 1))
    )
    value = Matrix(_ZERO, times(by / half, unit(d, 0)), e2)
    head = Head(value, Matrix(_ZERO, e2, unit(d, 0)))
    return Block(_ZERO, (fresh, *hat), heads=(head,), phase="separation")


def _finished(
    data: Data, line: Projection, labelling: Labelling, apart: _Apart, robust: bool
) -> tuple[tuple[Block, ...], Fraction | None]:
    e1 = unit(data.dimension, 0)
    fresh = Neuron(e1, _ZERO, e1) if apart.blocks else line.identity()
    placed = sorted(zip(apart.places, labelling.labels, strict=True))
    groups = joined(Group(place, place, target) for place, target in placed)
    plateaus = widened(groups, line.base) if robust else groups
    least = margin(groups, plateaus) if robust else None
    return (*apart.blocks, *sweep(plateaus, line.base, fresh)), least


def _places(line: Projection, trie: Trie) -> tuple[Fraction, ...]:
    held = {
        v: place
        for path, places in zip(trie.paths, line.positions, strict=True)
        for v, place in zip(path, places, strict=True)
    }
    return tuple(held[v] for v in range(len(trie.tokens)))


def _least_gap(places: Sequence[Fraction]) -> Fraction:
    return min((b - a for a, b in pairwise(sorted(set(places)))), default=Fraction(1))


def _descendants(trie: Trie, v: int) -> list[int]:
    """The prefixes that begin with prefix v, itself included."""
    found = {v}
    for w in range(v + 1, len(trie.parents)):
        if trie.parents[w] in found:
            found.add(w)
    return sorted(found)


def _parting(trie: Trie, v: int, w: int) -> int:
    """Of two prefixes of one depth, the shortest prefix of v that is none of w."""
    while trie.parents[v] != trie.parents[w]:
        v, w = trie.parents[v], trie.parents[w]
    return v
