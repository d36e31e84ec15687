"""Layers in sequence: ``P_L`` is the product of the first L layers, the last one leftmost.

A schedule of p layers repeats: layer L runs ``layers[(L - 1) % p]``; ``P_0`` is the identity.

Machine-checked: ``Mask.product_cat`` and ``Mask.powerP``.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from .envelope import need
from .limits import MOST_STEPS, Steps
from .rows import Rows


def levels(layers: Sequence[Rows]) -> Iterator[Rows]:
    """P_0, P_1, P_2, ...; Invalid when that takes too many steps."""
    steps = Steps()
    yield layers[0].identity()
    held = layers[0]
    for level in count(1):
        yield held
        held = layers[level % len(layers)].product(held, steps)


def after(layers: Sequence[Rows], depth: int) -> Rows:
    """P_depth. Once a product comes back in the same phase, they repeat."""
    found = layers[0].power(layers, depth)
    products = levels(layers)
    mark: Rows | None = None
    level = marked = 0
    while found is None:
        held = next(products)
        cycle = level - marked
        if level == depth:
            found = held
        elif cycle and held == mark and cycle % len(layers) == 0:
            found = after(layers, marked + (depth - marked) % cycle)
        elif level & (level - 1) == 0:
            mark, marked = held, level
        level += 1
    return found


def spread(layers: Sequence[Rows], sources: int, depth: int) -> Iterator[int]:
    """The positions that some source reaches after 0, 1, ..., ``depth`` layers, as bits."""
    need(depth * len(layers[0]) <= MOST_STEPS, "following the layers takes too many steps")
    held = sources
    yield held
    for level in range(depth):
        held = layers[level % len(layers)].readers(held)
        yield held


def arrives(layers: Sequence[Rows], source: int, reader: int, depth: int) -> bool:
    """Is ``depth`` the least number of layers after which ``source`` reaches ``reader``?

    Theorem: a shortest walk is at no position twice in the same phase of the schedule, so the
    least number is less than positions times layers of a period.
    """
    if depth >= len(layers) * len(layers[0]):
        return False
    if len(layers) == 1:
        return layers[0].distance(source, reader) == depth
    *earlier, last = spread(layers, 1 << source, depth)
    return bool(last >> reader & 1) and not any(held >> reader & 1 for held in earlier)
