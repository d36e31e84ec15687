"""Findings far along, heads that were left out, and the example that a page shows."""

from collections.abc import Callable
from typing import Any

import pytest

import attnproof as ap

torch = pytest.importorskip("torch", reason="rules are traced with the extra torch")
pytest.importorskip("cvc5", reason="proofs need two solvers: the extra prove")

Rule = Callable[[Any, Any, Any, Any], Any]


def far(pair: int) -> Rule:
    """A causal mask with one pair ahead, so many positions along."""
    return lambda b, h, q, k: (k <= q) | ((k == pair) & (q == pair - 1))


@pytest.mark.parametrize("layers", [None, 3])
def test_one_pair_far_along_is_found(layers: int | None) -> None:
    """A length beyond all that are searched, at which the source itself fails."""
    report = ap.verify(far(5000), all_n=True, causal=True, layers=layers)
    assert report.verdict is ap.Verdict.FAILS
    finding = report.findings[0]
    assert (finding.source, finding.reader, finding.details["n"]) == (5000, 4999, 5001)
    assert report.grade == "replayed"


def test_one_pair_far_along_with_a_tensor() -> None:
    """The tensor of that length fulfils what is assumed of it."""
    ids = torch.tensor([0, 0, 1])
    report = ap.verify(
        lambda b, h, q, k: far(2000)(b, h, q, k) & (ids[q] == ids[k]),
        all_n=True,
        causal=True,
        assume={"ids": "nondecreasing"},
    )
    tensors: Any = report.findings[0].details["tensors"]
    assert (len(tensors["ids"]), tensors["ids"][1999]) == (2001, tensors["ids"][2000])


def test_two_masks_differ_far_along() -> None:
    """Nothing but one pair of 4001 positions tells them apart."""

    def other(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (k <= q) & ((k != 3000) | (q != 4000))

    report = ap.verify("causal", all_n=True, equals=other)
    finding = report.findings[0]
    assert (finding.reader, finding.source, finding.details["n"]) == (4000, 3000, 4001)


def test_a_pair_too_far_along_is_told() -> None:
    """The source is not evaluated at so many positions: unknown, with the pair and the length."""
    report = ap.verify(far(50_000), all_n=True, causal=True)
    assert report.verdict is ap.Verdict.UNKNOWN
    told = "key 50000 and query 49999 at n = 50001; the source is not evaluated at so many"
    assert told in str(report)
    assert "ask it with n=50001 (--n 50001)" in str(report)


def test_a_head_that_was_left_out_is_a_finding() -> None:
    """A rule that reads its head index is proved for head 0, or for as many as are given."""

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (k <= q) | (h == 1)

    report = ap.verify(rule, all_n=True, causal=True)
    assert report.verdict is ap.Verdict.HOLDS
    (note,) = report.findings
    assert (note.kind, note.severity) == ("one_head", "note")
    assert "head 0 alone is meant; give --heads H" in note.message
    assert note.message not in report.comments
    assert str(report).count(note.message) == 1
    assert note.message in ap.closure(rule).comments
    both = ap.verify(rule, all_n=True, causal=True, heads=2)
    assert (both.verdict, both.findings[0].kind) == (ap.Verdict.FAILS, "leak")


def example_of(rule: Rule, **assumed: str) -> Any:
    """The tensors of the example of what holds."""
    report = ap.verify(rule, all_n=True, causal=True, assume=assumed)
    assert isinstance(report, ap.LengthReport)
    assert report.example is not None
    found = report.example()
    assert found is not None
    return found[0].tensors


@pytest.mark.parametrize(
    ("table", "own"),
    [
        pytest.param([0, 2, 4], True, id="in range"),
        pytest.param([0], True, id="of one"),
        pytest.param([0] * 65, False, id="long"),
    ],
)
def test_an_example_has_the_users_own_tensors(table: list[int], own: bool) -> None:
    """Where they are short: their length is that of the example; one of another axis keeps its."""
    ids, starts = torch.tensor([0, 0, 0, 0, 0]), torch.tensor(table)

    def mask(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (ids[q] == ids[k]) & (k <= q) & (starts[ids[q]] <= k)

    found = example_of(mask, ids="bounded(0, starts_size)")
    same = found == {"ids": tuple(ids.tolist()), "starts": tuple(table)}
    assert same is own


def test_an_example_has_a_table_that_says_no_length() -> None:
    """A window for each head: the length is that of other examples."""
    windows = torch.tensor([3, 5])

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (k <= q) & (q - k < windows[h])

    report = ap.verify(rule, all_n=True, causal=True, heads=2)
    assert isinstance(report, ap.LengthReport)
    assert report.example is not None
    found = report.example()
    assert found is not None
    assert (found[0].n, found[0].tensors) == (8, {"windows": (3, 5)})


def test_a_check_tells_of_the_head_that_was_left_out(tmp_path: Any) -> None:
    """A certificate of every length speaks of head 0 alone, and says so of a rule with more."""
    rule: Rule = lambda b, h, q, k: (k <= q) | (h == 1)  # noqa: E731
    path = tmp_path / "head.json"
    ap.verify(rule, all_n=True, causal=True).certificate.save(path)
    checked = ap.check(path, mask=rule)
    assert (checked.valid, checked.read) == (True, ("head 0 alone",))
