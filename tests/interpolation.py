"""Nets run a second time, as their formulas stand.

The reference uses dense matrices of fractions for hardmax and 120 digits of mpmath for softmax.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

Json = dict[str, Any]
Rows = list[list[Any]]


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
