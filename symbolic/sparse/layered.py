"""Causal attention in K layers with few edges: separators, after Yao, Alon and Schieber.

Separators split the positions into blocks. In the first layer a separator reads the block before
it, in the last a block reads the separator before it; the layers between do the same among the
separators, and each block, which has all layers, within itself.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

Edge = tuple[int, int]

#: Up to so many positions every size of a block is tried.
_SMALL = 64


def layered(n: int, layers: int) -> tuple[tuple[int, ...], ...]:
    """Layer by layer, position to what it reads as bit sets, the diagonal included.

    >>> rows = layered(6, 3)
    >>> sum(row.bit_count() - 1 for layer in rows for row in layer)
    7

    Law: the product of the layers is the causal mask of ``n`` positions. Raises ValueError unless
    ``layers`` is 1 or more. Source: Alon and Schieber, Tel Aviv University TR 71/87.
    """
    if layers < 1:
        raise ValueError(f"{layers} layers; needed: 1 or more")
    rows = [[1 << q for q in range(n)] for _ in range(layers)]
    for level, (q, k) in _edges(range(n), range(layers)):
        rows[level][q] |= 1 << k
    return tuple(map(tuple, rows))


def _edges(positions: "range | list[int]", levels: range) -> Iterator[tuple[int, Edge]]:
    n = len(positions)
    _, blocks = _plan(n, len(levels))
    if blocks is None:
        for i in range(n - 1):
            yield levels[i], (positions[i + 1], positions[i])
        return
    if len(levels) == 1:
        for i in range(n):
            yield from ((levels[0], (positions[i], positions[j])) for j in range(i))
        return
    start = 0
    separators: list[int] = []
    for size in blocks:
        block = positions[start : start + size]
        if separators:
            yield from ((levels[-1], (v, separators[-1])) for v in block)
        yield from _edges(block, levels)
        if start + size < n:
            separators.append(positions[start + size])
            yield from ((levels[0], (separators[-1], v)) for v in block)
        start += size + 1
    yield from _edges(separators, levels[1:-1])


@lru_cache(maxsize=1 << 16)
def _plan(n: int, layers: int) -> tuple[int, tuple[int, ...] | None]:
    """The number of edges and the sizes of the blocks; None where each position reads the one
    before it, one a layer."""
    if n <= layers + 1:
        return max(n - 1, 0), None
    if layers == 1:
        return n * (n - 1) // 2, ()
    best: tuple[int, tuple[int, ...]] | None = None
    for separators in _counts(n) if layers > 2 else (1,):
        for inner in _sizes(n, separators):
            outer = n - separators - (separators - 1) * inner
            if outer < 0:
                continue
            sizes = (outer // 2, *[inner] * (separators - 1), outer - outer // 2)
            within = sum(count * _plan(size, layers)[0] for size, count in _grouped(sizes))
            links = outer + 2 * (separators - 1) * inner
            edges = _plan(separators, layers - 2)[0] + links + within
            if best is None or edges < best[0]:
                best = edges, sizes
    if best is None:
        raise AssertionError("one separator always splits")
    return best


def _grouped(sizes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for size in set(sizes):
        yield size, sizes.count(size)


def _counts(n: int) -> Iterator[int]:
    """How many separators are tried: all small numbers, of the others a few."""
    count = 1
    while count <= n:
        yield count
        count += 1 + count // 8


def _sizes(n: int, separators: int) -> Iterable[int]:
    """How many positions are tried between two separators; the rest lies outside."""
    if separators == 1:
        return (0,)
    equal = (n - separators) // (separators + 1)
    if n <= _SMALL:
        return range(equal + 1)
    return sorted({0, equal // 2, equal * 3 // 4, equal - 1, equal} - {-1})
