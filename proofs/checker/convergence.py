"""Convergence: the least L with ``P_(L + period) = P_L``, in the notation of ``layers``.

Theorem: where every position reads itself P_L grows, and a whole period changes nothing exactly
when P_L is the closure of the union of the layers. Otherwise the products settle exactly when the
powers of the product of one period do.

Machine-checked: ``Growth.stable_forever`` and ``Closure.stable_is_limit``.
"""

from collections.abc import Callable, Sequence

from .layers import levels
from .limits import Steps
from .rows import Rows


def convergence(layers: Sequence[Rows], limit: Callable[[], Rows], residual: bool) -> int | None:
    """The least L, None if there is none; ``limit`` makes the closure of the union."""
    if residual or all(layer.contains(layer.identity()) for layer in layers):
        return layers[0].settling(layers, limit)
    whole, steps = layers[0], Steps()
    for layer in layers[1:]:
        whole = layer.product(whole, steps)
    if not whole.is_aperiodic():
        return None
    recent: list[Rows] = []
    products = levels(layers)
    while len(recent) <= len(layers) or recent[-1] != recent[-1 - len(layers)]:
        recent.append(next(products))
    return len(recent) - 1 - len(layers)
