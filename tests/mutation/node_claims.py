"""Claims about nodes and merged tasks, judged by the definitions in ``tests/nodes.py``."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

from tests.mutation.world import Json, world
from tests.nodes import Side, are_equivalent, first_round, is_isomorphism, isomorphic
from tests.reference import identity

POS_MODES = ("absolute", "relative", "none")
#: What two tasks must agree in.
MODEL = ("depth", "residual", "empty_row", "heads", "pos_mode", "diag_in_softmax")


def side_of(value: Json, digests: list[str]) -> Side:
    """A node as the reference holds it."""
    seen = world(value, digests)
    heads, diagonal = value["heads"], identity(seen.n)
    positions, mode = value["positions"], value["pos_mode"]
    absolute = mode == "absolute"
    square = all(one["queries"] == one["keys"] == seen.n for one in value["layers"])
    if len(positions) != seen.n or not (square and seen.residual) or mode not in POS_MODES:
        raise ValueError
    drawn = [pairs if value["diag_in_softmax"] else pairs - diagonal for pairs in seen.executed]
    inputs = [
        [sorted(one["atoms"]), one["kind"], one["segment"], one["pos"] if absolute else None]
        for one in positions
    ]
    return Side(
        range(seen.n)[value["node"]],
        [str(fed) for fed in inputs],
        [one["pos"] if mode == "relative" else 0 for one in positions],
        [drawn[i : i + heads] for i in range(0, len(drawn), heads)],
    )


def _nodes(predicate: Json, digests: list[str]) -> tuple[Side, Side, str, int | None]:
    a, b = predicate["a"], predicate["b"]
    split = len(a["layers"])
    if any(a[key] != b[key] for key in MODEL) or predicate["mode"] not in ("iso", "wl", "softmax"):
        raise ValueError
    depth = None if a["depth"] == "any" else range(1 << 60)[a["depth"]]
    return side_of(a, digests[:split]), side_of(b, digests[split:]), predicate["mode"], depth


def _equivalent(predicate: Json, digests: list[str]) -> bool:
    return are_equivalent(*_nodes(predicate, digests))


def _inequivalent(predicate: Json, digests: list[str]) -> bool:
    compared = _nodes(predicate, digests)
    return not are_equivalent(*compared) and predicate["round"] == first_round(*compared)


def read_labels(listed: list[Json]) -> dict[tuple[int, int], str]:
    """(position, head) to atom."""
    found = {(one["position"], one["head"]): one["atom"] for one in listed}
    if len(found) != len(listed):
        raise ValueError
    return found


def _merged(predicate: Json, digests: list[str]) -> bool:
    tasks, merged, maps = predicate["tasks"], predicate["merged"], predicate["maps"]
    if any(task[key] != merged[key] for task in tasks for key in MODEL) or not tasks:
        return False
    sides, left = [], digests
    for task in (*tasks, merged):
        count = len(task["layers"])
        sides.append(side_of({**task, "node": 0}, left[:count]))
        left = left[count:]
    *own, whole = sides
    told = {
        ((mapped[position], head), atom)
        for task, mapped in zip(tasks, maps, strict=True)
        for (position, head), atom in read_labels(task["labels"]).items()
    }
    return (
        not left
        and all(_is_embedded(side, whole, mapped) for side, mapped in zip(own, maps, strict=True))
        and {slot for mapped in maps for slot in mapped} == set(range(len(whole.inputs)))
        and told == set(read_labels(merged["labels"]).items())
        and (predicate["minimal"] is False or _all_different(whole))
    )


def _is_embedded(side: Side, whole: Side, mapped: list[int]) -> bool:
    if len(mapped) != len(side.inputs) or not set(mapped) <= set(range(len(whole.inputs))):
        return False
    at = [replace(side, node=p) for p in range(len(mapped))]
    return all(
        is_isomorphism(one, replace(whole, node=mapped[p]), {u: mapped[u] for u in one.below})
        for p, one in enumerate(at)
    )


def _all_different(whole: Side) -> bool:
    """Are no two positions of two classes isomorphic?"""
    at = [replace(whole, node=p) for p in range(len(whole.inputs))]
    return not any(a.below != b.below and isomorphic(a, b) for a, b in combinations(at, 2))


def _conflict(predicate: Json, digests: list[str]) -> bool:
    one, other = predicate["atoms"]
    listed, head = predicate["labels"], predicate["head"]
    if len(listed) != 2 or one == other:
        return False
    told = [
        read_labels(labels).get((predicate[side]["node"], head))
        for side, labels in zip("ab", listed, strict=True)
    ]
    return told == [one, other] and _equivalent(predicate, digests)


NODES: dict[str, Callable[[Json, list[str]], bool]] = {
    "equivalent": _equivalent,
    "inequivalent": _inequivalent,
    "merged": _merged,
    "conflict": _conflict,
}
