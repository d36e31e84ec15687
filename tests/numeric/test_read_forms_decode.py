"""Decode-time masks: new queries against a cache, and rules with an offset of their own."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnproof as ap
from attnproof.source import read
from attnproof.symbolic.verdict import Verdict
from tests.numeric.readings import pairs_of, replayed

#: Named masks with parameters, and a length where they fix none.
NAMED: list[tuple[str, dict[str, Any], int | None]] = [
    ("causal", {}, 9),
    ("window", {"keys": 3}, 9),
    ("sink_window", {"sinks": 1, "keys": 2}, 9),
    ("full", {}, 9),
    ("documents", {"lengths": [3, 1, 5]}, None),
    ("padded", {"attention_mask": [0, 1, 1, 0, 1]}, None),
    ("tree", {"parents": [-1, 0, 0, 1, 2, 2]}, None),
    ("two_stream", {}, 4),
]


@given(st.sampled_from(NAMED), st.data())
def test_an_offset_keeps_the_last_rows_of_a_named_mask(
    named: tuple[str, dict[str, Any], int | None], data: st.DataObject
) -> None:
    """The queries at positions P and later have the rows that they have in the square mask."""
    name, params, n = named
    whole = read(name, n=n, params=params)
    size = whole.masks[0][1].size
    start = data.draw(st.integers(0, size - 1))
    step = read(name, n=n, params=params, q_offset=start)
    mask = step.masks[0][1]
    assert (mask.queries, mask.keys, mask.offset) == (size - start, size, start)
    assert pairs_of(step) == {(q, k) for q, k in pairs_of(whole) if q >= start} == replayed(step)
    again = read(name, **json.loads(json.dumps(step.parameters)))
    assert again.masks == step.masks


@settings(max_examples=20)
@given(st.integers(1, 9), st.integers(1, 4), st.data())
def test_an_offset_asks_a_rule_about_positions(n: int, keys: int, data: st.DataObject) -> None:
    """A rule at an offset is the named mask there; with its own offset it counts from 0."""
    start = data.draw(st.integers(0, n - 1))

    def window(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (k <= q) & (q - k < keys)

    def make(offset: int) -> Any:
        return lambda b, h, q, k: window(b, h, q + offset, k)

    known = read("window", n=n, params={"keys": keys}, q_offset=start)
    by_position = read(window, n=n, q_offset=start)
    own_offset = read(make, n=n, q_offset=start, queries=n - start, params={"offset": start})
    assert known.masks == by_position.masks == own_offset.masks
    assert pairs_of(known) == replayed(by_position) == replayed(own_offset)


def test_b42_a_reversed_comparison_in_a_mask_mod_with_an_offset() -> None:
    """B42: q + pos <= k for two queries behind two of six keys reads the future.

    The five leaks were computed independently; the factory is held as rule, array and block mask.
    """
    torch = pytest.importorskip("torch", reason="block masks need torch")
    flex = pytest.importorskip("torch.nn.attention.flex_attention")

    def make(pos: int) -> Any:
        return lambda b, h, q, k: q + pos <= k

    leaks = {(2, 3), (2, 4), (2, 5), (3, 4), (3, 5)}
    block = flex.create_block_mask(make(2), None, None, 2, 6, device="cpu", BLOCK_SIZE=2)
    array = flex.create_mask(make(2), 1, 1, 2, 6, device="cpu")
    assert isinstance(array, torch.Tensor)
    own = read(make, n=6, q_offset=2, queries=2, params={"pos": 2})
    for reading in (own, read(block, q_offset=2), read(array, q_offset=2)):
        assert pairs_of(reading) == leaks | {(2, 2), (3, 3)} == replayed(reading)
    assert own.comments == (
        "evaluated as a mask_mod: true is read",
        "evaluated for q_idx 0..1: the rule counts its 2 queries from 0",
        "keys 0..1, 4..5 are cached: no query stands there, the history is not checked",
    )
    report = ap.verify(block, q_offset=2, causal=True)
    assert {(x.reader, x.source) for x in report.findings} == leaks
    # Asked about positions, the rule without its own offset has the same rows, and two more.
    report = ap.verify(make, n=6, q_offset=2, params={"pos": 0}, causal=True)
    assert {(x.reader, x.source) for x in report.findings} == leaks | {(4, 5)}


def test_a_decode_step_needs_no_square() -> None:
    """Two queries behind 199998 cached keys are 400000 pairs, not 40 billion."""
    pytest.importorskip("torch", reason="pair by pair is too slow here")
    mask = read(lambda b, h, q, k: k <= q, n=200_000, q_offset=199_998).masks[0][1]
    assert list(mask.rows.runs()) == [((0, 199_999),), ((0, 200_000),)]


def test_a_certificate_remembers_the_offset(tmp_path: Path) -> None:
    """A decode step is certified, and the certificate is checked against the mask and another."""
    report = ap.verify("causal", n=8, q_offset=5, causal=True)
    assert report.verdict is Verdict.HOLDS
    assert report.certificate is not None
    report.certificate.save(tmp_path / "step.json")
    assert ap.check(tmp_path / "step.json", mask="causal").valid
    assert not ap.check(tmp_path / "step.json", mask="full").valid
