"""The executed layer: rectangular lifting, rows that read nothing, the residual."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.relation import relation, relations, union
from attnproof.symbolic.setting import EmptyRow, Setting
from tests.reference import closed, lifted, pairs_of_sets


@st.composite
def rectangles(draw: st.DrawFn) -> Mask:
    """Queries by keys at an offset, rows that read nothing among them."""
    queries, keys = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    row = st.one_of(st.just(0), st.integers(0, 2**keys - 1))
    rows = tuple(draw(row) for _ in range(queries))
    return Mask.of(Bits(rows, keys), offset=draw(st.integers(0, 4)))


@given(rectangles(), st.booleans(), st.sampled_from(EmptyRow))
def test_layer_is_the_lifted_mask(mask: Mask, residual: bool, empty_row: EmptyRow) -> None:
    """Query i stands at offset + i; positions that are no query keep themselves; a uniform empty
    row reads all keys and a zero or NaN one none; the residual adds the diagonal."""
    found = relation(mask, residual=residual, empty_row=empty_row)
    assert len(found) == mask.size == max(mask.keys, mask.offset + mask.queries)
    assert pairs_of_sets(found) == lifted(
        pairs_of_sets(mask.rows.bits()),
        queries=mask.queries,
        keys=mask.keys,
        offset=mask.offset,
        residual=residual,
        uniform=empty_row is EmptyRow.UNIFORM,
    )


@given(rectangles())
def test_flow_of_a_rectangle(mask: Mask) -> None:
    """Pairs, empty rows and the limit speak of positions; cached positions are not empty."""
    flow = Flow(Setting((mask,)))
    shifted = {(mask.offset + q, k) for q, k in pairs_of_sets(mask.rows.bits())}
    assert pairs_of_sets(flow.given) == shifted
    assert flow.edges == len(shifted)
    assert flow.edges_off_diagonal == sum(q != k for q, k in shifted)
    asked = range(mask.offset, mask.offset + mask.queries)
    assert flow.empty_rows == tuple(q for q in asked if q not in {r for r, _ in shifted})
    assert pairs_of_sets(flow.closure.rows) == closed(frozenset(shifted), mask.size)


@pytest.mark.parametrize(
    ("rows", "offset", "expected"),
    [
        (["111..", "1111.", "11111"], 2, [0b00001, 0b00010, 0b00111, 0b01111, 0b11111]),
        (["111", "111"], 3, [0b00001, 0b00010, 0b00100, 0b01111, 0b10111]),
        (["1....", "11..."], 0, [0b00001, 0b00011, 0b00100, 0b01000, 0b10000]),
        (["1....", "11..."], 3, [0b00001, 0b00010, 0b00100, 0b01001, 0b10011]),
    ],
)
def test_lifting_of_named_rectangles(rows: list[str], offset: int, expected: list[int]) -> None:
    """A decoding step, queries beyond the keys, a top-left mask, a bottom-right offset."""
    assert list(relation(Mask.from_rows(rows, offset=offset))) == expected


def test_rows_that_read_nothing() -> None:
    """Left padding of two: by zero the pads keep themselves, by uniform they read the future."""
    mask = Mask.from_rows([".....", ".....", "..1..", "..11.", "..111"])
    zero, uniform = (relation(mask, empty_row=kind) for kind in (EmptyRow.ZERO, EmptyRow.UNIFORM))
    assert zero == (0b00001, 0b00010, 0b00100, 0b01100, 0b11100)
    assert uniform == (0b11111, 0b11111, 0b00100, 0b01100, 0b11100)
    assert relation(mask, residual=False) == (0, 0, 0b00100, 0b01100, 0b11100)
    assert relation(mask, empty_row=EmptyRow.NAN) == zero


def test_layers_of_a_setting_share_its_conventions() -> None:
    """Every layer of a schedule is lifted with the setting's residual and empty-row rule."""
    masks = (Mask.from_rows([".1", ".."]), Mask.from_rows(["..", "1."]))
    plain = Setting(masks, residual=False, empty_row=EmptyRow.UNIFORM)
    assert relations(plain) == ((0b10, 0b11), (0b11, 0b01))
    assert union(relations(Setting(masks))) == (0b11, 0b11)


def test_setting_refuses_layers_of_different_sizes() -> None:
    """The message names the sizes, and they are parts of the error."""
    masks = (Mask.from_rows(["1"]), Mask.from_rows(["1.", "11"]))
    with pytest.raises(ShapeError, match=r"the layers have \[1, 2\] positions") as raised:
        Setting(masks)
    assert raised.value.parts == {"sizes": [1, 2]}


def test_setting_refuses_a_negative_depth() -> None:
    """Zero layers are legal, fewer are not."""
    mask = Mask.from_rows(["1"])
    assert replace(Setting((mask,)), depth=0).depth == 0
    with pytest.raises(ShapeError, match="-1 layers were asked for; give 0 or more") as raised:
        Setting((mask,), depth=-1)
    assert raised.value.parts == {"depth": -1}
