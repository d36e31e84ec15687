"""Are the claims about sparse masks and scans true? Decided by trying everything."""

from collections.abc import Callable
from itertools import pairwise

from tests.laws.sparse_reference import fewest_scans, rows_of, strict, suffices, tier
from tests.mutation.merged_claims import fewest_merged
from tests.mutation.world import Json, rows, two, world
from tests.reference import closed, identity


def _spans(predicate: Json, digests: list[str]) -> bool:
    a, b = two(predicate, digests)
    layers, period = predicate["b"]["depth"], len(b.given)
    flow = closed(a.union, a.n)
    return (
        a.depth is None
        and a.residual
        and b.residual
        and predicate["b"]["empty_row"] == "zero"
        and layers > 0
        and period in (1, layers)
        and rows(predicate["relation"], a.n) == flow == b.at(layers)
        and predicate["edges_off_diagonal"] == sum(len(strict(pairs)) for pairs in b.given)
    )


def _optimum(predicate: Json, digests: list[str]) -> bool:
    if predicate["of"] == "merged":
        return fewest_merged(predicate, digests)
    if not _spans(predicate, digests) or predicate["of"] != "spanner":
        return False
    a, b = two(predicate, digests)
    schedule, edges = len(b.given) > 1, predicate["edges_off_diagonal"]
    flow = closed(a.union, a.n)
    layers = min(predicate["b"]["depth"], a.n)  # no shortest path is longer
    return edges == 0 or not suffices(flow, a.n, layers, schedule, edges - 1)


def _scans(predicate: Json, digests: list[str]) -> bool:
    seen = world(predicate, digests)
    flow, gated = closed(seen.union, seen.n), {"gated": True, "sum": False}[predicate["rule"]]
    if seen.depth is not None or not seen.residual:
        return False
    reached = rows_of(flow, seen.n)
    held = set(identity(seen.n))
    for scan in predicate["chains"]:
        writes, reads = scan["writes"], scan["reads"]
        if len(reads) != seen.n or sorted(set(writes)) != sorted(writes) or not writes:
            return False
        if gated and not all(a in reached[b] and b not in reached[a] for a, b in pairwise(writes)):
            return False
        for q, count in enumerate(reads):
            held |= {(q, k) for k in writes[: range(len(writes) + 1)[count]]}
    return (
        rows(predicate["relation"], seen.n) == flow == held
        and predicate["tier"] == tier(flow, seen.n, gated)
        and (
            predicate["least"] is None
            or len(predicate["chains"]) == fewest_scans(flow, seen.n, gated)
        )
    )


SPARSE: dict[str, Callable[[Json, list[str]], bool]] = {
    "spans": _spans,
    "optimum": _optimum,
    "scans": _scans,
}
