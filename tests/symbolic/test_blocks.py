"""Blocks: tiles of queries and keys, full, partial or not there."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.blocks import Blocks, full_tile
from attnproof.symbolic.masks.rows import runs_of
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.masks.tiling import from_lists, from_strips, tiled
from attnproof.symbolic.named.registry import get
from tests.reference import Pairs, pairs_of_sets

MILLION = 1 << 20


@st.composite
def lists(draw: st.DrawFn) -> tuple[int, int, tuple[int, int], list[list[str]]]:
    """A shape, a tile size, and what every tile is: full, absent, or any rows."""
    queries, keys = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    high, wide = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    kind = st.sampled_from(["full", "absent", "partial", "both"])
    columns = st.lists(kind, min_size=-(-keys // wide), max_size=-(-keys // wide))
    rows = draw(st.lists(columns, min_size=-(-queries // high), max_size=-(-queries // high)))
    return queries, keys, (high, wide), rows


@given(lists(), st.integers(0, 1 << 81))
def test_block_lists_mean_full_or_partial_and_content(
    case: tuple[int, int, tuple[int, int], list[list[str]]], noise: int
) -> None:
    """A pair is read when its tile is full, or partial and read by the content there."""
    queries, keys, (high, wide), kinds = case

    def reads(q: int, k: int) -> bool:
        return bool(noise >> (q * 9 + k) & 1)

    def content(i: int, j: int) -> tuple[int, ...]:
        return tuple(
            sum(1 << c for c in range(wide) if reads(i * high + r, j * wide + c))
            for r in range(high)
        )

    full = [[j for j, kind in enumerate(row) if kind in ("full", "both")] for row in kinds]
    partial = [[j for j, kind in enumerate(row) if kind in ("partial", "both")] for row in kinds]
    blocks = from_lists(full, partial, content, queries=queries, keys=keys, block=(high, wide))
    expected: Pairs = frozenset(
        (q, k)
        for q in range(queries)
        for k in range(keys)
        if q // high < len(kinds)
        and (
            (kind := kinds[q // high][k // wide]) in ("full", "both")
            or (kind == "partial" and reads(q, k))
        )
    )
    assert pairs_of_sets(blocks.bits()) == expected
    assert blocks.count() == len(expected)
    assert blocks == tiled(blocks.as_runs(), (high, wide))


@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 5), st.data())
def test_tiles_are_canonical(n: int, high: int, wide: int, data: st.DataObject) -> None:
    """No listed tile is empty, no partial one full, and none is kept twice."""
    sets = data.draw(st.lists(st.integers(0, (1 << n) - 1), min_size=n, max_size=n))
    blocks = tiled(Runs.from_rows(map(runs_of, sets), n), (high, wide))
    assert len(set(blocks.tiles)) == len(blocks.tiles)
    for i in range(len(blocks.full)):
        for j, tile in blocks.partial_tiles(i).items():
            assert any(tile)
            assert tile != full_tile(blocks.height(i), blocks.width(j))
            assert not blocks.full.reads(i, j)
    assert pairs_of_sets(blocks.bits()) == pairs_of_sets(sets)


def test_a_causal_mask_has_one_partial_tile() -> None:
    """Whatever its length: the diagonal tiles are equal, those below are full."""
    blocks = tiled(get("causal").mask(512).rows)
    assert len(blocks.tiles) == 1
    assert list(blocks.partial.runs()) == [((i, i + 1),) for i in range(4)]
    assert list(blocks.full.runs()) == [((0, i),) if i else () for i in range(4)]


def test_a_million_positions_from_block_lists() -> None:
    """A causal mask of 2^20 positions, as block lists give it, is the causal mask."""
    side = MILLION // 128
    diagonal = tuple((1 << r + 1) - 1 for r in range(128))
    rows = Runs.from_rows((((0, i),) if i else () for i in range(side)), side)
    causal = get("causal").mask(MILLION)
    blocks = from_strips(
        ((runs, {i: diagonal}) for i, runs in enumerate(rows.runs())),
        queries=MILLION,
        keys=MILLION,
        block=(128, 128),
    )
    assert blocks.count() == causal.rows.count()
    assert blocks.as_runs() == causal.rows


def no_content(i: int, j: int) -> tuple[int, ...]:
    return ()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: from_lists([[0, 2]], [[]], no_content, queries=2, keys=4, block=(2, 2)),
            "block row 0 lists key block 2; the mask has 2 of them, 0 to 1",
        ),
        (
            lambda: from_lists([[]], [[-1]], no_content, queries=2, keys=4, block=(2, 2)),
            "block row 0 lists key block -1; the mask has 2 of them, 0 to 1",
        ),
        (
            lambda: from_lists([[0]], [[]], no_content, queries=4, keys=4, block=(2, 2)),
            "1 block rows were given; 4 queries in tiles of 2 need 2",
        ),
        (
            lambda: from_lists([[]], [[1]], no_content, queries=2, keys=4, block=(2, 2)),
            "tile (0, 1) has 0 rows, 2 are needed",
        ),
        (
            lambda: from_lists([], [], no_content, queries=0, keys=4, block=(2, 0)),
            "tiles of 2×0 hold nothing; give at least 1×1",
        ),
    ],
)
def test_blocks_that_do_not_fit(make: Callable[[], Blocks], message: str) -> None:
    """The message names the block and what would fit."""
    with pytest.raises(ShapeError) as raised:
        make()
    assert str(raised.value) == message
