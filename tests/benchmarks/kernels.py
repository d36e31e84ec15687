"""The compiled pass on packed words: what the extra ``fast`` takes without Python integers."""

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from attnproof.symbolic.order import fast
from tests.benchmarks.masks import Dense

Words = NDArray[np.uint64]

INSTALLED = find_spec("numba") is not None


def packed(mask: Dense) -> Words:
    """64 keys a word; the length is a multiple of 64."""
    return np.packbits(mask, axis=1, bitorder="little").view(np.uint64)


def closed(words: Words) -> tuple[Words, Words]:
    """The closure of a lower triangular relation, and its covers."""
    reads, covers, every = words.copy(), np.zeros_like(words), np.arange(len(words) + 1)
    fast.compiled(fast.join)(reads, every, every, every, True, covers)
    return reads, covers


def close(words: Words) -> None:
    """The closure alone, in place."""
    every = np.arange(len(words) + 1)
    fast.compiled(fast.join)(words, every, every, every, True, words[:, :0])


def transitive(words: Words) -> bool:
    """Is the relation its own closure?"""
    reads = words.copy()
    close(reads)
    return np.array_equal(reads, words)


def warm() -> None:
    """Compile, or load what was compiled before."""
    closed(packed(np.eye(64, dtype=np.bool_)))
