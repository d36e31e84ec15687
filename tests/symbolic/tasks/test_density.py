"""Supervision densities, against the reference values and a count by sets."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from attnproof.symbolic.tasks.density import density
from attnproof.symbolic.tasks.task import Task
from tests.reference import closed
from tests.symbolic.tasks.random_tasks import content, determined, executed, tasks


def autoregressive(n: int) -> Task:
    """x1..x(n-1) under a causal mask, each position predicting the next token."""
    return Task.build(
        [f"x{i}" for i in range(1, n)], {i: f"x{i + 2}" for i in range(n - 1)}, "causal"
    )


def two_stream(n: int) -> Task:
    """XLNet in the natural order: n - 1 content positions, n queries."""
    content_stream = [f"x{i}" for i in range(1, n)]
    labels = {n - 1 + i: f"x{i + 1}" for i in range(n)}
    return Task.build([*content_stream, *[None] * n], labels, "two_stream")


def block_two_stream(m: int, b: int, clean: str) -> Task:
    """Clean tokens of all blocks but the last, then a mask token for every token."""
    first = (m - 1) * b
    labels = {first + i: f"x{i}" for i in range(m * b)}
    mask = {"builder": "block_two_stream", "m": m, "b": b, "clean": clean}
    return Task.build([*(f"x{i}" for i in range(first)), *[None] * (m * b)], labels, mask)


def butterfly(n: int) -> Task:
    """Chains f1..f(n-1) and g2..gn, centres between them that carry their neighbours."""
    token = "x{}".format
    inputs = [
        *((token(j),) for j in range(1, n)),
        *((token(j),) for j in range(2, n + 1)),
        *(tuple(token(j) for j in (i - 1, i + 1) if 1 <= j <= n) for i in range(1, n + 1)),
    ]
    told = [*range(2, n + 1), *range(1, n), *range(1, n + 1)]
    return Task.build(inputs, {p: token(i) for p, i in enumerate(told)}, "butterfly")


@pytest.mark.parametrize(
    ("task", "positions", "tokens", "context"),
    [
        (autoregressive(4), 1, 0.75, 0.666667),
        (autoregressive(8), 1, 0.875, 0.571429),
        (two_stream(4), 0.571429, 1, 0.5),
        (two_stream(8), 0.533333, 1, 0.5),
        (block_two_stream(3, 2, "block"), 0.6, 1, 0.4),
        (block_two_stream(3, 2, "token"), 0.6, 1, 0.4),
        (block_two_stream(4, 3, "block"), 0.571429, 1, 0.409091),
        (butterfly(4), 1, 1, 0.8),
        (butterfly(7), 1, 1, 0.736842),
    ],
)
def test_density_of_case_studies(
    task: Task, positions: float, tokens: float, context: float
) -> None:
    """The three densities are those of the reference, computed independently."""
    found = density(task)
    given_values = (found.positions, found.tokens, found.context)
    assert [round(float(x), 6) for x in given_values] == [positions, tokens, context]


@given(tasks())
@settings(max_examples=30)
def test_density_counts(task: Task) -> None:
    """Each density is its count by sets, and at most 1."""
    found = density(task)
    labels: dict[int, set[str]] = {}
    for label in task.labels:
        labels.setdefault(label.position, set()).add(label.atom)
    told = set().union(*labels.values())
    universe = set(task.atoms) | told
    reach = closed(frozenset().union(*executed(task)), task.size)
    shares = []
    for v, own in labels.items():
        known = determined(task, set().union(*(content(task, k) for q, k in reach if q == v)))
        shares.append(Fraction(len((known & universe) - own), len(universe) - 1))
    assert found.positions == Fraction(len(labels), task.size)
    assert found.tokens == Fraction(len(told), len(universe))
    assert found.context == (sum(shares) / len(shares) if shares else 0)
    assert max(found.positions, found.tokens, found.context) <= 1
