"""The forbidden pairs that a predicate of (q, k) of the user says, a row at a time where it can.

A predicate that is arithmetic answers a whole row at once when ``k`` is the array of all keys. The
answer is kept where it agrees with the predicate asked for single pairs, at the ends, around the
diagonal and at some keys besides; else every pair is asked.
"""

import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any

from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.order.properties import Forbidden

#: Every pair is asked in the worst case; more positions than this take minutes.
MOST = 4096
#: Keys of a row at which its answer is compared, besides the ends and the diagonal.
_DRAWN = 4


def by_predicate(
    predicate: object, size: int, name: str, params: Mapping[str, object] | None = None
) -> Forbidden:
    """The pairs at which the predicate is true; ``params`` are given where it takes their names.

    >>> by_predicate(lambda q, k: k > q, 3, "later").sets
    {0: 6, 1: 4}
    >>> by_predicate(lambda q, k, keys: q - k >= keys, 3, "far", {"keys": 2}).sets
    {2: 1}

    Raises :class:`InputError` for what cannot be called, raises, or returns no Boolean, and
    :class:`ShapeError` for more than 4096 positions.
    """
    if not callable(predicate):
        raise InputError(f"{name} is no function; give one of (q, k) that is true when forbidden")
    asked = bound(predicate, params or {}, name)
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
            row = _row(asked, q, size, drawn) if whole else None
            whole = row is not None
            if row is None:
                row = sum(1 << k for k in range(size) if _truth(asked(q, k), name))
        if row:
            sets[q] = row
    return Forbidden(sets, size)


def bound(
    predicate: Callable[..., Any], params: Mapping[str, object], name: str
) -> Callable[..., Any]:
    """The predicate of ``q`` and ``k`` alone, its further arguments taken from ``params``.

    Raises :class:`InputError` where it needs an argument that is none of them.
    """
    try:
        arguments = list(inspect.signature(predicate).parameters.values())
    except (TypeError, ValueError):
        return predicate
    further = [x for x in arguments[2:] if x.kind in (x.POSITIONAL_OR_KEYWORD, x.KEYWORD_ONLY)]
    missing = [x.name for x in further if x.default is x.empty and x.name not in params]
    if missing:
        raise InputError(
            f"{name} also takes {', '.join(missing)}; a predicate takes q and k, and by their "
            "names parameters of the mask (--param, params={...})",
            missing=tuple(missing),
        )
    return partial(predicate, **{x.name: params[x.name] for x in further if x.name in params})


def _truth(answer: Any, name: str) -> bool:
    kind = type(answer).__name__
    if hasattr(answer, "dtype") and getattr(answer, "ndim", 1) == 0:
        kind, answer = str(answer.dtype), answer.item()
    if not isinstance(answer, bool):
        raise InputError(f"{name} returns {kind}; a predicate returns one Boolean for each pair")
    return answer


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
