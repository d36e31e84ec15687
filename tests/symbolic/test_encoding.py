"""Values of an array, read as pairs: laws, a table of encodings, and messages."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import EncodingError, ShapeError
from attnproof.symbolic.masks.additive import Biases, listed, short, unblocked
from attnproof.symbolic.masks.axes import arrange, axes_of
from attnproof.symbolic.masks.encoding import Decoded, Encoding, chosen, decode

Pairs = set[tuple[int, int]]

masks = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
)
biases = st.one_of(
    st.sampled_from([0.0, -inf, -1e4, -1e9, -999.0, -1000.0, -10.0, 3.4e38, -3.4e38]),
    st.integers(-(2**14), 2**14).map(lambda x: x / 8),
)
bias_rows = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(biases, min_size=n, max_size=n), min_size=1, max_size=4)
)


def pairs_of(decoded: Decoded, index: int = 0) -> Pairs:
    """The pairs (query, key) of one distinct mask."""
    rows = decoded.masks[index][1]
    return {(q, k) for q in range(len(rows)) for k in range(rows.keys) if rows.row(q) >> k & 1}


def pairs_in(rows: list[list[bool]]) -> Pairs:
    """The true places of nested lists."""
    return {(q, k) for q, row in enumerate(rows) for k, x in enumerate(row) if x}


def read_by_fractions(rows: list[list[float]]) -> Pairs:
    """The row-maximum rule in exact arithmetic."""
    read = set()
    for q, row in enumerate(rows):
        finite = [Fraction(x) for x in row if x != -inf]
        read |= {
            (q, k) for k, x in enumerate(row) if x != -inf and max(finite) - Fraction(x) < 1000
        }
    return read


@given(masks)
def test_boolean_and_integer_encodings_round_trip(rows: list[list[bool]]) -> None:
    """A Boolean array sent as attend, block or keep01, in any type of 0 and 1, comes back."""
    array = np.array(rows)
    for kind in (np.bool_, np.uint8, np.int64, np.float16, np.dtype(">i4")):
        for encoding, sent in (("attend", array), ("block", ~array), ("keep01", array)):
            assert pairs_of(decode(sent.astype(kind), Encoding.of(encoding))) == pairs_in(rows)
    assert pairs_of(decode(array)) == pairs_of(decode(array.astype(np.int8))) == pairs_in(rows)


@pytest.mark.parametrize(
    ("constant", "kind"),
    [
        (-inf, "f2"),
        (-inf, "f8"),
        (-1e4, "f2"),
        (-1e4, ">f4"),
        (-65504.0, "f2"),
        (-1e9, "f4"),
        (float(np.finfo("f4").min), "f4"),
        (float(np.finfo("f8").min), "f8"),
    ],
)
@given(rows=masks)
@settings(max_examples=20)
def test_additive_encodings_round_trip(constant: float, kind: str, rows: list[list[bool]]) -> None:
    """An additive array comes back, but for rows of one finite constant, which read every key."""
    array = np.where(np.array(rows), 0.0, constant).astype(kind)
    expected = pairs_in(rows)
    if constant != -inf:
        empty = [q for q, row in enumerate(rows) if not any(row)]
        expected |= {(q, k) for q in empty for k in range(len(rows))}
    assert pairs_of(decode(array, Encoding.ADDITIVE)) == expected


@given(bias_rows)
def test_row_maximum_rule_against_exact_arithmetic(rows: list[list[float]]) -> None:
    """A key is read exactly where its bias is finite and less than 1000 below its row's maximum."""
    read = unblocked(np.array([rows]))[0]
    assert {(int(q), int(k)) for q, k in np.argwhere(read)} == read_by_fractions(rows)


@given(bias_rows, st.integers(-(2**20), 2**20))
def test_row_maximum_rule_ignores_a_constant(rows: list[list[float]], shift: int) -> None:
    """Adding one integer to a row of small integers changes nothing that is read."""
    small = np.array(
        [[[-inf if x < -1e5 else float(round(x) % 3000) for x in row] for row in rows]]
    )
    assert (unblocked(small) == unblocked(small + shift)).all()


@given(st.lists(masks.filter(lambda rows: len(rows) <= 3), min_size=1, max_size=4))
def test_heads_are_united_and_batches_kept_apart(many: list[list[list[bool]]]) -> None:
    """Stacked as heads, masks unite; stacked as a batch, each distinct one is listed once."""
    stack = [rows for rows in many if len(rows) == len(many[0])]
    array = np.array(stack)
    union = set().union(*map(pairs_in, stack))
    assert pairs_of(decode(array, layout="h q k")) == union
    by_batch = decode(array).masks
    assert sorted(b for indices, _ in by_batch for b in indices) == list(range(len(stack)))
    for number, (indices, _) in enumerate(by_batch):
        assert all(pairs_of(decode(array), number) == pairs_in(stack[b]) for b in indices)


@given(masks, st.sampled_from(["attend", "block", "additive"]))
def test_replay_agrees_with_the_mask(rows: list[list[bool]], encoding: str) -> None:
    """Asking the array again, pair by pair, gives the mask that was read."""
    array = np.array(rows)
    sent = np.where(array, 0.0, -1e9) if encoding == "additive" else array
    decoded = decode(sent, Encoding.of(encoding))
    n = len(rows)
    again = {(q, k) for q in range(n) for k in range(n) if decoded.replay(0, q, k)}
    assert again == pairs_of(decoded)


TABLE: list[tuple[str, list[list[float]], Pairs]] = [
    ("a row of -inf is empty", [[-inf, -inf], [0, -inf]], {(1, 0)}),
    ("a row of finite minima is uniform", [[-1e9, -1e9], [0, -1e9]], {(0, 0), (0, 1), (1, 0)}),
    ("min + min overflows to -inf, min survives", [[-inf, -3e38], [0, -inf]], {(0, 1), (1, 0)}),
    ("-1000 blocks and -999 is read", [[0, -1000], [0, -999]], {(0, 0), (1, 0), (1, 1)}),
    ("ALiBi without -inf reads everything", [[0, -1], [-1, 0]], {(0, 0), (0, 1), (1, 0), (1, 1)}),
]


@pytest.mark.parametrize(("what", "rows", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_additive_table(what: str, rows: list[list[float]], expected: Pairs) -> None:
    """Named additive masks read what softmax lets through."""
    assert pairs_of(decode(np.array(rows, dtype=float))) == expected


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0, -1e9], [0, 0]], "the weakest constant relied on is -1e9 (query 0)"),
        ([[0, -1e9], [-2000, 0]], "the weakest constant relied on is -2000 (query 1)"),
        ([[0, -inf], [0, 0]], "only -inf blocks"),
        ([[0, -3.0], [0, 0]], "no bias blocks, every key is read"),
        ([[0, -3.0], [0, -inf]], "the strongest is -3 (query 0)"),
        ([[-1e9, -1e9], [0, -inf]], "query 0 holds no bias above -1e9"),
        ([[-1e9, -1e9], [-1e4, -1e4]], "queries 0..1 hold no bias above -1e4"),
    ],
)
def test_what_additive_relied_on_is_told(rows: list[list[float]], words: str) -> None:
    """The report names the rule, the weakest constant and the uniform rows."""
    told = " | ".join(decode(np.array(rows)).comments)
    assert "decoded as additive by the row-maximum rule" in told
    assert words in told.replace("-10000", "-1e4")


@pytest.mark.parametrize(
    ("array", "encoding", "comment"),
    [
        (np.eye(2, dtype=bool), "attend", "decoded as attend: true is read"),
        (np.eye(2, dtype=np.uint8), "attend", "decoded as attend: 1 is read"),
    ],
)
def test_auto_says_what_it_decoded(array: np.ndarray, encoding: str, comment: str) -> None:
    """Booleans and integers 0 and 1 are attend, and the comment says so."""
    decoded = decode(array)
    assert (decoded.encoding, decoded.comments) == (encoding, (comment,))


def test_fortran_order_strides_and_chunks_do_not_matter() -> None:
    """Memory order, negative strides and the size of a chunk change nothing."""
    random = np.random.default_rng(7).random((1500, 1400)) < 0.5
    plain = decode(random).masks[0][1]
    assert decode(np.asfortranarray(random)).masks[0][1] == plain
    assert decode(random.view(np.matrix)).masks[0][1] == plain
    assert decode(random[::-1][::-1]).masks[0][1] == plain
    additive = np.where(random, 0, -1e9).astype(np.float32)
    assert decode(additive).masks[0][1] == plain


@pytest.mark.parametrize(
    ("shape", "layout", "heads", "expected"),
    [
        ((4, 5), None, 1, (1, 1, 4, 5)),
        ((3, 4, 5), None, 1, (3, 1, 4, 5)),
        ((3, 4, 5), "h q k", 1, (1, 3, 4, 5)),
        ((2, 3, 4, 5), "b h q k", 1, (2, 3, 4, 5)),
        ((2, 3, 4, 5), "h b q k", 1, (3, 2, 4, 5)),
        ((6, 4, 5), "(b h) q k", 3, (2, 3, 4, 5)),
        ((6, 4, 5), "(h b) q k", 3, (2, 3, 4, 5)),
        ((5, 4), "k q", 1, (1, 1, 4, 5)),
        ((4, 5, 3), "q k b", 1, (3, 1, 4, 5)),
    ],
)
def test_layouts(
    shape: tuple[int, ...], layout: str | None, heads: int, expected: tuple[int, ...]
) -> None:
    """Every layout becomes (batch, head, query, key)."""
    assert arrange(np.zeros(shape), layout, heads).shape == expected


def test_the_order_of_a_group_matters() -> None:
    """B33: (b h) and (h b) give sample 1 different masks."""
    first, second = np.eye(2, dtype=bool), np.ones((2, 2), dtype=bool)
    repeated = np.stack([first, first, second, second])
    right = decode(repeated, layout="(b h) q k", heads=2)
    wrong = decode(repeated, layout="(h b) q k", heads=2)
    assert [indices for indices, _ in right.masks] == [(0,), (1,)]
    assert [indices for indices, _ in wrong.masks] == [(0, 1)]


MESSAGES = [
    (np.tril(np.ones((3, 3))), "auto", "floats {0, 1}: added to scores these block nothing"),
    (np.tril(np.ones((3, 3))), "auto", "--encoding keep01"),
    (np.array([[1, 2], [0, 1]]), "auto", "integers other than 0 and 1 (2 at query 0, key 1)"),
    (np.array([[0, -10000], [0, 0]]), "auto", "--encoding additive"),
    (np.array([[0.0, 0.5], [1, 0]]), "keep01", "floats other than 0 and 1 (0.5 at query 0, key 1)"),
    (np.array([[0, -inf], [1, 0]]), "attend", "say --encoding additive"),
    (np.array([[0, np.nan], [-9, 0]]), "auto", "NaN at query 0, key 1"),
    (np.array([[0, -9], [0, inf]]), "auto", "+inf at query 1, key 1"),
    (np.array([[0, -9], [np.nan, inf]]), "additive", "NaN at query 1, key 0"),
    (np.eye(2, dtype=bool), "additive", "Booleans, which are not added to scores"),
    (np.eye(2).astype(object), "auto", "Python objects"),
    (np.eye(2).astype(complex), "auto", "complex numbers"),
    (np.array([["1", "0"]]), "auto", "strings"),
    (np.zeros((2, 2), "V2"), "auto", "save bfloat16 as float32"),
    (np.ma.masked_array(np.eye(2, dtype=bool)), "auto", "masked array"),
]


@pytest.mark.parametrize(("array", "encoding", "words"), MESSAGES)
def test_refused_values(array: np.ndarray, encoding: str, words: str) -> None:
    """What says nothing, or two things, is refused with the value, its place and the way out."""
    with pytest.raises(EncodingError) as caught:
        decode(array, Encoding.of(encoding), what="mask.npy")
    assert words in str(caught.value)
    assert str(caught.value).startswith("mask.npy ")


@pytest.mark.parametrize(
    ("shape", "layout", "words"),
    [
        ((), None, "0 axes (no axes)"),
        ((4,), None, "1 axis (4); give (q, k), (b, q, k) or (b, h, q, k)"),
        ((1, 1, 1, 4, 4), None, "5 axes"),
        ((0, 4, 4), None, "0×4×4: it has no entries"),
        ((0, 0), None, "0×0: it has no entries"),
        ((4, 4), "b q k", "names 3 axes"),
        ((4, 4), "q q", "names no axes"),
        ((4, 4), "rows", "names no axes"),
        ((5, 4, 4), "(b h) q k", "which 2 heads do not divide"),
    ],
)
def test_refused_shapes(shape: tuple[int, ...], layout: str | None, words: str) -> None:
    """Axes that do not fit are refused with their sizes."""
    with pytest.raises(ShapeError) as caught:
        decode(np.zeros(shape, dtype=bool), heads=2, layout=layout)
    assert words in str(caught.value)


def test_unknown_encoding_and_batch_are_refused() -> None:
    """A misspelt encoding lists the legal ones; a batch element must be there."""
    with pytest.raises(EncodingError, match="'atend' is no encoding; say auto, attend, block"):
        Encoding.of("atend")
    with pytest.raises(ShapeError, match="batch 3 was asked for, and 2 batch elements read"):
        chosen(2, 3)


def test_numbers_in_sentences() -> None:
    """Constants are written as people write them, long lists are cut."""
    assert [short(x) for x in (-1e4, -1e9, 1e-7, 0.5)] == ["-10000", "-1e9", "1e-7", "0.5"]
    assert listed(list(range(0, 40, 2))) == "0, 2, 4, 6, 8, 10, 12, 14, ..."
    assert axes_of("b  h q k") == ("b", "h", "q", "k")


def test_weakest_constant_is_the_nearest_over_all_parts() -> None:
    """What was relied on is gathered over parts, with the query it stands at."""
    gathered = Biases()
    gathered.read(np.array([[[0.0, -5000.0]]]), 0, "bias")
    gathered.read(np.array([[[0.0, -3000.0]]]), 7, "bias")
    assert gathered.weakest == (3000.0, -3000.0, 7)
