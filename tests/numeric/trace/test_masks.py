"""Masks in the styles of the field: their formulas are what they compute, by two ways."""

from typing import Any

import pytest

pytest.importorskip("torch", reason="rules are traced with torch")

import torch
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.numeric.read.torch_scalars import index_by_tensors
from attnproof.numeric.trace import Traced, TraceError, elementwise, trace
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import Term, evaluate, fold, to_z3
from tests.numeric.trace.masks import RULES, Rule
from tests.numeric.trace.second import second_term

#: The second way follows neither floats nor a search.
ONE_WAY = {"halves", "quotient", "by offsets"}
EXPECTED = {
    "causal": "q >= k",
    "window": "q - k < 4 and q >= k",
    "prefix": "k < PREFIXES[b] or k <= q",
    "documents": "IDS[q] == IDS[k] and q >= k",
    "packed causal": "document_id[q] == document_id[k] and "
    "q - offsets[document_id[q]] >= k - offsets[document_id[k]]",
    "strided": "(q // 8 == k // 8 or k % 8 == 7) and k <= q",
    "flamingo": "k >= INTERVALS[q, 0] and k < INTERVALS[q, 1]",
    "ancestors by rows": "ANCESTORS[q, k]",
    "top blocks": "BLOCKS[h, q // 4, 0] == k // 4 or BLOCKS[h, q // 4, 1] == k // 4",
    "butterfly": "((q ^ k) & ((q ^ k) - 1)) == 0",
    "head windows": "q >= k and q - k < (1 << (h + 1))",
    "sinks listed": "(k == 0 or k == 5) or q == k",
    "last document": "IDS[k] != 2 or q >= k",
    "everything": "True",
    "partial": "(q - k) % 3 == 0",
    "object": "ids[q] == ids[k]",
}


def called(rule: Rule, b: int, h: int, q: int, k: int) -> bool | None:
    """What torch computes for one pair, or None where it computes nothing."""
    try:
        with index_by_tensors():
            return bool(rule(*map(torch.tensor, (b, h, q, k))))
    except IndexError:
        return None


@pytest.mark.parametrize("name", RULES)
def test_a_formula_is_what_the_rule_computes(name: str) -> None:
    """The formula has the value of the rule at every pair, head and batch element torch answers."""
    traced = trace(RULES[name])
    compared = 0
    for b, h, q, k in [
        (b, h, q, k) for b in (0, 1) for h in (0, 1) for q in (0, 3, 7) for k in range(9)
    ]:
        answer = called(RULES[name], b, h, q, k)
        if answer is not None:
            env = {**traced.values, "b": b, "h": h, "q": q, "k": k}
            assert evaluate(traced.term, env) == answer, (b, h, q, k)
            compared += 1
    assert compared >= 16
    assert traced.agreed >= 18


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_formulas_read_as_they_were_written(name: str) -> None:
    """A formula keeps the author's names and the shape of the rule."""
    assert repr(trace(RULES[name]).term) == EXPECTED[name]


@pytest.mark.parametrize("name", sorted(set(RULES) - ONE_WAY))
def test_two_ways_give_equal_formulas(name: str) -> None:
    """The formula by way of ATen's operations is proved equal, for all indices in range."""
    traced = trace(RULES[name])
    tensors = {x.name: x.values for x in traced.tensors.values()}
    other = second_term(RULES[name], tensors)
    assert different(traced, other) == z3.unsat


def test_a_wrong_formula_is_told_from_the_right_one() -> None:
    """The proof of equality fails for rules that differ in one pair of neighbours."""
    traced = trace(RULES["window"])
    assert different(traced, second_term(lambda b, h, q, k: (k <= q) & (q - k <= 4), {})) == z3.sat


def different(traced: Traced, other: Term) -> Any:
    """Whether a solver finds indices in range at which two formulas differ."""
    width = 64 if has_bits(traced.term) or has_bits(other) else None
    values = {x.name: x.values.tolist() for x in traced.tensors.values()}
    solver = z3.Solver()
    for name in "bhqk":
        index = z3.BitVec(name, width) if width else z3.Int(name)
        solver.add(index >= 0, index < 1000)
    for needed in (*traced.requires, *(x.formula for x in traced.obligations)):
        solver.add(to_z3(needed, values, width=width))
    solver.add(to_z3(traced.term, values, width=width) != to_z3(other, values, width=width))
    return solver.check()


def has_bits(term: Term) -> bool:
    """Whether a formula has operations on bits."""
    return fold(term, lambda node, parts: any(parts) or node.op in ("&", "|", "^", "<<", ">>"))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_rules_are_their_formulas(data: st.DataObject) -> None:
    """A random rule of integer and Boolean operations has a formula with Python's values."""
    source = data.draw(truths(3))
    rule: Rule = eval(f"lambda b, h, q, k: {source}", {"torch": torch})
    traced = trace(rule, name=source)
    plain = source.replace("~", "not ").replace("torch.minimum", "min")
    for q, k in data.draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=3)):
        expected = eval(
            plain.replace("torch.where", "where"), {"q": q, "k": k, "h": 1, "where": _if}
        )
        assert evaluate(traced.term, {"b": 0, "h": 1, "q": q, "k": k}) == bool(expected)


def _if(condition: bool, then: int, otherwise: int) -> int:
    return then if condition else otherwise


def integers(depth: int) -> st.SearchStrategy[str]:
    """Sources of integers."""
    leaf = st.sampled_from(["q", "k", "h", "(q - k)", "(k + 3)"])
    if not depth:
        return leaf
    inner = integers(depth - 1)
    number = st.integers(1, 9)
    return st.one_of(
        leaf,
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} - {})".format, inner, inner),
        st.builds("({} * {})".format, inner, number),
        st.builds("({} // {})".format, inner, number),
        st.builds("({} % {})".format, inner, number),
        st.builds("abs({})".format, inner),
        st.builds("torch.minimum({}, {})".format, inner, inner),
        st.builds("torch.where({}, {}, {})".format, truths(0), inner, inner),
    )


def truths(depth: int) -> st.SearchStrategy[str]:
    """Sources of truth values."""
    sign = st.sampled_from(["<", "<=", "==", "!=", ">", ">="])
    compared = st.builds("({} {} {})".format, integers(depth), sign, integers(max(0, depth - 1)))
    if not depth:
        return compared
    inner = truths(depth - 1)
    return st.one_of(
        compared,
        st.builds("({} & {})".format, inner, inner),
        st.builds("({} | {})".format, inner, inner),
        st.builds("({} ^ {})".format, inner, inner),
        st.builds("(~{})".format, inner),
        st.builds("({} == {})".format, inner, inner),
    )


def test_a_mistake_of_the_tracer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tracer that took <= for < is refused, with the first pair at which it shows."""
    monkeypatch.setitem(elementwise.COMPARISONS, "le", "<")
    with pytest.raises(
        TraceError, match=r"rule is True at \(b, h, q, k\) = \(0, 0, 0, 0\)"
    ) as told:
        trace(lambda b, h, q, k: (k <= q) & (q < 5), name="rule")
    assert told.value.parts["place"] == (0, 0, 0, 0)
    assert "its formula is False: k < q and q < 5" in str(told.value)


def test_a_mistake_at_a_large_constant_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs around the constants of a rule are compared, not small ones alone."""
    monkeypatch.setitem(elementwise.COMPARISONS, "lt", "<=")
    with pytest.raises(TraceError, match=r"is False at .* = \(0, 0, 0, 5000\)"):
        trace(lambda b, h, q, k: k < 5000)


def test_a_rule_that_leaves_64_bits_at_small_indices_is_refused() -> None:
    """Where torch wraps around at once, the formula on unbounded integers is another mask."""
    with pytest.raises(TraceError, match=r"leaves 64 bits at .* = \(0, 0, 0, 1\)"):
        trace(lambda b, h, q, k: k * 2**62 * 4 <= q)
    with pytest.raises(TraceError, match=r"the constant 9223372036854775808 does not fit 64 bits"):
        trace(lambda b, h, q, k: k + 2**63 - 1 <= q)


def test_rules_that_have_no_value_are_refused() -> None:
    """A rule whose tensor is empty has no value to compare its formula with."""
    empty = torch.zeros(0, dtype=torch.long)
    with pytest.raises(TraceError, match="its formula cannot be checked; are its tensors empty"):
        trace(lambda b, h, q, k: empty[q] == empty[k])


def test_the_second_way_refuses_a_value() -> None:
    """What asks for the value of an index has no formula the second way either."""
    with pytest.raises(InputError, match="asks for a value with _local_scalar_dense"):
        second_term(lambda b, h, q, k: q.item() >= k, {})
