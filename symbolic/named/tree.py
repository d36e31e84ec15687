"""Tree attention: a token reads itself and its ancestors, as in speculative decoding.

``parents[i]`` is the position of the parent of ``i``, -1 for a root. An ancestor is entered before
and left after its descendants in a walk of the forest.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import at, k, q
from attnproof.symbolic.masks.rows import RowRuns, runs_of
from attnproof.symbolic.named.kinds import integers
from attnproof.symbolic.named.named import NamedMask, Parameter, require

entered_before = at("entered", k) <= at("entered", q)
left_after = at("left", k) >= at("left", q)


def row_runs(n: int, parents: tuple[int, ...]) -> Iterator[RowRuns]:
    entered, _ = walk(parents)
    path = [0] * n
    for token in sorted(range(n), key=entered.__getitem__):
        above = path[parents[token]] if parents[token] >= 0 else 0
        path[token] = above | 1 << token
    return map(runs_of, path)


def walk(parents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """When each token is entered and left in a walk of the forest; -1 for those on a circle."""
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
    for token, parent in enumerate(parents):
        require(
            -1 <= parent < len(parents),
            f"tree: the parent of {token} is {parent}; give a position 0..{len(parents) - 1}, or "
            "-1 for a root",
            token=token,
            parent=parent,
        )
    entered, _ = walk(parents)
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


MASK = NamedMask(
    name="tree",
    doc="A query reads itself and its ancestors in a tree of drafts.",
    source="Miao et al., SpecInfer, arXiv:2305.09781",
    definition=entered_before & left_after,
    row_runs=row_runs,
    example={"parents": [-1, 0, 1, 1, 2, 2, 3]},
    parameters=(Parameter("parents", "the parent of each token, -1 for a root", integers(-1)),),
    tokens=tokens,
    captured=captured,
)
