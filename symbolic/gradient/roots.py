"""The root of an increasing function: doubled steps to a bracket, then Newton's method in it."""

from collections.abc import Callable
from math import inf

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.curve import TOO_FAR

_MOST_STEPS = 2000


def increasing_root(
    ahead: Callable[[float], tuple[float, float]],
    low: float,
    step: float,
    last: float,
    scale: float,
) -> float:
    """Where an increasing function is 0, above ``low`` and up to ``last``.

    ``ahead`` gives value and slope; the value may be infinite. ``step`` is a guess of the way.
    Ends at a step of Newton's method that is small against the way from ``low``, from a value that
    is small against ``scale``: the next step would be below double precision.
    """
    begin, high, value, slope = low, low, -inf, inf
    step = max(step, 1e-15 * (1 + abs(low)))
    while value < 0:
        if high >= last:
            raise ParameterError(TOO_FAR)
        low, high, step = high, min(high + step, last), 2 * step
        value, slope = ahead(high)
    point, before = high, high - low
    for _ in range(_MOST_STEPS):
        if value >= 0:
            high = point
        else:
            low = point
        rounding = 4e-16 * abs(point)
        if high - low <= rounding:
            break
        move = -value / slope if 0 < slope < inf else inf
        newton = low <= point + move <= high and abs(move) <= before / 2
        if not newton:
            move = low + (high - low) / 2 - point
        near = abs(value) <= 1e-6 * scale
        point, before = point + move, abs(move)
        if newton and near and before <= max(rounding, 1e-10 * (point - begin)):
            break
        value, slope = ahead(point)
    return point
