"""Exactly so many layers, for every length: against products of sets of pairs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import Term, evaluate, k, n, q, variable
from attnproof.symbolic.lengths.assumptions import Tensor, assumed
from attnproof.symbolic.lengths.bits import SCOPE
from attnproof.symbolic.lengths.exactly import MOST, decide_exactly
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import forbid
from attnproof.symbolic.verdict import Verdict

pytest.importorskip("cvc5", reason="proofs need two solvers: the extra prove")

Pairs = set[tuple[int, int]]


def pairs(term: Term, n: int) -> Pairs:
    """The pairs of a formula at one length."""
    return {(i, j) for i in range(n) for j in range(n) if evaluate(term, {"q": i, "k": j})}


def product(layers: list[Pairs], count: int, n: int) -> Pairs:
    """What is reached through so many layers in turn, the first layer first."""
    held = {(i, i) for i in range(n)}
    for level in range(count):
        layer = layers[level % len(layers)]
        held = {(i, j) for i, m in layer for x, j in held if x == m}
    return held


WINDOWS = st.tuples(st.integers(0, 1), st.integers(0, 2))


@given(st.lists(WINDOWS, min_size=1, max_size=2), st.integers(0, 3), st.integers(-2, 4))
@settings(max_examples=15)
def test_the_product_at_each_length(
    windows: list[tuple[int, int]], layers: int, distance: int
) -> None:
    """It holds only where no small length has a forbidden pair in the product, and fails where the
    length that it names has one; a residual keeps each position."""
    masks = [(k <= q + ahead) & (q - k <= back) for ahead, back in windows]
    problem = Problem.of(masks, residual=False)
    far = q - k >= distance if distance > 0 else q - k <= distance
    answer = decide_exactly(problem, forbid(far), layers)
    assert answer.verdict is not Verdict.UNKNOWN
    lengths = range(1, 10)
    if answer.counterexample is not None:
        lengths = range(answer.counterexample.n, answer.counterexample.n + 1)
    leaks = [
        bool(product([pairs(mask, n) for mask in masks], layers, n) & pairs(far, n))
        for n in lengths
    ]
    assert any(leaks) == (answer.verdict is Verdict.FAILS)


def test_the_order_of_layers_counts() -> None:
    """A token moves back in the first layer and on in the second, not the other way round."""
    back, on = q.eq(k + 1), (q.eq(k) & (q >= 2)) | (q.eq(1) & k.eq(1))
    there = forbid(q.eq(1) & k.eq(0))
    first = decide_exactly(Problem.of([back, on], residual=False), there, 2)
    other = decide_exactly(Problem.of([on, back], residual=False), there, 2)
    assert (first.verdict, other.verdict) == (Verdict.FAILS, Verdict.HOLDS)


NEAR, LAST = Problem.of((k <= q) & (q - k < 4)), Problem.of(k.eq(q - 1), residual=False)
IN_TURN = Problem.of([k.eq(q - 1), k.eq(q - 2)], residual=False)
KEYS = variable("keys")
THROUGH = [
    (NEAR, q - k >= 7, 2, Verdict.HOLDS),
    (NEAR, q - k >= 6, 2, Verdict.FAILS),
    (Problem.of((k <= q) & (q - k < KEYS), least={"keys": 1}), q - k >= 5 * KEYS, 5, Verdict.HOLDS),
    (NEAR, q - k >= 60, 20, Verdict.FAILS),
    (LAST, q - k >= 3, 2, Verdict.HOLDS),
    (LAST, q - k < 3, 3, Verdict.HOLDS),
    (Problem.of(k.eq(q - 1)), q - k < 3, 3, Verdict.FAILS),
    (IN_TURN, (q - k).eq(5), 3, Verdict.HOLDS),
    (IN_TURN, (q - k).eq(4), 3, Verdict.FAILS),
]


@pytest.mark.parametrize(("problem", "pairs", "layers", "verdict"), THROUGH)
def test_flow_through_so_many_layers(
    problem: Problem, pairs: Term, layers: int, verdict: Verdict
) -> None:
    """What flows through so many layers is told apart from what flows through more or fewer."""
    assert decide_exactly(problem, forbid(pairs), layers).verdict is verdict


def test_bits_in_what_is_required_bound_the_lengths() -> None:
    """What was proved over bit vectors is not said of every length."""
    w = variable("w")
    window = Problem.of((k <= q) & (q - k < w), requires=[(w & -w).eq(w), w >= 1])
    assert decide_exactly(window, forbid(k > q), 1).scope == SCOPE


def test_what_no_random_tensor_satisfies_is_no_contradiction() -> None:
    """Where z3 has a tensor that satisfies what is assumed, the question is answered."""
    ids = Tensor("ids", (n,))
    laws = [assumed("increasing", ids), assumed("bounded", ids, 50, 90)]
    same = Problem.of(ids[q].eq(ids[k]), laws=laws)
    assert decide_exactly(same, forbid(q.ne(k)), 1).verdict is Verdict.HOLDS


def test_too_many_layers_are_refused() -> None:
    """The message says how many may be given."""
    with pytest.raises(ParameterError, match=f"give 0 to {MOST}, or leave them out"):
        decide_exactly(Problem.of(k <= q), forbid(k > q), MOST + 1)
