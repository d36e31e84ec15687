"""Laws of interpolation under a causal mask."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.certificate import Certificate
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.evidence import Interpolates
from attnproof.symbolic.interpolation import ball, exact, temperature
from attnproof.symbolic.interpolation.causal import build
from attnproof.symbolic.interpolation.data import Data, Pair, Token
from attnproof.symbolic.interpolation.errors import (
    DuplicateInputToken,
    NeedsDimensionTwo,
    OutputLongerThanInput,
)
from attnproof.symbolic.interpolation.prefixes import (
    Labelling,
    Obstruction,
    PrefixConflict,
    label,
    read,
)
from attnproof.symbolic.verdict import Verdict

A, B, C, D = ((1, 0), (0, 1), (1, 1), (2, 1))


def token(number: int) -> Token:
    return Fraction(number), Fraction(number * number % 5)


def exactly(*tokens: tuple[int, int]) -> tuple[Token, ...]:
    return tuple(tuple(map(Fraction, one)) for one in tokens)


@st.composite
def ordered(draw: st.DrawFn) -> Data:
    """Sequences over few tokens, so that they share prefixes, with outputs over four."""
    inputs = draw(
        st.lists(
            st.lists(st.integers(0, 4), min_size=1, max_size=4, unique=True),
            min_size=1,
            max_size=4,
            unique_by=tuple,
        )
    )
    pairs = []
    for sequence in inputs:
        output = draw(st.sets(st.integers(10, 13), min_size=1, max_size=len(sequence)))
        pairs.append(Pair(tuple(map(token, sequence)), tuple(map(token, sorted(output)))))
    return Data(tuple(pairs))


def labelled(data: Data) -> bool:
    """Is there a labelling? All are tried, prefix by prefix."""
    prefixes = sorted(
        {pair.input[:i] for pair in data.pairs for i in range(1, len(pair.input) + 1)}, key=len
    )
    allowed = [
        set.intersection(
            *(set(pair.output) for pair in data.pairs if pair.input[: len(one)] == one)
        )
        for one in prefixes
    ]
    for labels in product(*allowed):
        held = dict(zip(prefixes, labels, strict=True))
        if all(
            {held[pair.input[:i]] for i in range(1, len(pair.input) + 1)} == set(pair.output)
            for pair in data.pairs
        ):
            return True
    return False


def shown(found: Obstruction, pairs: Sequence[Pair]) -> bool:
    """Do the pairs have this obstruction? Decided from the definition alone."""
    own = pairs[found.pair]
    head = own.input[: found.length]
    if any(pairs[j].input[: found.length] != head for j in found.sharing):
        return False
    outputs = [set(pairs[j].output) for j in found.sharing]
    common = set(own.output).intersection(*outputs) if found.length else set()
    reached = len(common) + len(own.input) - found.length
    hopeless = (found.length > 0 and not common) or len(set(own.output)) > reached
    return len(head) == found.length and common == set(found.common) and hopeless


@given(ordered())
def test_labels_exist_exactly_when_a_search_finds_some(data: Data) -> None:
    """The criterion is right, labels are labels, and an obstruction shows itself."""
    found = label(data.pairs)
    assert isinstance(found, Labelling) == labelled(data)
    if isinstance(found, Obstruction):
        assert shown(found, data.pairs)
        return
    for path, pair in zip(found.trie.paths, data.pairs, strict=True):
        assert {found.labels[v] for v in path} == set(pair.output)


@given(ordered(), st.booleans())
def test_a_causal_net_is_exact_within_its_bound(data: Data, robust: bool) -> None:
    """What is feasible is built: exact, of width at most 4, and not above the bound."""
    if isinstance(label(data.pairs), Obstruction):
        with pytest.raises(PrefixConflict):
            build(data, robust=robust)
        return
    found = build(data, robust=robust)
    assert found.net.causal
    assert exact.verify(found.net, data).verdict is Verdict.HOLDS
    assert len(found.net.blocks) <= found.bound
    assert found.net.width <= 4


def long(n: int) -> list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """Three inputs of n tokens over the same tokens, two of which begin alike."""
    tokens = [(i, i * i % 7) for i in range(n)]
    last = [tokens[0], tokens[1], *reversed(tokens[2:])]
    return [(tokens, [A, B]), (tokens[::-1], [B, C]), (last, [A, D])]


def test_the_length_of_inputs_does_not_enter_the_number_of_blocks() -> None:
    """Eight times as many tokens, the same blocks."""
    blocks = set()
    for n in (6, 12, 48):
        data = read(long(n))
        found = build(data)
        assert exact.verify(found.net, data).verdict is Verdict.HOLDS
        blocks.add(tuple(found.net.phases.items()))
    assert blocks == {(("depth", 3), ("separation", 4), ("interpolation", 3))}


def test_the_checker_accepts_a_causal_net() -> None:
    """The kernel that re-runs the net does so under its mask."""
    data = read([([A, B, C], [A, B]), ([B, A, C], [B]), ([A, C], [A])])
    (result,) = Certificate.of((Interpolates(build(data).net, data),)).check()
    assert (result.valid, result.grade) == (True, "certified")
    unmasked = replace(build(data).net, causal=False)
    assert exact.verify(unmasked, data).verdict is Verdict.FAILS


def test_softmax_is_exact_where_every_target_has_a_plateau() -> None:
    """A robust net is exact at all temperatures below one that the search certifies."""
    data = read([([A, B, C], [A, B]), ([B, A, C], [B]), ([A, C], [A])])
    net = build(data, robust=True).net
    star, _ = temperature.search(net, data)
    assert star > 0
    assert ball.verify(net, data, star, below=True).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("pairs", "obstruction"),
    [
        ([([A, B], [A]), ([A, C], [B])], Obstruction(0, 1, (0, 1), ())),
        ([([A, B, C], [A, B, C]), ([A, B, D], [A, B, D])], None),
        ([([A, B], [A, B]), ([A, B, C], [A, C])], Obstruction(0, 2, (0, 1), exactly(A))),
        ([([A, B], [A]), ([A, B], [B])], Obstruction(0, 1, (0, 1), ())),
        ([([A, B], [A, B]), ([B, A], [C])], None),
        ([([A, B, C], [A, B]), ([A, B, D], [C, B])], None),
        ([([A, B, C], [A, B, D]), ([A, B, D], [C, B])], Obstruction(0, 2, (0, 1), exactly(B))),
    ],
)
def test_named_cases(
    pairs: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]],
    obstruction: Obstruction | None,
) -> None:
    """Which data a causal mask allows, decided by hand."""
    data = read(pairs)
    found = label(data.pairs)
    assert (found if isinstance(found, Obstruction) else None) == obstruction


def test_one_coordinate_is_enough_where_tokens_decide() -> None:
    """In one dimension the label of a prefix is that of its last token, or the error says why."""
    alike = read([([(0,), (1,)], [(5,), (6,)])])
    assert exact.verify(build(alike).net, alike).verdict is Verdict.HOLDS
    with pytest.raises(NeedsDimensionTwo, match="append a 0 to every token"):
        build(read([([(0,), (1,)], [(5,), (6,)]), ([(1,), (0,)], [(7,)])]))


def test_reading_keeps_orders_apart() -> None:
    """Two orders of a set are two inputs; a pair that stands twice is one."""
    pairs = [([A, B], [A]), ([B, A], [A]), ([A, B], [A])]
    assert len(read(pairs).pairs) == 2
    assert read({"pairs": [{"input": a, "output": b} for a, b in pairs]}) == read(pairs)


def test_reading_names_the_pair() -> None:
    """Errors are those of unordered data, conflicts of order aside."""
    with pytest.raises(DuplicateInputToken, match="the input of pair 1 holds the token"):
        read([([A], [A]), ([A, A], [A])])
    with pytest.raises(OutputLongerThanInput, match="pair 1 wants 2 tokens of 1"):
        read([([A], [A]), ([B], [A, B])])
    conflicting = [([A, B], [A]), ([B, A], [B]), ([C], [A, B])]
    with pytest.raises(PrefixConflict, match="pair 2 wants 2 tokens of 1"):
        build(read(conflicting))
    with pytest.raises(InputError, match="there is no pair"):
        read([])


def test_the_conflict_says_what_to_do() -> None:
    """The message names the prefix, the pairs and the ways out."""
    with pytest.raises(
        PrefixConflict, match="its prefix of length 1 also begins the input of pair 1, so"
    ):
        build(read([([A, B], [A]), ([A, C], [B])]))
