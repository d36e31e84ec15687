"""equal/v1: two masks have the same pairs as given, layer by layer, or the same flow.

Theorem: a relation that is closed, contains every layer and is the least such is the flow; if it is
the flow of both, the flows are equal.

Machine-checked: ``Limit.limit_least``.
"""

from collections.abc import Iterator, Sequence
from math import lcm

from .envelope import array, need, record
from .masks import SETTING, Layer, Setting, read_setting

KIND = "attnproof/equal/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the two are equal."""
    found = record(predicate, {"a", "b", "of", "relation"}, "the predicate")
    a, b = read_two(found["a"], found["b"], digests)
    need(found["of"] in ("edges", "flow"), "of is neither edges nor flow")
    if found["of"] == "edges":
        need(found["relation"] is None, "edges need no relation")
        need(all(x.given == y.given for x, y in beside(a, b)), "the pairs differ")
        return
    rows = a.relation(found["relation"])
    need(rows.is_closed(), "the relation is not closed")
    for one in (a, b):
        need(rows.contains(one.union), "the relation does not contain every layer")
        need(rows.is_generated(one.union), "the relation contains more than the flow")


def beside(a: Setting, b: Setting) -> Iterator[tuple[Layer, Layer]]:
    """The layers that run at the same time, until both schedules start again together."""
    for level in range(lcm(len(a.layers), len(b.layers))):
        yield a.layers[level % len(a.layers)], b.layers[level % len(b.layers)]


def read_two(a: object, b: object, digests: Sequence[str]) -> tuple[Setting, Setting]:
    """Two settings of one size; the first subjects are those of ``a``."""
    first = record(a, SETTING, "a")
    second = record(b, SETTING, "b")
    split = len(array(first["layers"], "layers"))
    one = read_setting(first, digests[:split])
    other = read_setting(second, digests[split:])
    need(one.size == other.size, "the two have different sizes")
    return one, other
