"""Laws of the formula language: every reading of a formula gives the same values."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
import sympy
import torch
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.core.function import AppliedUndef

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import (
    Sort,
    Term,
    apply,
    at,
    constant,
    dense,
    evaluate,
    from_json,
    holds,
    ite,
    latex,
    mask_mod_source,
    obligations,
    python_source,
    simplify,
    substitute,
    tensors,
    text,
    to_json,
    to_sympy,
    to_z3,
    variable,
    variables,
)

SIZE = 5
IDS = [3, 0, 0, 2, 1]
REAL = [True, False, True, True, False]
TABLE = [[0, 1, 2], [2, 1, 0], [1, 1, 1]]
CAPTURED: dict[str, Any] = {"ids": IDS, "real": REAL, "table": TABLE, "three": 3}


def _integers(depth: int, bits: bool) -> st.SearchStrategy[Term]:
    leaves = st.one_of(
        st.integers(-4, 9).map(constant),
        st.sampled_from(["q", "k", "keys"]).map(variable),
        st.just(at("three")),
    )
    if not depth:
        return leaves
    inner = _integers(depth - 1, bits)
    positive = st.one_of(st.integers(1, 5).map(constant), inner.map(lambda t: abs(t) + 1))
    compound = [
        st.builds(apply, st.sampled_from(["+", "-", "*", "min", "max"]), inner, inner),
        st.builds(apply, st.sampled_from(["+", "min", "max"]), inner, inner, inner),
        st.builds(apply, st.sampled_from(["//", "%"]), inner, positive),
        st.builds(apply, st.sampled_from(["neg", "abs", "~"]), inner),
        st.builds(apply, st.just("ite"), _booleans(depth - 1, bits), inner, inner),
        inner.map(lambda t: at("ids", t % SIZE)),
        st.builds(lambda a, b: at("table", a % 3, b % 3), inner, inner),
    ]
    if bits:
        compound += [
            st.builds(apply, st.sampled_from(["&", "|", "^"]), inner, inner),
            st.builds(apply, st.sampled_from(["<<", ">>"]), inner, inner.map(lambda t: t % 4)),
        ]
    return st.one_of(leaves, *compound)


def _booleans(depth: int, bits: bool) -> st.SearchStrategy[Term]:
    inner = _integers(max(0, depth - 1), bits)
    atoms = st.one_of(
        st.booleans().map(constant),
        st.builds(apply, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner, inner),
        inner.map(lambda t: holds("real", t % SIZE)),
    )
    if not depth:
        return atoms
    parts = _booleans(depth - 1, bits)
    return st.one_of(
        atoms,
        st.builds(apply, st.sampled_from(["and", "or", "xor", "iff", "implies"]), parts, parts),
        st.builds(apply, st.sampled_from(["and", "or"]), parts, parts, parts),
        st.builds(apply, st.just("not"), parts),
        st.builds(apply, st.just("ite"), parts, parts, parts),
    )


any_term = st.one_of(_booleans(3, True), _integers(3, True))
masks = _booleans(3, True)
plain_masks = _booleans(3, False)
points = st.fixed_dictionaries(
    {"q": st.integers(0, 9), "k": st.integers(0, 9), "keys": st.integers(1, 6)}
)


@settings(max_examples=50, deadline=None)
@given(any_term)
def test_json_keeps_a_formula(term: Term) -> None:
    """What is written as JSON text reads back as the same formula."""
    assert from_json(json.loads(json.dumps(to_json(term)))) == term


@settings(max_examples=50, deadline=None)
@given(any_term)
def test_equal_formulas_hash_alike_and_survive_pickling(term: Term) -> None:
    """Equality is of structure: a copy is equal and hashes alike, and a negation differs."""
    copy = pickle.loads(pickle.dumps(term))
    assert copy == term
    assert hash(copy) == hash(term)
    assert ~term != term


@settings(max_examples=50, deadline=None)
@given(any_term, points)
def test_text_is_python_with_the_value_of_the_formula(term: Term, point: dict[str, int]) -> None:
    """Python evaluates the printed line to the value of the formula."""
    names = {**point, "three": 3, "ids": IDS, "real": REAL, "table": np.array(TABLE)}
    assert eval(text(term), {}, names) == evaluate(term, {**point, **CAPTURED})


@settings(max_examples=50, deadline=None)
@given(plain_masks, points)
def test_sympy_agrees_with_python(term: Term, point: dict[str, int]) -> None:
    """With numbers for symbols, and elements for functions of indices, it has the same value."""
    names = {sympy.Symbol(name): value for name, value in {**point, "three": 3}.items()}
    put = to_sympy(term).subs(names)
    put = put.replace(
        lambda part: isinstance(part, AppliedUndef),
        lambda part: sympy.Integer(np.array(CAPTURED[part.func.__name__])[part.args].item()),
    )
    assert bool(put) == evaluate(term, {**point, **CAPTURED})


@settings(max_examples=50, deadline=None)
@given(any_term, points)
def test_arrays_agree_with_integers(term: Term, point: dict[str, int]) -> None:
    """A formula on arrays has at every cell the value it has there on integers."""
    rows, columns = np.arange(4)[:, None], np.arange(3)[None, :]
    whole = evaluate(term, {**point, **CAPTURED, "q": rows, "k": columns})
    assert whole.shape == (4, 3)
    for q in range(4):
        for k in range(3):
            assert whole[q, k] == evaluate(term, {**point, **CAPTURED, "q": q, "k": k})


@settings(max_examples=50, deadline=None)
@given(any_term, points)
def test_simplifying_changes_no_value(term: Term, point: dict[str, int]) -> None:
    """Constant folding keeps value and sort, and once is enough."""
    simpler = simplify(term)
    env = {**point, **CAPTURED}
    assert simpler.sort is term.sort
    assert evaluate(simpler, env) == evaluate(term, env)
    assert simplify(simpler) == simpler


@settings(max_examples=50, deadline=None)
@given(any_term, _integers(2, True), points)
def test_substitution_is_evaluation_at_the_value(
    term: Term, value: Term, point: dict[str, int]
) -> None:
    """Substituting a term for ``q`` and evaluating ``q`` at the value of that term agree."""
    env = {**point, **CAPTURED}
    replaced = substitute(term, {"q": value})
    assert evaluate(replaced, env) == evaluate(term, {**env, "q": evaluate(value, env)})
    assert variables(replaced) <= variables(term) | variables(value)


@settings(max_examples=40, deadline=None)
@given(masks, points)
def test_the_mask_mod_gives_the_mask(term: Term, point: dict[str, int]) -> None:
    """The printed module, imported, gives under vmap the array that the formula gives."""
    source = mask_mod_source("rule", term, {"keys": point["keys"], **CAPTURED})
    names: dict[str, Any] = {}
    exec(source, names)
    rule = names["rule"]
    for axis in (0, None), (None, 0):
        rule = torch.vmap(rule, in_dims=(None, None, *axis[::-1]))
    zero = torch.tensor(0)
    got = rule(zero, zero, torch.arange(4), torch.arange(3))
    want = dense(term, 4, 3, {"keys": point["keys"], **CAPTURED})
    assert got.dtype is torch.bool
    assert got.tolist() == want.tolist()


@settings(max_examples=40, deadline=None)
@given(plain_masks, points)
def test_unbounded_z3_agrees_with_python(term: Term, point: dict[str, int]) -> None:
    """At a point that meets the obligations z3 simplifies the formula to its value."""
    env = {**point, **CAPTURED}
    assert z3.is_true(z3.simplify(to_z3(term, env))) == evaluate(term, env)


@settings(max_examples=40, deadline=None)
@given(masks, points)
def test_bit_vector_z3_agrees_with_python(term: Term, point: dict[str, int]) -> None:
    """Bit vectors wide enough give the same value, bit operations included."""
    env = {**point, **CAPTURED}
    assert z3.is_true(z3.simplify(to_z3(term, env, width=96))) == evaluate(term, env)


@settings(max_examples=40, deadline=None)
@given(_integers(2, False), st.integers(-6, 6), st.integers(-6, 6))
def test_obligations_say_when_evaluation_is_defined(term: Term, q: int, k: int) -> None:
    """Where the obligations hold there is a value; where an index is bad there is none."""
    raw = at("ids", term) + term // variable("k")
    env = {"q": q, "k": k, "keys": 2, **CAPTURED}
    shapes = {"ids": [SIZE], "table": [3, 3], "real": [SIZE]}
    met = [evaluate(need.formula, env) for need in obligations(raw, shapes)]
    bad_index = not 0 <= evaluate(term, env) < SIZE
    if all(met):
        evaluate(raw, env)
    elif bad_index or k == 0:
        with pytest.raises(InputError):
            evaluate(raw, env)


@settings(max_examples=50, deadline=None)
@given(any_term)
def test_names_are_found(term: Term) -> None:
    """Variables and tensors are those of the JSON text."""
    words = json.dumps(to_json(term))
    assert variables(term) == {v for v in ("q", "k", "keys") if f'"{v}"' in words}
    assert set(tensors(term)) == {v for v in CAPTURED if f'"{v}"' in words}


@settings(max_examples=50, deadline=None)
@given(any_term)
def test_every_formula_has_latex_with_balanced_braces(term: Term) -> None:
    """LaTeX groups are balanced and every \\left has its \\right."""
    code = latex(term)
    assert code.replace(r"\&", "").count("{") == code.count("}")
    assert code.count(r"\left") - code.count(r"\leftrightarrow") == code.count(r"\right") - (
        code.count(r"\rightarrow")
    )


def test_a_deep_formula_is_no_problem() -> None:
    """A chain of 1500 operators is compared, evaluated and simplified without recursion."""
    deep = [variable("q"), variable("q")]
    for step in range(1500):
        deep = [ite(variable("k") < step, t, t + 1) for t in deep]
    assert deep[0] == deep[1]
    assert evaluate(deep[0], {"q": 0, "k": 1000}) == 1001
    assert simplify(deep[0]).sort is Sort.INT


def test_source_reads_like_the_definition() -> None:
    """The printed window is the one a person would write."""
    q, k = variable("q"), variable("k")
    assert python_source((k <= q) & (q - k < 4)) == "(k <= q) & (q - k < 4)"
    assert text((k <= q) & ((q - k < 4) | (k < 2))) == "k <= q and (q - k < 4 or k < 2)"
    assert latex(at("ids", q).eq(at("ids", k))) == r"\mathit{ids}_{q} = \mathit{ids}_{k}"
