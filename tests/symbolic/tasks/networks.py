"""Small random networks in float64, run on a node as the reference writes it down."""

import zlib
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from tests.nodes import Side

WIDTH = 6
State = NDArray[np.float64]


def _random(seed: int, *names: Hashable) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(repr(names).encode())])


def output(side: Side, depth: int, seed: int, *, shares: bool) -> State:
    """The state of the node after ``depth`` layers: softmax attention where ``shares``, else sums
    over the keys. Logits are of order 1; a difference of places adds one of its own."""
    states = np.array([_random(seed, "input", fed).normal(size=WIDTH) for fed in side.inputs])
    for level in range(depth):
        heads = side.layers[level % len(side.layers)]
        more = np.zeros_like(states)
        for h, pairs in enumerate(heads):
            weights = _random(seed, "head", level, h).normal(size=(4, WIDTH, WIDTH)) / WIDTH**0.5
            asks, keys, values, out = weights
            for q in range(len(states)):
                read = sorted(k for reader, k in pairs if reader == q)
                if not read:
                    continue
                away = [side.places[q] - side.places[k] for k in read]
                bias = np.array([_random(seed, "away", d).normal() for d in away])
                logits = states[read] @ keys.T @ (asks @ states[q]) / WIDTH + bias
                share = np.exp(logits - (logits.max() if shares else 0))
                share = share / share.sum() if shares else np.tanh(share)
                more[q] += out @ (share @ np.tanh(states[read] @ values.T))
        inner, outer = _random(seed, "mlp", level).normal(size=(2, WIDTH, WIDTH)) / WIDTH**0.5
        states = states + more
        states = states + np.tanh(states @ inner.T) @ outer.T
    return np.asarray(states[side.node])


def difference(a: Side, b: Side, depth: int, seed: int, *, shares: bool) -> float:
    """How far the outputs at the two nodes are apart."""
    outputs = [output(side, depth, seed, shares=shares) for side in (a, b)]
    return float(np.abs(outputs[0] - outputs[1]).max())
