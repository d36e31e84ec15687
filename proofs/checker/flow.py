"""flow/v1: the preorder that a mask, or a schedule, generates, and the numbers that describe it.

Theorem: the relation is the flow when it contains every layer, is closed, and is the least such.
A family of chains as large as an antichain proves both extreme (Dilworth). Classes and covers are
those of ``hasse``.

Machine-checked: ``Limit.limit_least``, ``Schedule.periodic_limit`` and
``Width.accepted_antichain_is_largest``.
"""

from collections.abc import Sequence
from itertools import pairwise

from .convergence import convergence
from .envelope import Fields, array, boolean, integer, integers, need, record
from .hasse import Diagram, read_diagram
from .masks import SETTING, read_setting
from .rows import Rows

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
    rows = setting.relation(found["relation"])
    need(rows.contains(setting.union), "the relation does not contain every layer")
    need(rows.is_closed(), "the relation is not closed")
    need(rows.is_generated(setting.union), "the relation contains more than the flow")
    transitive = boolean(found["transitive"], "transitive")
    need(transitive == (rows == setting.union), "transitive is wrong")
    diagram = read_diagram(found["classes"], found["covers"], rows)
    antisymmetric = boolean(found["antisymmetric"], "antisymmetric")
    need(antisymmetric == (len(diagram) == setting.size), "antisymmetric is wrong")
    need(integer(found["height"], None, "height") == diagram.height(), "height is wrong")
    _check_width(found, diagram, rows)
    depth = found["convergence"]
    claimed = None if depth is None else integer(depth, None, "convergence")
    actual = convergence(setting.executed, lambda: rows, setting.residual)
    need(claimed == actual, "convergence is wrong")


def _check_width(found: Fields, diagram: Diagram, rows: Rows) -> None:
    """An antichain, and as many chains that hold every class once; all null if not computed."""
    if found["width"] is None:
        need(found["antichain"] is None and found["chains"] is None, "the width is missing")
        return
    count = len(diagram)
    width = integer(found["width"], None, "width")
    antichain = integers(found["antichain"], count, "antichain")
    chains = [integers(one, count, "a chain") for one in array(found["chains"], "chains")]
    need(len(antichain) == len(chains) == width, "width is wrong")
    ascending = all(c < d for c, d in pairwise(antichain))
    need(ascending, "the antichain is not in ascending order")
    need(rows.is_antichain([diagram.first(c) for c in antichain]), "the antichain is none")
    need(all(chains), "a chain is empty")
    every = sorted(c for chain in chains for c in chain)
    need(every == list(range(count)), "the chains do not hold every class once")
    below = all(
        rows.has(diagram.first(d), diagram.first(c)) for chain in chains for c, d in pairwise(chain)
    )
    need(below, "a chain holds classes that are not one below the other")
