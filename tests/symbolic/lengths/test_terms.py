"""What proofs are made of: translations, linear forms, facts about division, instances of laws."""

from typing import Any

import numpy as np
import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.formula import Term, apply, evaluate, fold, k, n, q, to_z3, variable
from attnproof.symbolic.formula.rewriting import rebuilt
from attnproof.symbolic.formula.solver_cvc5 import to_cvc5
from attnproof.symbolic.lengths.assumptions import Tensor, assumed, instances
from attnproof.symbolic.lengths.bits import width
from attnproof.symbolic.lengths.budget import Budget
from attnproof.symbolic.lengths.division import abstracted, divisors, theorems
from attnproof.symbolic.lengths.horn import fixed_point
from attnproof.symbolic.lengths.linear import from_linear, linear
from attnproof.symbolic.lengths.obligation import Obligation
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.reading import read
from attnproof.symbolic.lengths.solvers import Opinion, Solvers

cvc5 = pytest.importorskip("cvc5")

B = variable("B")
small = st.integers(-9, 9)
leaves = st.one_of(st.sampled_from((q, k, n)), small.map(lambda x: variable("q") * 0 + x))


def _sums(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    pair = st.tuples(st.sampled_from(("+", "-", "min", "max")), inner, inner)
    scaled = st.tuples(inner, small)
    return st.one_of(
        pair.map(lambda x: apply(x[0], x[1], x[2])),
        scaled.map(lambda x: x[0] * x[1]),
        inner.map(lambda x: -x),
        inner.map(abs),
        st.tuples(inner, st.integers(1, 5)).map(lambda x: x[0] // x[1]),
        st.tuples(inner, st.integers(1, 5)).map(lambda x: x[0] % x[1]),
    )


integers = st.recursive(leaves, _sums, max_leaves=6)
comparisons = st.tuples(st.sampled_from(("<", "<=", "==", "!=", ">", ">=")), integers, integers)
formulas = st.recursive(
    comparisons.map(lambda x: apply(*x)),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(("and", "or", "xor", "iff", "implies")), inner, inner).map(
            lambda x: apply(*x)
        ),
        inner.map(lambda x: ~x),
    ),
    max_leaves=4,
)
values = st.fixed_dictionaries({"q": small, "k": small, "n": small})


@given(formulas, values)
def test_cvc5_reads_a_formula_as_it_evaluates(formula: Term, at: dict[str, int]) -> None:
    """With every variable fixed, the cvc5 term has the value of the formula."""
    manager = cvc5.TermManager()
    names: dict[str, Any] = {}
    term = to_cvc5(formula, manager, names)
    solver = cvc5.Solver(manager)
    fixed = [manager.mkTerm(cvc5.Kind.EQUAL, names[x], manager.mkInteger(at[x])) for x in names]
    for each in (*fixed, term):
        solver.assertFormula(each)
    assert solver.checkSat().isSat() == evaluate(formula, at)


@given(formulas, values)
def test_bit_vectors_wide_enough_agree(formula: Term, at: dict[str, int]) -> None:
    """In both solvers the bit vectors of the width that is asked for have the formula's value."""
    bits = width(formula)
    if bits is None:
        return
    manager = cvc5.TermManager()
    names: dict[str, Any] = {}
    term = to_cvc5(formula, manager, names, width=bits)
    ends = [names[x] for x in names]
    fixed = [manager.mkBitVector(bits, at[x] % (1 << bits)) for x in names]
    value = cvc5.Solver(manager).simplify(term.substitute(ends, fixed)) if names else None
    exact = to_z3(formula, {x: z3.BitVecVal(at[x], bits) for x in at}, width=bits)
    assert z3.is_true(z3.simplify(exact)) == evaluate(formula, at)
    if value is not None and value.isBooleanValue():
        assert value.getBooleanValue() == evaluate(formula, at)


@given(integers, values)
def test_a_linear_form_is_the_term(term: Term, at: dict[str, int]) -> None:
    """The sum of the atoms has the value of the term."""
    assert evaluate(from_linear(linear(term)), at) == evaluate(term, at)


@given(formulas, values)
def test_what_z3_says_is_read_back(formula: Term, at: dict[str, int]) -> None:
    """A formula that went to z3 and was simplified there has the same value."""
    assert evaluate(read(z3.simplify(to_z3(formula))), at) == evaluate(formula, at)


dividends = st.lists(
    st.sampled_from(
        (q, k, q - k, q + k, q + B, k - 1, q - q % B, q - q % B + B - 1, k + (q - k) % B)
    ),
    min_size=1,
    max_size=4,
    unique_by=repr,
)


@given(dividends, small, small, st.integers(1, 7))
def test_facts_about_division_are_theorems(
    terms: list[Term], q_value: int, k_value: int, divisor: int
) -> None:
    """Every linear fact holds when the functions are quotient and remainder."""
    formulas = [(t // B).eq(t % B) for t in terms]
    by = divisors(formulas)
    made = [abstracted(each, by) for each in formulas]
    wide = 4096
    every = np.arange(-wide, wide)

    def shifted(term: Term) -> Term:
        return fold(
            term,
            lambda node, parts: (
                Term("at", (node.name, parts[0] + wide))
                if node.op == "at"
                else rebuilt(node, parts)
            ),
        )

    env = {
        "q": q_value,
        "k": k_value,
        "B": divisor,
        "quotient0": every // divisor,
        "remainder0": every % divisor,
    }
    for fact in theorems(made, by):
        assert evaluate(shifted(fact), env), fact
    for formula, other in zip(formulas, made, strict=True):
        assert evaluate(formula, env) == evaluate(shifted(other), env)


@given(
    st.sampled_from(("nondecreasing", "increasing", "injective", "nonnegative", "contiguous")),
    st.lists(st.integers(-1, 3), min_size=1, max_size=6),
)
def test_laws_say_what_their_names_say(name: str, held: list[int]) -> None:
    """The law, index by index, is what is checked of the values at once."""
    assumption = assumed(name, Tensor("ids", (n,)))
    env = {"n": len(held), "ids": held}
    axes = np.indices((len(held),) * assumption.indices)
    by_law = evaluate(assumption.law, {**env, **{f"i{x}": axes[x] for x in range(len(axes))}})
    assert assumption.holds_on({**env, "ids": np.array(held)}) == bool(np.all(by_law))


def test_instances_are_limited_to_what_is_read() -> None:
    """Two elements that are read give four pairs, of which those of one index are left in."""
    ids = Tensor("ids", (n,))
    found = instances([assumed("injective", ids)], [ids[q].eq(ids[k])])
    assert len(found) == 4


def test_one_solver_alone_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cvc5 does not confirm, there is no proof; where it is absent, one solver is named."""
    asked = Obligation("order", (k < q,), k <= q)
    budget = Budget()
    solvers = Solvers(budget)
    monkeypatch.setattr(solvers, "cvc5", lambda *_, **__: Opinion.UNKNOWN)
    assert solvers.prove(asked) == (Opinion.CONTRADICTION, None)
    assert budget.tried == ["order: z3 alone proves it, cvc5 does not"]
    monkeypatch.setattr(solvers, "names", ("z3",))
    alone = solvers.prove(asked)[1]
    assert alone is not None
    assert not alone.agreed


def test_a_budget_ends_a_question() -> None:
    """A question beyond the budget is left open, and costs no more than there was."""
    budget = Budget(5)
    hard = Obligation("hard", (B >= 1, (q % B).eq(0), (k % B).eq(0)), ((q + k) % B).eq(0))
    assert Solvers(budget).prove(hard) == (Opinion.UNKNOWN, None)
    assert budget.used <= 8


def test_the_engine_finds_a_residue() -> None:
    """Jumps of 6 and 10 keep parity: the fixed point excludes odd distances."""
    jumps = Problem.of((q - k).eq(6) | (q - k).eq(10))
    assert fixed_point(jumps, ((q - k) % 2).eq(1), Solvers(Budget())) is not None
