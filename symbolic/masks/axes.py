"""Which axis of an array is the batch, the head, the query and the key.

Convention: every array becomes a view ``(batch, head, query, key)``. Without a layout, two axes
are ``q k``, three are ``b q k`` and four are ``b h q k``.
"""

import re
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ShapeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_USUAL = {2: "q k", 3: "b q k", 4: "b h q k"}
_TOKEN = re.compile(r"\(\s*([bh])\s+([bh])\s*\)|([bhqk])|\s+")


def axes_of(layout: str) -> tuple[str, ...]:
    """The axes a layout names, a group as two letters.

    >>> axes_of("(b h) q k")
    ('bh', 'q', 'k')
    """
    axes, end = [], 0
    while end < len(layout):
        found = _TOKEN.match(layout, end)
        if found is None:
            break
        first, second, plain = found.groups()
        axes += [first + second] if first else [plain] if plain else []
        end = found.end()
    letters = "".join(axes)
    if end < len(layout) or len(set(letters)) != len(letters) or not {"q", "k"} <= set(letters):
        raise ShapeError(
            f"the layout {layout!r} names no axes; give q, k and what else there is of b and h, "
            'as in "b q k", "h q k", "b h q k", "(b h) q k" or "(h b) q k"',
            layout=layout,
        )
    return tuple(axes)


def arrange(
    array: "NDArray[Any]", layout: str | None = None, heads: int = 1, what: str = "the array"
) -> "NDArray[Any]":
    """A view ``(batch, head, query, key)`` of an array, read by its layout.

    Raises :class:`ShapeError` when the axes do not fit or when one of them has length 0. A group
    ``(b h)`` is split by ``heads``: its last letter runs fastest.

    >>> import numpy as np
    >>> arrange(np.zeros((6, 2, 2)), "(h b) q k", heads=3).shape
    (2, 3, 2, 2)
    """
    sizes = "×".join(map(str, array.shape)) or "no axes"
    if layout is None and array.ndim not in _USUAL:
        raise ShapeError(
            f"{what} has {array.ndim} axes ({sizes}); give (q, k), (b, q, k) or (b, h, q, k)",
            shape=array.shape,
        )
    axes = axes_of(_USUAL[array.ndim] if layout is None else layout)
    if len(axes) != array.ndim:
        raise ShapeError(
            f"the layout {layout!r} names {len(axes)} axes, {what} has {array.ndim} ({sizes}); "
            "name every axis once",
            layout=layout,
            shape=array.shape,
        )
    if 0 in array.shape:
        raise ShapeError(
            f"{what} is {sizes}: it has no entries; a mask needs at least one query and one key",
            shape=array.shape,
        )
    for axis, name in enumerate(axes):
        if len(name) == 2:
            array = _split(array, axis, name, heads, what)
    letters = "".join(axes)
    view = array.transpose([letters.index(x) for x in "bhqk" if x in letters])
    if "h" not in letters:
        view = view[..., None, :, :]
    return view if "b" in letters else view[None]


def _split(array: "NDArray[Any]", axis: int, name: str, heads: int, what: str) -> "NDArray[Any]":
    size = array.shape[axis]
    if size % heads:
        raise ShapeError(
            f"{what} has {size} entries on axis ({name[0]} {name[1]}), which {heads} heads do not "
            "divide; say how many heads there are with --heads",
            size=size,
            heads=heads,
        )
    parts = (size // heads, heads) if name == "bh" else (heads, size // heads)
    return array.reshape(*array.shape[:axis], *parts, *array.shape[axis + 1 :])
