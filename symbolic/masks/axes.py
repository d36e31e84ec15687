"""Which axis of an array is the batch, the head, the query and the key.

Convention: every array becomes a view ``(batch, head, query, key)``. Without a layout, two axes
are ``q k``, three are ``b q k`` and four are ``b h q k``. A layout without ``q`` is padding: every
query reads the same keys.
"""

import re
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

_USUAL = {2: "q k", 3: "b q k", 4: "b h q k"}
_TOKEN = re.compile(r"\(\s*([bh])\s+([bh])\s*\)|([bhqk1])|\s+")
#: The axes of one entry, which a layout may name as often as there are any.
_SINGLE = "1"


def axes_of(layout: str) -> tuple[str, ...]:
    """The axes a layout names, a group as two letters, an axis of one entry as ``1``.

    >>> axes_of("(b h) q k"), axes_of("b 1 q k")
    (('bh', 'q', 'k'), ('b', '1', 'q', 'k'))
    """
    axes, end = [], 0
    while end < len(layout):
        found = _TOKEN.match(layout, end)
        if found is None:
            break
        first, second, plain = found.groups()
        axes += [first + second] if first else [plain] if plain else []
        end = found.end()
    letters = "".join(axes).replace(_SINGLE, "")
    if end < len(layout) or len(set(letters)) != len(letters) or "k" not in letters:
        raise ShapeError(
            f"the layout {layout!r} names no axes; give q, k and what else there is of b and h, "
            'as in "b q k", "h q k", "b h q k", "(b h) q k" or "(h b) q k", 1 for an axis of one '
            'entry as in "b 1 q k", or "b k" when every query reads the same keys',
            layout=layout,
        )
    return tuple(axes)


def names_queries(layout: str | None) -> bool:
    """Whether each query has a row of its own.

    >>> names_queries("b 1 q k"), names_queries("b k")
    (True, False)
    """
    return layout is None or "q" in axes_of(layout)


def arrange(
    array: "NDArray[Any]", layout: str | None = None, heads: int = 1, what: str = "the array"
) -> "NDArray[Any]":
    """A view ``(batch, head, query, key)`` of an array, read by its layout.

    Raises :class:`ShapeError` when the axes do not fit or when one of them has length 0. A group
    ``(b h)`` is split by ``heads``: its last letter runs fastest. Without ``q`` there are as many
    queries as keys.

    >>> import numpy as np
    >>> arrange(np.zeros((6, 2, 2)), "(h b) q k", heads=3).shape
    (2, 3, 2, 2)
    >>> arrange(np.array([[0, 1, 1]]), "b k")[0, 0].tolist()
    [[0, 1, 1], [0, 1, 1], [0, 1, 1]]
    """
    sizes = "×".join(map(str, array.shape)) or "no axes"
    if layout is None and array.ndim not in _USUAL:
        raise ShapeError(
            f"{what} has {counted(array.ndim, 'axis', 'axes')} ({sizes}); give (q, k), (b, q, k) "
            "or (b, h, q, k)",
            shape=array.shape,
        )
    axes = axes_of(_USUAL[array.ndim] if layout is None else layout)
    if len(axes) != array.ndim:
        raise ShapeError(
            f"the layout {layout!r} names {counted(len(axes), 'axis', 'axes')}, {what} has "
            f"{array.ndim} ({sizes}); name every axis once",
            layout=layout,
            shape=array.shape,
        )
    if 0 in array.shape:
        raise ShapeError(
            f"{what} is {sizes}: it has no entries; a mask needs at least one query and one key",
            shape=array.shape,
        )
    for axis, name in enumerate(axes):
        if name == _SINGLE and array.shape[axis] != 1:
            raise ShapeError(
                f"the layout {layout!r} has one entry on axis {axis}, {what} is {sizes}; name that "
                "axis b, h, q or k",
                layout=layout,
                shape=array.shape,
            )
        if len(name) == 2:
            array = _split(array, axis, name, heads, what)
    return _ordered(array, "".join(axes))


def _ordered(array: "NDArray[Any]", letters: str) -> "NDArray[Any]":
    import numpy as np

    view = array.squeeze(tuple(i for i, x in enumerate(letters) if x == _SINGLE))
    letters = letters.replace(_SINGLE, "")
    view = view.transpose([letters.index(x) for x in "bhqk" if x in letters])
    if "q" not in letters:
        keys = view.shape[-1]
        view = np.broadcast_to(view[..., None, :], (*view.shape[:-1], keys, keys))
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
