"""A BlockMask asks its mask_mod about the partial blocks and, of the others, what it says."""

from collections.abc import Callable
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="BlockMask is an object of torch")

import numpy as np
from torch.nn.attention.flex_attention import BlockMask

import attnproof as ap
from attnproof.numeric.read import block_difference, block_reading, block_tiles
from attnproof.numeric.read.block_mask import decode_block_mask
from attnproof.numeric.read.callables import Rule
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.encoding import Decoded
from attnproof.symbolic.verdict import Verdict
from tests.numeric.block_masks import Case, cases, ordered, pairs_of

SAMPLES: list[tuple[int, Callable[[list[bool]], bool], str]] = [
    (1 << 24, any, "border"),
    (0, all, "corners"),
]


def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q >= k


def causal_blocks(n: int, size: int, rule: Callable[..., Any] = causal) -> BlockMask:
    """The tables of the causal mask, whatever the rule."""
    count = n // size
    own = np.eye(count, dtype=np.bool_)[None, None]
    before = np.tri(count, k=-1, dtype=np.bool_)[None, None]
    return BlockMask.from_kv_blocks(
        *ordered(own), *ordered(before), BLOCK_SIZE=size, mask_mod=rule, seq_lengths=(n, n)
    )


def check(case: Case, decoded: Decoded) -> None:
    """The relation, by its pairs and when it is asked again."""
    for batch in range(case.says.shape[0]):
        expected = case.united(batch)
        assert pairs_of(decoded, batch) == expected
        q, k = map(range, case.says.shape[2:])
        assert {(i, j) for i in q for j in k if decoded.replay(batch, i, j)} == expected


def check_found(case: Case, decoded: Decoded) -> None:
    """How many pairs differ, and the first of them."""
    differing = case.differing()
    (finding,) = decoded.notes
    batch, q, k, head = differing[0]
    assert (finding.reader, finding.source) == (q, k)
    assert finding.details == {"batch": batch, "head": head, "pairs": len(differing)}
    assert len(decoded.claims) == 1


@given(cases())
@settings(max_examples=40)
def test_everywhere(case: Case) -> None:
    """Any tables and rule: the relation, and every pair on which the two differ is counted."""
    decoded = decode_block_mask(case.mask())
    check(case, decoded)
    if case.differing():
        check_found(case, decoded)
    else:
        assert (decoded.notes, decoded.claims) == ((), ())


@pytest.mark.parametrize(("most", "meets", "word"), SAMPLES)
@given(case=cases(), chunk=st.sampled_from([7, 50, 1 << 20]))
@settings(max_examples=40)
def test_tile_by_tile(
    most: int, meets: Callable[[list[bool]], bool], word: str, case: Case, chunk: int
) -> None:
    """The relation is the same; a difference is found exactly where the sample has a pair of it,
    and then told as if all had been asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "EVERYWHERE", 0)
        patch.setattr(block_reading, "FEW", 0)
        patch.setattr(block_difference, "BORDER", most)
        patch.setattr(block_difference, "CHUNK", chunk)
        patch.setattr(block_tiles, "CHUNK", chunk)
        decoded = decode_block_mask(case.mask())
    check(case, decoded)
    if any(case.on_the_border(place, meets) for place in case.differing()):
        check_found(case, decoded)
    else:
        assert (decoded.notes, decoded.claims) == ((), ())
        assert f"on the {word} of each block" in decoded.comments[1]


def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs each call of a rule is about, from now on."""
    sizes: list[int] = []
    mapped = Rule._mapped

    def counted(rule: Rule, indices: Any, levels: Any, shape: Any) -> Any:
        sizes.append(prod(shape))
        return mapped(rule, indices, levels, shape)

    monkeypatch.setattr(Rule, "_mapped", counted)
    return sizes


def test_large_masks_ask_few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 268 million pairs 10.4 million are asked: the partial blocks and the borders."""
    sizes = asked(monkeypatch)
    n, size = 16384, 128
    report = ap.verify(causal_blocks(n, size), causal=True)
    assert report.verdict is Verdict.HOLDS
    assert report.findings == ()
    border = n * n - (n - 2 * n // size) ** 2
    assert sum(sizes) == 1 + n * size + border
    assert report.comments[1] == (
        "compared with mask_mod alone on the border of each block, 8258048 of the 266338304 pairs "
        "outside the partial blocks: a difference elsewhere is not seen"
    )
    assert border - (n // size) * (size * size - (size - 2) ** 2) == 8258048


def test_larger_masks_ask_the_corners(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 65536 positions, which are too many to ask everywhere, four pairs of each block."""
    sizes = asked(monkeypatch)
    n, size = 65536, 128
    report = ap.verify(causal_blocks(n, size), causal=True)
    assert report.verdict is Verdict.HOLDS
    assert sum(sizes) == 1 + n * size + (2 * n // size) ** 2
    assert "on the corners of each block, 1046528 of the" in report.comments[1]


def test_small_blocks_are_asked_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where blocks are mostly border nothing is saved, and every pair is compared."""
    monkeypatch.setattr(block_reading, "EVERYWHERE", 0)
    assert len(decode_block_mask(causal_blocks(64, 4)).comments) == 1
    assert len(decode_block_mask(causal_blocks(256, 32)).comments) == 2


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        (lambda b, h, q, k: (q >= k) & (q - k < 100), (100, 0)),
        (lambda b, h, q, k: (q >= k) | (k == 77), (0, 77)),
        (lambda b, h, q, k: (q >= k) | (q == 10), (10, 32)),
        (lambda b, h, q, k: (q >= k) & (q - k != 77), (77, 0)),
        (lambda b, h, q, k: (q >= k) | (q + k == 128), (0, 128)),
    ],
    ids=["a window", "a key", "a query", "a diagonal", "an antidiagonal"],
)
def test_what_crosses_a_block_is_found(
    rule: Callable[..., Any], first: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole row, column or diagonal of a block meets its border."""
    monkeypatch.setattr(block_reading, "EVERYWHERE", 0)
    (finding,) = decode_block_mask(causal_blocks(256, 32, rule)).notes
    assert (finding.reader, finding.source) == first


def test_too_long_to_ask_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the finding counts the pairs that were asked, and the certificate shows one row."""
    monkeypatch.setattr(block_reading, "EVERYWHERE", 0)
    monkeypatch.setattr(block_reading, "LENGTH", 40)
    monkeypatch.setattr(block_difference, "BORDER", 0)
    stale = causal_blocks(64, 16, lambda b, h, q, k: (q >= k) & (q - k < 20))
    report = ap.verify(stale, properties=["transitive"])
    (finding,) = report.findings
    corners = [x for x in range(64) if x % 16 in (0, 15)]
    outside = [(q, k) for q in corners for k in corners if q // 16 != k // 16]
    differing = [(q, k) for q, k in outside if q >= k and q - k >= 20]
    assert (finding.reader, finding.source) == differing[0] == (31, 0)
    assert finding.details == {
        "batch": 0,
        "head": 0,
        "pairs": len(differing),
        "pairs_asked": len(outside),
    }
    assert f"{len(differing)} pairs of the {len(outside)} that were asked: by" in finding.message
    (shifted,) = decode_block_mask(stale, offset=5).notes
    assert (shifted.reader, shifted.source) == (36, 0)
    assert report.verdict is Verdict.FAILS
    unequal = report.certificate.statements[0]
    assert unequal.digests[0] == ap.Mask("causal", n=64).digest
    assert (unequal.predicate["reader"], unequal.predicate["only_in"]) == (31, "a")
    assert all(result.valid for result in report.certificate.check())


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says how many there are, and the way out."""
    monkeypatch.setattr(block_reading, "EVERYWHERE", 0)
    monkeypatch.setattr(block_reading, "LENGTH", 8)
    with pytest.raises(ShapeError, match="give a smaller n, or larger blocks") as caught:
        decode_block_mask(causal_blocks(64, 16))
    assert caught.value.parts["pairs"] == 64 * 16 + 64 * 64 - 56 * 56


def test_a_rule_that_vmap_cannot_evaluate_is_asked_as_rarely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pair by pair, too, only the partial blocks and the borders are asked."""
    monkeypatch.setattr(block_reading, "PAIRS", 0)
    calls: list[tuple[int, int]] = []

    def by_pairs(b: Any, h: Any, q: Any, k: Any) -> bool:
        answer = bool(q >= k)
        calls.append((int(q), int(k)))
        return answer

    decoded = decode_block_mask(causal_blocks(64, 16, by_pairs))
    assert [note.kind for note in decoded.notes] == ["unreadable_under_vmap"]
    assert pairs_of(decoded) == {(q, k) for q in range(64) for k in range(q + 1)}
    inside = {(q, k) for q in range(64) for k in range(64) if q // 16 == k // 16}
    border = {(q, k) for q in range(64) for k in range(64) if {q % 16, k % 16} & {0, 15}}
    assert set(calls) == inside | border


def test_a_captured_tensor_that_is_too_short_is_named() -> None:
    """The first pair asked beyond it is in the message."""
    import torch

    ids = torch.zeros(16000, dtype=torch.int64)
    mask = causal_blocks(16384, 128, lambda b, h, q, k: (q >= k) & (ids[q] == ids[k]))
    with pytest.raises(ap.InputError, match="is a captured tensor shorter than n"):
        decode_block_mask(mask)
