"""Tree attention: a token reads itself and its ancestors, as in speculative decoding.

``parents[i]`` is the position of the parent of ``i``, -1 for a root. An ancestor is entered before
and left after its descendants in a walk of the forest.
"""

import operator
from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import at, k, q
from attnproof.symbolic.masks.line import in_turn, stacked
from attnproof.symbolic.masks.rows import RowRuns, runs_of
from attnproof.symbolic.masks.runs import BIT_LIMIT, Runs
from attnproof.symbolic.named.kinds import integers
from attnproof.symbolic.named.named import PORTION, NamedMask, Parameter, require

entered_before = at("entered", k) <= at("entered", q)
left_after = at("left", k) >= at("left", q)


def row_runs(n: int, parents: tuple[int, ...]) -> Iterator[RowRuns]:
    return _downwards(parents) if _parents_first(parents) else _any_order(n, parents)


def _parents_first(parents: tuple[int, ...]) -> bool:
    return all(map(operator.lt, parents, range(len(parents))))


def _downwards(parents: tuple[int, ...]) -> Iterator[RowRuns]:
    """Parents come before children: an ancestor run ends where no parent is the token before."""
    top: list[int] = []
    for token, parent in enumerate(parents):
        top.append(top[parent] if parent >= 0 and parent == token - 1 else token)
        first, last = top[token], token
        runs: RowRuns = ((first, last + 1),)
        while (last := parents[first]) >= 0:
            first = top[last]
            runs = ((first, last + 1), *runs)
        yield runs


def intervals(q: Any, n: int, parents: tuple[int, ...]) -> Runs | None:
    if not _parents_first(parents):
        return None
    import numpy as np

    parent = np.array(parents, np.int32)
    top = np.maximum.accumulate(np.where(parent == q - 1, 0, q)).astype(np.int32)
    step = max(1, int(PORTION / density(n, parents)))
    portions = (q[first : first + step] for first in range(0, n, step))
    return in_turn((_ancestors(parent, top, rows) for rows in portions), n)


def _ancestors(parent: Any, top: Any, rows: Any) -> Runs:
    """The rows of some tokens: each run goes up to its top, the next begins at the parent of it."""
    import numpy as np

    own, last = np.arange(len(rows), dtype=np.int32), rows
    found: list[tuple[Any, Any, Any]] = []
    while len(own):
        found.append((own, top[last], last + 1))
        above = parent[top[last]]
        own, last = own[above >= 0], above[above >= 0]
    owner, starts, stops = (
        np.concatenate(part).astype(np.int64) for part in zip(*found, strict=True)
    )
    return stacked(owner, starts, stops, len(rows), len(parent))


def _any_order(n: int, parents: tuple[int, ...]) -> Iterator[RowRuns]:
    require(
        n <= BIT_LIMIT,
        f"tree: {n} tokens, and not every parent comes before its children; beyond {BIT_LIMIT} "
        "number them so",
        n=n,
    )
    entered, _ = walk(parents)
    path = [0] * n
    for token in sorted(range(n), key=entered.__getitem__):
        above = path[parents[token]] if parents[token] >= 0 else 0
        path[token] = above | 1 << token
    return map(runs_of, path)


def walk(parents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """When each token is entered and left in a walk of the forest; -1 for those on a circle.

    >>> walk((-1, 0, 0))
    ((0, 1, 3), (5, 2, 4))
    """
    return _walk_down(parents) if _parents_first(parents) else _walk(parents)


def _walk_down(parents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Parents come before children: a token takes two steps for each one below it, and itself."""
    steps = [2] * len(parents)
    for token in range(len(parents) - 1, -1, -1):
        if parents[token] >= 0:
            steps[parents[token]] += steps[token]
    entered, free = [0] * len(parents), [1] * len(parents) + [0]
    for token, parent in enumerate(parents):
        entered[token] = free[parent]
        free[token] = free[parent] + 1
        free[parent] += steps[token]
    left = map(operator.add, entered, steps)
    return tuple(entered), tuple(time - 1 for time in left)


def _walk(parents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    children: dict[int, list[int]] = {}
    for child, parent in enumerate(parents):
        children.setdefault(parent, []).append(child)
    entered, left = [-1] * len(parents), [-1] * len(parents)
    time, stack = 0, children.get(-1, [])[::-1]
    while stack:
        token = stack.pop()
        if token < 0:
            left[~token] = time
        else:
            entered[token] = time
            stack += [~token, *children.get(token, [])[::-1]]
        time += 1
    return tuple(entered), tuple(left)


def tokens(n: int | None, parents: tuple[int, ...]) -> int:
    if parents and max(parents) >= len(parents):
        token = next(i for i, parent in enumerate(parents) if parent >= len(parents))
        raise ParameterError(
            f"tree: the parent of {token} is {parents[token]}; give a position "
            f"0..{len(parents) - 1}, or -1 for a root",
            token=token,
            parent=parents[token],
        )
    entered = () if _parents_first(parents) else walk(parents)[0]
    if -1 in entered:
        raise ParameterError(
            f"tree: token {entered.index(-1)} has no root above it, its parents run in a circle; "
            "give -1 as the parent of a root",
            token=entered.index(-1),
        )
    return len(parents)


def captured(n: int, parents: tuple[int, ...]) -> Any:
    entered, left = walk(parents)
    return {"entered": entered, "left": left}


def density(n: int, parents: tuple[int, ...]) -> float:
    """Where parents come first, a token has the runs of its parent and, apart from it, one more."""
    if not _parents_first(parents):
        return 1
    runs = [0] * (n + 1)
    for token, parent in enumerate(parents):
        runs[token] = runs[parent] + (parent < 0 or parent != token - 1)
    return sum(runs) / n


MASK = NamedMask(
    name="tree",
    doc="A query reads itself and its ancestors in a tree of drafts.",
    source="Miao et al., SpecInfer, arXiv:2305.09781",
    definition=entered_before & left_after,
    row_runs=row_runs,
    intervals=intervals,
    density=density,
    example={"parents": [-1, 0, 1, 1, 2, 2, 3]},
    parameters=(Parameter("parents", "the parent of each token, -1 for a root", integers(-1)),),
    tokens=tokens,
    captured=captured,
)
