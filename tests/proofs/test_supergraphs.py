"""optimum/v1 of a merged task: the formula against the definition, refutations, and refusals."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.certificate import Certificate
from attnproof.proofs.checker import check_statement
from attnproof.proofs.checker.supergraphs import COUNTED, Order, supergraph
from attnproof.proofs.emit import state
from attnproof.proofs.refute import decide, fewest_merged
from attnproof.symbolic.evidence import FewestMerged
from attnproof.symbolic.tasks.minimal import Counted
from attnproof.symbolic.tasks.task import Task
from tests.supergraphs import Labelled, least
from tests.symbolic.tasks.test_minimal import FAMILIES, TWINS


@st.composite
def labelled(draw: st.DrawFn) -> Labelled:
    """An order on at most three elements; those below come first."""
    n = draw(st.integers(1, 3))
    pairs = {(d, e) for e in range(n) for d in range(e) if draw(st.booleans())}
    if {(0, 1), (1, 2)} <= pairs:
        pairs.add((0, 2))
    return Labelled([draw(st.sampled_from("ab")) for _ in range(n)], frozenset(pairs))


def order_of(given: Labelled) -> Order:
    """The same, as the checker holds it."""
    below = [
        tuple(sorted(d for d, top in given.pairs if top == e)) for e in range(len(given.labels))
    ]
    return Order(given.labels, below)


@settings(max_examples=40)
@given(st.lists(labelled(), min_size=1, max_size=2), st.booleans())
def test_the_formula_has_a_model_exactly_from_the_least_number_on(
    given_: list[Labelled], injective: bool
) -> None:
    """Against every way to identify elements."""
    expected = least(given_, injective)
    orders = [order_of(one) for one in given_]
    for counted in COUNTED:
        for most in range(max(expected[counted] - 1, 0), expected[counted] + 2):
            formula, _ = supergraph(orders, counted, most, injective)
            there = decide(formula, 10_000).model is not None
            assert there == (most >= expected[counted])


@pytest.mark.parametrize("name", FAMILIES)
def test_certificates_of_the_case_studies(name: str) -> None:
    """Classes, pairs and covers of the merged task, each with a refutation that the checker
    replays in the formula that it builds itself."""
    tasks, expected = FAMILIES[name]
    for counted, number in zip(Counted, expected, strict=True):
        found = fewest_merged(tasks, counted, conflicts=10_000)
        assert found is not None
        assert found.fewest == number
        (result,) = Certificate.of([found]).check()
        assert (result.valid, result.predicateType) == (True, "attnproof/optimum/v1"), result.reason


def twins() -> Any:
    """The statement that twins kept apart need five classes."""
    found = fewest_merged(TWINS, injective=True, conflicts=10_000)
    assert found is not None
    return json.loads(state(found).canonical_json())


def test_twins_kept_apart_need_five_classes() -> None:
    """Although there are two types; the refutation takes more than propagation."""
    statement = twins()
    assert check_statement(statement).reason == ""
    assert statement["predicate"]["fewest"] == 5
    assert len(statement["predicate"]["least"]["steps"]) > 5


def test_conflicts_may_not_suffice() -> None:
    """Then nothing is claimed."""
    assert fewest_merged(TWINS, injective=True, conflicts=0) is None


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("fewest", 4, "fewest is not reached"),
        ("fewest", 6, "fewest is not reached"),
        ("counted", "positions", "counted is neither classes nor pairs nor covers"),
        ("injective", False, "refutation"),
        ("injective", 1, "injective is neither true nor false"),
        ("vertices", [[0, 1, 2, 3]], "vertices does not hold one list a task"),
        ("vertices", [[0, 1, 2], [1, 0, 4, 3]], "vertices does not hold one a position"),
        ("vertices", [[0, 1, 2, 3], [0, 0, 4, 3]], "two classes at one vertex cannot be the same"),
        ("vertices", [[0, 1, 2, 3], [4, 5, 2, 3]], "what lies below a vertex differs"),
        ("vertices", [[0, 1, 2, 3], [1, 2, 4, 3]], "two classes at one vertex cannot be the same"),
        ("tasks", [], "subjects"),
        ("least", {"by": "search", "steps": []}, "least says in no known way"),
        ("least", {"by": "refutation", "steps": []}, "the refutation ends without a conflict"),
        ("least", {"by": "refutation", "steps": [[]]}, "step 0 of the refutation does not follow"),
    ],
)
def test_what_is_refused(field: str, value: object, reason: str) -> None:
    """One field changed, and why it is no proof any more."""
    statement = twins()
    statement["predicate"][field] = value
    result = check_statement(statement)
    assert not result.valid
    assert reason in result.reason


def test_sparse_tasks_are_no_labelled_orders() -> None:
    """A missing pair, its digest made right, and the claim is refused."""
    sparse = Task.build([*"abc"], {}, ["1..", "11.", ".11"], pos_mode="none")
    claim = FewestMerged((sparse,), "classes", 3, ((0, 1, 2),), False, ((),))
    result = check_statement(json.loads(state(claim).canonical_json()))
    assert (result.valid, result.reason) == (False, "a task is not dense")
