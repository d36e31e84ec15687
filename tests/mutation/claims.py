"""Is the claim of a statement true? Decided a second time, with sets of pairs and networkx.

Only the claim is judged: what a statement offers as evidence (the relation of a safe claim, say)
is not looked at. A statement that claims nothing that can be understood is not true.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.mutation.length_claims import every_length
from tests.mutation.net_claims import NETS
from tests.mutation.node_claims import NODES
from tests.mutation.sparse_claims import SPARSE
from tests.mutation.world import Json, World, rows, two, world
from tests.reference import Pairs, closed, identity, intransitive, order


def is_true(statement: object) -> bool:
    """Does the statement make a claim, about the masks that it names, that is so?"""
    try:
        return _judged(statement)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError):
        return False


def _judged(statement: Any) -> bool:
    digests = [subject["digest"]["sha256"] for subject in statement["subject"]]
    return CLAIMS[statement["predicateType"]](statement["predicate"], digests)


def forbidden_pairs(wanted: Json, n: int) -> Pairs:
    """The pairs (reader, source) that a property forbids by itself."""
    every = {(q, k) for q in range(n) for k in range(n)}
    if wanted["name"] == "causal":
        return frozenset((q, k) for q, k in every if k > q)
    if wanted["name"] == "next-token":
        return frozenset((q, k) for q, k in every if k == q + 1)
    if wanted["name"] == "documents":
        ids = wanted["ids"]
        if len(ids) != n:
            raise ValueError
        return frozenset((q, k) for q, k in every if ids[q] != ids[k])
    if wanted["name"] == "forbid":
        found = {
            (int(q), k) for q, runs in wanted["pairs"].items() for a, b in runs for k in range(a, b)
        }
        if not found <= every:
            raise ValueError
        return frozenset(found)
    raise ValueError


def _parts(task: Json, name: str) -> set[str]:
    """A name with its arguments, recursively."""
    return {name}.union(*(_parts(task, one) for one in task["derived"].get(name, [])))


def _carried(task: Json, p: int) -> set[str]:
    return set().union(*(_parts(task, name) for name in task["positions"][p]["atoms"]))


def _follows(task: Json, name: str, known: set[str]) -> bool:
    arguments = task["derived"].get(name)
    by_parts = bool(arguments) and all(_follows(task, one, known) for one in arguments)
    return name in known or by_parts


def _exempt(task: Json, label: Json) -> bool:
    p = label["position"]
    return task["positions"][p]["kind"] == "keep" and label["atom"] in _carried(task, p)


def _allowed(task: Json, label: Json) -> set[str] | None:
    if label["allowed_atoms"] is None:
        return None
    own = _parts(task, label["atom"]) if _exempt(task, label) else set()
    return own.union(*(_parts(task, name) for name in label["allowed_atoms"]))


def _task_holds(task: Json, reached: Pairs, n: int) -> bool:
    if len(task["positions"]) != n:
        raise ValueError
    for label in task["labels"]:
        arriving = [_carried(task, k) for q, k in reached if q == label["position"]]
        everything = set().union(*arriving)
        if not _exempt(task, label) and _follows(task, label["atom"], everything):
            return False
        allowed = _allowed(task, label)
        if allowed is not None and not everything <= allowed:
            return False
    return True


def _safe(predicate: Json, digests: list[str]) -> bool:
    seen = world(predicate, digests)
    wanted = predicate["property"]
    if wanted["name"] == "task":
        return _task_holds(wanted["task"], seen.reached, seen.n)
    return not seen.reached & forbidden_pairs(wanted, seen.n)


def _leak(predicate: Json, digests: list[str]) -> bool:
    seen = world(predicate, digests)
    wanted, depth = predicate["property"], predicate["least_depth"]
    reader, source = predicate["reader"], predicate["source"]
    if not _walked(predicate["path"], seen, predicate):
        return False
    if depth != seen.first(reader, source) and not _by_parts(predicate, seen):
        return False
    if seen.depth is not None and seen.depth < depth:
        return False
    if wanted["name"] != "task":
        forbidden = (reader, source) in forbidden_pairs(wanted, seen.n)
        return forbidden and (reader, source) in seen.reached
    return _spoils(predicate, seen, wanted["task"])


def _by_parts(predicate: Json, seen: World) -> bool:
    """Is the label computed, without a residual, from parts that are there at once?"""
    task = predicate["property"].get("task")
    if task is None or seen.residual:
        return False
    return predicate["atom"] not in _carried(task, predicate["source"])


def _spoils(predicate: Json, seen: World, task: Json) -> bool:
    """Does the atom spoil the label at the reader?"""
    reader, source, atom = predicate["reader"], predicate["source"], predicate["atom"]
    here = [one for one in task["labels"] if one["position"] == reader]
    (label,) = [one for one in here if one["head"] == predicate["head"]]
    allowed = _allowed(task, label)
    own = atom == label["atom"] and not _exempt(task, label)
    if not own and (allowed is None or atom in allowed):
        return False
    if atom in _carried(task, source):
        return (reader, source) in seen.reached
    if not own or not _parts(task, atom) & _carried(task, source):
        return False
    known = [
        set().union(*(_carried(task, k) for q, k in seen.at(d) if q == reader))
        for d in range(predicate["least_depth"] + 1)
    ]
    known_by = [_follows(task, atom, one) for one in known]
    now = set().union(*(_carried(task, k) for q, k in seen.reached if q == reader))
    return known_by.index(True) == predicate["least_depth"] and _follows(task, atom, now)


def _walked(path: list[Any], seen: World, predicate: Json) -> bool:
    """Is the path one of the layers, from the source to the reader?"""
    steps = [entry if isinstance(entry, list) else [entry, i] for i, entry in enumerate(path)]
    if not isinstance(path[0], list) and len(seen.executed) > 1:
        return False
    if steps[0] != [predicate["source"], 0]:
        return False
    if steps[-1] != [predicate["reader"], predicate["least_depth"]]:
        return False
    tokens: list[int] = []
    for (token, start), (_, stop) in pairwise(steps):
        tokens += [token] * (stop - start)
    tokens.append(steps[-1][0])
    return len(tokens) == steps[-1][1] + 1 and all(
        (tokens[level + 1], tokens[level]) in seen.executed[level % len(seen.executed)]
        for level in range(len(tokens) - 1)
    )


def _listed(predicate: Json, n: int) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """The classes and the covers, from either way of writing them."""
    classes, covers = predicate["classes"], predicate["covers"]
    if classes == "positions":
        classes = [[p] for p in range(n)]
    if isinstance(covers, dict):
        covers = [
            (c - int(distance), c)
            for distance, runs in covers.items()
            for start, stop in runs
            for c in range(start, min(stop, n + 1))
        ]
    if any(d < 0 for d, _ in covers):
        raise ValueError
    return classes, covers


def _flow(predicate: Json, digests: list[str]) -> bool:
    seen = world(predicate, digests)
    known = order(seen.union, seen.n)
    listed, pairs = _listed(predicate, seen.n)
    classes = [frozenset(positions) for positions in listed]
    place = {c: i for i, c in enumerate(classes)}
    covers = [(classes[d], classes[c]) for d, c in pairs]
    sources_first = all(place[d] < place[c] for d, c in known.covers if d in place and c in place)
    facts = (
        rows(predicate["relation"], seen.n) == known.reach,
        len(classes) == len(known.classes) == len(place) and set(classes) == known.classes,
        all(len(set(c)) == len(c) for c in listed),
        sources_first,
        len(set(covers)) == len(covers) and set(covers) == known.covers,
        predicate["transitive"] is known.transitive,
        predicate["antisymmetric"] is (len(known.classes) == seen.n),
        predicate["height"] == known.height,
        predicate["convergence"] == seen.settles(),
        predicate["convergence"] == known.depth or len(seen.executed) > 1 or not seen.residual,
    )
    if not all(facts):
        return False
    if predicate["width"] is None:
        return predicate["antichain"] is None and predicate["chains"] is None
    antichain = [classes[c] for c in predicate["antichain"]]
    chains = [[classes[c] for c in chain] for chain in predicate["chains"]]
    return (
        predicate["width"] == known.width == len(set(antichain)) == len(antichain) == len(chains)
        and not any(a != b and known.leq(a, b) for a in antichain for b in antichain)
        and sorted(c for chain in predicate["chains"] for c in chain) == list(range(len(classes)))
        and all(known.leq(a, b) for chain in chains for a, b in pairwise(chain))
    )


def _structure(predicate: Json, digests: list[str]) -> bool:
    seen = world(predicate, digests)
    name, bound = predicate["property"]["name"], predicate["property"]["bound"]
    witness = None if predicate["witness"] is None else tuple(predicate["witness"])
    shows = _COUNTEREXAMPLES[name]
    if name == "depth":
        settles = seen.settles()
        holds = settles is not None and settles <= range(1 << 60)[bound]
        known = shows(seen, bound)
        if predicate["holds"] is holds is False:
            return witness is None if not seen.residual and witness is None else known(witness)
        return predicate["holds"] is holds and witness is None
    if bound is not None:
        return False
    if predicate["holds"] is True:
        return witness is None and not _any_counterexample(name, seen)
    return predicate["holds"] is False and witness is not None and shows(seen, bound)(witness)


def _any_counterexample(name: str, seen: World) -> bool:
    short = [(q,) for q in range(seen.n)]
    pairs = [(*a, *b) for a in short for b in short]
    triples = [(*a, *b) for a in short for b in pairs]
    known = _COUNTEREXAMPLES[name](seen, None)
    return any(known(witness) for witness in [*short, *pairs, *triples])


def _no_own(seen: World, _: Any) -> Callable[[Any], bool]:
    layers = list(zip(seen.given, seen.queries, strict=True))
    return lambda w: (
        len(w) == 1
        and any(w[0] in queries and (w[0], w[0]) not in layer for layer, queries in layers)
    )


def _empty(seen: World, _: Any) -> Callable[[Any], bool]:
    layers = list(zip(seen.given, seen.queries, strict=True))
    return lambda w: (
        len(w) == 1
        and any(w[0] in queries and w[0] not in {q for q, _ in layer} for layer, queries in layers)
    )


def _open(seen: World, _: Any) -> Callable[[Any], bool]:
    bad = set().union(*(intransitive(layer, seen.n) for layer in seen.executed))
    return lambda w: len(w) == 3 and (w[2], w[0], w[1]) in bad


def _mutual(seen: World, _: Any) -> Callable[[Any], bool]:
    return lambda w: (
        len(w) == 2
        and w[0] != w[1]
        and any({(w[0], w[1]), (w[1], w[0])} <= layer for layer in seen.executed)
    )


def _late(seen: World, bound: int) -> Callable[[Any], bool]:
    return lambda w: (
        all((q, k) in seen.union | identity(seen.n) for k, q in pairwise(w))
        and (w[-1], w[0]) not in seen.at(bound)
        and len(w) > 1
    )


_COUNTEREXAMPLES: dict[str, Callable[[World, Any], Callable[[Any], bool]]] = {
    "reflexive": _no_own,
    "no-empty-rows": _empty,
    "transitive": _open,
    "antisymmetric": _mutual,
    "depth": _late,
}


def _beside(a: World, b: World) -> list[tuple[Pairs, Pairs]]:
    levels = range(len(a.given) * len(b.given))
    return [(a.given[i % len(a.given)], b.given[i % len(b.given)]) for i in levels]


def _equal(predicate: Json, digests: list[str]) -> bool:
    a, b = two(predicate, digests)
    if predicate["of"] == "edges":
        return all(x == y for x, y in _beside(a, b))
    return predicate["of"] == "flow" and closed(a.union, a.n) == closed(b.union, b.n)


def _unequal(predicate: Json, digests: list[str]) -> bool:
    a, b = two(predicate, digests)
    pair = predicate["reader"], predicate["source"]
    swapped = {"a": False, "b": True}[predicate["only_in"]]
    if predicate["of"] == "edges":
        both = _beside(b, a) if swapped else _beside(a, b)
        return any(pair in x and pair not in y for x, y in both)
    one, other = (b, a) if swapped else (a, b)
    path = predicate["path"]
    return (
        predicate["of"] == "flow"
        and (path[-1], path[0]) == pair
        and all((q, k) in one.union | identity(a.n) for k, q in pairwise(path))
        and pair not in closed(other.union, a.n)
    )


CLAIMS: dict[str, Callable[[Json, list[str]], bool]] = {
    f"attnproof/{name}/v1": claim
    for name, claim in {
        "safe": _safe,
        "leak": _leak,
        "flow": _flow,
        "structure": _structure,
        "equal": _equal,
        "unequal": _unequal,
        "lengths": every_length,
        **NETS,
        **NODES,
        **SPARSE,
    }.items()
}
