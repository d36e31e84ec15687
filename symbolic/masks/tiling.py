"""Cutting a mask into tiles, or putting it together from lists of blocks.

Convention: tile ``(i, j)`` holds queries ``i * block[0] ...`` and keys ``j * block[1] ...``; its
rows are bit sets, bit 0 for its first key.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.blocks import Blocks, Tile, full_tile
from attnproof.symbolic.masks.rows import RowRuns, Rows
from attnproof.symbolic.masks.run_sets import contains, difference, intersection, unite
from attnproof.symbolic.masks.runs import Runs, positions
from attnproof.symbolic.masks.sparse import Sparse

#: A block row: its full block columns as runs, and the rows of any other tile by block column.
Strip = tuple[RowRuns, Mapping[int, Sequence[int]]]


def from_lists(
    full: Sequence[Iterable[int]],
    partial: Sequence[Iterable[int]],
    content: Callable[[int, int], Sequence[int]],
    *,
    queries: int,
    keys: int,
    block: tuple[int, int],
) -> Blocks:
    """A mask from the full and the partial blocks of each block row, as a ``BlockMask`` lists them.

    ``content(i, j)`` gives the rows of partial tile ``(i, j)``. A tile in both lists is full. Pairs
    beyond the mask are left out.

    >>> blocks = from_lists([[], [0]], [[0], [1]], lambda i, j: (0b01, 0b11),
    ...                     queries=4, keys=4, block=(2, 2))
    >>> list(blocks.runs())
    [((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),)]

    Raises :class:`ShapeError` for a block outside the mask, and for a tile of another height.
    """
    strips = (
        (unite((j, j + 1) for j in own), {j: content(i, j) for j in listed})
        for i, (own, listed) in enumerate(zip(full, partial, strict=True))
    )
    return from_strips(strips, queries=queries, keys=keys, block=block)


def tiled(rows: Rows, block: tuple[int, int] = (128, 128)) -> Blocks:
    """The tiles of a mask in any representation.

    Law: the tiles have the same runs, row by row.
    """
    return from_strips(
        (_cut(strip, rows.keys, block[1]) for strip in _strips(rows.runs(), block[0])),
        queries=len(rows),
        keys=rows.keys,
        block=block,
    )


def from_strips(
    strips: Iterable[Strip], *, queries: int, keys: int, block: tuple[int, int]
) -> Blocks:
    """A mask from its block rows, first to last; equal tiles are kept once."""
    high, wide = block
    if high < 1 or wide < 1:
        raise ShapeError(f"tiles of {high}×{wide} hold nothing; give at least 1×1", block=block)
    columns = -(-keys // wide)
    full_ptr, starts, stops = array("q", [0]), positions(columns), positions(columns)
    partial_ptr, indices, tile = array("q", [0]), positions(columns), array("q")
    numbers: dict[Tile, int] = {}
    for i, (listed, partial) in enumerate(strips):
        _check_columns(i, columns, [*(x for a, b in listed for x in (a, b - 1)), *partial])
        height = min(high, queries - i * high)
        full = list(listed)
        for j in sorted(partial):
            if contains(listed, j):
                continue
            if len(partial[j]) < height:
                raise ShapeError(
                    f"tile ({i}, {j}) has {len(partial[j])} rows, {height} are needed",
                    block=(i, j),
                )
            ones = full_tile(height, min(wide, keys - j * wide))
            content = tuple(row & one for row, one in zip(partial[j], ones, strict=False))
            if content == ones:
                full.append((j, j + 1))
            elif any(content):
                indices.append(j)
                tile.append(numbers.setdefault(content, len(numbers)))
        for a, b in unite(full):
            starts.append(a)
            stops.append(b)
        full_ptr.append(len(starts))
        partial_ptr.append(len(indices))
    given, needed = len(full_ptr) - 1, -(-queries // high)
    if given != needed:
        raise ShapeError(
            f"{given} block rows were given; {queries} queries in tiles of {high} need {needed}",
            given=given,
            needed=needed,
        )
    return Blocks(
        queries,
        keys,
        block,
        Runs(full_ptr, starts, stops, columns),
        Sparse(partial_ptr, indices, columns),
        tile,
        tuple(numbers),
    )


def _check_columns(i: int, columns: int, listed: Iterable[int]) -> None:
    for j in listed:
        if not 0 <= j < columns:
            raise ShapeError(
                f"block row {i} lists key block {j}; the mask has {columns} of them, 0 to "
                f"{columns - 1}",
                block=(i, j),
            )


def _strips(rows: Iterable[RowRuns], high: int) -> Iterator[list[RowRuns]]:
    strip: list[RowRuns] = []
    for runs in rows:
        strip.append(runs)
        if len(strip) == high:
            yield strip
            strip = []
    if strip:
        yield strip


def _cut(strip: Sequence[RowRuns], keys: int, wide: int) -> Strip:
    """One block row of a mask: a tile is full when every row covers its keys."""
    touched = unite((start // wide, -(-stop // wide)) for runs in strip for start, stop in runs)
    inner = (
        [
            (-(-start // wide), -(-stop // wide) if stop == keys else stop // wide)
            for start, stop in runs
        ]
        for runs in strip
    )
    covered = (tuple(run for run in runs if run[0] < run[1]) for runs in inner)
    full = reduce(intersection, covered)
    ragged = difference(touched, full)
    tiles = {j: [0] * len(strip) for a, b in ragged for j in range(a, b)}
    within = tuple((a * wide, b * wide) for a, b in ragged)
    for r, runs in enumerate(strip):
        for start, stop in intersection(runs, within):
            for j in range(start // wide, -(-stop // wide)):
                left, right = max(start - j * wide, 0), min(stop - j * wide, wide)
                tiles[j][r] |= (1 << right) - (1 << left)
    return full, tiles
