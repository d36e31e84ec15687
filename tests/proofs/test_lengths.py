"""Certificates for every length: which masks have one, and that only what is so has one."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from attnproof.numeric.studies.length_formulas import random_problem
from attnproof.proofs.certify import certify, certify_closure
from attnproof.proofs.checker import check_statement
from attnproof.proofs.emit import state
from attnproof.proofs.lengths import digest_of
from attnproof.symbolic.formula import Term, at, constant, ite, k, n, q, variable
from attnproof.symbolic.lengths.answer import Answer
from attnproof.symbolic.lengths.closure import Closure
from attnproof.symbolic.lengths.depth import one_less, shortened
from attnproof.symbolic.lengths.obligation import Obligation
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import (
    Depth,
    Property,
    antisymmetric,
    causal,
    documents,
    forbid,
    reflexive,
    transitive,
)
from attnproof.symbolic.lengths.solvers import Proved
from attnproof.symbolic.verdict import Verdict
from tests.mutation.claims import is_true
from tests.mutation.length_cases import NEAR, SOLVERS, holds, statement_of
from tests.mutation.length_claims import digest_of as digest_written_apart

keys, sinks, block, prefix = map(variable, ("keys", "sinks", "block", "prefix"))
past, same = k <= q, at("ids", q).eq(at("ids", k))


def clean(position: Term) -> Term:
    """The position in the second half that a position is a copy of."""
    return ite(position >= n, position - n, position)


def diffusion(size: Term | int) -> tuple[Problem, Term]:
    """Blocks of noisy positions, which read the clean ones before them."""
    own, other = clean(q) // size, clean(k) // size
    within = own.eq(other) & (q >= n).eq(k >= n)
    mask = within | ((k >= n) & ite(q < n, other < own, other <= own))
    least = {"block": 1} if isinstance(size, Term) else {}
    return Problem.of(mask, size=2 * n, least=least), (q < n) & (k >= n) & (other >= own)


def rank(position: Term) -> Term:
    """When a token stands in the order of generation."""
    return at("rank", clean(position))


streams = (k >= n) & ite(q < n, rank(k) < rank(q), rank(k) <= rank(q))
above = (at("entered", k) <= at("entered", q)) & (at("left", k) >= at("left", q))
every_second = past & (q - k <= 6) & ((q - k) % 2).eq(0)
both = {"entered": "injective", "left": "injective"}
four, broken_four = diffusion(4)
blocks, broken = diffusion(block)
in_own_prefix = (k - at("starts", q)) < prefix

#: Mask, property, invariant (None: what is allowed), and the bytes that a certificate may have.
MASKS: dict[str, tuple[Problem, Property, Term | None, int]] = {
    "window": (Problem.of(past & (q - k < keys), least={"keys": 1}), causal, past, 1000),
    "sinks": (
        Problem.of(past & ((q - k < keys) | (k < sinks)), least={"keys": 1, "sinks": 0}),
        causal,
        past,
        1000,
    ),
    "documents": (Problem.of(past & same), documents("ids"), same, 1500),
    "documents and window": (
        Problem.of(past & same & (q - k < keys), least={"keys": 1}),
        documents("ids"),
        past & same,
        1500,
    ),
    "packed prefixes": (
        Problem.of(same & (past | in_own_prefix), assume={"ids": "nondecreasing"}),
        documents("ids"),
        same,
        1800,
    ),
    "strided by 8": (
        Problem.of(past & ((q - k < 8) | ((q - k) % 8).eq(0))),
        causal,
        past,
        1000,
    ),
    "every second of 6": (
        Problem.of(every_second),
        forbid(((q - k) % 2).eq(1)),
        ((q - k) % 2).eq(0),
        1200,
    ),
    "block diffusion by 4": (four, forbid(broken_four), None, 4000),
    "block diffusion": (blocks, forbid(broken), None, 6000),
    "tree": (Problem.of(above, assume=both), forbid(~above), above, 2000),
    "two streams": (
        Problem.of(streams, size=2 * n, shapes={"rank": (n,)}, assume={"rank": "permutation"}),
        forbid((q < n) & (k >= n) & (rank(k) >= rank(q))),
        None,
        4000,
    ),
    "subsets of bits": (Problem.of((q & k).eq(k)), causal, past, 1000),
}


@pytest.mark.parametrize("name", MASKS)
def test_a_mask_of_practice_is_certified_for_every_length(name: str) -> None:
    """The checker accepts what is found, and it is short."""
    problem, property, invariant, most = MASKS[name]
    relation = problem.read if invariant is None else invariant
    found = certify(problem, holds(property, relation))
    assert found is not None
    assert found.proofs is not None
    text = state(found).canonical_json()
    assert check_statement(json.loads(text)).reason == ""
    assert len(text) < most


STRUCTURE: list[tuple[Problem, Property]] = [
    (blocks, transitive),
    (Problem.of((k // 128).eq(q // 128)), transitive),
    (Problem.of(k < q), antisymmetric),
    (Problem.of((q & k).eq(k)), reflexive),
]


@pytest.mark.parametrize(("problem", "property"), STRUCTURE, ids=range(len(STRUCTURE)))
def test_structure_is_certified(problem: Problem, property: Property) -> None:
    """Transitive, antisymmetric and reflexive masks, with division and bits."""
    found = certify(problem, holds(property))
    assert found is not None
    assert found.proofs is not None


FALSE: list[tuple[Problem, Property, Term | None]] = [
    (Problem.of(past & (q - k < 4)), causal, k < q),
    (Problem.of((k <= q + 1) & (q - k < 4)), causal, past),
    (Problem.of((k <= q + 1) & (q - k < 4)), causal, k <= q + 1),
    (Problem.of(past & (q - k < keys), least={"keys": 1}), transitive, None),
    (Problem.of(k <= q + 1), antisymmetric, None),
    (Problem.of(k < q), reflexive, None),
    (Problem.of(at("ids", q) <= 3, shapes={"ids": (n - 1,)}), reflexive, None),
    (Problem.of((q // block).eq(k // block)), transitive, None),
    (Problem.of(past, requires=[keys >= 1, keys <= 0]), causal, k < 0),
]


@pytest.mark.parametrize(("problem", "property", "invariant"), FALSE, ids=range(len(FALSE)))
def test_what_is_not_so_is_not_certified(
    problem: Problem, property: Property, invariant: Term | None
) -> None:
    """Masks off by one, invariants that are not closed or lack the diagonal, indices out of range,
    divisors that may be 0, and assumptions that contradict each other."""
    assert certify(problem, holds(property, invariant)) is None


def test_only_what_holds_has_evidence() -> None:
    """An answer that says that a property fails, or is unknown, is not certified."""
    problem = Problem.of(past)
    for verdict in (Verdict.FAILS, Verdict.UNKNOWN):
        assert certify(problem, Answer(causal, verdict, invariant=past)) is None
    assert certify_closure(problem, Closure(problem, past)) is None


def test_effort_is_counted_in_steps() -> None:
    """With one step nothing is found, with enough the same is found at every run."""
    problem, property, invariant, _ = MASKS["window"]
    answer = holds(property, invariant)
    assert certify(problem, answer, budget=1) is None
    found = [certify(problem, answer) for _ in range(2)]
    assert found[0] == found[1]


def test_the_digest_is_of_the_mask_alone() -> None:
    """It is the same whatever is claimed, and another for another mask or assumption."""
    problem = Problem.of(past & same)
    for property in (causal, documents("ids")):
        found = certify(problem, holds(property, past & same))
        assert found is not None
        assert state(found).digests == (digest_of(problem),)
        assert statement_of(found)["subject"][0]["digest"]["sha256"] == digest_written_apart(
            statement_of(found)["predicate"]
        )
    others = [Problem.of(past), Problem.of(past & same, assume={"ids": "nondecreasing"})]
    assert len({digest_of(each) for each in (problem, *others)}) == 3


FIRST = Problem.of(q.eq(k) | k.eq(0) | q.eq(0))
DEPTHS: list[tuple[Problem, int, Term | None, Obligation]] = [
    (FIRST, 2, q >= 0, shortened(FIRST, q >= 0, [[constant(0)]])),
    (FIRST, 2, None, one_less(FIRST, 2)),
    (Problem.of(past), 1, past, shortened(Problem.of(past), past, [])),
]


@pytest.mark.parametrize(("problem", "layers", "relation", "shown"), DEPTHS, ids=range(3))
def test_a_depth_is_certified(
    problem: Problem, layers: int, relation: Term | None, shown: Obligation
) -> None:
    """Positions between are read off what the solvers proved, with a relation and without."""
    answer = replace(holds(Depth(layers), relation), proved=(Proved(shown, SOLVERS, shown),))
    found = certify(problem, answer)
    assert found is not None
    assert found.proofs is not None


def test_a_depth_that_is_not_so_is_not_certified() -> None:
    """A window of two keys settles after n - 1 layers, not after one."""
    assert certify(NEAR, holds(Depth(1), past)) is None


def test_a_random_mask_is_certified_only_of_what_is_so() -> None:
    """Whatever is claimed of masks nobody chose, no small length contradicts a certificate."""
    seen = Counter[bool]()
    for place in range(4):
        problem = random_problem(3, place)
        for property in (causal, reflexive, transitive, antisymmetric):
            found = certify(problem, holds(property, past if property is causal else None))
            seen[found is not None and found.proofs is not None] += 1
            assert found is None or is_true(statement_of(found))
    assert min(seen[True], seen[False]) > 3
