"""Refutations: what follows is accepted, what does not is refused; and what the formulas say."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.proofs.checker.counting import NOTHING, Formula, added, one
from attnproof.proofs.checker.drat import refute
from attnproof.proofs.checker.envelope import Invalid
from attnproof.proofs.checker.spanners import path, spanner
from attnproof.proofs.refute import decide
from tests.laws.sparse_reference import suffices
from tests.reference import pairs_of_sets

literals = st.integers(1, 4).flatmap(lambda v: st.sampled_from([v, -v]))
formulas = st.lists(st.lists(literals, min_size=1, max_size=3), max_size=14)


def satisfiable(clauses: list[list[int]], variables: int) -> bool:
    """By trying every assignment."""
    return any(
        all(any((x > 0) == values[abs(x) - 1] for x in clause) for clause in clauses)
        for values in product((False, True), repeat=variables)
    )


def accepted(variables: int, clauses: list[list[int]], steps: object) -> bool:
    """Is it a refutation?"""
    try:
        refute(variables, clauses, steps)
    except Invalid:
        return False
    return True


@given(formulas, st.lists(st.lists(literals, max_size=3), max_size=6))
def test_nothing_refutes_what_has_a_model(clauses: list[list[int]], steps: object) -> None:
    """Whatever the steps, those that delete clauses included."""
    if accepted(4, clauses, steps):
        assert not satisfiable(clauses, 4)


@given(formulas, st.data())
def test_deletions_make_nothing_follow(clauses: list[list[int]], data: st.DataObject) -> None:
    """Deleting clauses first accepts no more."""
    gone = data.draw(st.lists(st.sampled_from(clauses), max_size=4)) if clauses else []
    steps = [[0, *clause] for clause in gone]
    endings: list[list[list[int]]] = [[[]], [[1], []], [[-1, 2], [1], []]]
    for extra in endings:
        if accepted(4, clauses, steps + extra):
            assert not satisfiable(clauses, 4)


@given(formulas)
def test_the_solver_is_replayed(clauses: list[list[int]]) -> None:
    """Each formula without a model has a refutation that is accepted."""
    formula = Formula()
    for _ in range(4):
        formula.variable()
    for clause in clauses:
        formula.add(*clause)
    found = decide(formula, 1000)
    if satisfiable(clauses, 4):
        assert found.model is not None
    else:
        assert found.steps is not None
        assert accepted(4, clauses, list(map(list, found.steps)))


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([[1]], "step 0 of the refutation does not follow"),
        ([], "the refutation ends without a conflict"),
        ([[0, 1, 2]], "the refutation ends without a conflict"),
        ([[3]], "a literal of the refutation is out of range"),
        ([[1, 0]], "a literal of the refutation is out of range"),
        ([[True]], "a step of the refutation holds what is no integer"),
        ([1], "a step of the refutation is not a list"),
        ({}, "the refutation is not a list"),
    ],
)
def test_what_is_no_refutation(steps: object, reason: str) -> None:
    """Refused, with the reason."""
    with pytest.raises(Invalid, match=reason):
        refute(2, [[1, 2], [-1, 2]], steps)


@given(st.integers(1, 5), st.integers(0, 5), st.integers(0, 31))
def test_a_count_has_a_model_exactly_within_its_bound(size: int, most: int, chosen: int) -> None:
    """The clauses of a count, and a choice of its literals: a model when no more than so many."""
    formula = Formula()
    variables = [formula.variable() for _ in range(size)]
    count = NOTHING
    for variable in variables:
        count = added(formula, count, one(variable), 0, most)
    true = [i for i in range(size) if chosen >> i & 1]
    for i, variable in enumerate(variables):
        formula.add(variable if i in true else -variable)
    assert (decide(formula, 1000).model is not None) == (len(true) <= most)


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("schedule", [False, True])
@pytest.mark.parametrize("rows", [(1, 3, 7), (7, 7, 7), (1, 2, 7), (1, 3, 7, 15), (1, 2, 7, 11)])
def test_the_formula_has_a_model_when_so_many_edges_suffice(
    rows: tuple[int, ...], layers: int, schedule: bool
) -> None:
    """Against every set of edges, one by one."""
    if schedule and layers == 3 and len(rows) > 3:
        return
    flow = pairs_of_sets(rows)
    for most in range(7):
        formula, _ = spanner(rows, layers, schedule, most)
        wanted = suffices(flow, len(rows), layers, schedule, most)
        assert (decide(formula, 10_000).model is not None) == wanted


@pytest.mark.parametrize("layers", [2, 3])
@pytest.mark.parametrize("schedule", [False, True])
def test_bounds_of_intervals_lose_no_model(layers: int, schedule: bool) -> None:
    """A path has a model with them exactly when it has one without them."""
    fewest = [0, 0]
    for n in range(2, 8):
        edges = fewest[-1]
        while decide(path(n, layers, schedule, edges, fewest)[0], 10_000).model is None:
            edges += 1
        rows = [(2 << q) - 1 for q in range(n)]
        assert decide(spanner(rows, layers, schedule, edges)[0], 10_000).model is not None
        assert decide(spanner(rows, layers, schedule, edges - 1)[0], 10_000).model is None
        fewest.append(edges)
