"""The cells of a heat map against sets of pairs and shortest paths."""

from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.render.grid import Cell, grid, hops, outline, runs
from attnproof.render.picture import Picture, picture
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.properties import Causal
from attnproof.symbolic.setting import EmptyRow, Setting
from attnproof.symbolic.verdict import Finding


@st.composite
def masks(draw: st.DrawFn, most: int = 7) -> Mask:
    n = draw(st.integers(1, most))
    rows = draw(st.lists(st.integers(0, (1 << n) - 1), min_size=n, max_size=n))
    return Mask.of(Bits(tuple(rows), n))


def pictured(mask: Mask, depth: int | None = None, residual: bool = True) -> Picture:
    flow = Flow(Setting((mask,), depth, residual))
    return picture(mask, flow, property=Causal(mask.size))


def label_of(drawn: Picture, cell: int) -> str:
    return drawn.levels[cell - Cell.LEVEL].label


@given(masks())
@settings(max_examples=80, deadline=None)
def test_a_cell_shows_the_least_depth(mask: Mask) -> None:
    """Read, diagonal, reached in d layers, or not reached: as shortest paths of networkx say."""
    drawn = pictured(mask)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(mask.size))
    graph.add_edges_from((q, k) for q in range(mask.size) for k in range(mask.size) if mask[q, k])
    layers = dict(nx.all_pairs_shortest_path_length(graph))
    cells = grid(drawn).cells
    for q in range(mask.size):
        for k in range(mask.size):
            if mask[q, k]:
                assert cells[q][k] == Cell.READ
            elif q == k:
                assert cells[q][k] == Cell.ADDED
            elif k not in layers[q]:
                assert cells[q][k] == Cell.NOT_READ
            else:
                words = label_of(drawn, cells[q][k]).replace(" layers", "").split(" to ")
                assert int(words[0]) <= layers[q][k] <= int(words[-1])


@given(masks(), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_leaks_are_marked_at_the_depth_asked_for(mask: Mask, depth: int) -> None:
    """A marked cell is a later key that paths of at most ``depth`` steps join to the query."""
    drawn = pictured(mask, depth)
    graph = nx.DiGraph((q, k) for q in range(mask.size) for k in range(mask.size) if mask[q, k])
    graph.add_nodes_from(range(mask.size))
    near = {
        (q, k)
        for q, ends in nx.all_pairs_shortest_path_length(graph, cutoff=depth)
        for k in ends
        if k > q
    }
    assert grid(drawn).leaked == near


@given(masks(most=9), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_blocks_are_full_partial_or_empty(mask: Mask, most: int) -> None:
    """A block is full where all its pairs are read, partial where some are."""
    drawn = pictured(mask)
    cells = grid(drawn, most)
    assert cells.rows <= most
    assert cells.columns <= most
    for r in range(cells.rows):
        for c in range(cells.columns):
            pairs = [
                mask[q, k]
                for q in range(r * cells.block, min((r + 1) * cells.block, mask.queries))
                for k in range(c * cells.block, min((c + 1) * cells.block, mask.keys))
            ]
            assert (cells.cells[r][c] == Cell.READ) == all(pairs)
            assert (cells.cells[r][c] == Cell.PARTLY_READ) == (any(pairs) and not all(pairs))


def test_a_cached_position_has_no_row() -> None:
    """Two queries at offset 3 are two rows over five positions."""
    mask = Mask.from_rows(["1111", "1111"], offset=3)
    cells = grid(pictured(mask))
    assert cells.cells == ((1, 1, 1, 1, 0), (1, 1, 1, 1, 3))
    assert (cells.first, cells.positions) == (3, 5)


def test_a_uniform_empty_row_is_added_not_read() -> None:
    """Where softmax makes an empty row read everything, the cells say who added that."""
    mask = Mask.from_rows(["1.", ".."])
    flow = Flow(Setting((mask,), empty_row=EmptyRow.UNIFORM))
    assert grid(picture(mask, flow)).cells == ((1, 0), (3, 3))


def test_depths_are_told_in_ranges() -> None:
    """A window of 2 keys over 12 positions: 2, 3, 4, then 5 to 8, then 9 to 11 layers."""
    mask = Mask.of(Bits(tuple(0b11 << q >> 1 for q in range(12)), 12))
    labels = [level.label for level in pictured(mask).levels]
    assert labels == ["2 layers", "3 layers", "4 layers", "5 to 8 layers", "9 to 11 layers"]
    assert [level.label for level in pictured(mask, 3).levels] == ["2 layers", "3 layers"]
    assert pictured(mask, 1).levels == ()
    assert [level.label for level in pictured(mask, 10).levels][-1] == "9 to 10 layers"


def test_without_residual_the_limit_is_one_tint() -> None:
    """Powers that need not grow are not told apart."""
    mask = Mask.from_rows([".1.", "..1", "..."])
    assert [level.label for level in pictured(mask, residual=False).levels] == ["some depth"]
    exact = pictured(mask, 2, residual=False)
    assert [level.rows for level in exact.levels] == [(0b100, 0, 0)]


def test_a_schedule_says_what_read_means() -> None:
    """The note of a schedule names the number of its masks."""
    a, b = Mask.from_rows(["1.", ".1"]), Mask.from_rows(["11", ".1"])
    drawn = picture(b, Flow(Setting((a, b))))
    assert drawn.notes == ("Schedule of 2 masks: a cell is read when one of them reads it.",)


@given(st.lists(st.integers(0, 3), max_size=12))
def test_runs_spell_the_line(line: list[int]) -> None:
    """RowRuns are maximal and, written out, they are the line."""
    found = runs(line)
    assert [cell for start, stop, cell in found for _ in range(start, stop)] == line
    assert all(a[2] != b[2] for a, b in pairwise(found))


@given(st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=14))
def test_an_outline_is_every_side_without_a_neighbour(cells: frozenset[tuple[int, int]]) -> None:
    """Its length is the number of sides of cells whose other side is outside the set."""
    sides = sum(
        (r + dr, c + dc) not in cells
        for r, c in cells
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))
    )
    length = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in outline(cells))
    assert length == sides


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ((5, 7, 2), ((5, 7), (7, 2))),
        (((5, 0), (7, 1), (2, 3)), ((5, 7), (7, 2))),
        ((4,), ()),
        (None, ()),
    ],
)
def test_hops_follow_the_path(path: object, steps: tuple[tuple[int, int], ...]) -> None:
    """A step is (source, reader); layers in which a token waits are no step."""
    finding = Finding("leak", "", path=path)  # type: ignore[arg-type]
    assert hops(Picture("", Mask.from_rows(["1"]), finding=finding)) == steps
