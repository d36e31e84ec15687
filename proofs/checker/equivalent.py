"""equivalent/v1: what a model computes at two positions is the same, in one of three senses.

Theorem: a bijection of all that lies below two positions that keeps own inputs and, in every head
of every layer, which query has which keys, carries states to equal states (induction on layers).
Colours that are equal after as many rounds as layers run, or stable and equal, show the same for
layers ``F(h, {{h_k}})``, and those of "softmax" for layers that see shares only.

Machine-checked: ``Layers.carried_states``, ``Layers.rounds_keep_states`` and
``StableColouring.quiet_period_is_stable``.
"""

from collections.abc import Sequence
from math import lcm

from .colours import rounds
from .envelope import Invalid, array, integers, need
from .nodes import Pair, read_pair

KIND = "attnproof/equivalent/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the two positions are equivalent."""
    pair, shown = read_pair(predicate, "map", digests)
    if pair.mode == "iso":
        _check_map(pair, shown)
        return
    need(shown is None, "only iso has a map")
    for level, (ours, theirs) in enumerate(rounds(pair)):
        need(ours[pair.a.node] == theirs[pair.b.node], f"round {level} separates the two")
        if level == pair.depth:
            return


def _check_map(pair: Pair, value: object) -> None:
    a, b = pair.sides
    found: dict[int, int] = {}
    for entry in array(value, "map"):
        one = integers(entry, None, "map")
        if len(one) != 2:
            raise Invalid("map holds an entry that is no pair")
        need(one[0] not in found, "map carries a position twice")
        found[one[0]] = one[1]
    need(found.keys() == a.inputs.keys(), "map does not start from all that is below the node")
    need(set(found.values()) == b.inputs.keys(), "map does not end at all that is below the node")
    need(len(set(found.values())) == len(found), "map is no bijection")
    need(found[a.node] == b.node, "map does not carry the one node to the other")
    need(all(a.inputs[p] == b.inputs[w] for p, w in found.items()), "map changes an input")
    places = {a.places[p] - b.places[w] for p, w in found.items()}
    need(len(places) == 1, "map changes a difference of positions")
    need(_keeps_keys(pair, found), "map changes the keys of a query")


def _keeps_keys(pair: Pair, found: dict[int, int]) -> bool:
    """Layer by layer, until both schedules start again together."""
    a, b = pair.sides
    return all(
        _is_carried(pair, found, ours[q], theirs[w])
        for level in range(lcm(len(a.keys), len(b.keys)))
        for ours, theirs in zip(
            a.keys[level % len(a.keys)], b.keys[level % len(b.keys)], strict=True
        )
        for q, w in found.items()
    )


def _is_carried(
    pair: Pair, found: dict[int, int], ours: Sequence[int], theirs: Sequence[int]
) -> bool:
    pair.steps.take(1 + len(ours))
    return {found[k] for k in ours} == set(theirs)
