"""Claims that no common supergraph is smaller, judged by trying all."""

from collections.abc import Sequence

from tests.mutation.node_claims import MODEL, read_labels, side_of
from tests.mutation.world import Json
from tests.nodes import Side
from tests.reference import closed, identity
from tests.supergraphs import Element, Labelled, least, numbers


def fewest_merged(predicate: Json, digests: list[str]) -> bool:
    """Do the given vertices have the number, and does no way to identify classes have less?"""
    tasks, counted = predicate["tasks"], predicate["counted"]
    injective = {True: True, False: False}[predicate["injective"]]
    if any(task[key] != tasks[0][key] for task in tasks for key in MODEL) or not tasks:
        return False
    given, left = [], digests
    for task in tasks:
        count = len(task["layers"])
        read_labels(task["labels"])
        given.append(_order(side_of({**task, "node": 0}, left[:count]), task["pos_mode"]))
        left = left[count:]
    blocks = _blocks(predicate["vertices"], [of for _, of in given])
    orders = [order for order, _ in given]
    found = numbers(orders, blocks, injective)
    return (
        not left
        and found is not None
        and found[counted] == predicate["fewest"] == least(orders, injective)[counted]
        and isinstance(predicate["fewest"], int)
    )


def _order(side: Side, pos_mode: str) -> tuple[Labelled, Sequence[int]]:
    """The classes of a dense task, and the class of each position."""
    n = len(side.inputs)
    every = [head for layer in side.layers for head in layer]
    relation = closed(frozenset().union(*every), n)
    if pos_mode == "relative" or any(head | identity(n) != relation for head in every):
        raise ValueError
    down = [frozenset(k for q, k in relation if q == p) for p in range(n)]
    classes = sorted(set(down), key=lambda one: (len(one), sorted(one)))
    labels = [tuple(sorted(str(side.inputs[p]) for p in range(n) if down[p] == c)) for c in classes]
    pairs = {(d, e) for d, a in enumerate(classes) for e, b in enumerate(classes) if a < b}
    return Labelled(labels, frozenset(pairs)), [classes.index(one) for one in down]


def _blocks(vertices: object, classes: Sequence[Sequence[int]]) -> list[list[Element]]:
    """The classes at each vertex; ValueError where a class has two."""
    if not isinstance(vertices, list) or len(vertices) != len(classes):
        raise ValueError
    found: dict[int, list[Element]] = {}
    for t, (listed, of) in enumerate(zip(vertices, classes, strict=True)):
        own = dict(zip(of, listed, strict=True))
        if [own[c] for c in of] != listed:
            raise ValueError
        for c, vertex in own.items():
            found.setdefault(range(1 << 60)[vertex], []).append((t, c))
    return list(found.values())
