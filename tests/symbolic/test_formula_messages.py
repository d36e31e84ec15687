"""Formulas put together wrongly, and values they do not have: each is told in one sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import (
    FormulaError,
    Term,
    apply,
    at,
    constant,
    evaluate,
    from_json,
    holds,
    ite,
    k,
    mask_mod_source,
    q,
    substitute,
    tensors,
    to_z3,
    variable,
)

BUILT: list[tuple[Callable[[], object], str]] = [
    (
        lambda: bool(k <= q),
        "the formula `k <= q` has no truth value: write & | ~ for and, or, not; split chained "
        "comparisons; write a.eq(b) for a == b",
    ),
    (
        lambda: (k <= q) + 1,
        "'+' takes a term of sort integer in place 1; `k <= q` is of sort Boolean: write "
        "ite(x, 1, 0)",
    ),
    (
        lambda: (k <= q) & q,
        "'and' takes a term of sort Boolean in place 2; `q` is of sort integer: compare it, as in "
        "x.ne(0)",
    ),
    (
        lambda: ite(q, k, k),
        "'ite' takes a term of sort Boolean in place 1; `q` is of sort integer: compare it, as in "
        "x.ne(0)",
    ),
    (
        lambda: q + 0.5,  # type: ignore[operator]
        "0.5 (float) stands in a formula; give an integer, a truth value or a term",
    ),
    (lambda: apply("//", q), "'//' takes 2 terms, given 1"),
    (lambda: apply("and", k <= q), "'and' takes 2 or more terms, given 1"),
    (lambda: Term("+", (1, 2)), "'+' takes terms; term 1 is 1"),
    (lambda: Term("int", (True,)), "the constant (True,) is no int; give one int"),
    (lambda: variable("2k"), "'2k' is no name; write letters, digits and _, a letter first"),
    (lambda: variable("lambda"), "'lambda' is a word of Python; choose another name"),
    (
        lambda: substitute(k <= q, {"q": k <= q}),
        "the variable q is an integer; `k <= q` is not",
    ),
]


@pytest.mark.parametrize(("build", "message"), BUILT)
def test_sorts_and_names_are_checked_when_built(build: Callable[[], object], message: str) -> None:
    """A wrong formula is never made; the error is an input error and a type error."""
    with pytest.raises(FormulaError) as caught:
        build()
    assert str(caught.value) == message
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, TypeError)


JSON: list[tuple[Any, str]] = [
    (
        1.5,
        "formula at the top: 1.5 is no formula; write an integer, true, false, a name, or a "
        "list that starts with an operator",
    ),
    (
        None,
        "formula at the top: None is no formula; write an integer, true, false, a name, or a "
        "list that starts with an operator",
    ),
    (
        [],
        "formula at the top: [] is no formula; write an integer, true, false, a name, or a list "
        "that starts with an operator",
    ),
    (
        ["<=", "k", {"q": 1}],
        "formula at [2]: {'q': 1} is no formula; write an integer, true, "
        "false, a name, or a list that starts with an operator",
    ),
    (
        ["and", ["<=", "k", "q"], ["<", ["-", "q"], 4]],
        "formula at [2][1]: '-' takes 2 terms, given 1",
    ),
    (
        ["var", "q"],
        "formula at the top: there is no operator 'var'; write constants and names bare",
    ),
    (["at", 3, "q"], "formula at the top: 3 names no tensor; write its name"),
    (["at"], "formula at the top: None is no name; write letters, digits and _, a letter first"),
    (
        ["not", ["at", "ids", ["<", "q", "k"]]],
        "formula at [1]: 'at' takes a term of sort integer in place 1; `q < k` is of sort Boolean: "
        "write ite(x, 1, 0)",
    ),
]


@pytest.mark.parametrize(("value", "message"), JSON)
def test_json_is_read_strictly_and_says_where(value: Any, message: str) -> None:
    """The first fault, with its place in the list."""
    with pytest.raises(InputError) as caught:
        from_json(value)
    assert str(caught.value) == message


def test_unknown_operators_list_the_known_ones() -> None:
    """A reader of the message can choose."""
    with pytest.raises(InputError, match=r"no operator '<>'; known are: \+ \* min .* ite at holds"):
        from_json(["<>", "q", "k"])


def test_json_that_is_too_deep_is_refused() -> None:
    """A nesting that no formula needs is an input error, not a crash."""
    nested: Any = "q"
    for _ in range(5000):
        nested = ["neg", nested]
    with pytest.raises(InputError, match="nested more than 400 deep"):
        from_json(nested)


VALUES: list[tuple[Term, dict[str, Any], str]] = [
    (k <= q, {"q": 1}, "the variable k has no value; give one"),
    (at("ids", q).eq(0), {"q": 1}, "the tensor ids has no value; give one"),
    ((q // k).eq(0), {"q": 1, "k": 0}, "`q // k` divides by 0; give a positive divisor"),
    ((q % k).eq(0), {"q": 1, "k": 0}, "`q % k` divides by 0; give a positive divisor"),
    ((q << k).eq(0), {"q": 1, "k": -1}, "`q << k` shifts by -1 places; shift by 0 to 62"),
    (
        at("ids", q + 1).eq(0),
        {"q": 1, "ids": [0, 0]},
        "`ids[q + 1]` reads element 2 of axis 0, which has 2; keep indices within 0..1",
    ),
    (
        at("ids", q - k).eq(0),
        {"q": 1, "k": 2, "ids": [0, 0]},
        "`ids[q - k]` reads element -1 of axis 0, which has 2; keep indices within 0..1",
    ),
    (
        holds("table", q, k),
        {"q": 1, "k": 3, "table": [[True], [True]]},
        "`table[q, k]` reads element 3 of axis 1, which has 1; keep indices within 0..0",
    ),
]


@pytest.mark.parametrize(("term", "env", "message"), VALUES)
def test_undefined_values_are_refused_alike(term: Term, env: dict[str, Any], message: str) -> None:
    """On integers and on arrays the same sentence."""
    arrays = {name: np.array([x]) if isinstance(x, int) else x for name, x in env.items()}
    for given in (env, arrays):
        with pytest.raises(InputError) as caught:
            evaluate(term, given)
        assert str(caught.value) == message


@pytest.mark.parametrize("given", [1, np.array([1])])
def test_a_tensor_has_as_many_axes_as_indices(given: Any) -> None:
    """Too few and too many indices are refused on integers and on arrays."""
    for tensor in ([[0, 0], [0, 0]], 3):
        with pytest.raises(InputError, match=r"`ids\[q\]` gives 1 indices, the tensor has"):
            evaluate(at("ids", q), {"q": given, "ids": tensor})


def test_branches_not_taken_are_evaluated_too() -> None:
    """As in torch, an index out of range is an error on either side of an ite."""
    with pytest.raises(InputError, match="reads element 7"):
        evaluate(ite(q < 2, 0, at("ids", q + 6)), {"q": 1, "ids": [0, 0]})


def test_arrays_of_floats_are_no_positions() -> None:
    """Positions are integers."""
    with pytest.raises(InputError, match="the variable q is an array of float64; give integers"):
        evaluate(q + 1, {"q": np.array([0.5])})


def test_one_tensor_has_one_number_of_axes() -> None:
    """A formula that indexes a tensor in two ways contradicts itself."""
    with pytest.raises(InputError, match="ids is read with 1 and with 2 indices"):
        tensors(at("ids", q).eq(at("ids", q, k)))


@pytest.mark.parametrize("op", ["|", "^", "&"])
def test_bit_operations_need_a_width(op: str) -> None:
    """Unbounded integers have no bits for a solver; with a width they do."""
    term = apply(op, q, k).eq(0)
    with pytest.raises(InputError, match="no translation to unbounded integers; give a width"):
        to_z3(term)
    assert "BitVec" in type(to_z3(term, width=8).arg(0)).__name__


def test_source_names_what_it_lacks() -> None:
    """Every parameter has a value, an integer one, under a name that hides nothing."""
    near = q - k < variable("keys")
    with pytest.raises(InputError, match="keys has no value; give every parameter one"):
        mask_mod_source("window", near)
    with pytest.raises(InputError, match="the parameter keys is True; give an integer"):
        mask_mod_source("window", near, {"keys": True})
    for name in ("torch", "window", "range"):
        with pytest.raises(InputError, match=f"the parameter {name} would hide a name"):
            mask_mod_source("window", q < variable(name), {name: 3})
    with pytest.raises(FormulaError, match="`q` is an integer; a mask_mod returns a truth value"):
        mask_mod_source("window", q)


def test_constants_of_any_integer_type_are_taken() -> None:
    """Integers of numpy are integers; they print and encode as such."""
    assert constant(np.int64(3)) == constant(3)
    assert q + np.int64(3) == q + 3
