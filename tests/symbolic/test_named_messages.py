"""Messages of named masks: what was given, what was needed, and the way out."""

from typing import Any

import pytest

from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.named.registry import get

MESSAGES: list[tuple[str, dict[str, Any], str]] = [
    (
        "causal",
        {},
        "causal needs n, the number of tokens: give n=16, on the command line --n 16",
    ),
    ("causal", {"n": 0}, "causal: n is 0; give the number of tokens, an integer of at least 1"),
    ("causal", {"n": -3}, "causal: n is -3; give the number of tokens, an integer of at least 1"),
    ("causal", {"n": 4.0}, "causal: n is 4.0; give the number of tokens, an integer of at least 1"),
    (
        "causal",
        {"n": True},
        "causal: n is True; give the number of tokens, an integer of at least 1",
    ),
    ("causal", {"n": 4, "keys": 2}, "causal has no parameter 'keys'; it takes none but n"),
    ("window", {"n": 4, "size": 2}, "window has no parameter 'size'; it takes keys"),
    (
        "window",
        {"n": 4},
        "window needs keys (how many keys a query reads, itself included), an integer of at least "
        "1: give keys=..., on the command line --param keys=...",
    ),
    (
        "window",
        {"n": 4, "keys": 0},
        "window: keys is 0; give an integer of at least 1 (how many keys a query reads, itself "
        "included)",
    ),
    (
        "window",
        {"n": 4, "keys": 2.5},
        "window: keys is 2.5; give an integer of at least 1 (how many keys a query reads, itself "
        "included)",
    ),
    (
        "documents",
        {},
        "documents needs ids or lengths or positions, one of them; give it with --param",
    ),
    (
        "documents",
        {"ids": [0], "lengths": [1]},
        "documents needs ids or lengths or positions, one of them; give it with --param",
    ),
    (
        "documents",
        {"lengths": [3, 5], "n": 9},
        "documents: n is 9, but the parameters are for 8 tokens; leave n out or make them agree",
    ),
    (
        "documents",
        {"lengths": []},
        "documents: the parameters describe no token; describe one or more",
    ),
    (
        "documents",
        {"lengths": [3, -1]},
        "documents: lengths is [3, -1]; give a list of integers of at least 0 (how many tokens "
        "each document has)",
    ),
    (
        "documents",
        {"ids": "ids.npy"},
        "documents: ids is 'ids.npy'; give a list of integers (the document of each token)",
    ),
    (
        "documents",
        {"lengths": [2], "causal": 1},
        "documents: causal is 1; give true or false (whether later tokens are left out)",
    ),
    (
        "cu_seqlens",
        {"cu_seqlens": [1, 4]},
        "cu_seqlens: the list [1, 4] is no list of cumulative lengths; it starts with 0 and never "
        "decreases",
    ),
    (
        "prefix_documents",
        {"lengths": [3, 5], "prefix": [1]},
        "prefix_documents: 1 prefixes for 2 documents; give one each, or one integer",
    ),
    (
        "spans",
        {"n": 8, "spans": [[1, 4], [3, 6]]},
        "spans: a span stops at 4, past 3, where the next one starts or the 8 tokens end; give "
        "disjoint spans within the tokens",
    ),
    (
        "spans",
        {"n": 8, "spans": [[4, 4]]},
        "spans: spans is [[4, 4]]; give a list of pairs [start, stop] with 0 <= start < stop "
        "(where each bidirectional span starts and stops)",
    ),
    (
        "tree",
        {"parents": [-1, 2, 1]},
        "tree: token 1 has no root above it, its parents run in a circle; give -1 as the parent of "
        "a root",
    ),
    (
        "tree",
        {"parents": [-1, 5]},
        "tree: the parent of 1 is 5; give a position 0..1, or -1 for a root",
    ),
    (
        "perm",
        {"order": [0, 2]},
        "perm: order is [0, 2]; give a permutation of 0..n-1 or of 1..n, as a list (the positions "
        "in the order in which they come)",
    ),
    (
        "perm_mask",
        {"blocked": [[0, 1]]},
        "perm_mask: blocked is [[0, 1]]; give a square array of 0 and 1 (1 where the query of the "
        "row does not read the key)",
    ),
    (
        "flat_tree",
        {"flat": [1, 1, 1]},
        "flat_tree: flat has 3 entries; give m * m or m * (prefix + m) for m drafts and prefix 0",
    ),
    (
        "block_two_stream",
        {"b": 2, "clean": "tokens"},
        'block_two_stream: clean is \'tokens\'; give "block" or "token" (how clean tokens read '
        "each other)",
    ),
    (
        "block_two_stream",
        {"b": 2},
        "block_two_stream needs n, the number of tokens: give n=16, on the command line --n 16",
    ),
    (
        "block_two_stream",
        {"m": 2, "b": 2, "n": 5},
        "block_two_stream: n is 5, but the parameters are for 4 tokens; leave n out or make them "
        "agree",
    ),
    (
        "masked_autoencoder",
        {"n": 4, "visible": [4]},
        "masked_autoencoder: visible names position 4 of 4; positions are 0..3",
    ),
    (
        "neighborhood",
        {"n": 4, "radius": 2},
        "neighborhood: 4 tokens hold no neighbourhood of 5; give n of at least 5",
    ),
    (
        "fixed",
        {"n": 4, "stride": 2, "summary": 3},
        "fixed: 3 summary tokens of a chunk of 2; give summary of at most stride",
    ),
    (
        "encoder_decoder",
        {"n": 4, "encoder": 5},
        "encoder_decoder: the encoder has 5 of 4 tokens; n counts encoder and decoder tokens "
        "together",
    ),
]


@pytest.mark.parametrize(("name", "given", "message"), MESSAGES)
def test_what_does_not_fit_is_refused(name: str, given: dict[str, Any], message: str) -> None:
    """One sentence; the same whether the mask, its runs or its size is asked for."""
    mask = get(name)
    for ask in (mask.mask, mask.runs, mask.positions, mask.values):
        with pytest.raises(ParameterError) as caught:
            ask(**given)
        assert str(caught.value) == message
    assert issubclass(ParameterError, InputError)


def test_an_unknown_name_suggests_the_nearest() -> None:
    """A misspelt name is answered with names that are close, else with all of them."""
    with pytest.raises(ParameterError, match="no mask named 'causul'; did you mean causal"):
        get("causul")
    with pytest.raises(ParameterError, match="known are full, causal, window"):
        get("zzz")


def test_a_long_value_is_shortened() -> None:
    """A message shows the beginning of a long list."""
    with pytest.raises(ParameterError) as caught:
        get("documents").mask(lengths=[1] * 1000 + [-1])
    assert len(str(caught.value)) < 200
