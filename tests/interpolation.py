"""Data that is hard to interpolate, and nets run a second time as their formulas stand.

The reference uses dense matrices of fractions for hardmax and 120 digits of mpmath for softmax.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

Json = dict[str, Any]
Rows = list[list[Any]]

ONE_NINTH = Fraction(1, 10**9)
FOUR = [(1, 0), (0, 1), (1, 1), (-1, -1)]
LINE = [(10 * k + s, 0) for k in range(8) for s in (-1, 1)]


def subsets(tokens: Sequence[Any]) -> list[list[Any]]:
    """All subsets that are not empty."""
    chosen = range(1, 1 << len(tokens))
    return [[x for i, x in enumerate(tokens) if bits >> i & 1] for bits in chosen]


#: name: pairs. Each was made to break a construction: equal means, subsets, targets in the way.
ADVERSARIAL: dict[str, list[tuple[Any, Any]]] = {
    "one token": [([(0, 0)], [(5, -7)])],
    "identity": [([(1, 2), (3, 4), (5, 6)], [(1, 2), (3, 4), (5, 6)])],
    "swapped sets": [
        ([(1, 1), (2, 2)], [(3, 3), (4, 4)]),
        ([(3, 3), (4, 4)], [(1, 1), (2, 2)]),
    ],
    "chain of subsets": [([(i, 0) for i in range(k + 1)], [(k, k)]) for k in range(8)],
    "equal means": [([(-k, 0), (k, 0)], [(k, 1)]) for k in range(1, 9)],
    "pairs far apart": [
        pair
        for k in range(6)
        for pair in (
            ([(100 * k + 1, 0), (100 * k + 4, 0)], [(k, 1)]),
            ([(100 * k + 2, 0), (100 * k + 3, 0)], [(k, 2)]),
        )
    ],
    "equal power sums": [
        ([(v, 0) for v in (0, 3, 5, 6, 9, 10, 12, 15)], [(1, 0), (2, 0)]),
        ([(v, 0) for v in (1, 2, 4, 7, 8, 11, 13, 14)], [(1, 0), (3, 0)]),
    ],
    "all subsets of 4": [(one, [(s, -s)]) for s, one in enumerate(subsets(FOUR), 1)],
    "collinear": [
        ([(-i, -2 * i) for i in range(1, 7)], [(-100, -100), (0, 0)]),
        ([(-i, -2 * i) for i in range(2, 9)], [(100, 100), (0, 0)]),
    ],
    "one target": [([(i, j) for i in range(3)], [(7, 7)]) for j in range(6)],
    "shared targets": [([(i, j) for i in range(4)], [(0, 0), (j, 1), (1, 1)]) for j in range(2, 6)],
    "as many outputs": [
        ([(i * i, j) for i in range(5)], [(i, -i * j) for i in range(5)]) for j in range(1, 5)
    ],
    "a query for each": [
        *(([*LINE, (10 * k, 0)], [(k, 0)]) for k in range(5)),
        (LINE, [(9, 9)]),
    ],
    "huge targets": [
        ([(0, 0), (1, 0)], [(10**9, 1), (10**9 + 1, 1)]),
        ([(0, 0), (2, 0)], [(-(10**9), 0)]),
    ],
    "tiny gaps": [
        ([(0, 0), (ONE_NINTH, 0)], [(1, 1), (2, 2)]),
        ([(0, 0), (2 * ONE_NINTH, 0)], [(3, 3)]),
    ],
    "zero, vertical": [
        ([(0, i) for i in range(5)], [(0, 0)]),
        ([(0, i) for i in range(1, 6)], [(0, 0), (0, 1)]),
    ],
    "targets of inputs": [
        ([(2, 1), (3, 1), (4, 1)], [(4, 1), (3, 1)]),
        ([(2, 1), (3, 1)], [(2, 1), (3, 1)]),
    ],
}
LINE_DATA = [([(-1,), (0,), (1,)], [(5,), (-5,)]), ([(-1,), (1,)], [(0,)]), ([(0,)], [(9,)])]


def matrix(value: Json, d: int, number: type) -> Rows:
    """``scale I + left right^T`` entry by entry."""
    left, right = value["left"] or ["0"] * d, value["right"] or ["0"] * d
    return [
        [number(value["scale"]) * (r == c) + number(left[r]) * number(right[c]) for c in range(d)]
        for r in range(d)
    ]


def applied(rows: Rows, x: Sequence[Any]) -> list[Any]:
    """A matrix times a vector."""
    return [inner(row, x) for row in rows]


def inner(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """The scalar product."""
    return sum(p * q for p, q in zip(a, b, strict=True))


def forward(net: Json, tokens: Sequence[Sequence[Any]], tau: Any = None) -> Rows:
    """What the net makes of tokens: fractions and hardmax, or with ``tau`` mpmath and softmax."""
    number: Any = Fraction if tau is None else to_float
    d, causal = range(1 << 16)[net["dimension"]], net["causal"]
    states = [[number(x) for x in token] for token in tokens]
    if any(len(state) != d for state in states):
        raise ValueError
    for block in net["blocks"]:
        states = [fed(block, state, number) for state in states]
        added = [[number(block["rho"]) * x for x in state] for state in states]
        for head in block["heads"]:
            score, value = (matrix(head[name], d, number) for name in ("score", "value"))
            for q, query in enumerate(states):
                keys = states[: q + 1] if causal else states
                scores = [inner(applied(score, query), key) for key in keys]
                weights = shares(scores, tau)
                mean = [inner(weights, column) for column in zip(*keys, strict=True)]
                added[q] = [x + y for x, y in zip(added[q], applied(value, mean), strict=True)]
        states = added
    return states


def fed(block: Json, state: Sequence[Any], number: Any) -> list[Any]:
    """The feed-forward layer."""
    found = [number(block["eta"]) * x for x in state]
    for neuron in block["neurons"]:
        z = max(inner(list(map(number, neuron["read"])), state) + number(neuron["bias"]), number(0))
        found = [x + z * number(w) for x, w in zip(found, neuron["write"], strict=True)]
    return found


def shares(scores: Sequence[Any], tau: Any) -> list[Any]:
    """How much of each token is read."""
    top = max(scores)
    if tau is None:
        best = [score == top for score in scores]
        return [Fraction(int(one), sum(best)) for one in best]
    exponentials = [mpmath.exp((score - top) / tau) for score in scores]
    return [one / sum(exponentials) for one in exponentials]


def to_float(value: Any) -> Any:
    """A rational to the digits of mpmath."""
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def distance(outputs: Rows, wanted: Sequence[Sequence[Any]]) -> Any:
    """The Hausdorff distance of two sets of tokens in the maximum norm."""
    aims = [[to_float(x) for x in token] for token in wanted]

    def apart(a: Sequence[Any], b: Sequence[Any]) -> Any:
        return max(abs(p - q) for p, q in zip(a, b, strict=True))

    near = [min(apart(a, b) for b in aims) for a in outputs]
    return max(*near, *(min(apart(a, b) for a in outputs) for b in aims))


def error(net: Json, pairs: Sequence[Json], tau: Any) -> Any:
    """The greatest distance of an output to what is wanted, softmax at ``tau``."""
    with mpmath.workdps(120):
        at = to_float(tau)
        return max(distance(forward(net, pair["input"], at), pair["output"]) for pair in pairs)


def interpolates(net: Json, pairs: Sequence[Json]) -> bool:
    """Does the hardmax net make every output of its input?"""

    def exact(tokens: Sequence[Sequence[Any]]) -> set[tuple[Fraction, ...]]:
        return {tuple(map(Fraction, token)) for token in tokens}

    return bool(pairs) and all(
        exact(forward(net, pair["input"])) == exact(pair["output"]) for pair in pairs
    )
