"""A rule that reads its head or batch index is told of where their numbers were not given."""

from collections.abc import Callable
from typing import Any

import pytest

from attnproof.numeric.read.callables import Rule
from attnproof.numeric.read.elements import unasked
from attnproof.numeric.read.rule_masks import decode_rule
from attnproof.numeric.read.signature import Kind, kind_of

torch = pytest.importorskip("torch")

PREFIX = torch.tensor([1, 3])
ONE = torch.zeros(1, 8)


def branches(b: Any, h: Any, q: Any, k: Any) -> Any:
    if h == 0:
        return k <= q
    return k <= q + 1


RULES: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "neither": (lambda b, h, q, k: k <= q, []),
    "a head": (lambda b, h, q, k: (k <= q) | (h == 1), ["one_head"]),
    "a head in a branch": (branches, ["one_head"]),
    "a batch element of a tensor": (lambda b, h, q, k: (k <= q) | (k < PREFIX[b]), ["one_batch"]),
    "the only batch element": (lambda b, h, q, k: ONE[b, q] == ONE[b, k], []),
    "what an index is, and not which": (
        lambda b, h, q, k: b.new_ones(size=(), dtype=torch.bool, device=h.device),
        [],
    ),
    "both": (lambda b, h, q, k: (k <= q) | (h + b > 0), ["one_head", "one_batch"]),
    "scores by head": (lambda s, b, h, q, k: torch.where(k <= q, s - h, -torch.inf), []),
    "a mask by head": (
        lambda s, b, h, q, k: torch.where(k <= q + h, s, -torch.inf),
        ["one_head"],
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_what_is_read(name: str) -> None:
    """Looking at an index that has a second value is a note; adding to scores by it is none."""
    function, kinds = RULES[name]
    rule = Rule(function, kind_of(function, name), name)
    assert [one.kind for one in unasked(rule, 6, heads=True, batches=True)] == kinds
    assert unasked(rule, 6, heads=False, batches=False) == ()


def test_numbers_that_are_given_are_no_matter() -> None:
    """Nothing is said where all heads are united, or one batch element was chosen."""
    rule = Rule(RULES["both"][0], Kind.MASK_MOD, "both")
    assert [one.kind for one in decode_rule(rule, 4).notes] == ["one_head", "one_batch"]
    assert decode_rule(rule, 4, heads=2, batches=2).notes == ()
    assert [one.kind for one in decode_rule(rule, 4, batch=0).notes] == ["one_head"]
