"""The masks that are measured, as dense Boolean arrays: ``mask[q, k]``, diagonal included."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Dense = NDArray[np.bool_]


@dataclass(frozen=True)
class Case:
    """A mask of every length; ``ordered`` when no query reads a later key."""

    name: str
    dense: Callable[[int], Dense]
    ordered: bool


def causal(n: int) -> Dense:
    return np.tri(n, dtype=np.bool_)


def window(n: int, keys: int = 128) -> Dense:
    back = np.subtract.outer(np.arange(n), np.arange(n))
    return (back >= 0) & (back < keys)


def document(n: int, mean: int = 512) -> Dense:
    """Causal within documents of ``mean`` tokens on average."""
    cuts = np.random.default_rng(0).choice(np.arange(1, n), max(1, n // mean) - 1, replace=False)
    starts = np.zeros(n, np.int64)
    starts[cuts] = 1
    ids = np.cumsum(starts)
    return causal(n) & np.equal.outer(ids, ids)


def prefix(n: int) -> Dense:
    """Causal, and everyone reads the first quarter."""
    mask = causal(n)
    mask[:, : n // 4] = True
    return mask


def block_diffusion(n: int, block: int = 32) -> Dense:
    """Noisy blocks read themselves and the clean blocks before; clean ones are block causal."""
    half = n // 2
    place = np.arange(n)
    noisy = place < half
    number = np.where(noisy, place, place - half) // block
    same, later = np.equal.outer(number, number), np.greater.outer(number, number)
    from_noisy, to_noisy = noisy[:, None], noisy[None, :]
    mask: Dense = (
        (same & np.equal.outer(noisy, noisy))
        | (later & from_noisy & ~to_noisy)
        | (same | later) & ~from_noisy & ~to_noisy
    )
    return mask


def random_order(n: int, density: float = 0.01) -> Dense:
    """Each pair k < q with probability ``density``."""
    mask = np.random.default_rng(0).random((n, n), np.float32) < density
    return np.tril(mask, -1) | np.eye(n, dtype=np.bool_)


def random_digraph(n: int, degree: int = 2) -> Dense:
    """``degree`` keys a query on average, anywhere."""
    mask = np.eye(n, dtype=np.bool_)
    mask[tuple(np.random.default_rng(0).integers(0, n, (2, n * degree)))] = True
    return mask


def many_covers(n: int, density: float = 0.5) -> Dense:
    """Three layers of n / 3 positions, each reading half of the layer before: n² / 9 covers."""
    third = n // 3
    mask = np.eye(n, dtype=np.bool_)
    chosen = np.random.default_rng(0).random((2, third, third), np.float32) < density
    mask[third : 2 * third, :third] = chosen[0]
    mask[2 * third : 3 * third, third : 2 * third] = chosen[1]
    return mask


def sink_window(n: int, keys: int = 128, sinks: int = 4) -> Dense:
    """A window, and everyone reads the first four tokens."""
    mask = window(n, keys)
    mask[:, :sinks] = causal(n)[:, :sinks]
    return mask


CASES = (
    Case("causal", causal, True),
    Case("slide128", window, True),
    Case("document", document, True),
    Case("prefix", prefix, False),
    Case("blockdiff32", block_diffusion, False),
    Case("rdag .01", random_order, True),
    Case("rdigraph d2", random_digraph, False),
)


def packed_causal(n: int) -> NDArray[np.uint8]:
    """The causal mask of a length whose dense form would not fit, eight keys a byte."""
    packed = np.zeros((n, n // 8), np.uint8)
    for q in range(n):
        packed[q, : q // 8] = 255
        packed[q, q // 8] = (2 << q % 8) - 1
    return packed
