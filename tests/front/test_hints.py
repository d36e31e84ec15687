"""Hints: each is a true statement about the mask, and stands where it applies."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnproof as ap
from attnproof.ask.hints import LENGTH, hints
from attnproof.symbolic.verdict import Verdict
from tests.front.questions import texts
from tests.reference import closed, identity, pairs_of_text

POLARITY = "is its polarity reversed?"
TRANSPOSED = "is it indexed [key, query]?"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ap.verify([".11", "..1", "..."], causal=True), "the exact complement of causal"),
        (lambda: ap.verify([".11", "..1", "..."], equals="causal"), "complement of causal"),
        (lambda: ap.verify(["111", ".11", "..1"], causal=True), "the transpose of causal"),
        (lambda: ap.verify(["111", ".11", "..1"], equals="causal"), "the transpose of causal"),
        (lambda: ap.verify("full", n=3, causal=True), "every query reads every key"),
        (lambda: ap.verify([".1.", "...", "11."], forbid=[(0, 1), (2, 1)]), POLARITY),
        (lambda: ap.verify(["11.", ".11", "..1"], causal=True), TRANSPOSED),
        (lambda: ap.verify(["111", "111", ".11"], causal=True), "k > q is unrestricted"),
        (lambda: ap.verify("block_causal", n=5, params={"block": 2}, causal=True), "blocks of 2"),
        (lambda: ap.verify("look_ahead", n=5, params={"right": 1}, causal=True), "off by one"),
        (lambda: ap.verify("causal", n=4, documents="2,2"), "not part of the flow"),
        (lambda: ap.verify(["1..", ".1.", ".11"], documents="2,1"), "does token 1 belong"),
        (lambda: ap.verify(["1..", "11.", "..1"], documents="1,2"), "does token 1 belong"),
        (lambda: ap.verify(["11..", ".1..", "..1.", "...1"], causal=True), "nobody else reads"),
    ],
)
def test_each_hint_has_its_mask(ask: Callable[[], ap.Report], words: str) -> None:
    """The mistake is named among the comments of the report."""
    assert any(words in comment for comment in ask().comments)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ap.verify("causal", n=4, causal=True),
        lambda: ap.verify("full", n=4),
        lambda: ap.verify("full", n=4, properties=["reflexive", "antisymmetric"]),
        lambda: ap.verify("full", n=1, causal=True, forbid=[(0, 0)]),
        lambda: ap.verify("full", n=LENGTH + 1, forbid=[(0, 1)]),
        lambda: ap.verify(np.ones((2, 3), bool), q_offset=1, causal=True),
        lambda: ap.verify("full", "causal", n=4, per_layer=True, causal=True),
        lambda: ap.verify("full", n=2, task=ap.Task.build(["a", "b"], {0: "b"}, "causal")),
    ],
)
def test_no_hint_where_nothing_is_certain(ask: Callable[[], ap.Report]) -> None:
    """What holds, is described, is long, rectangular, a schedule or a task gets no hint."""
    assert hints(ask()) == ()


def test_the_batch_has_the_hints_of_its_worst_mask() -> None:
    """Each mask of a batch has its own."""
    causal = np.tril(np.ones((3, 3), dtype=bool))
    report = ap.verify(np.stack([causal, ~causal]), causal=True)
    assert any("exact complement" in comment for comment in report.comments)
    assert not any("exact complement" in comment for comment in report.others[0].comments)


@given(st.integers(2, 5).flatmap(lambda n: texts(n, n)), st.booleans())
@settings(max_examples=150)
def test_hints_are_true(rows: tuple[str, ...], causal: bool) -> None:
    """Whatever a hint says of a mask is so by its definition."""
    n = len(rows)
    everything = {(q, k) for q in range(n) for k in range(n)}
    wrong = {(q, k) for q, k in everything if k > q} if causal else {(0, n - 1), (1, 0)}
    report = ap.verify(list(rows), forbid=sorted(wrong))
    reads = pairs_of_text(rows)
    reach = closed(reads, n)
    said = " ".join(hints(report))
    assert not said or report.verdict is Verdict.FAILS
    lower = {(q, k) for q, k in everything if k <= q}
    if "the exact complement of causal" in said:
        assert reads == everything - lower
    elif POLARITY in said:
        assert not reads & identity(n)
        assert not closed(frozenset(everything - reads), n) & wrong
    if "the transpose of causal" in said:
        assert {(k, q) for q, k in reads} == lower
    elif TRANSPOSED in said:
        assert not closed(frozenset((k, q) for q, k in reads), n) & wrong
    if "every query reads every key:" in said:
        assert reads == everything
    if "k > q is unrestricted" in said:
        assert reads >= everything - lower
    if "off by one" in said:
        assert all(max(k for p, k in reads if p == q) == min(q + 1, n - 1) for q in range(n))
    if "so the leak stays there" in said:
        leaking = {q for q, k in reach & wrong}
        assert 0 < 2 * len(leaking) < n
        assert not any(k in leaking and q not in leaking for q, k in reach)
