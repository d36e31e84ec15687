"""Butterfly: each token from all others, gathered by a chain from the left and one from the right.

Task ``i`` has the chain ``f_1 < .. < f_{i-1}``, the chain ``g_n < .. < g_{i+1}`` and a centre that
reads both and is given the two neighbours of token ``i``. Merged: ``3n - 2`` positions,
``4n - 6`` covers for ``n >= 2``. With labels on the chains too, every position predicts a token.
"""

from attnproof.symbolic.families.family import (
    Builder,
    Family,
    check_size,
    first,
    named,
    task,
    token,
)
from attnproof.symbolic.named.kinds import at_least, choice
from attnproof.symbolic.named.named import Parameter
from attnproof.symbolic.tasks.task import Position, Task


def neighbours(i: int, n: int, radius: int = 1) -> tuple[str, ...]:
    """The atoms of the tokens around token ``i``.

    >>> neighbours(1, 4), neighbours(3, 4)
    (('x2',), ('x2', 'x4'))
    """
    near = range(max(1, i - radius), min(n, i + radius) + 1)
    return tuple(f"x{j}" for j in near if j != i)


def make(n: int, labels: str) -> Family:
    check_size("butterfly", n * n)
    places = [
        [*range(i - 1), *range(2 * n - 3, n + i - 3, -1), 2 * n - 3 + i] for i in range(1, n + 1)
    ]
    tasks = tuple(_task(i, n, labels == "all") for i in range(1, n + 1))
    return Family("butterfly", tasks, named("butterfly", places, n))


def _task(i: int, n: int, supervised: bool) -> Task:
    left, right = list(range(1, i)), list(range(n, i, -1))
    positions = [token(j, "fwd") for j in left] + [token(j, "bwd") for j in right]
    rows = [first(p + 1) for p in range(len(left))]
    rows += [first(p + 1) << len(left) for p in range(len(right))]
    labels = {n - 1: i}
    if supervised:
        labels |= {p: j + 1 for p, j in enumerate(left)}
        labels |= {len(left) + p: j - 1 for p, j in enumerate(right)}
    centre = Position(neighbours(i, n), i, "ctr")
    return task(f"x{i}", n, [*positions, centre], labels, [*rows, first(n)])


BUILDER = Builder(
    name="butterfly",
    doc="Each token is predicted from all others, by two chains and a centre.",
    source="arXiv:2606.09951 (reconstruction ours)",
    parameters=(
        Parameter("n", "how many tokens", at_least(1)),
        Parameter("labels", "which positions predict a token", choice("all", "centres"), "all"),
    ),
    make=make,
)
