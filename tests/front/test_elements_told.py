"""Heads and batch elements that a question did not evaluate are told of in every question."""

from pathlib import Path
from typing import Any

import pytest

import attnproof as ap
from attnproof.errors import InputError

torch = pytest.importorskip("torch")

WINDOWS = torch.tensor([2, 4, 8, 100])
PREFIX = torch.tensor([1, 3, 2])


def per_head(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q >= k) & (q - k < WINDOWS[h])


def later(b: Any, h: Any, q: Any, k: Any) -> Any:
    return k <= q + h


def prefix(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (k <= q) | (k < PREFIX[b])


@pytest.mark.parametrize(
    ("rule", "how"),
    [
        (per_head, {"heads": 4}),
        (prefix, {"batches": 3, "batch": 1}),
        (prefix, {"batches": 3}),
        (later, {"heads": 2}),
    ],
)
def test_a_mask_equals_itself(rule: Any, how: dict[str, Any]) -> None:
    """Both sides are read for the same heads and batch elements."""
    assert ap.verify(rule, n=8, equals=rule, **how).verdict is ap.Verdict.HOLDS


def test_the_other_mask_is_read_for_as_many_heads() -> None:
    """What only head 1 reads is a difference, and where it was not asked for a note."""
    assert ap.verify("causal", n=8, equals=later, heads=2).verdict is ap.Verdict.FAILS
    alone = ap.verify("causal", n=8, equals=later)
    assert alone.verdict is ap.Verdict.HOLDS
    assert [one.kind for one in alone.findings] == ["one_head"]


def test_an_answer_of_one_is_an_answer() -> None:
    """Nobody is asked how many heads there are after saying so."""
    assert ap.verify(later, n=4, causal=True, heads=1).findings == ()
    assert ap.verify(prefix, n=4, causal=True, batches=1).findings == ()
    with pytest.raises(InputError, match="batch 2 was asked for, and 1 batch element read"):
        ap.verify(prefix, n=4, batch=2)


def test_a_block_mask_of_one_head_is_told_of() -> None:
    """Its mask_mod is given every head that runs."""
    from torch.nn.attention.flex_attention import create_block_mask

    mask = create_block_mask(later, None, None, 128, 128, device="cpu")
    assert [one.kind for one in ap.verify(mask, causal=True).findings] == ["one_head"]
    assert ap.verify(mask, causal=True, heads=2).verdict is ap.Verdict.FAILS


def test_comparisons_and_scans_tell_too() -> None:
    """As a note of the answer, and as a warning."""
    found = ap.compare(later, "causal", n=8)
    assert (found.edges_equal, [note.kind for note in found.notes]) == (True, ["one_head"])
    assert "head 0 alone was evaluated" in str(found)
    assert not ap.compare(later, "causal", n=8, heads=2).edges_equal
    with pytest.warns(UserWarning, match="reads its head index, and head 0 alone was evaluated"):
        ap.scans(later, n=4)


def test_a_check_tells_of_which_head_the_certificate_speaks(tmp_path: Path) -> None:
    """The file holds more heads than the claim."""
    path = tmp_path / "later.json"
    ap.verify(later, n=4, causal=True).certificate.save(path)
    checked = ap.check(path, mask=later)
    assert (checked.valid, checked.read) == (True, ("head 0 alone",))


@pytest.mark.parametrize("flag", ["causal", "next_token", "per_layer", "all_n", "width"])
def test_a_flag_is_true_or_false(flag: str) -> None:
    """Text is neither, whatever it says."""
    given: dict[str, Any] = {flag: "no"}
    with pytest.raises(InputError, match=f"{flag} is 'no'; give True or False"):
        ap.verify("causal", n=4, **given)
