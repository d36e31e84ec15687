"""The population loss on all parameters, and its derivatives by complex steps: a reference that
knows nothing of orbits."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from attnproof.symbolic.gradient.symmetry import Kind, Orbit, Point

Example = tuple[tuple[int, ...], int, int]


def indices(kinds: Sequence[Kind]) -> list[Point]:
    """All indices of some kinds with numbers of branches, in order."""
    return [
        Point(kind, path)
        for kind in kinds
        for path in product(*(range(int(size)) for size in kind.branching))
    ]


def matrix(
    orbits: Sequence[Orbit], vector: Sequence[Any], rows: Sequence[Point], columns: Sequence[Point]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The matrix that has these values on these orbits."""
    values = {orbit: float(value) for orbit, value in zip(orbits, vector, strict=True)}
    return np.array([[values[Orbit((row, col)).restrict(0, 1)] for col in columns] for row in rows])


def loss(
    value: np.ndarray[Any, Any],
    score: np.ndarray[Any, Any],
    embedding: np.ndarray[Any, Any],
    sequences: Sequence[Example],
    scale: float,
) -> complex:
    """Mean cross-entropy of sequences (tokens, query, label); rows of ``embedding`` are tokens."""
    total = 0j
    for tokens, query, label in sequences:
        x = embedding[list(tokens)]
        weights = np.exp(scale * x @ score @ embedding[query])
        logits = value @ (x.T @ (weights / weights.sum()))
        total += np.log(np.exp(logits).sum()) - logits[label]
    return total / len(sequences)


def derivative(
    function: Callable[[np.ndarray[Any, Any]], complex], at: np.ndarray[Any, Any]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The gradient of an analytic function, exact to rounding."""
    found = np.zeros(at.shape)
    for place in np.ndindex(*at.shape):
        moved = at.astype(complex)
        moved[place] += 1e-30j
        found[place] = function(moved).imag / 1e-30
    return found


def rotation(size: int, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Orthonormal rows."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]


def each_once(classes: int, distinct: int, common: int, queries: int) -> list[Example]:
    """All sequences of the data: tokens of the class and all common tokens, each once."""
    first = classes * distinct
    return [
        (
            (*range(k * distinct, (k + 1) * distinct), *range(first, first + common)),
            first + q,
            k,
        )
        for k in range(classes)
        for q in range(queries)
    ]
