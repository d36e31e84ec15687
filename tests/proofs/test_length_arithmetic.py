"""The checker's arithmetic for every length: no step loses a solution, no lemma excludes one."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.proofs.arithmetic import Arithmetic
from attnproof.proofs.checker.cases import Branch, Refutation
from attnproof.proofs.checker.envelope import Invalid
from attnproof.proofs.checker.formulas import Scope, Tensor, Term
from attnproof.proofs.checker.formulas import evaluate as evaluated
from attnproof.proofs.checker.inequalities import Form, Literal, Normal, negated
from attnproof.proofs.checker.laws import lemma
from attnproof.proofs.checker.limits import Steps
from attnproof.proofs.checker.linear import Normaliser
from attnproof.proofs.splitting import Splitting
from attnproof.symbolic.formula import evaluate as value_of
from attnproof.symbolic.formula import from_json
from attnproof.symbolic.lengths.budget import Budget
from tests.mutation.length_claims import function

SIZE = 5
IDS, REAL = (3, 0, -2, 2, 1), (True, False, True, True, False)
SCOPE = Scope({"ids": Tensor((SIZE,), False), "real": Tensor((SIZE,), True)})
NAMES = ("q", "k", "keys")
Json = Any


def integers(depth: int) -> st.SearchStrategy[Json]:
    """Prefix lists of integers; divisors are positive and indices in range."""
    leaves = st.one_of(st.integers(-4, 9), st.sampled_from(NAMES))
    if not depth:
        return leaves
    inner = integers(depth - 1)
    positive = st.one_of(st.integers(1, 4), inner.map(lambda t: ["+", ["abs", t], 1]))
    index = inner.map(lambda t: ["%", t, SIZE])
    return st.one_of(
        leaves,
        st.builds(lambda op, a, b: [op, a, b], st.sampled_from(["+", "-", "*"]), inner, inner),
        st.builds(lambda op, a, b: [op, a, b], st.sampled_from(["min", "max"]), inner, inner),
        st.builds(lambda op, a, b: [op, a, b], st.sampled_from(["//", "%"]), inner, positive),
        st.builds(lambda op, a, b: [op, a, b], st.sampled_from(["&", "|", "^"]), inner, inner),
        st.builds(lambda a, bits: ["&", a, (1 << bits) - 1], inner, st.integers(1, 3)),
        st.builds(
            lambda op, a, c: [op, a, c], st.sampled_from(["<<", ">>"]), inner, st.integers(0, 3)
        ),
        st.builds(lambda op, a: [op, a], st.sampled_from(["neg", "abs", "~"]), inner),
        st.builds(lambda c, a, b: ["ite", c, a, b], booleans(depth - 1), inner, inner),
        index.map(lambda t: ["at", "ids", t]),
    )


def booleans(depth: int) -> st.SearchStrategy[Json]:
    """Prefix lists of truth values."""
    inner = integers(max(0, depth - 1))
    compared = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    atoms = st.one_of(
        st.booleans(),
        st.builds(lambda op, a, b: [op, a, b], compared, inner, inner),
        inner.map(lambda t: ["holds", "real", ["%", t, SIZE]]),
    )
    if not depth:
        return atoms
    parts = booleans(depth - 1)
    return st.one_of(
        atoms,
        st.builds(
            lambda op, a, b: [op, a, b],
            st.sampled_from(["and", "or", "xor", "iff", "implies"]),
            parts,
            parts,
        ),
        parts.map(lambda a: ["not", a]),
        st.builds(lambda c, a, b: ["ite", c, a, b], parts, parts, parts),
    )


def evaluate(term: Term, values: dict[str, Any]) -> Any:
    """The value that the checker gives a term, in a world."""
    return evaluated(term, values, {"ids": IDS, "real": REAL}, Steps())


points = st.fixed_dictionaries({name: st.integers(-6, 9) for name in NAMES})


def world(point: dict[str, int]) -> dict[str, Any]:
    """Values of variables and tensors."""
    return {**point, "ids": IDS, "real": REAL}


def atom_values(normaliser: Normaliser, values: dict[str, Any]) -> list[int]:
    """The value of every atom."""
    return [int(evaluate(term, values)) for term in normaliser.terms]


def form_value(form: Form, atoms: list[int]) -> int:
    """The value of a polynomial."""
    total = 0
    for key, coefficient in form:
        term = coefficient
        for atom in key:
            term *= atoms[atom]
        total += term
    return total


def holds(given: Normal, atoms: list[int]) -> bool:
    """Whether a formula in normal form holds."""
    if isinstance(given, Literal):
        return form_value(given.form, atoms) + given.constant <= 0
    return (all if given[0] == "and" else any)(holds(part, atoms) for part in given[1])


@settings(max_examples=60, deadline=None)
@given(st.one_of(booleans(3), integers(3)), points)
def test_a_formula_has_the_value_that_python_and_the_language_give_it(
    term: Json, point: dict[str, int]
) -> None:
    """The checker's own reading agrees with two others."""
    parsed, _ = SCOPE.term(term, "a formula")
    found = evaluate(parsed, world(point))
    assert found == value_of(from_json(term), world(point))
    assert found == function(term)(world(point))


@settings(max_examples=120, deadline=None)
@given(booleans(3), points)
def test_a_normal_form_holds_where_the_formula_does(term: Json, point: dict[str, int]) -> None:
    """So does its negation where it does not, and the conditions of all atoms hold anywhere."""
    normaliser = Normaliser(Steps())
    parsed = SCOPE.formula(term, "a formula")
    normal = normaliser.normal(parsed)
    atoms = atom_values(normaliser, world(point))
    assert holds(normal, atoms) == evaluate(parsed, world(point))
    assert holds(negated(normal), atoms) != holds(normal, atoms)
    assert all(holds(side, atoms) for side in normaliser.sides)


@settings(max_examples=60, deadline=None)
@given(integers(2), integers(2), points)
def test_a_lemma_holds_everywhere(a: Json, b: Json, point: dict[str, int]) -> None:
    """Products of what is not negative, and equal elements at equal indices."""
    index = [["at", "ids", ["%", x, SIZE]] for x in (a, b)]
    held = [["holds", "real", ["%", x, SIZE]] for x in (a, b)]
    offered = [
        ["product", a, b],
        ["same", *index],
        ["same", *held],
        ["same", ["&", a, b], ["&", b, b]],
    ]
    assert all(evaluate(lemma(one, (), SCOPE), world(point)) for one in offered)


small = st.lists(booleans(1), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(small, st.lists(st.integers(0, 9), max_size=6), points)
def test_no_case_loses_a_solution(
    formulas: list[Json], choices: list[int], point: dict[str, int]
) -> None:
    """Where the formulas hold some branch goes on with all that it assumes, whatever the steps."""
    normaliser = Normaliser(Steps())
    refutation = Refutation(normaliser, SCOPE)
    terms = [SCOPE.formula(one, "a formula") for one in formulas]
    refutation.assume(refutation.root, *terms)
    if not all(evaluate(term, world(point)) for term in terms):
        return
    branches = [refutation.root]
    for choice in choices:
        branches = [new for one in branches for new in _followed(refutation, one, choice)]
    atoms = atom_values(normaliser, world(point))
    assert any(
        not one.closed
        and all(holds(literal, atoms) for literal in one.literals)
        and all(holds(("or", parts), atoms) for parts in one.choices)
        for one in branches
    )


def _followed(refutation: Refutation, branch: Branch, choice: int) -> list[Branch]:
    if choice == 9:
        return refutation.split(branch, ("<=", "q", ("*", 2, "k")))
    if choice % 2 and branch.literals:
        count = len(branch.literals)
        branch.assume(branch.summed([(choice % count, choice), ((choice + 1) % count, 2)]))
        return [branch]
    return branch.cases(choice % len(branch.choices)) if branch.choices else [branch]


@settings(max_examples=40, deadline=None)
@given(st.lists(booleans(2), min_size=2, max_size=5))
def test_what_is_refuted_has_no_solution(formulas: list[Json]) -> None:
    """Steps that are found are accepted, and then no small values satisfy the formulas."""
    terms = [SCOPE.formula(one, "a formula") for one in formulas]

    def start() -> Refutation:
        refutation = Refutation(Normaliser(Steps()), SCOPE)
        refutation.assume(refutation.root, *terms)
        return refutation

    steps = Splitting(start(), Arithmetic(Budget(2000)), 60).steps()
    if steps is None:
        return
    start().check([list(step) if isinstance(step, list) else step for step in steps])
    for values in product(range(-2, 4), repeat=len(NAMES)):
        point = world(dict(zip(NAMES, values, strict=True)))
        assert not all(evaluate(term, point) for term in terms)


def refuted(*formulas: Json) -> bool:
    """Whether steps are found, and accepted."""
    terms = [SCOPE.formula(one, "a formula") for one in formulas]
    found: list[Refutation] = []
    for _ in range(2):
        refutation = Refutation(Normaliser(Steps()), SCOPE)
        refutation.assume(refutation.root, *terms)
        found.append(refutation)
    steps = Splitting(found[0], Arithmetic(Budget()), 200).steps()
    if steps is not None:
        found[1].check([_listed(step) for step in steps])
    return steps is not None


def _listed(step: Any) -> Any:
    return [_listed(part) for part in step] if isinstance(step, (list, tuple)) else step


REFUTED: dict[str, list[Json]] = {
    "an odd number is even": [["==", ["*", 2, "q"], ["+", ["*", 4, "k"], 1]]],
    "parity adds up": [
        ["==", ["%", ["-", "q", "k"], 2], 0],
        ["==", ["%", ["-", "k", "keys"], 2], 0],
        ["!=", ["%", ["-", "q", "keys"], 2], 0],
    ],
    "a strip without integers": [
        ["<=", 1, ["-", ["*", 3, "q"], ["*", 3, "k"]]],
        ["<=", ["-", ["*", 3, "q"], ["*", 3, "k"]], 2],
    ],
    "a triangle without integers": [
        ["<=", ["*", 5, "q"], ["*", 7, "k"]],
        ["<=", ["+", ["*", 7, "k"], 1], ["*", 5, "q"]],
    ],
    "two moduli": [["==", ["+", ["*", 6, "q"], ["*", 10, "k"]], 15]],
    "the least is none of both": [
        ["!=", ["min", "q", "k"], "q"],
        ["!=", ["min", "q", "k"], "k"],
    ],
    "common bits are not more": [["<=", 0, "q"], [">", ["&", "q", "k"], "q"]],
    "a remainder is small": [["<", 0, "keys"], [">=", ["%", "q", "keys"], "keys"]],
}


@pytest.mark.parametrize("name", REFUTED)
def test_integers_are_no_rationals(name: str) -> None:
    """Cuts refute what has rational solutions, or other divisions than the integers have."""
    assert refuted(*REFUTED[name])


def test_what_can_be_satisfied_is_not_refuted() -> None:
    """A square has an integer point."""
    assert not refuted(["<=", 0, "q"], ["<=", "q", "k"], ["<=", "k", 0])


STEPS: list[tuple[Json, str]] = [
    ([], "a case is left open"),
    ([[[0, 1]]], "a case is left open"),
    ([7], "a step is out of range"),
    ([[[9, 1]]], "a literal is out of range"),
    ([[[0, -1]]], "a multiplier is out of range"),
    ([[[0, "1/2"]]], "a multiplier is not an integer"),
    ([[[0, 1, 2]]], "a sum has a part that is no pair"),
    ([[0]], "a sum has a part that is no pair"),
    ([["split"]], "a split has not one formula"),
    ([["split", ["+", "q", 1]]], "a split is no truth value"),
    ([[[0, 1], [1, 1]], 0], "there are steps after the last branch is closed"),
    ("0", "steps is not a list"),
]


@pytest.mark.parametrize(("steps", "reason"), STEPS, ids=range(len(STEPS)))
def test_a_refutation_that_is_none_is_told_apart(steps: Json, reason: str) -> None:
    """What is wrong with steps is said in words."""
    terms: list[Term] = [("<", "q", "k"), ("<", "k", "keys"), ("<", "keys", "q")]
    refutation = Refutation(Normaliser(Steps()), SCOPE)
    refutation.assume(refutation.root, *terms)
    with pytest.raises(Invalid, match=reason):
        refutation.check(steps)


def test_a_formula_that_doubles_at_every_level_is_refused() -> None:
    """It is not unfolded first."""
    term: Term = ("<=", "q", "k")
    for level in range(40):
        term = ("iff", term, ("<=", "q", level))
    with pytest.raises(Invalid, match="a formula is too large"):
        Normaliser(Steps()).normal(term)
