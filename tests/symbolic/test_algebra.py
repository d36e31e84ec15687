"""Mask algebra: the same on every representation, and across them."""

from collections.abc import Callable, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnproof as ap
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks import algebra, rearrange
from attnproof.symbolic.masks.blocks import Blocks
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.named.registry import get
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.setting import Setting
from tests.laws.strategies import relations, rows
from tests.reference import Pairs, pairs_of_sets
from tests.symbolic.forms import FORMS, check_runs, runs_form

MILLION = 1 << 20
PAIRS_OF_FORMS = list(product(FORMS, FORMS))


@st.composite
def several(draw: st.DrawFn, count: int) -> tuple[int, list[tuple[int, ...]]]:
    """Some masks of one shape: the number of keys, and the rows of each as bit sets."""
    queries, keys = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    row = st.integers(0, (1 << keys) - 1)
    mask = st.lists(row, min_size=queries, max_size=queries).map(tuple)
    return keys, [draw(mask) for _ in range(count)]


def grid(sets: Sequence[int], keys: int) -> Pairs:
    return frozenset((q, k) for q in range(len(sets)) for k in range(keys))


def pairs(mask: Mask) -> Pairs:
    for runs in mask.rows.runs():
        check_runs(runs, mask.keys)
    return pairs_of_sets(mask.rows.bits())


@pytest.mark.parametrize(("form", "other"), PAIRS_OF_FORMS)
@settings(max_examples=15)
@given(several(2))
def test_operators_are_those_of_sets_of_pairs(
    form: str, other: str, case: tuple[int, list[tuple[int, ...]]]
) -> None:
    """``|``, ``&``, ``-``, ``^`` and ``~`` on masks are those on their pairs, in any two forms."""
    keys, (a, b) = case
    x, y = Mask.of(FORMS[form](a, keys)), Mask.of(FORMS[other](b, keys))
    p, q = pairs_of_sets(a), pairs_of_sets(b)
    assert pairs(x | y) == p | q
    assert pairs(x & y) == p & q
    assert pairs(x - y) == p - q
    assert pairs(x ^ y) == p ^ q
    assert pairs(~x) == grid(a, keys) - p


@given(several(3), st.tuples(*(st.sampled_from(list(FORMS)) for _ in range(3))))
def test_the_laws_of_a_boolean_algebra(
    case: tuple[int, list[tuple[int, ...]]], forms: tuple[str, ...]
) -> None:
    """Associative, commutative, absorbing, distributive, complemented; de Morgan."""
    keys, masks = case
    x, y, z = (
        Mask.of(FORMS[own](sets, keys), offset=2) for own, sets in zip(forms, masks, strict=True)
    )
    nothing, everything = x - x, x | ~x
    assert x | y == y | x
    assert x & y == y & x
    assert x | (y | z) == (x | y) | z
    assert x & (y & z) == (x & y) & z
    assert x | (x & y) == x == x & (x | y)
    assert x & (y | z) == (x & y) | (x & z)
    assert x | (y & z) == (x | y) & (x | z)
    assert x & ~x == nothing == ~everything
    assert ~(x | y) == ~x & ~y
    assert ~(x & y) == ~x | ~y
    assert ~~x == x
    assert x ^ y == (x - y) | (y - x)
    assert everything.offset == 2


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40)
@given(several(2), st.integers(-8, 8), st.integers(-8, 8))
def test_shift_moves_every_pair(
    form: str, case: tuple[int, list[tuple[int, ...]]], keys_by: int, queries_by: int
) -> None:
    """``(q, k)`` becomes ``(q + queries, k + keys)`` if that is in the mask; unions move along."""
    keys, (a, b) = case
    x, y = Mask.of(FORMS[form](a, keys), offset=1), Mask.of(FORMS[form](b, keys), offset=1)
    moved = x.shift(keys=keys_by, queries=queries_by)
    expected = {(q + queries_by, k + keys_by) for q, k in pairs_of_sets(a)} & grid(a, keys)
    assert pairs(moved) == expected
    assert moved.offset == 1
    assert (x | y).shift(keys=keys_by) == x.shift(keys=keys_by) | y.shift(keys=keys_by)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40)
@given(several(1))
def test_transpose_exchanges_queries_and_keys(
    form: str, case: tuple[int, list[tuple[int, ...]]]
) -> None:
    """``(q, k)`` becomes ``(k, q)``; twice is nothing."""
    keys, (sets,) = case
    mask = Mask.of(FORMS[form](sets, keys))
    turned = mask.transpose()
    assert (turned.queries, turned.keys) == (mask.keys, mask.queries)
    assert pairs(turned) == {(k, q) for q, k in pairs_of_sets(sets)}
    assert turned.transpose() == mask


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40)
@given(st.data())
def test_permutations_act_on_masks(form: str, data: st.DataObject) -> None:
    """Entry (i, j) is that of (order[i], order[j]); one order after another is their product."""
    sets = data.draw(relations())
    n = len(sets)
    a, b = data.draw(st.permutations(range(n))), data.draw(st.permutations(range(n)))
    mask = Mask.of(FORMS[form](sets, n))
    moved = mask.permute(a)
    assert pairs(moved) == {(i, j) for i in range(n) for j in range(n) if mask[a[i], a[j]]}
    assert mask.permute(range(n)) == mask
    assert moved.permute(b) == mask.permute([a[i] for i in b])
    assert (~mask).permute(a) == ~moved


@given(relations(), st.data())
def test_a_permutation_keeps_the_flow(sets: tuple[int, ...], data: st.DataObject) -> None:
    """Depth, height, number and sizes of classes, and number of covers do not change."""
    order = data.draw(st.permutations(range(len(sets))))
    mask = Mask.of(FORMS["runs"](sets, len(sets)))
    before, after = (Flow(Setting((each,))) for each in (mask, mask.permute(order)))
    for flow in (before, after):
        assert flow.closure is not None
    assert (before.depth, before.height) == (after.depth, after.height)
    sizes, covers = (
        [sorted(map(len, flow.closure.classes)) for flow in (before, after)],
        [sum(map(len, flow.closure.covers)) for flow in (before, after)],
    )
    assert sizes[0] == sizes[1]
    assert covers[0] == covers[1]


@given(st.lists(st.tuples(relations(5), st.sampled_from(list(FORMS))), min_size=1, max_size=4))
def test_nothing_flows_between_diagonal_blocks(
    parts: list[tuple[tuple[int, ...], str]],
) -> None:
    """Pairs and reach of a block-diagonal mask are those of its blocks, side by side."""
    masks = [Mask.of(FORMS[form](sets, len(sets))) for sets, form in parts]
    whole = Mask.block_diagonal(masks)
    starts = [sum(len(sets) for sets, _ in parts[:i]) for i in range(len(parts))]
    expected = {
        (q + start, k + start)
        for start, (sets, _) in zip(starts, parts, strict=True)
        for q, k in pairs_of_sets(sets)
    }
    assert pairs(whole) == expected
    reach = [
        row << start
        for start, mask in zip(starts, masks, strict=True)
        for row in Flow(Setting((mask,))).closure.rows
    ]
    assert tuple(Flow(Setting((whole,))).closure.rows) == tuple(reach)


@given(st.lists(relations(5), min_size=1, max_size=4))
def test_diagonal_blocks_as_runs(parts: list[tuple[int, ...]]) -> None:
    """The same rows are made for large masks, as runs."""
    forms = [FORMS["runs"](sets, len(sets)) for sets in parts]
    expected = algebra.block_diagonal(forms)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algebra, "SMALL", 0)
        assert list(algebra.block_diagonal(forms).runs()) == list(expected.runs())


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(rows(n), rows(n))))
def test_large_masks_are_swept_in_portions(case: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """The number of run ends sorted at once does not change the result."""
    a, b = (runs_form(FORMS["runs"](sets, len(sets))) for sets in case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnproof.symbolic.masks.line._CHUNK", 3)
        united = algebra.combine(a, b, algebra.UNION)
    assert pairs_of_sets(united.bits()) == pairs_of_sets(case[0]) | pairs_of_sets(case[1])


def test_tiles_stay_tiles() -> None:
    """Tiles of one size combine to tiles; of two sizes, to another form with the same pairs."""
    causal, window = get("causal").mask(40), get("window").mask(40, keys=7)
    a, b = (FORMS["tiles of 3×5"](mask.rows.bits(), 40) for mask in (causal, window))
    tiles = algebra.combine(a, b, algebra.DIFFERENCE)
    assert isinstance(tiles, Blocks)
    assert tiles.block == (3, 5)
    other = FORMS["tiles of 2×2"](window.rows.bits(), 40)
    assert Mask.of(algebra.combine(a, other, algebra.DIFFERENCE)) == Mask.of(tiles)
    assert isinstance(algebra.complement(a), Blocks)


def test_a_million_positions() -> None:
    """Union, intersection, difference, complement and shift of masks of 2^20 positions."""
    causal, window = get("causal").mask(MILLION), get("window").mask(MILLION, keys=128)
    sinks = get("sink_window").mask(MILLION, sinks=4, keys=128)
    assert isinstance((causal | sinks).rows, Runs)
    assert causal | sinks == causal
    assert window & sinks == window
    strict = causal.shift(keys=-1)
    assert (~causal).rows.count() == MILLION * (MILLION - 1) // 2 == strict.rows.count()
    assert (sinks - window)[MILLION - 1, 3]


def test_a_causal_mask_backwards() -> None:
    """Reversed or transposed, it reads itself and all later tokens, in runs of 2^14 positions."""
    causal = get("causal").mask(1 << 14)
    backwards = causal.permute(range((1 << 14) - 1, -1, -1))
    assert isinstance(backwards.rows, Runs)
    assert backwards == ~causal.shift(keys=-1) == causal.transpose()


def test_names_say_what_was_done() -> None:
    """Names of operators and functions; a mask without a name is called mask."""
    a, b = ap.Mask("window", n=4, keys=2), ap.Mask("causal", n=4)
    assert isinstance(a | b, ap.Mask)
    assert (a | b).name == "window | causal"
    assert ((a | b) & ~a).name == "(window | causal) & ~window"
    assert (~(a - b)).name == "~(window - causal)"
    assert a.shift(keys=1).name == "shift(window)"
    assert a.permute([3, 2, 1, 0]).name == "permute(window)"
    assert a.transpose().name == "transpose(window)"
    assert (a ^ Mask.from_rows(["...."] * 4)).name == "window ^ mask"
    assert ap.Mask.block_diagonal([a, b]).name == "block_diagonal(window, causal)"
    assert Mask.block_diagonal([a] * 30).name == ""


SQUARE = Mask.from_rows(["1.", "11"])
WIDE = Mask.from_rows(["1..", "11."], offset=1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: SQUARE | WIDE,
            "2×2 | 2×3 at offset 1: the masks have different shapes or offsets; give both the same "
            "queries, keys and offset",
        ),
        (
            lambda: WIDE.permute([0, 1]),
            "permute takes a square mask with offset 0, this one is 2×3 at offset 1",
        ),
        (
            lambda: SQUARE.permute([0, 0]),
            "the order has 2 entries and is no permutation of 0 to 1; name every position once",
        ),
        (
            lambda: WIDE.transpose(),
            "transpose takes a mask with offset 0, this one has 1; give it offset 0",
        ),
        (
            lambda: Mask.block_diagonal([SQUARE, WIDE]),
            "block_diagonal takes square masks with offset 0, mask 1 is 2×3 at offset 1",
        ),
        (
            lambda: Mask.block_diagonal([]),
            "block_diagonal takes one mask or more, none was given",
        ),
    ],
)
def test_masks_that_do_not_fit(make: Callable[[], Mask], message: str) -> None:
    """The message names the shapes and what would fit."""
    with pytest.raises(ShapeError) as raised:
        make()
    assert str(raised.value) == message


def test_what_is_no_mask_does_not_combine() -> None:
    """Python's own error for operands of other types."""
    with pytest.raises(TypeError, match="unsupported operand"):
        SQUARE | 3  # type: ignore[operator]


def test_orders_that_break_runs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A permutation or transposition whose runs would fill the memory says so."""
    monkeypatch.setattr(rearrange, "PIECES", 3)
    mask = Mask.of(FORMS["runs"]((0b1111,) * 4, 4))
    with pytest.raises(ShapeError) as raised:
        mask.permute([0, 2, 1, 3])
    assert str(raised.value) == (
        "this order breaks the mask into 12 runs at 4 positions; the limit is 3: take fewer "
        "positions"
    )
    with pytest.raises(ShapeError, match="exchanged the mask has 4 runs at 4 positions; the limit"):
        mask.transpose()
