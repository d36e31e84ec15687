"""What is said to a user whose problem cannot be read."""

from collections.abc import Callable

import pytest

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import at, k, n, q, variable
from attnproof.symbolic.lengths.assumptions import Tensor, assumed
from attnproof.symbolic.lengths.budget import Budget
from attnproof.symbolic.lengths.decide import decide
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Equals, causal, named

ids = Tensor("ids", (n,))

MESSAGES: list[tuple[Callable[[], object], str]] = [
    (
        lambda: Problem.of(q - k),
        "`q - k` is an integer; a mask is a truth value",
    ),
    (
        lambda: Problem.of(()),
        "there is no layer; give one formula or more",
    ),
    (
        lambda: Problem.of(k <= q + variable("h")),
        "`k <= q + h` differs between heads, which are mixed after the layer; say how many there "
        "are with heads=H",
    ),
    (
        lambda: Problem.of(at("table", q, k).eq(1)),
        "table is read with 2 indices, and its shape has 1; give shapes={'table': ...} one size an "
        "axis",
    ),
    (
        lambda: Problem.of(k <= q, assume={"ids": "injective"}),
        "the mask captures no tensor 'ids'; it captures none",
    ),
    (
        lambda: Problem.of(at("ids", q).eq(at("ids", k)), assume={"ids": "sorted"}),
        "'sorted' is nothing that can be assumed of ids; give one of nondecreasing, increasing, "
        "injective, nonnegative, contiguous, permutation, bounded. A tensor keeps the values that "
        "it has at one length: give n (--n N) in place of all_n (--all-n)",
    ),
    (
        lambda: assumed("triangular", Tensor("ancestor", (n, n), boolean=True)),
        "'triangular' is nothing that can be assumed of ancestor; of truth values only "
        "nondecreasing can be. A tensor keeps the values that it has at one length: give n (--n N) "
        "in place of all_n (--all-n)",
    ),
    (
        lambda: assumed("bounded", ids, 3),
        "bounded takes a least value and one that is too large, for integers, and got (3,); write "
        "bounded(0, n)",
    ),
    (
        lambda: assumed("nonnegative", ids, 0, 5),
        "nonnegative takes no bounds, and got (0, 5); leave them out",
    ),
    (
        lambda: named("causl", Problem.of(k <= q)),
        "'causl' is no property for every length; give one of causal, next-token, reflexive, "
        "transitive, antisymmetric, no-empty-rows, documents@TENSOR, depth=c",
    ),
    (
        lambda: named("documents@ids", Problem.of(k <= q)),
        "the mask captures no tensor 'ids'; it captures none",
    ),
    (
        lambda: Problem.of(q - k <= variable("between")),
        "the name between is one that proofs use; rename it in `q - k <= between`",
    ),
    (
        lambda: Problem.of(k + at("w") <= q + variable("w")),
        "w is the name of a tensor and of an integer; rename one",
    ),
    (
        lambda: Problem.of(k + at("w") <= q).speaking_of(k < variable("w")),
        "w is the name of a tensor and of an integer; rename one",
    ),
    (
        lambda: Problem.of(k + at("q") <= q),
        "q is the name of a tensor and of an integer; rename one",
    ),
    (
        lambda: decide(Problem.of([k <= q, k < q]), Equals(k <= q)),
        "2 layers are compared with one formula; compare them one by one",
    ),
    (
        lambda: Budget(0),
        "the budget is 0 steps; give 1 or more, or leave it out for 60000",
    ),
    (
        lambda: decide(Problem.of(k <= q, requires=[variable("w") > n, variable("w") < 2]), causal),
        "no length from 3 to 12 was found that satisfies all that is assumed (w > n, w < 2); where "
        "none does, anything follows: drop an assumption",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[each[1][:30] for each in MESSAGES])
def test_messages(call: Callable[[], object], message: str) -> None:
    """Each says what was given, what was needed, and the way out."""
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message
