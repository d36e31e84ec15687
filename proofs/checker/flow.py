"""flow/v1: the preorder that a mask, or a schedule, generates, and the numbers that describe it.

Theorem: the relation is the flow when it contains every layer, is closed, and is the least such.
Covers of a class are pairwise incomparable classes below it whose positions are all that is below
it. A family of chains as large as an antichain proves both extreme (Dilworth).
"""

from collections.abc import Sequence
from itertools import pairwise

from .convergence import convergence
from .envelope import Fields, Invalid, array, boolean, integer, integers, need, record
from .masks import SETTING, read_rows, read_setting
from .relations import contains, groups, is_closed, is_generated

KIND = "attnproof/flow/v1"
_KEYS = SETTING | {
    "relation",
    "classes",
    "covers",
    "transitive",
    "antisymmetric",
    "convergence",
    "height",
    "width",
    "antichain",
    "chains",
}


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless every field describes the flow of the layers."""
    found = record(predicate, _KEYS, "the predicate")
    setting = read_setting(found, digests)
    rows = read_rows(found["relation"], setting.size, setting.size, "relation")
    need(contains(rows, setting.union), "the relation does not contain every layer")
    need(is_closed(rows), "the relation is not closed")
    need(is_generated(rows, setting.union), "the relation contains more than the flow")
    transitive = boolean(found["transitive"], "transitive")
    need(transitive == (rows == setting.union), "transitive is wrong")
    classes = _check_classes(found["classes"], rows)
    antisymmetric = boolean(found["antisymmetric"], "antisymmetric")
    need(antisymmetric == (len(classes) == setting.size), "antisymmetric is wrong")
    covers = _check_covers(found["covers"], classes, rows)
    ranks: list[int] = []
    for covered in covers:
        ranks.append(1 + max((ranks[d] for d in covered), default=0))
    need(integer(found["height"], None, "height") == max(ranks), "height is wrong")
    _check_width(found, classes, rows)
    depth = found["convergence"]
    claimed = None if depth is None else integer(depth, None, "convergence")
    actual = convergence(setting.executed, rows, setting.residual)
    need(claimed == actual, "convergence is wrong")


def _check_classes(value: object, rows: Sequence[int]) -> list[int]:
    """The classes as sets of positions, each after all those that reach it."""
    equal = groups(rows)
    classes, seen = [], 0
    for positions in array(value, "classes"):
        members = integers(positions, len(rows), "a class")
        need(bool(members), "a class is empty")
        need(list(members) == sorted(set(members)), "a class is not in ascending order")
        row = rows[members[0]]
        need(equal[row] == sum(1 << p for p in members), "a class is not one of the flow")
        need(not equal[row] & seen, "a class stands twice")
        seen |= equal[row]
        need(not row & ~seen, "a class stands before one that reaches it")
        classes.append(equal[row])
    need(seen == (1 << len(rows)) - 1, "a position is in no class")
    return classes


def _check_covers(value: object, classes: list[int], rows: Sequence[int]) -> list[list[int]]:
    """Class to the classes that it covers."""
    covers: list[list[int]] = [[] for _ in classes]
    last: tuple[int, ...] = ()
    for cover in array(value, "covers"):
        pair = integers(cover, len(classes), "a cover")
        need(len(pair) == 2 and pair > last, "the covers are not pairs in ascending order")
        source, reader = last = pair
        covers[reader].append(source)
    members = [_first(one) for one in classes]
    for c, covered in enumerate(covers):
        below = 0
        for d in covered:
            below |= rows[members[d]]
        need(below == rows[members[c]] & ~classes[c], "the covers are not what is below a class")
        need(_is_antichain([members[d] for d in covered], rows), "a cover is not a direct one")
    return covers


def _check_width(found: Fields, classes: list[int], rows: Sequence[int]) -> None:
    """An antichain, and as many chains that hold every class once; all null if not computed."""
    if found["width"] is None:
        need(found["antichain"] is None and found["chains"] is None, "the width is missing")
        return
    width = integer(found["width"], None, "width")
    antichain = integers(found["antichain"], len(classes), "antichain")
    chains = [integers(one, len(classes), "a chain") for one in array(found["chains"], "chains")]
    need(len(antichain) == len(chains) == width, "width is wrong")
    need(list(antichain) == sorted(set(antichain)), "the antichain is not in ascending order")
    members = [_first(one) for one in classes]
    need(_is_antichain([members[c] for c in antichain], rows), "the antichain is none")
    need(all(chains), "a chain is empty")
    every = sorted(c for chain in chains for c in chain)
    need(every == list(range(len(classes))), "the chains do not hold every class once")
    for chain in chains:
        for c, d in pairwise(chain):
            if not rows[members[d]] >> members[c] & 1:
                raise Invalid("a chain holds classes that are not one below the other")


def _first(positions: int) -> int:
    return (positions & -positions).bit_length() - 1


def _is_antichain(positions: Sequence[int], rows: Sequence[int]) -> bool:
    """Is none of the positions, of different classes, reached from another?"""
    every = sum(1 << p for p in positions)
    return all(rows[p] & every == 1 << p for p in positions)
