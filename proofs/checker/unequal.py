"""unequal/v1: a pair that one of two masks, or flows, has and the other has not.

Theorem: a path shows that its source reaches its reader; a search from the reader, breadth-first,
meets everything that does.

Machine-checked: ``Limit.limit_connect``.
"""

from collections.abc import Sequence

from .envelope import array, integer, integers, need, record
from .equal import beside, read_two
from .paths import replays

KIND = "attnproof/unequal/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the pair is in one of the two only."""
    keys = {"a", "b", "of", "only_in", "reader", "source", "path"}
    found = record(predicate, keys, "the predicate")
    a, b = read_two(found["a"], found["b"], digests)
    need(found["of"] in ("edges", "flow"), "of is neither edges nor flow")
    need(found["only_in"] in ("a", "b"), "only_in is neither a nor b")
    one, other = (a, b) if found["only_in"] == "a" else (b, a)
    reader = integer(found["reader"], one.size, "reader")
    source = integer(found["source"], one.size, "source")
    if found["of"] == "edges":
        need(found["path"] is None, "edges need no path")
        only = any(
            x.given.has(reader, source) and not y.given.has(reader, source)
            for x, y in beside(one, other)
        )
        need(only, "the pair is not in one of the two only")
        return
    need(bool(array(found["path"], "path")), "the path is empty")
    tokens = integers(found["path"], one.size, "path")
    steps = [(token, level) for level, token in enumerate(tokens)]
    need(tokens[0] == source and tokens[-1] == reader, "the path has other ends")
    need(replays([one.union], steps), "the path is not read")
    need(other.union.distance(source, reader) is None, "the other flow has the pair too")
