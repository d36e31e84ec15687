"""scans/v1: the flow of a mask as scans, each a sequence of writes of which a reader sees the first
so many.

Theorem: what readers see of one scan is nested. So two pairs (reader, source), where neither reader
is reached from the other's source, are in different scans. Hence pairs of which every two are so
need a scan each, and an odd cycle of pairs, each so with the next, needs three. Under the rule
``gated`` what is written before must be read by what is written after; so sources of which none
reaches another need a scan each.

Machine-checked: ``Scans.scan_is_nested``, ``Scans.apart_pairs_need_scans``,
``Scans.odd_cycle_needs_three`` and ``Scans.gated_sources_need_scans``.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise

from .envelope import Invalid, array, integers, need, record
from .limits import MOST_SPARSE
from .masks import SETTING, read_setting
from .rows import Rows

KIND = "attnproof/scans/v1"
_KEYS = SETTING | {"relation", "rule", "tier", "chains", "least"}


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the scans realise the flow, and as few as ``least`` says."""
    found = record(predicate, _KEYS, "the predicate")
    setting = read_setting(found, digests)
    size = setting.size
    need(size <= MOST_SPARSE, "there are too many positions")
    need(setting.depth is None and setting.residual, "not any number of layers with a residual")
    relation = setting.relation(found["relation"])
    need(relation.contains(setting.union), "the relation does not contain every layer")
    need(relation.is_closed(), "the relation is not closed")
    need(relation.is_generated(setting.union), "the relation contains more than the flow")
    gated = found["rule"] == "gated"
    need(gated or found["rule"] == "sum", "the rule is neither sum nor gated")
    rows = [relation.bits(q) for q in range(size)]
    need(found["tier"] == tier(rows, gated), "tier is wrong")
    seen = [1 << q for q in range(size)]
    chains = array(found["chains"], "chains")
    for chain in chains:
        _follow(chain, rows, gated, seen)
    need(seen == rows, "the scans do not realise the flow")
    if found["least"] is not None:
        _check_least(found["least"], relation, rows, gated, len(chains))


def _follow(chain: object, rows: Sequence[int], gated: bool, seen: list[int]) -> None:
    """What each reader sees of one scan, added to what it has seen."""
    size = len(rows)
    scan = record(chain, {"writes", "reads"}, "a chain")
    writes = integers(scan["writes"], size, "writes")
    reads = integers(scan["reads"], len(writes) + 1, "reads")
    need(len(set(writes)) == len(writes) > 0, "a position is written twice, or none is")
    need(len(reads) == size, "there is not one number of writes for each position")
    if gated:
        ascending = all(rows[b] >> a & 1 and not rows[a] >> b & 1 for a, b in pairwise(writes))
        need(ascending, "a write does not read the one before")
    held = [0]
    for k in writes:
        held.append(held[-1] | 1 << k)
    for q, count in enumerate(reads):
        seen[q] |= held[count]


def tier(rows: Sequence[int], gated: bool = False) -> str:
    """How one recurrence realises a closed relation, or ``several`` where none does.

    ``in-place``: each position is read at its own time, in a sequence with resets. ``snapshot``:
    what is read is nested. ``forked``: what is read is a path from a root of a forest.
    """
    plain = len(set(rows)) == len(rows)
    need(plain or not gated, "positions that read each other have no order of writes")
    if plain and _is_in_place(rows):
        return "in-place"
    if not gated and _is_nested(rows):
        return "snapshot"
    return "forked" if _is_forest(rows) else "several"


def _is_in_place(rows: Sequence[int]) -> bool:
    """Are the positions that others read a chain in each connected part?"""
    written = 0
    parts: list[int] = []
    for q, row in enumerate(rows):
        written |= row & ~(1 << q)
        joined = row
        for part in [one for one in parts if one & row]:
            parts.remove(part)
            joined |= part
        parts.append(joined)
    for part in parts:
        writers = [k for k in range(len(rows)) if part & written & 1 << k]
        writers.sort(key=lambda k: rows[k].bit_count())
        if not all(rows[b] >> a & 1 for a, b in pairwise(writers)):
            return False
    return True


def _is_nested(rows: Sequence[int]) -> bool:
    """Are the rows nested, where a position alone in its class need not read itself?"""
    sharing = Counter(rows)
    read = [row if sharing[row] > 1 else row & ~(1 << q) for q, row in enumerate(rows)]
    return all(a & b == a for a, b in pairwise(sorted(read, key=int.bit_count)))


def _is_forest(rows: Sequence[int]) -> bool:
    """Is what lies below a class, if anything does, the row of a single position?"""
    known, own = set(rows), dict.fromkeys(rows, 0)
    for q, row in enumerate(rows):
        own[row] |= 1 << q
    return all(row == inside or row & ~inside in known for row, inside in own.items())


def _check_least(
    value: object, relation: Rows, rows: Sequence[int], gated: bool, count: int
) -> None:
    kind = value.get("by") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _LEAST or (kind == "antichain") != gated:
        raise Invalid("least says in no known way why fewer scans do not suffice")
    key, test = _LEAST[kind]
    given = array(record(value, {"by", key}, "least")[key], key)
    if kind == "antichain":
        sources = integers(given, len(rows), key)
        written = all(any(row >> k & 1 for q, row in enumerate(rows) if q != k) for k in sources)
        need(len(sources) == count == len(set(sources)), "there are not as many as scans")
        need(written and relation.is_antichain(sources), "a source is read by none, or by another")
        return
    pairs = [integers(pair, len(rows), "a pair") for pair in given]
    need(all(len(pair) == 2 and _is_read(rows, *pair) for pair in pairs), "a pair is none")
    need(test(pairs, rows, count), "fewer scans may suffice")


def _is_read(rows: Sequence[int], q: int, k: int) -> bool:
    return q != k and bool(rows[q] >> k & 1)


def _apart(a: Sequence[int], b: Sequence[int], rows: Sequence[int]) -> bool:
    """Is neither reader reached from the source of the other?"""
    return not rows[a[0]] >> b[1] & 1 and not rows[b[0]] >> a[1] & 1


def _clique(pairs: Sequence[Sequence[int]], rows: Sequence[int], count: int) -> bool:
    return len(pairs) == count and all(_apart(a, b, rows) for a, b in combinations(pairs, 2))


def _odd_cycle(pairs: Sequence[Sequence[int]], rows: Sequence[int], count: int) -> bool:
    around = [*pairs, *pairs[:1]]
    return (
        count == 3 and len(pairs) % 2 == 1 and all(_apart(a, b, rows) for a, b in pairwise(around))
    )


_LEAST: Mapping[str, tuple[str, Callable[[Sequence[Sequence[int]], Sequence[int], int], bool]]] = {
    "pairs": ("pairs", _clique),
    "cycle": ("pairs", _odd_cycle),
    "antichain": ("sources", _clique),
}
