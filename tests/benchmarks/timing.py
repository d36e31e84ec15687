"""CPU seconds of one process with one thread: the least of some repeats."""

import gc
from collections.abc import Callable
from time import process_time


def seconds(function: Callable[[], object], *, repeats: int = 20, enough: float = 0.5) -> float:
    """The least CPU time of a call; no further call once ``enough`` seconds were measured."""
    best = float("inf")
    spent = 0.0
    gc.collect()
    gc.disable()
    for _ in range(repeats):
        start = process_time()
        result = function()
        took = process_time() - start
        del result
        best = min(best, took)
        spent += took
        if spent >= enough:
            break
    gc.enable()
    return best


def short(value: float) -> str:
    """Seconds in the unit that suits them.

    >>> short(0.0123), short(2.5), short(0.0000456)
    ('12 ms', '2.5 s', '46 us')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return (
                f"{value / scale:.2g} {unit}"
                if value / scale < 10
                else f"{value / scale:.0f} {unit}"
            )
    return f"{value / 1e-6:.2g} us"
