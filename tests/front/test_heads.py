"""Heads of one layer: their union, and rows that one of them leaves empty."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

import attnproof as ap
from attnproof.symbolic.order.flow import Flow
from tests.reference import closed, pairs_of_sets

Flags = NDArray[np.bool_]


def filled(heads: Flags) -> Flags:
    """What a layer of these heads reads where softmax averages over every key of an empty row;
    a row that no head reads is left as it is."""
    empty = ~heads.any(axis=2, keepdims=True)
    read = np.any(heads, axis=(0, 2)).reshape(1, -1, 1)
    return np.asarray(np.any(heads | (empty & read), axis=0))


HEADS = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=4).flatmap(
    lambda shape: arrays(np.bool_, (shape[0], shape[1], shape[1]))
)


@given(HEADS)
def test_a_uniform_row_is_filled_head_by_head(heads: Flags) -> None:
    """The flow is the closure of the heads, each filled before they are united."""
    report = ap.verify(heads[None], empty_row="uniform")
    union = filled(heads)
    union |= ~np.any(union, axis=1, keepdims=True)
    edges = frozenset((int(q), int(k)) for q, k in np.argwhere(union))
    assert isinstance(report.flow, Flow)
    assert pairs_of_sets(report.flow.closure.rows) == closed(edges, len(union))


@settings(max_examples=15)
@given(HEADS)
def test_a_leak_through_a_filled_row_replays(heads: Flags) -> None:
    """Causality fails exactly when the filled layer reaches the future; rules agree with arrays."""
    torch = pytest.importorskip("torch")
    held = torch.from_numpy(heads)
    by_array = ap.verify(heads[None], causal=True, empty_row="uniform")
    by_rule = ap.verify(
        lambda b, h, q, k: held[h, q, k],
        n=heads.shape[1],
        heads=len(heads),
        causal=True,
        empty_row="uniform",
    )
    assert by_array.verdict is by_rule.verdict
    assert [f.path for f in by_array.findings] == [f.path for f in by_rule.findings]
    reads = filled(heads) | ~np.any(heads, axis=(0, 2)).reshape(-1, 1)
    assert (by_array.verdict is ap.Verdict.FAILS) == bool(np.triu(reads, 1).any())


def two_heads() -> Flags:
    """Head 0 reads the diagonal; head 1 reads nothing at query 0."""
    mask = np.zeros((1, 2, 2, 2), dtype=np.bool_)
    mask[0, 0] = np.eye(2)
    mask[0, 1, 1, 0] = True
    return mask


def test_each_convention_of_one_empty_head() -> None:
    """Zero adds nothing, uniform leaks, NaN is an error; each says so."""
    zero = ap.verify(two_heads(), causal=True)
    assert zero.verdict is ap.Verdict.HOLDS
    uniform = ap.verify(two_heads(), causal=True, empty_row="uniform")
    assert [f.path for f in uniform.findings] == [(1, 0)]
    assert "in some head query 0 reads nothing, and so the mean of every key" in uniform.comments
    spoiled = ap.verify(two_heads(), causal=True, empty_row="nan")
    assert [f.message for f in spoiled.findings] == [
        "in some head query 0 reads nothing: the output there is NaN, whatever other heads read"
    ]
    assert spoiled.verdict is ap.Verdict.FAILS


def test_the_certificate_says_how_empty_heads_were_read(tmp_path: Path) -> None:
    """A certificate of a filled mask is one of this mask, read in the same way."""
    file = tmp_path / "mask.cert.json"
    ap.verify(two_heads(), causal=True, empty_row="uniform").certificate.save(file)
    assert ap.check(file, mask=two_heads()).valid
    document = json.loads(file.read_text())
    (statement,) = document if isinstance(document, list) else [document]
    assert statement["predicate"]["origin"]["read"]["empty_row"] == "uniform"


def test_a_block_mask_of_several_heads_has_its_own_convention() -> None:
    """FlexAttention returns zeros where a head reads nothing; another convention is refused."""
    attention = pytest.importorskip("torch.nn.attention.flex_attention")
    mask = attention.create_block_mask(
        lambda b, h, q, k: q >= k + h, 1, 2, 4, 4, device="cpu", BLOCK_SIZE=4
    )
    with pytest.raises(ap.InputError, match="has 2 heads, and FlexAttention returns zeros") as told:
        ap.verify(mask, empty_row="uniform")
    assert "give its mask_mod with --heads 2" in str(told.value)
