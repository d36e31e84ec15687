"""The page against sets of pairs: what is reached after each number of layers, by which path."""

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

import attnproof as ap
from attnproof.render.palette import LIGHT
from tests.browser.conftest import Open
from tests.browser.opened import Colour, Pair, rgb

Rows = list[str]

WINDOW = ["1.....", "11....", ".11...", "..11..", "...11.", "....11"]
LOOP = ["..1...", "1.....", ".1....", "..11..", "......", "1...1."]
CHUNKS = ["111...", "111...", "111...", "...111", "...111", "...111"]


def scattered(size: int, seed: int) -> Rows:
    """A mask whose queries read two keys each, at random."""
    draw = random.Random(seed)
    keys = [set(draw.sample(range(size), 2)) for _ in range(size)]
    return ["".join("1" if k in row else "." for k in range(size)) for row in keys]


def pairs(rows: Rows) -> set[Pair]:
    """The (query, key) pairs that are read."""
    return {(q, k) for q, row in enumerate(rows) for k, one in enumerate(row) if one == "1"}


def reached(schedule: Sequence[Rows], *, residual: bool) -> Iterator[set[Pair]]:
    """The (reader, source) pairs after 0, 1, 2, ... layers, pair by pair."""
    own = {(q, q) for q in range(len(schedule[0]))}
    held, layer = own, 0
    while True:
        yield held
        reads = pairs(schedule[layer % len(schedule)]) | (own if residual else set())
        held = {(q, k) for q, m in reads for n, k in held if m == n}
        layer += 1


CASES: dict[str, tuple[list[Rows], bool]] = {
    "window": ([WINDOW], True),
    "diagonal kept": ([LOOP], True),
    "no residual": ([LOOP], False),
    "schedule": ([CHUNKS, WINDOW], True),
    "scattered": ([scattered(9, 3)], True),
}


@pytest.mark.parametrize("name", CASES)
def test_the_slider_shows_what_is_reached(opened: Open, name: str) -> None:
    """After each number of layers a cell is filled exactly where its key has reached its query, and
    the number of these pairs is told."""
    schedule, residual = CASES[name]
    page = opened(ap.verify(*schedule, per_layer=len(schedule) > 1, residual=residual))
    size, last = len(schedule[0]), int(page.page.get_attribute("#layers", "max") or 0)
    read = set.union(*map(pairs, schedule))
    filled = {rgb(LIGHT["read"]), rgb(LIGHT["added"])}
    bare = {rgb(LIGHT["empty"])}
    for layers, held in zip(range(last + 1), reached(schedule, residual=residual), strict=False):
        page.after(layers)
        seen = page.cell_colours(size)
        for pair, colour in seen.items():
            if pair not in held:
                assert colour not in filled, (layers, pair)
                assert (pair in read) or colour in bare, (layers, pair)
            elif pair in read or pair[0] == pair[1]:
                assert colour in filled or not residual, (layers, pair)
            else:
                assert _is_amber(colour), (layers, pair)
        assert f": {len(held)} pair" in page.text("#after")
    if residual:
        assert last == ap.verify(*schedule, per_layer=len(schedule) > 1).flow.depth


def _is_amber(colour: Colour) -> bool:
    r, g, b = colour
    return r > g > b


def test_a_cell_shows_the_least_shortest_path(opened: Open) -> None:
    """A click tells, for every pair, the lexicographically least of the shortest walks."""
    rows = scattered(6, 1)
    page = opened(ap.verify(rows))
    reads = pairs(rows)
    for q in range(6):
        for k in range(6):
            page.click((q, k))
            walk = _least_walk(reads, q, k, 6)
            if walk is None:
                assert page.text("#sentence") == f"token {k} never reaches query {q}"
                assert page.steps() == []
            else:
                moves = [
                    f"layer {layer} query {reader} reads key {source}"
                    for layer, (source, reader) in enumerate(pairwise(walk), 1)
                ]
                assert page.steps() == [f"input token {k}", *moves]


def _least_walk(reads: set[Pair], q: int, k: int, size: int) -> list[int] | None:
    """By trying all walks, shortest first and in order."""
    walks = [[k]]
    for _ in range(size):
        for walk in walks:
            if walk[-1] == q:
                return walk
        walks = sorted(
            [*walk, r]
            for walk in walks
            for r in range(size)
            if (r, walk[-1]) in reads and r != walk[-1]
        )
    return None


def test_a_schedule_tells_when(opened: Open) -> None:
    """A token that waits for its layer makes no step; a cell has the path of the finding."""
    report = ap.verify(CHUNKS, WINDOW, per_layer=True, documents="3,3")
    page = opened(report)
    for finding in report.findings:
        assert finding.reader is not None
        assert finding.source is not None
        assert finding.path is not None
        page.click((finding.reader, finding.source))
        steps = [(int(s.split()[1]), int(s.split()[3])) for s in page.steps()[1:]]
        assert steps == [(layer, token) for token, layer in finding.path[1:]]  # type: ignore[misc]
