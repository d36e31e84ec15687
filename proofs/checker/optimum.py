"""optimum/v1: nothing smaller does the same. ``of`` spanner: lets through what a mask does, with
fewer edges in as many layers. ``of`` merged: holds some dense tasks, with fewer classes, pairs or
covers.

Theorem: of masks, ``least`` shows it in one of four ways. One layer holds no more than its own
pairs. At any depth, the masks together hold a cycle through each class and an edge for each cover
(Aho, Garey and Ullman). A refutation of the formula of one edge less; the formula is built here,
from the claim. On a path, for each length in turn, that fewer edges than so many have no model,
given those before. Of tasks, the formula of one less, built here from the tasks, has no model; and
there is nothing less than nothing.

Machine-checked: ``Sparsest.sparsest_size``, ``Refutation.refuted`` and ``Spanner.interval_needs``.
"""

from collections.abc import Callable, Mapping, Sequence

from . import spanners, spans, supergraphs
from .drat import refute
from .envelope import Fields, Invalid, array, boolean, integer, integers, need, record
from .limits import Steps
from .models import Model, read_model
from .spans import Spanner

KIND = "attnproof/optimum/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless nothing smaller does the same."""
    of = predicate.get("of") if isinstance(predicate, dict) else None
    if not isinstance(of, str) or of not in _OF:
        raise Invalid("of names nothing that is known")
    keys, check_least = _OF[of]
    check_least(record(predicate, {"of", "least", *keys}, "the predicate"), digests)


def _check_spanner(found: Fields, digests: Sequence[str]) -> None:
    known = spans.read_spanner(found, digests)
    least = found["least"]
    way = least.get("by") if isinstance(least, dict) else None
    if not isinstance(way, str) or way not in _WAYS:
        raise Invalid("least says in no known way why fewer edges do not suffice")
    keys, show = _WAYS[way]
    show(known, record(least, {"by", *keys}, "least"))


def _by_layer(known: Spanner, _: Fields) -> None:
    need(known.layers == 1, "there is more than one layer")
    pairs = sum(row.bit_count() for row in known.rows) - len(known.rows)
    need(known.edges == pairs, "fewer edges may suffice")


def _by_reduction(known: Spanner, _: Fields) -> None:
    need(known.edges == reduced(known.rows), "fewer edges may suffice")


def reduced(rows: Sequence[int]) -> int:
    """How many edges generate a closed relation: a cycle through each class of two or more
    positions, and one edge for each pair of a class and one directly below it."""
    members: dict[int, list[int]] = {}
    for q, row in enumerate(rows):
        members.setdefault(row, []).append(q)
    edges = 0
    for row, inside in members.items():
        edges += len(inside) if len(inside) > 1 else 0
        below = row & ~sum(1 << q for q in inside)
        while below:
            top = max(_distinct(rows, below), key=int.bit_count)
            edges += 1
            below &= ~top
    return edges


def _distinct(rows: Sequence[int], positions: int) -> set[int]:
    return {row for k, row in enumerate(rows) if positions >> k & 1}


def _by_refutation(known: Spanner, least: Fields) -> None:
    need(known.edges > 0, "there is no edge less")
    formula, _ = spanners.spanner(known.rows, known.layers, known.schedule, known.edges - 1)
    refute(formula.variables, formula.clauses, least["steps"])


def _by_path(known: Spanner, least: Fields) -> None:
    """``lengths[i]`` is how many edges a path of i + 2 positions needs, with the refutation."""
    size = len(known.rows)
    order = sorted(row.bit_count() for row in known.rows)
    need(order == list(range(1, size + 1)), "the positions are not in one chain")
    fewest = [0, 0]
    for entry in array(least["lengths"], "lengths"):
        found = record(entry, {"edges", "steps"}, "a length")
        edges = integer(found["edges"], None, "edges")
        need(edges > 0, "every path has an edge")
        formula, _ = spanners.path(
            len(fewest), known.layers, known.schedule, edges - 1, tuple(fewest)
        )
        refute(formula.variables, formula.clauses, found["steps"])
        fewest.append(edges)
    need(len(fewest) == size + 1, "the lengths do not end at that of the mask")
    need(fewest[size] == known.edges, "fewer edges may suffice")


def _check_merged(found: Fields, digests: Sequence[str]) -> None:
    steps, models, left = Steps(), [], digests
    for task in array(found["tasks"], "tasks"):
        model, left = read_model(task, left, steps)
        models.append(model)
    need(not left, "there are more subjects than masks")
    need(bool(models), "there is no task")
    need(len({one.conventions for one in models}) == 1, "no one model runs all tasks")
    counted, injective = found["counted"], boolean(found["injective"], "injective")
    if not isinstance(counted, str) or counted not in supergraphs.COUNTED:
        raise Invalid("counted is neither classes nor pairs nor covers")
    fewest = integer(found["fewest"], None, "fewest")
    given = [_order(model) for model in models]
    vertices = _vertices(found["vertices"], [of for _, of in given])
    orders = [order for order, _ in given]
    need(supergraphs.total(orders, vertices, counted, injective) == fewest, "fewest is not reached")
    least = record(found["least"], {"by", "steps"}, "least")
    need(least["by"] == "refutation", "least says in no known way why fewer do not suffice")
    if fewest == 0:
        need(least["steps"] == [], "nothing is counted, and steps are given")
        return
    formula, _ = supergraphs.supergraph(orders, counted, fewest - 1, injective)
    refute(formula.variables, formula.clauses, least["steps"])


def _order(model: Model) -> tuple[supergraphs.Order, tuple[int, ...]]:
    """A dense task as a labelled order."""
    need(model.conventions[3] != "relative", "differences of positions are no labels")
    for heads in model.keys:
        for rows in heads:
            dense = all(row | 1 << q == model.below[q] for q, row in enumerate(rows))
            need(dense, "a task is not dense")
    return supergraphs.order_of(model.inputs, model.below)


def _vertices(value: object, classes: Sequence[Sequence[int]]) -> list[list[int]]:
    """The vertex of each class, from those of its positions."""
    listed = array(value, "vertices")
    need(len(listed) == len(classes), "vertices does not hold one list a task")
    found = []
    for one, of in zip(listed, classes, strict=True):
        places = integers(one, None, "vertices")
        need(len(places) == len(of), "vertices does not hold one a position")
        own = dict(zip(of, places, strict=True))
        need([own[c] for c in of] == list(places), "a class has two vertices")
        found.append([own[c] for c in range(len(own))])
    return found


_WAYS: Mapping[str, tuple[tuple[str, ...], Callable[[Spanner, Fields], None]]] = {
    "layer": ((), _by_layer),
    "reduction": ((), _by_reduction),
    "refutation": (("steps",), _by_refutation),
    "path": (("lengths",), _by_path),
}

#: What is least, with the fields of its predicate and what checks it.
_OF: Mapping[str, tuple[frozenset[str], Callable[[Fields, Sequence[str]], None]]] = {
    "spanner": (spans.KEYS, _check_spanner),
    "merged": (
        frozenset({"tasks", "counted", "injective", "fewest", "vertices"}),
        _check_merged,
    ),
}
