"""Every diagram that a closed relation on three positions could be said to have, and its own."""

from collections.abc import Iterator
from itertools import combinations, pairwise, permutations, product

import pytest

from attnproof.proofs.checker.envelope import Invalid
from attnproof.proofs.checker.hasse import read_diagram
from tests.proofs.forms import HOLDERS
from tests.reference import Pairs, closed, pairs_of_sets, sets_of_pairs

Classes = tuple[frozenset[int], ...]
both = pytest.mark.parametrize("held", HOLDERS.values(), ids=HOLDERS)


def preorders() -> set[Pairs]:
    """All 29 on three positions."""
    return {closed(pairs_of_sets(rows), 3) for rows in product(range(8), repeat=3)}


def ordered_partitions() -> Iterator[Classes]:
    """All 13 of three positions."""
    found = set()
    for order in permutations(range(3)):
        for cuts in product((False, True), repeat=2):
            bounds = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), 3]
            found.add(tuple(frozenset(order[a:b]) for a, b in pairwise(bounds)))
    yield from sorted(found, key=str)


def own(pairs: Pairs, classes: Classes) -> set[tuple[int, int]] | None:
    """The covers (source class, reader class) where these are the classes, in an order that the
    relation allows, by the definitions; None where they are not."""
    mutual = all(
        ({(q, k), (k, q)} <= pairs) == any({q, k} <= c for c in classes)
        for q, k in product(range(3), repeat=2)
    )
    below = {
        (c, d)
        for (c, ours), (d, theirs) in product(enumerate(classes), repeat=2)
        if c != d and (min(theirs), min(ours)) in pairs
    }
    if not mutual or any(c > d for c, d in below):
        return None
    between = {(c, d) for (c, e), (f, d) in product(below, repeat=2) if e == f}
    return below - between


@both
def test_only_its_own_diagram_is_accepted(held: type) -> None:
    """Classes of mutual reading, sources first, and what covers what; nothing else is."""
    accepted = 0
    partitions = list(ordered_partitions())
    for pairs in preorders():
        rows = held(sets_of_pairs(pairs, 3))
        for classes in partitions:
            listed = [sorted(c) for c in classes]
            possible = list(combinations(range(len(classes)), 2))
            right = own(pairs, classes)
            for chosen in product((False, True), repeat=len(possible)):
                covers = [list(pair) for pair, taken in zip(possible, chosen, strict=True) if taken]
                try:
                    read_diagram(listed, covers, rows)
                except Invalid:
                    assert right is None or set(map(tuple, covers)) != right
                else:
                    assert right is not None
                    assert set(map(tuple, covers)) == right
                    accepted += 1
    assert len(preorders()) == 29
    assert accepted >= 29
