"""Isomorphisms of what lies below two nodes, by an exhausted search.

Theorem: an isomorphism carries a position to one of its own stable colour; so if v, of a cell that
holds several, is singled out on one side and in turn each w of its colour on the other, every
isomorphism is found below some w. Where colours are stable and as many on both sides, and every
query has all or none of each cell as keys (itself aside), each bijection that keeps colours is one.

Machine-checked: ``StableColouring.isomorphism_keeps_colours`` and
``StableColouring.singled_out_keeps_colours``.
"""

from collections import Counter

from .colours import Colours, Two, cells, named, settled
from .nodes import Pair


def exists(pair: Pair, stable: Two) -> bool:
    """Is there a bijection that keeps inputs, keys and distances, and carries node to node?"""
    ours, theirs = map(cells, pair.sides, stable)
    waiting = [(named(ours, theirs), pair.a.node, pair.b.node)]
    while waiting:
        before, v, w = waiting.pop()
        colours = settled(pair, named(*map(_singled_out, before, (v, w))))
        sizes = Counter(colours[0].values())
        if sizes != Counter(colours[1].values()):
            continue
        divided = _divided(pair, colours[0], sizes)
        if not divided:
            return True
        v = min(divided, key=lambda p: (sizes[colours[0][p]], p))
        waiting += [(colours, v, w) for w, held in colours[1].items() if held == colours[0][v]]
    return False


def _singled_out(colours: Colours, v: int) -> dict[int, tuple[int, bool]]:
    return {p: (colour, p == v) for p, colour in colours.items()}


def _divided(pair: Pair, colours: Colours, sizes: Counter[int]) -> set[int]:
    """The positions below ``a`` in a cell of which some query has a part, itself aside, that is
    neither all nor none."""
    found: set[int] = set()
    for layer in pair.a.keys:
        for keys in layer:
            for q, listed in keys.items():
                pair.steps.take(1 + len(listed))
                others = Counter(colours[k] for k in listed if k != q)
                found |= {
                    colour
                    for colour, have in others.items()
                    if have != sizes[colour] - (colour == colours[q])
                }
    return {p for p, colour in colours.items() if colour in found}
