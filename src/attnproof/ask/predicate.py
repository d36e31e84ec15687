"""The forbidden pairs that a predicate of (q, k) of the user says, a row at a time where it can.

A predicate that is arithmetic answers a whole row at once when ``k`` is the array of all keys. The
answer is kept where it agrees with the predicate asked for single pairs, at the ends, around the
diagonal and at some keys besides; else every pair is asked.
"""

import warnings
from collections.abc import Callable
from random import Random
from typing import Any

from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.order.properties import Forbidden

#: Every pair is asked in the worst case; more positions than this take minutes.
MOST = 4096
#: Keys of a row at which its answer is compared, besides the ends and the diagonal.
_DRAWN = 4


def by_predicate(predicate: object, size: int, name: str) -> Forbidden:
    """The pairs at which the predicate is true.

    >>> by_predicate(lambda q, k: k > q, 3, "later").sets
    {0: 6, 1: 4}

    Raises :class:`InputError` for what cannot be called or raises, :class:`ShapeError` for more
    than 4096 positions.
    """
    if not callable(predicate):
        raise InputError(f"{name} is no function; give one of (q, k) that is true when forbidden")
    if size > MOST:
        raise ShapeError(
            f"{name} would be asked for {size * size} pairs; give the pairs as JSON, or a mask "
            f"of at most {MOST} positions",
            size=size,
        )
    from attnproof.numeric.read.user_code import user_code

    drawn = Random(0)
    whole = True
    sets = {}
    for q in range(size):
        with user_code(f"{name} at q={q}"):
            row = _row(predicate, q, size, drawn) if whole else None
            whole = row is not None
            if row is None:
                row = sum(1 << k for k in range(size) if predicate(q, k))
        if row:
            sets[q] = row
    return Forbidden(sets, size)


def _row(predicate: Callable[..., Any], q: int, size: int, drawn: Random) -> int | None:
    """The answers for query ``q``, bit ``k`` for key ``k``, asked at once; None where it cannot."""
    import numpy as np

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            answers = np.asarray(predicate(q, np.arange(size)))
    except Exception:
        return None
    if answers.dtype != np.bool_ or answers.shape != (size,):
        return None
    around = (0, q - 1, q, q + 1, size - 1)
    keys = [k for k in around if 0 <= k < size] + drawn.choices(range(size), k=_DRAWN)
    if any(bool(predicate(q, k)) != answers[k] for k in keys):
        return None
    return int.from_bytes(np.packbits(answers, bitorder="little").tobytes(), "little")
