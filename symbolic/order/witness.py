"""Leaks: forbidden pairs that the layers reach, each with its least depth and a path.

A path runs from the source to the reader. It is the lexicographically least among the shortest
ones; in a schedule its entries are (token, layer after which the token holds it).
"""

from collections.abc import Callable, Iterator, Sequence

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.schedule import Relation, levels
from attnproof.symbolic.verdict import Path

Found = tuple[int, int, int]


def first_leaks(
    layers: Sequence[Relation],
    forbidden: Callable[[int], int],
    reached: Relation,
    most: int,
) -> list[Found]:
    """The first ``most`` leaks as (depth, reader, source), in that order.

    ``reached`` is the relation in which the leaks stand: what the layers reach at any depth, or
    up to the depth in question.

    >>> layer = (0b001, 0b011, 0b110)
    >>> first_leaks([layer], lambda q: 0b001 if q == 2 else 0, (0b001, 0b011, 0b111), 9)
    [(2, 2, 0)]
    """
    open_ = {q: row & forbidden(q) for q, row in enumerate(reached) if row & forbidden(q)}
    search = _one_mask(layers[0], open_) if len(layers) == 1 else _schedule(layers, open_)
    found: list[Found] = []
    for depth, now in enumerate(search):
        for q in sorted(now):
            for k in members(now[q] & open_[q]):
                found.append((depth, q, k))
                if len(found) == most:
                    return found
            open_[q] &= ~now[q]
            if not open_[q]:
                del open_[q]
        if not open_:
            break
    return found


def _one_mask(layer: Relation, open_: dict[int, int]) -> Iterator[dict[int, int]]:
    """Breadth-first from every leaking reader: the positions at distance 0, 1, 2, ..."""
    seen = {q: 1 << q for q in open_}
    front = dict(seen)
    while True:
        yield {q: front[q] for q in open_}
        for q in open_:
            ahead = 0
            for m in members(front[q]):
                ahead |= layer[m]
            front[q] = ahead & ~seen[q]
            seen[q] |= ahead


def _schedule(layers: Sequence[Relation], open_: dict[int, int]) -> Iterator[dict[int, int]]:
    for held in levels(layers):
        yield {q: held[q] for q in open_}


def tokens(layers: Sequence[Relation], source: int, reader: int, depth: int) -> list[int]:
    """One token a layer, from the source to the reader, lexicographically least.

    >>> tokens([(0b001, 0b011, 0b110)], 0, 2, 2)
    [0, 1, 2]
    """
    back = [1 << reader]
    for level in range(depth, 0, -1):
        layer = layers[(level - 1) % len(layers)]
        ahead = 0
        for m in members(back[-1]):
            ahead |= layer[m]
        back.append(ahead)
    back.reverse()
    path = [source]
    for level in range(1, depth + 1):
        layer = layers[(level - 1) % len(layers)]
        path.append(next(m for m in members(back[level]) if layer[m] >> path[-1] & 1))
    return path


def path(layers: Sequence[Relation], source: int, reader: int, depth: int) -> Path:
    """The lexicographically least path of ``depth`` layers, as reports show it.

    >>> path([(0b01, 0b10), (0b01, 0b11)], 0, 1, 2)
    ((0, 0), (1, 2))
    """
    return shown(tokens(layers, source, reader, depth), len(layers))


def shown(walked: Sequence[int], period: int) -> Path:
    """One token a layer as reports show it: in a schedule, where it is and after which layer.

    >>> shown([0, 0, 1], period=1), shown([0, 0, 1], period=2)
    ((0, 0, 1), ((0, 0), (1, 2)))
    """
    if period == 1:
        return tuple(walked)
    steps = enumerate(walked)
    return tuple(
        (token, level) for level, token in steps if not level or token != walked[level - 1]
    )


def distance(layer: Relation, reader: int, source: int) -> int | None:
    """The least number of layers of one mask after which ``source`` reaches ``reader``.

    >>> distance((0b001, 0b011, 0b110), 2, 0)
    2
    """
    seen = front = 1 << reader
    steps = 0
    while front:
        if front >> source & 1:
            return steps
        ahead = 0
        for m in members(front):
            ahead |= layer[m]
        front = ahead & ~seen
        seen |= ahead
        steps += 1
    return None
