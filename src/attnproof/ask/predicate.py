"""The forbidden pairs that a predicate of (q, k) of the user says, a row at a time where it can.

A predicate that is arithmetic answers a whole row at once when ``k`` holds all keys, each computed
as it is alone. One that looks at what ``k`` is, and not at its value, is seen at the keys at which
rows are compared with single pairs; then every pair is asked.
"""

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from random import Random
from typing import Any

from attnproof.ask.each import Each
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

    def pairs(q: int, keys: Iterable[int]) -> int:
        """The answers at some keys, each asked alone."""
        with user_code(f"{name} at q={q}"):
            return sum(1 << k for k in keys if _truth(asked(q, k), name))

    for keys in _ways(size):
        rows = _rows(asked, pairs, keys, size)
        if rows is not None:
            break
    else:
        rows = [pairs(q, range(size)) for q in range(size)]
    return Forbidden({q: row for q, row in enumerate(rows) if row}, size)


def _rows(
    asked: Callable[..., Any],
    pairs: Callable[[int, Iterable[int]], int],
    keys: Any,
    size: int,
) -> list[int] | None:
    """Every row, asked at once; None where one cannot be, or is not what single pairs say."""
    drawn = Random(0)
    rows = []
    for q in range(size):
        row = _row(asked, q, keys, size)
        if row is None:
            return None
        around = {k for k in (0, q - 1, q, q + 1, size - 1) if 0 <= k < size}
        compared = around.union(drawn.choices(range(size), k=_DRAWN))
        if pairs(q, compared) != row & sum(1 << k for k in compared):
            return None
        rows.append(row)
    return rows


def _ways(size: int) -> Iterator[tuple[Callable[[], AbstractContextManager[object]], Any]]:
    """All keys at once, as what computes of each what is computed of it alone: values of Python,
    and a tensor under a watch for anything but whole numbers."""
    yield nullcontext, Each(range(size))
    if "torch" in sys.modules:
        import torch

        from attnproof.numeric.read.whole_numbers import WholeNumbers

        yield WholeNumbers, torch.arange(size)


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


def of_pairs(function: Callable[..., Any]) -> bool:
    """Can this be asked of (q, k) alone?

    >>> of_pairs(lambda q, k: k > q), of_pairs(lambda b, h, q, k: k > q)
    (True, False)
    """
    try:
        bound(function, {}, "")
    except InputError:
        return False
    return True


def _truth(answer: Any, name: str) -> bool:
    kind = type(answer).__name__
    if hasattr(answer, "dtype") and getattr(answer, "ndim", 1) == 0:
        kind, answer = str(answer.dtype), answer.item()
    if not isinstance(answer, bool):
        raise no_boolean(name, kind)
    return answer


def no_boolean(name: str, kind: str) -> InputError:
    """That a predicate returns something of another kind."""
    return InputError(f"{name} returns {kind}; a predicate returns one Boolean for each pair")


def _row(asked: Callable[..., Any], q: int, keys: Any, size: int) -> int | None:
    """The answers for query ``q``, bit ``k`` for key ``k``, asked for all keys at once in one of
    the ways of :func:`_ways`; None where it cannot."""
    way, given = keys
    try:
        with warnings.catch_warnings(), way():
            warnings.simplefilter("error")
            found = asked(q, given)
        answers = found.values if isinstance(found, Each) else found.tolist()
    except Exception:
        return None
    if type(found) is not type(given) or len(answers) != size:
        return None
    if not all(type(one) is bool or str(getattr(one, "dtype", "")) == "bool" for one in answers):
        return None
    return sum(1 << k for k, one in enumerate(answers) if one)
