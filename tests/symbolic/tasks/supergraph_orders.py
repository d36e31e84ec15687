"""Common supergraphs as orders on vertices, asked of Z3: another formula than the one for SAT."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import z3

from attnproof.symbolic.tasks.minimal import Counted, orders
from attnproof.symbolic.tasks.task import Task


def is_there_by_order(
    tasks: Sequence[Task], most: int, counted: Counted, *, injective: bool = False
) -> bool:
    """Is there a common supergraph with at most so many?

    Variables are an order on vertices, their labels, and the map of each task into them.

    Vertices that no class is mapped to are pruned, so that there are at most as many as classes.
    """
    if most < 0:
        return False
    given = orders(tasks)
    whole = sum(order.size for order in given)
    size = min(most, whole) if counted is Counted.CLASSES else whole
    vertices = range(size)
    at_most = z3.Solver()
    below = [[z3.Bool(f"below {i} {j}") for j in vertices] for i in vertices]
    labels = [z3.Int(f"label {i}") for i in vertices]
    names: dict[object, int] = {}
    for i in vertices:
        at_most.add(below[i][i], *(z3.Not(below[i][j]) for j in range(i)))
        for j in vertices:
            at_most.add(
                *(z3.Implies(z3.And(below[i][j], below[j][k]), below[i][k]) for k in vertices)
            )
    for t, order in enumerate(given):
        image = [z3.Int(f"image {t} {c}") for c in range(order.size)]
        for c, label in enumerate(order.labels):
            at_most.add(image[c] >= 0, image[c] < size)
            name = names.setdefault(label, len(names))
            at_most.add(*(z3.Implies(image[c] == i, labels[i] == name) for i in vertices))
            under = (*order.below[c], c)
            at_most.add(*_embedded(below, image, under, c, vertices))
        at_most.add(*(image[c] != image[d] for c, d in order.apart(injective)))
    if counted is not Counted.CLASSES:
        pairs = [(i, j) for i, j in combinations(vertices, 2)]
        few = [
            below[i][j]
            if counted is Counted.PAIRS
            else z3.And(
                below[i][j],
                *(z3.Not(z3.And(below[i][k], below[k][j])) for k in vertices if k not in (i, j)),
            )
            for i, j in pairs
        ]
        at_most.add(z3.AtMost(*few, most) if few else True)
    return bool(at_most.check() == z3.sat)


def _embedded(
    below: Sequence[Sequence[Any]],
    image: Sequence[Any],
    under: Sequence[int],
    c: int,
    vertices: Iterable[int],
) -> list[Any]:
    """What is below the image of ``c`` is the image of what is below ``c``."""
    return [
        rule
        for j in vertices
        for i in vertices
        for rule in (
            z3.Implies(z3.And(image[c] == j, below[i][j]), z3.Or(*(image[u] == i for u in under))),
            *(z3.Implies(z3.And(image[u] == i, image[c] == j), below[i][j]) for u in under),
        )
    ]
