"""Rules of Python: vmap and pair by pair agree, and each way to fail is one message."""

import functools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="rules are evaluated with torch")

import torch

from attnproof.numeric.read import callables, torch_scalars
from attnproof.numeric.read.callables import Rule
from attnproof.numeric.read.rule_masks import decode_rule
from attnproof.numeric.read.signature import Kind, call_factory, kind_of
from attnproof.symbolic.errors import InputError, ParameterError, ShapeError
from attnproof.symbolic.masks.encoding import Decoded

IDS = torch.tensor([0, 0, 1, 1, 1, 2, 2, 2])
LAST = torch.tensor([2, 8])


def pairs_of(decoded: Decoded, index: int = 0) -> set[tuple[int, int]]:
    """The pairs (query, key) of one distinct mask."""
    rows = decoded.masks[index][1]
    return {(q, k) for q in range(len(rows)) for k in range(rows.keys) if rows.row(q) >> k & 1}


def mask_of(function: Callable[..., Any], n: int, **options: Any) -> Decoded:
    """A mask_mod at one length."""
    return decode_rule(Rule(function, Kind.MASK_MOD, "mask.py:rule"), n, **options)


def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q >= k


def documents(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (IDS[q] == IDS[k]) & (q >= k)


def padded(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q >= k) & (k < LAST[b])


def by_head(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q - k == h


def table(b: Any, h: Any, q: Any, k: Any) -> Any:
    return torch.eye(8, dtype=torch.bool)[q, k] | (k == 0)


def constant(b: Any, h: Any, q: Any, k: Any) -> Any:
    return b.new_ones((), dtype=torch.bool)


VMAPPED: dict[str, tuple[Callable[..., Any], Callable[[int, int, int, int], bool]]] = {
    "comparison": (causal, lambda b, h, q, k: q >= k),
    "captured tensor": (documents, lambda b, h, q, k: "00111222"[q] == "00111222"[k] and q >= k),
    "two indices": (table, lambda b, h, q, k: q == k or k == 0),
    "constant": (constant, lambda b, h, q, k: True),
    "partial": (
        functools.partial(lambda w, b, h, q, k: q - k < w, 3),
        lambda b, h, q, k: q - k < 3,
    ),
}


@pytest.mark.parametrize("name", VMAPPED)
def test_vmapped_rules_are_their_definition(name: str) -> None:
    """A rule that vmap evaluates has the pairs of its definition in plain Python, and no note."""
    function, defined = VMAPPED[name]
    decoded = mask_of(function, 8)
    expected = {(q, k) for q in range(8) for k in range(8) if defined(0, 0, q, k)}
    assert pairs_of(decoded) == expected
    assert [one.kind for one in decoded.notes if not one.kind.startswith("one_")] == []
    assert {(q, k) for q in range(8) for k in range(8) if decoded.replay(0, q, k)} == expected


def with_if(b: Any, h: Any, q: Any, k: Any) -> Any:
    if q < k:
        return False
    return True if q > 0 else k == 0


def with_not(b: Any, h: Any, q: Any, k: Any) -> Any:
    return not q < k


def with_item(b: Any, h: Any, q: Any, k: Any) -> Any:
    return torch.tensor(q.item() >= k.item())


def with_list(b: Any, h: Any, q: Any, k: Any) -> Any:
    return [0, 1, 2, 3, 4, 5, 6, 7][q] >= k


def with_printing(b: Any, h: Any, q: Any, k: Any) -> Any:
    print("evaluated at", q, k)  # noqa: T201
    return bool(q >= k)


@pytest.mark.parametrize("function", [with_if, with_not, with_item, with_list, with_printing])
def test_what_vmap_cannot_evaluate_is_called_pair_by_pair(
    function: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """B43: if, not, .item() and lists are evaluated by pairs, with one note; stdout stays clean."""
    decoded = mask_of(function, 8)
    assert pairs_of(decoded) == {(q, k) for q in range(8) for k in range(q + 1)}
    (note,) = decoded.notes
    assert (note.kind, note.severity) == ("unreadable_under_vmap", "note")
    assert "mask.py:rule cannot be evaluated under torch.vmap" in note.message
    assert "\n" not in note.message
    assert decoded.replay(0, 5, 4)
    assert capsys.readouterr().out == ""


@given(st.integers(1, 6), st.integers(0, 2**36 - 1))
@settings(max_examples=25)
def test_by_vmap_and_by_pairs_agree(n: int, bits: int) -> None:
    """Any table of pairs, looked up in a tensor, reads the same under vmap and pair by pair."""
    stored = torch.tensor([[bool(bits >> (6 * q + k) & 1) for k in range(6)] for q in range(6)])
    mapped = mask_of(lambda b, h, q, k: stored[q, k], n)
    called = mask_of(lambda b, h, q, k: bool(stored[q, k]), n)
    assert pairs_of(mapped) == pairs_of(called)
    assert (len(mapped.notes), len(called.notes)) == (0, 1)


@pytest.mark.parametrize("size", [1, 7, 64])
def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """However many queries are evaluated at once, the mask is the same."""
    monkeypatch.setattr(callables, "CHUNK", size)
    assert pairs_of(mask_of(documents, 8)) == pairs_of(
        mask_of(lambda b, h, q, k: IDS[q] == IDS[k], 8)
    ) & {(q, k) for q in range(8) for k in range(q + 1)}


def test_heads_are_united_and_batches_are_told_apart() -> None:
    """Heads of one layer unite; each distinct mask of a batch is listed with its elements."""
    assert pairs_of(mask_of(by_head, 4, heads=2)) == {
        (q, k) for q in range(4) for k in (q, q - 1) if k >= 0
    }
    decoded = mask_of(padded, 4, batches=2)
    assert [indices for indices, _ in decoded.masks] == [(0,), (1,)]
    assert pairs_of(decoded, 0) == {(q, k) for q in range(4) for k in range(min(q + 1, 2))}
    assert mask_of(padded, 4, batches=2, batch=1).masks == (((1,), decoded.masks[1][1]),)
    assert mask_of(causal, 4, batches=3).masks[0][0] == (0, 1, 2)
    assert not decoded.replay(0, 3, 2)
    assert decoded.replay(1, 3, 2)
    with pytest.raises(ShapeError, match="batch 2 was asked for, and 2 batch elements read"):
        mask_of(padded, 4, batches=2, batch=2)


def test_score_mods_block_where_they_return_minus_infinity() -> None:
    """A score_mod on the score 0 blocks at -inf alone; a large finite score is read, and told."""

    def soft(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
        return torch.where(q >= k, score - 0.1 * (q - k), -float("inf"))

    def large(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
        return torch.where(q >= k, score, -1e9)

    def by_pair(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
        return score if q >= k else -float("inf")

    below = {(q, k) for q in range(4) for k in range(q + 1)}
    for function in (soft, by_pair):
        decoded = decode_rule(Rule(function, Kind.SCORE_MOD, "score"), 4)
        assert (pairs_of(decoded), decoded.encoding) == (below, "additive")
        assert decoded.replay(0, 2, 1)
        assert not decoded.replay(0, 1, 2)
    decoded = decode_rule(Rule(large, Kind.SCORE_MOD, "score"), 4)
    assert len(pairs_of(decoded)) == 16
    assert "-1e+09, which is taken as read; return -inf to block" in decoded.comments[1]


def raising(b: Any, h: Any, q: Any, k: Any) -> Any:
    raise ValueError("no such head\nand more")


def raising_late(b: Any, h: Any, q: Any, k: Any) -> Any:
    if q == 2 and k == 1:
        raise KeyError("late")
    return True


def leaving(b: Any, h: Any, q: Any, k: Any) -> Any:
    raise SystemExit(0)


FAILURES: list[tuple[Callable[..., Any], str]] = [
    (raising, "mask.py:rule raised ValueError: no such head ("),
    (raising_late, "raised KeyError: 'late'"),
    (leaving, "raised SystemExit: 0"),
    (lambda b, h, q, k: q - k, "returns torch.int64; a mask_mod returns one Boolean for each pair"),
    (lambda b, h, q, k: (q - k) * 0.5, "returns torch.float32; a mask_mod returns one Boolean"),
    (lambda b, h, q, k: None, "returns NoneType; a mask_mod"),
    (lambda b, h, q, k: 1, "returns int; a mask_mod"),
    (lambda b, h, q, k: (q >= k, q), "returns tuple; a mask_mod"),
    (lambda b, h, q, k: k <= IDS, "returns a tensor of shape (8,); a mask_mod"),
    (lambda b, h, q, k: bool(q) and [True], "returns list; a mask_mod"),
    (lambda b, h, q, k: IDS[q] == IDS[k], "raised IndexError"),
    (lambda b, h, q, k: IDS[q] == IDS[k], "is a captured tensor shorter than n?"),
]


@pytest.mark.parametrize(("function", "words"), FAILURES)
def test_failures_of_a_mask_mod(function: Callable[..., Any], words: str) -> None:
    """What raises, or returns no Booleans, is one message with the user's own exception."""
    with pytest.raises(InputError) as caught:
        mask_of(function, 9)
    assert words in str(caught.value)
    assert str(caught.value).startswith("mask.py:rule ")
    assert "\n" not in str(caught.value)


def test_a_tensor_may_be_short_of_batch_elements_or_heads() -> None:
    """The first pair of a later one is not behind the tensor's last position."""
    rule = Rule(lambda b, h, q, k: IDS[:2][b] == q, Kind.MASK_MOD, "rule")
    with pytest.raises(InputError, match=r"than n, or has it fewer than 3 batch elements\?$"):
        rule.at(2, 0, 0, 0)
    rule = Rule(lambda b, h, q, k: IDS[:2][h] == q, Kind.MASK_MOD, "rule")
    with pytest.raises(InputError, match=r"than n, or has it fewer than 4 heads\?$"):
        rule.at(0, 3, 0, 0)


def test_the_place_of_a_failure_is_told() -> None:
    """The message names the pair, the file and the line."""
    with pytest.raises(InputError, match=r"test_read_callables.py, line \d+\) at query 2, key 1"):
        mask_of(raising_late, 4)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda s, b, h, q, k: q >= k, "returns torch.bool; a score_mod returns one score"),
        (lambda s, b, h, q, k: s * float("nan"), "returns NaN for the score 0"),
        (lambda s, b, h, q, k: True, "returns bool; a score_mod"),
        (lambda s, b, h, q, k: float("nan"), "returns NaN for the score 0"),
    ],
)
def test_failures_of_a_score_mod(function: Callable[..., Any], words: str) -> None:
    """A score_mod returns scores that are numbers."""
    with pytest.raises(InputError) as caught:
        decode_rule(Rule(function, Kind.SCORE_MOD, "score"), 3)
    assert words in str(caught.value)


def test_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many pairs, or too many to call one by one, are refused with the way out."""
    with pytest.raises(ShapeError, match="evaluated up to n = 32768"):
        mask_of(causal, 32769)
    monkeypatch.setattr(callables, "PAIRS", 15)
    with pytest.raises(ShapeError, match="has 16 pairs, more than the 15 that are called one by"):
        mask_of(with_if, 4)
    assert mask_of(causal, 4).notes == ()


def test_without_torch_rules_of_plain_operators_run_on_integers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where torch is missing, a rule is called on integers of 64 bits, with a note; operators say
    what they say of tensors."""
    monkeypatch.setattr(torch_scalars, "has_torch", lambda: False)
    monkeypatch.setattr(callables, "has_torch", lambda: False)
    decoded = mask_of(lambda b, h, q, k: ~(q < k) & (q >> 40 == 0), 4)
    assert pairs_of(decoded) == {(q, k) for q in range(4) for k in range(q + 1)}
    assert "torch is not installed" in decoded.notes[0].message
    scores = decode_rule(Rule(lambda s, b, h, q, k: s - q, Kind.SCORE_MOD, "score"), 2)
    assert len(pairs_of(scores)) == 4
    with pytest.raises(InputError, match="raised FloatingPointError: divide by zero"):
        mask_of(lambda b, h, q, k: k // (q - 1) == 0, 4)


def test_the_device_of_captured_tensors_is_used() -> None:
    """Indices stand where a captured tensor stands, also below a partial or an inner rule."""
    far = torch.zeros(4, device="meta")

    def inner(b: Any, h: Any, q: Any, k: Any) -> Any:
        return far[q] == far[k]

    def outer(b: Any, h: Any, q: Any, k: Any) -> Any:
        return inner(b, h, q, k)

    assert torch_scalars.device_of(outer) == "meta"
    assert torch_scalars.device_of(functools.partial(outer, 1)) == "meta"
    assert torch_scalars.device_of(documents) == "cpu"


def test_kinds_of_callables() -> None:
    """Required arguments say what a callable is; defaults and wrappers do not count."""

    def more(b: Any, h: Any, q: Any, k: Any, keys: int = 4) -> Any:
        return q - k < keys

    class Called:
        def __call__(self, b: Any, h: Any, q: Any, k: Any) -> Any:
            return q >= k

    @functools.wraps(causal)
    def wrapped(*args: Any) -> Any:
        return causal(*args)

    for function in (causal, more, Called(), wrapped, functools.partial(more, keys=2)):
        assert kind_of(function, "rule") is Kind.MASK_MOD
    assert kind_of(lambda s, b, h, q, k: s, "rule") is Kind.SCORE_MOD
    assert kind_of(lambda keys=4: keys, "rule") is Kind.FACTORY


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda n: n, "rule takes 1 argument (n): four arguments are a mask_mod"),
        (lambda n: n, "give those of a factory as --param n=..."),
        (lambda a, b, c, d, e, f: a, "takes 6 arguments"),
        (lambda b, h, q, *, k: q, "takes 4 arguments"),
        (lambda *args: args, "takes *arguments"),
        (dict.fromkeys, "rule"),
    ],
)
def test_callables_that_are_neither(function: Callable[..., Any], words: str) -> None:
    """Other numbers of arguments are told with the three forms."""
    with pytest.raises(InputError) as caught:
        kind_of(function, "rule")
    assert words in str(caught.value)


def test_factories() -> None:
    """A factory gets keywords; unknown and missing ones list the legal; its errors are told."""

    def make(keys: int, causal: bool = True) -> Callable[..., Any]:
        if keys < 1:
            raise ValueError(f"keys is {keys}")
        return lambda b, h, q, k: q - k < keys

    assert callable(call_factory(make, {"keys": 2}, "make"))
    with pytest.raises(ParameterError, match="no parameter 'kys'; its parameters: keys, causal"):
        call_factory(make, {"kys": 2}, "make")
    with pytest.raises(ParameterError, match=r"also needs keys; .* --param keys=..."):
        call_factory(make, {"causal": False}, "make")
    with pytest.raises(InputError, match="make raised ValueError: keys is 0"):
        call_factory(make, {"keys": 0}, "make")
    assert call_factory(lambda **rest: rest, {"any": 1}, "make") == {"any": 1}
