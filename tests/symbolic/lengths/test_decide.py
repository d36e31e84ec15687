"""Verdicts for every length, on masks of practice, masks with one mistake, and random formulas."""

from collections import Counter

import pytest

from attnproof.numeric.studies.length_checks import agrees
from attnproof.numeric.studies.length_faults import FAULTS
from attnproof.numeric.studies.length_formulas import random_problem
from attnproof.numeric.studies.length_masks import CASES, Case
from attnproof.symbolic.formula import at, k, n, q, variable
from attnproof.symbolic.lengths.answer import ALONE
from attnproof.symbolic.lengths.assumptions import Tensor, law
from attnproof.symbolic.lengths.bits import SCOPE
from attnproof.symbolic.lengths.closure import closure
from attnproof.symbolic.lengths.decide import decide
from attnproof.symbolic.lengths.instances import Counterexample
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import (
    Depth,
    Equals,
    Property,
    antisymmetric,
    causal,
    documents,
    forbid,
    no_empty_rows,
    reflexive,
    transitive,
)
from attnproof.symbolic.lengths.replay import replayed
from attnproof.symbolic.lengths.solvers import Solvers
from attnproof.symbolic.verdict import Verdict

pytest.importorskip("cvc5")

HOLDS, FAILS, UNKNOWN = Verdict.HOLDS, Verdict.FAILS, Verdict.UNKNOWN
keys, block = variable("keys"), variable("block")
past = k <= q
#: The own block of 3, the ends of blocks in the own block of 9, and the ends of all of these.
BLOCKS = past & ((q // 3).eq(k // 3) | ((k % 3).eq(2) & (q // 9).eq(k // 9)) | (k % 9).eq(8))


def by_name(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", CASES[::3], ids=by_name)
def test_masks_of_practice_keep_their_promise(case: Case) -> None:
    """What a mask of practice promises holds for every length, and no small length contradicts."""
    answer = decide(case.problem, case.promise)
    assert (answer.verdict, answer.grade) == (HOLDS, "solvers-agree")
    assert agrees(case.problem, case.promise, answer)


@pytest.mark.parametrize("case", FAULTS, ids=by_name)
def test_every_mistake_is_found(case: Case) -> None:
    """A mask with a mistake fails, at values that satisfy all that is assumed."""
    answer = decide(case.problem, case.promise)
    assert (answer.verdict, answer.grade) == (FAILS, "replayed")
    assert answer.counterexample is not None
    if answer.counterexample.n < 20:
        assert agrees(case.problem, case.promise, answer)


STRUCTURE: list[tuple[str, Problem, Property, Verdict]] = [
    ("causal", Problem.of(past), reflexive, HOLDS),
    ("causal", Problem.of(past), transitive, HOLDS),
    ("causal", Problem.of(past), antisymmetric, HOLDS),
    ("strictly causal", Problem.of(k < q), reflexive, FAILS),
    ("strictly causal", Problem.of(k < q), no_empty_rows, FAILS),
    ("window", Problem.of(past & (q - k < keys), least={"keys": 1}), transitive, FAILS),
    ("window", Problem.of(past & (q - k < keys), least={"keys": 1}), no_empty_rows, HOLDS),
    ("window", Problem.of(past & (q - k < keys), least={"keys": 0}), no_empty_rows, FAILS),
    ("window", Problem.of(past & (q - k < keys), least={"keys": 1}), Depth(3), FAILS),
    ("chunks", Problem.of(past & (q // 4).eq(k // 4)), Depth(1), HOLDS),
    ("block causal", Problem.of(k // block <= q // block, least={"block": 1}), transitive, HOLDS),
    (
        "block causal",
        Problem.of(k // block <= q // block, least={"block": 1}),
        antisymmetric,
        FAILS,
    ),
    ("strided", Problem.of(past & ((q - k < 8) | ((q - k) % 8).eq(0))), Depth(2), HOLDS),
    ("blocks of blocks", Problem.of(BLOCKS), Depth(3), HOLDS),
    ("blocks of blocks", Problem.of(BLOCKS), Depth(2), FAILS),
    ("first token", Problem.of(q.eq(k) | k.eq(0) | q.eq(0)), Depth(2), HOLDS),
    ("first token", Problem.of(q.eq(k) | k.eq(0) | q.eq(0)), Depth(1), FAILS),
    ("causal", Problem.of(past), Equals(~(k > q)), HOLDS),
    ("causal", Problem.of(past), Equals(k < q + 1 - q // 64), FAILS),
    (
        "blocks by ends",
        Problem.of(k < (q // block + 1) * block, least={"block": 1}),
        Equals(k // block <= q // block),
        HOLDS,
    ),
]


@pytest.mark.parametrize(
    ("problem", "asked", "verdict"),
    [case[1:] for case in STRUCTURE],
    ids=[f"{case[0]}-{case[2]!r}" for case in STRUCTURE],
)
def test_structure_is_decided(problem: Problem, asked: Property, verdict: Verdict) -> None:
    """Structural properties are decided for every length, as sets of pairs decide them."""
    answer = decide(problem, asked)
    assert answer.verdict is verdict
    assert agrees(problem, asked, answer) or (
        answer.counterexample and answer.counterexample.n > 20
    )


def test_assumptions_make_the_difference() -> None:
    """Packed documents with a causal window never leave a document that stands together; a block of
    one identifier that comes back is left through the tokens between."""
    mask = past | at("ids", q).eq(at("ids", k))
    leak = forbid((k > q) & at("ids", q).ne(at("ids", k)))
    assert decide(Problem.of(mask), leak).verdict is FAILS
    assert decide(Problem.of(mask, assume={"ids": "contiguous"}), leak).verdict is HOLDS


def test_a_law_in_own_words_is_used() -> None:
    """A pointer to an earlier position is never later, when that is assumed."""
    up = Tensor("up", (n,))
    mask = k.eq(q) | k.eq(up[q])
    backwards = law("a pointer back", up, (up[variable("i0")] <= variable("i0")), 1)
    assert decide(Problem.of(mask), causal).verdict is FAILS
    assert decide(Problem.of(mask, laws=[backwards]), causal).verdict is HOLDS


def test_a_law_may_speak_of_bits() -> None:
    """What follows from it is proved over bit vectors, and said of lengths that they hold."""
    up = Tensor("up", (n,))
    i = variable("i0")
    even = law("even", up, (up[i] ^ 1).eq(up[i] + 1), 1)
    ahead = Problem.of(k <= q + up[q], laws=[even])
    assert decide(ahead, causal).verdict is not HOLDS
    answer = decide(ahead, forbid(up[q].eq(1)))
    assert (answer.verdict, answer.scope) == (HOLDS, SCOPE)


def test_an_index_that_may_be_out_of_range_is_no_proof() -> None:
    """A mask that may read beyond a tensor is not said to hold."""
    mask = past & at("ids", q + 1).eq(0)
    answer = decide(Problem.of(mask), causal)
    assert answer.verdict is UNKNOWN
    assert "`ids[q + 1]` has a value" in repr(answer)


def test_a_divisor_that_is_always_zero_is_no_proof() -> None:
    """A mask that divides by the difference of a parameter and itself has no value."""
    nothing = keys - keys
    answer = decide(Problem.of(at("ids", q // nothing + k // nothing).eq(0)), causal)
    assert answer.verdict is UNKNOWN
    assert "`q // (keys - keys)` has a value" in repr(answer)


def test_what_is_open_stays_unknown() -> None:
    """Within a small budget nothing is said, and what was tried is told."""
    answer = decide(Problem.of((q - k).eq(6) | (q - k).eq(10)), forbid((q - k).eq(14)), budget=40)
    assert answer.verdict is UNKNOWN
    assert answer.tried[-1] == "the budget of 40 steps is used up"


def test_the_same_answer_at_every_run() -> None:
    """Steps, evidence and counterexample do not depend on what ran before."""
    case = next(each for each in CASES if each.name == "block diffusion")
    first = decide(case.problem, case.promise)
    decide(Problem.of(past), causal)
    again = decide(case.problem, case.promise)
    assert (first.steps, first.proved, first.tried) == (again.steps, again.proved, again.tried)


def test_a_forged_counterexample_is_not_replayed() -> None:
    """The replay refuses a hop that is not read, values that are not admitted, and a pair that is
    not forbidden."""
    problem = Problem.of(k <= q + keys, least={"keys": 1})

    def leak(path: tuple[int, ...], keys: int) -> Counterexample:
        return Counterexample(
            "causal", 4, {"keys": keys}, {}, path[-1], path[0], len(path) - 1, path
        )

    assert replayed(problem, causal, leak((1, 0), 1))
    assert not replayed(problem, causal, leak((3, 0), 1))
    assert not replayed(problem, causal, leak((1, 0), 0))
    assert not replayed(problem, causal, leak((0, 1), 1))
    assert not replayed(problem, causal, leak((5, 4), 1))


def test_layers_in_turn_without_a_residual() -> None:
    """Two layers that each look ahead by one, on even and on odd rows, leak only through both."""
    ahead = [k.eq(q + 1) & (q % 2).eq(0), k.eq(q) & (q % 2).eq(0)]
    problem = Problem.of(ahead, residual=False)
    assert decide(problem, forbid(k.eq(q + 2))).verdict is HOLDS
    assert decide(problem, causal).verdict is FAILS


def test_random_formulas_agree_with_sets_of_pairs() -> None:
    """No verdict on a random formula is contradicted by any small length, and few are unknown."""
    asked = (causal, reflexive, transitive, antisymmetric)
    verdicts: Counter[Verdict] = Counter()
    for place in range(60):
        problem, property = random_problem(2, place), asked[place % 4]
        answer = decide(problem, property)
        verdicts[answer.verdict] += 1
        assert agrees(problem, property, answer), (problem, answer)
    assert verdicts[UNKNOWN] <= 2
    assert min(verdicts[HOLDS], verdicts[FAILS]) >= 10


def test_documents_need_their_tensor() -> None:
    """A property may speak of a tensor that the mask does not read."""
    assert decide(Problem.of(k.eq(q)), documents("ids")).verdict is HOLDS
    assert decide(Problem.of(past), documents("ids")).verdict is FAILS


def test_without_a_second_solver_nothing_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """z3 alone is not believed, and the way to a second solver is told; leaks need none."""
    monkeypatch.setattr(Solvers, "names", ("z3",))
    answer = decide(Problem.of(past), causal)
    assert (answer.verdict, answer.grade) == (UNKNOWN, None)
    assert answer.tried[-1] == ALONE
    assert decide(Problem.of(k <= q + 1), causal).verdict is FAILS
    assert closure(Problem.of(past)).relation is None
    assert ALONE in closure(Problem.of(past)).tried


FINDINGS = [
    (causal, "at n=2 token 1 reaches query 0 in 1 layer: 1 -> 0"),
    (reflexive, "at n=1 query 0 does not read its own position"),
    (no_empty_rows, "at n=1 query 0 reads nothing"),
    (antisymmetric, "at n=2 1 and 0 read each other"),
    (transitive, "at n=3 query 0 reads 1 and 1 reads 2, but 0 does not read 2"),
    (Depth(1), "at n=3 token 2 reaches query 0 in 2 layers: 2 -> 1 -> 0, not in 1"),
    (Equals(k < q), "at n=2 query 0 reads key 1 in one of the masks and not in the other"),
]


@pytest.mark.parametrize(("asked", "message"), FINDINGS, ids=[str(x[0]) for x in FINDINGS])
def test_findings_read_as_sentences(asked: Property, message: str) -> None:
    """A failing property is told with its values and what is wrong there."""
    ahead, around = Problem.of(k.eq(q + 1)), Problem.of(abs(q - k).eq(1))
    problem = around if asked == antisymmetric else ahead
    finding = decide(problem, asked).finding()
    assert finding is not None
    assert finding.message == message
    assert finding.to_json()["n"] in range(1, 6)
