"""What masks need to be composed, and what the result is called.

A shape is ``(queries, keys, offset)``.
"""

import operator
from collections.abc import Iterable, Sequence

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.words import counted

Shape = tuple[int, int, int]

#: Longer names than these say less than none.
_LONGEST = 80


def check_shapes(a: Shape, b: Shape, symbol: str) -> None:
    """Raise :class:`ShapeError` unless the masks have one shape and offset."""
    if a != b:
        raise ShapeError(
            f"{_told(a)} {symbol} {_told(b)}: the masks have different shapes or offsets; give "
            "both the same queries, keys and offset",
            a=a,
            b=b,
        )


def check_no_offset(what: str, offset: int) -> None:
    """Raise :class:`ShapeError` for a mask whose queries start elsewhere than its keys."""
    if offset:
        raise ShapeError(
            f"{what} takes a mask with offset 0, this one has {offset}; give it offset 0",
            offset=offset,
        )


def check_blocks(shapes: Sequence[Shape]) -> None:
    """Raise :class:`ShapeError` unless every mask has positions of its own."""
    if not shapes:
        raise ShapeError("block_diagonal takes one mask or more, none was given")
    for i, shape in enumerate(shapes):
        if not _is_square(shape):
            raise ShapeError(
                f"block_diagonal takes square masks with offset 0, mask {i} is {_told(shape)}",
                index=i,
                shape=shape,
            )


def order_of(order: Iterable[int], shape: Shape) -> list[int]:
    """An order of the positions of a square mask; raises :class:`ShapeError` if it is none."""
    if not _is_square(shape):
        raise ShapeError(
            f"permute takes a square mask with offset 0, this one is {_told(shape)}", shape=shape
        )
    places = [operator.index(place) for place in order]
    if sorted(places) != list(range(shape[0])):
        raise ShapeError(
            f"the order has {counted(len(places), 'entry')} and is no permutation of 0 to "
            f"{shape[0] - 1}; "
            "name every position once",
            positions=shape[0],
        )
    return places


def operand(name: str) -> str:
    """A name as part of another one.

    >>> operand("window | causal"), operand("causal"), operand("")
    ('(window | causal)', 'causal', 'mask')
    """
    return f"({name})" if " " in name else name or "mask"


def called(what: str, *names: str) -> str:
    """The name of a function of masks.

    >>> called("shift", "causal")
    'shift(causal)'
    """
    return short(f"{what}({', '.join(name or 'mask' for name in names)})")


def short(name: str) -> str:
    """A name that fits a line, or none."""
    return name if len(name) <= _LONGEST else ""


def _is_square(shape: Shape) -> bool:
    queries, keys, offset = shape
    return queries == keys and not offset


def _told(shape: Shape) -> str:
    queries, keys, offset = shape
    return f"{queries}×{keys}" + (f" at offset {offset}" if offset else "")
