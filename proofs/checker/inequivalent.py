"""inequivalent/v1: two positions are not equivalent, in one of three senses.

Theorem: equivalent positions have one colour after every round, and isomorphic ones have as many
positions of each colour below them. Where no round separates two positions that are not isomorphic,
the search for an isomorphism is repeated here and finds none.

Machine-checked: ``Colour.colours_exact`` and ``Colour.equivalent_same_colour``.
"""

from collections.abc import Sequence

from .colours import Two, agree, rounds
from .envelope import Invalid, integer, need
from .isomorphism import exists
from .nodes import read_pair

KIND = "attnproof/inequivalent/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the two positions are not equivalent, and ``round`` is the first that
    separates them, or null where none does."""
    pair, shown = read_pair(predicate, "round", digests)
    wanted = None if shown is None else integer(shown, None, "round")
    if pair.mode != "iso" and pair.depth is not None:
        need(wanted is not None and wanted <= pair.depth, "fewer layers run than rounds")
    stable: Two = ({}, {})
    for level, colours in enumerate(rounds(pair)):
        stable = colours
        if not agree(pair, colours):
            need(level == wanted, "round is not the first that separates the two")
            return
    if wanted is not None or pair.mode != "iso":
        raise Invalid("no round separates the two")
    need(not exists(pair, stable), "the two are isomorphic")
