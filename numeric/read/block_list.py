"""Masks as lists of blocks: full and partial ones in JSON, block sparse rows (BSR) in .npz.

Convention: block ``[I, J]`` holds queries ``I * block[0] ...`` and keys ``J * block[1] ...``, cut
off at the edge of the mask. A full block reads every pair, a partial one those of its rows.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import EncodingError, FileError, ShapeError
from attnproof.symbolic.masks.blocks import Tile
from attnproof.symbolic.masks.forms import as_runs, best
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.tiling import from_lists
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEYS = ("block", "n", "queries", "keys", "full", "partial")
_FORM = 'write {"block": 2, "n": 4, "full": [[1, 0]], "partial": [[0, 0, ["1.", "11"]]]}'
_ARRAYS = "give crow_indices and col_indices, values or block (the size of a block), and n or shape"
#: The arrays of block sparse rows as torch names them, and as scipy does.
_BSR = {"crow_indices": "indptr", "col_indices": "indices", "values": "data"}

Shape = tuple[int, int]


def is_block_list(content: object) -> bool:
    """Whether this is ``{"block": ..., "full": ..., "partial": ...}``.

    >>> is_block_list({"block": 2, "n": 4, "full": [[0, 0]]}), is_block_list({"rows": ["1"]})
    (True, False)
    """
    return isinstance(content, Mapping) and not {"block", "full", "partial"}.isdisjoint(content)


def is_bsr(names: Sequence[str]) -> bool:
    """Whether an archive with these arrays holds block sparse rows.

    >>> is_bsr(["crow_indices", "col_indices", "block"]), is_bsr(["mask"])
    (True, False)
    """
    return {"crow_indices", "col_indices"} <= set(names) or {"indptr", "indices"} <= set(names)


def block_list(content: Mapping[str, Any], what: str = "the list of blocks") -> Mask:
    """The mask of full and partial blocks; ``block`` is one size or ``[queries, keys]``.

    >>> block_list({"block": 2, "n": 4, "full": [[1, 0]],
    ...             "partial": [[0, 0, ["1.", "11"]], [1, 1, ["1.", "11"]]]})
    Mask 4×4 (row = query)
    #···
    ##··
    ###·
    ####

    Raises :class:`FileError` for another form, :class:`ShapeError` for blocks that do not fit.
    """
    unknown = sorted(map(str, set(content) - set(_KEYS)))
    if unknown:
        raise FileError(f"{what} has the unknown key {unknown[0]!r}; {_FORM}", path=what)
    block = _pair(content.get("block"), "block", what, _FORM)
    n = content.get("n")
    shape = _pair([content.get("queries", n), content.get("keys", n)], "n", what, _FORM)
    blocks = _Blocks(shape, block, what)
    for entry in _entries(content, "full", 2, what):
        blocks.add(entry[0], entry[1], None)
    for entry in _entries(content, "partial", 3, what):
        blocks.add(entry[0], entry[1], blocks.tile(entry[0], entry[1], entry[2]))
    return blocks.mask()


def bsr(arrays: "Mapping[str, NDArray[Any]]", what: str = "the block sparse rows") -> Mask:
    """The mask of block sparse rows; without ``values`` every listed block is full.

    >>> import numpy as np
    >>> bsr({"crow_indices": np.array([0, 1, 3]), "col_indices": np.array([0, 0, 1]),
    ...      "block": np.array(2)})
    Mask 4×4 (row = query)
    ##··
    ##··
    ####
    ####

    ``n`` or ``shape`` say where the last blocks are cut off. Raises :class:`FileError` for missing
    arrays, :class:`ShapeError` for blocks that do not fit, :class:`EncodingError` for values that
    are neither Booleans nor 0 and 1.
    """
    import numpy as np

    held = {ours: arrays.get(ours, arrays.get(theirs)) for ours, theirs in _BSR.items()}
    kind = str(np.asarray(arrays.get("format", "bsr")).astype(str))
    if kind != "bsr":
        raise FileError(
            f"{what} holds a sparse array of format {kind}; save its .tobsr(), or the dense array",
            path=what,
        )
    rows, columns, values = held.values()
    if rows is None or columns is None or (values is None and "block" not in arrays):
        raise FileError(f"{what} holds {', '.join(arrays)}; {_ARRAYS}", path=what)
    if values is not None and (values.ndim != 3 or len(values) != columns.size):
        raise ShapeError(
            f"{what} has values of shape {values.shape} for {counted(columns.size, 'block')}; give "
            "(blocks, queries of a block, keys of a block)",
            shape=values.shape,
        )
    block = _pair(arrays["block"] if values is None else values.shape[1:], "block", what, _ARRAYS)
    square = (rows.size - 1) * block[0]
    size = arrays.get("shape", arrays.get("n", np.array(square)))
    blocks = _Blocks(_pair(size, "shape", what, _ARRAYS), block, what)
    starts = _integers(rows, "crow_indices", what)
    listed = _integers(columns, "col_indices", what)
    if starts != sorted(starts) or starts[:1] != [0] or starts[-1:] != [len(listed)]:
        raise FileError(
            f"{what} has crow_indices that are no list of cumulative counts of its "
            f"{counted(len(listed), 'block')}; they start with 0, never decrease, and end with "
            f"{len(listed)}",
            path=what,
        )
    needed = -(-blocks.shape[0] // block[0])
    if len(starts) != needed + 1:
        raise ShapeError(
            f"{what} has {len(starts) - 1} rows of blocks; {blocks.shape[0]} queries in blocks of "
            f"{block[0]} have {needed}",
            rows=len(starts) - 1,
            needed=needed,
        )
    for i, (first, last) in enumerate(pairwise(starts)):
        for at in range(first, last):
            tile = None if values is None else _content(values[at], i, listed[at], what)
            blocks.add(i, listed[at], tile)
    return blocks.mask()


class _Blocks:
    """Blocks gathered one by one; None is a full one."""

    def __init__(self, shape: Shape, block: Shape, what: str) -> None:
        self.shape, self.block, self.what = shape, block, what
        self.held: dict[tuple[int, int], Tile | None] = {}

    def add(self, i: int, j: int, tile: Tile | None) -> None:
        """Take a block; raises :class:`ShapeError` where there is none, or one twice."""
        rows, columns = (
            -(-size // step) for size, step in zip(self.shape, self.block, strict=True)
        )
        if not (0 <= i < rows and 0 <= j < columns):
            raise ShapeError(
                f"{self.what} lists block [{i}, {j}]; {'×'.join(map(str, self.shape))} positions "
                f"have blocks [0, 0] to [{rows - 1}, {columns - 1}]",
                block=(i, j),
            )
        if (i, j) in self.held:
            raise ShapeError(
                f"{self.what} lists block [{i}, {j}] twice; list each once, as full or as partial",
                block=(i, j),
            )
        self.held[i, j] = tile

    def tile(self, i: int, j: int, rows: Any) -> Tile:
        """The rows of a partial block, written out or cut off at the edge of the mask."""
        lengths = [
            {step, min(step, size - at * step)}
            for size, step, at in zip(self.shape, self.block, (i, j), strict=True)
        ]
        texts = isinstance(rows, list) and all(isinstance(row, str) for row in rows)
        if not texts or any(set(row) - set("1#0.") for row in rows):
            raise FileError(
                f"{self.what} has no rows of text in block [{i}, {j}]; write 1 or # for a key that "
                "is read, 0 or . for one that is not",
                path=self.what,
            )
        if len(rows) not in lengths[0] or any(len(row) not in lengths[1] for row in rows):
            high, wide = self.block
            raise ShapeError(
                f"{self.what} has rows in block [{i}, {j}] that are not {high}×{wide}; give "
                f"{high} rows of {wide} entries, or what the edge of the mask leaves of them",
                block=(i, j),
            )
        return tuple(sum(1 << k for k, x in enumerate(row) if x in "1#") for row in rows)

    def mask(self) -> Mask:
        """The pairs of all blocks."""
        (queries, keys), high = self.shape, self.block[0]
        full: list[list[int]] = [[] for _ in range(-(-queries // high))]
        partial: list[list[int]] = [[] for _ in full]
        for (i, j), tile in self.held.items():
            (full if tile is None else partial)[i].append(j)
        made = from_lists(
            full,
            partial,
            lambda i, j: self.held[i, j] or (),
            queries=queries,
            keys=keys,
            block=self.block,
        )
        return Mask.of(best(as_runs(made)), name=self.what)


def _entries(content: Mapping[str, Any], key: str, length: int, what: str) -> list[Any]:
    """The listed blocks, each with two integers first."""
    listed = content.get(key, [])
    entries = listed if isinstance(listed, (list, tuple)) else [listed]
    for entry in entries:
        if not (
            isinstance(entry, (list, tuple))
            and len(entry) == length
            and all(isinstance(x, int) and not isinstance(x, bool) for x in entry[:2])
        ):
            shape = "[I, J]" if length == 2 else "[I, J, rows]"
            raise FileError(
                f'"{key}" of {what} lists {repr(entry)[:40]}, which is no {shape}; {_FORM}',
                path=what,
            )
    return list(entries)


def _pair(given: Any, key: str, what: str, way: str) -> Shape:
    """Two integers of at least 1, given as one or as two."""
    value = given.tolist() if hasattr(given, "tolist") else given
    pair = value if isinstance(value, (list, tuple)) else [value, value]
    if len(pair) != 2 or not all(
        isinstance(x, int) and not isinstance(x, bool) and x >= 1 for x in pair
    ):
        told = f"no {key}" if value is None or None in pair else f"{key} {value!r}"
        raise FileError(f"{what} has {told}: an integer of at least 1, or two; {way}", path=what)
    return pair[0], pair[1]


def _integers(array: "NDArray[Any]", name: str, what: str) -> list[int]:
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise FileError(
            f"{what} has {name} of shape {array.shape} and type {array.dtype}; give one axis of "
            "integers",
            path=what,
        )
    values: list[int] = array.tolist()
    return values


def _content(values: "NDArray[Any]", i: int, j: int, what: str) -> Tile:
    import numpy as np

    if values.dtype.kind not in "biu" or not ((values == 0) | (values == 1)).all():
        raise EncodingError(
            f"{what} holds values other than Booleans, 0 and 1 in block [{i}, {j}]; pairs that are "
            "not stored are not read, so give True for those that are",
            block=(i, j),
        )
    packed = np.packbits(values.astype(np.bool_), axis=1, bitorder="little")
    return tuple(int.from_bytes(row.tobytes(), "little") for row in packed)
