"""Every length: a tensor is never taken for a variable, or what is false would follow."""

from typing import Any

import pytest

from attnproof.proofs.agreement import agreed
from attnproof.proofs.checker import check_statement
from attnproof.proofs.checker.formulas import Tensor, evaluate
from attnproof.proofs.checker.laws import Law
from attnproof.proofs.checker.limits import Steps
from attnproof.symbolic.errors import InputError
from tests.mutation.length_cases import CASES, statement_of
from tests.proofs.test_length_kernel import edited

WINDOW = statement_of(CASES["every window"])


def claimed(**fields: Any) -> Any:
    """That a mask is causal, with an instance of three tokens."""
    instance = {"n": 3, "parameters": {}, **fields.pop("instance")}
    plain = {"layers": [True], "requires": [], "invariant": ["<=", "k", "q"]}
    return edited(WINDOW, **{**plain, **fields}, instance=instance)


def scalar(name: str) -> dict[str, Any]:
    """A captured number."""
    return {"name": name, "shape": [], "boolean": False}


def test_a_tensor_that_is_called_as_an_index_contradicts_no_law_unseen() -> None:
    """No number equals every index; where the index hides it, the full mask would be causal."""
    law = {"schema": "law", "tensor": "t", "law": ["==", ["at", "i0"], "i0"], "indices": 1}
    at_both = [["law", 0, [], [0]], ["law", 0, [], [1]]]
    init = [0, 1, 2, 3, 4, [[1, 1], [4, 1], [5, 1], [9, 1]]]
    step = [0, 1, 2, 3, [[1, 1], [6, 1], [8, 1], [12, 1]]]
    proofs = [
        {"lemmas": at_both, "steps": init},
        {"lemmas": at_both, "steps": step},
        {"lemmas": [], "steps": []},
    ]
    forged = claimed(
        tensors=[scalar("i0"), {**scalar("t"), "shape": ["n"]}],
        assumptions=[law],
        proofs=proofs,
        instance={"n": 5, "tensors": {"i0": 0, "t": [0] * 5}},
    )
    result = check_statement(forged)
    assert (result.valid, result.reason) == (False, "a tensor has no name of its own")


@pytest.mark.parametrize("name", ["i0", "r0", "keys"])
def test_what_a_law_says_of_an_index_is_not_said_of_a_tensor(name: str) -> None:
    """The values of variables and those of tensors stand apart."""
    law = Law("law", Tensor((3,), False), ("==", ("at", name), "i0"), 1)
    values = {"n": 3, "keys": 0}
    assert not law.holds_on(values, {name: 0}, Steps())
    assert evaluate(("-", ("at", "n"), "n"), values, {"n": 7}, Steps()) == 4


@pytest.mark.parametrize("name", ["n", "q", "k", "b", "h", "between", "between1", "i0", "r1"])
def test_a_tensor_is_not_called_as_what_is_always_spoken_of(name: str) -> None:
    """Lengths, indices, and what obligations and laws introduce."""
    statement = claimed(
        layers=[["<=", "k", ["+", "q", ["at", name]]]],
        tensors=[scalar(name)],
        instance={"tensors": {name: 0}},
    )
    assert check_statement(statement).reason == "a tensor has no name of its own"


SPOKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a layer": ({"layers": [["<=", ["+", "k", ["at", "t"]], ["+", "q", "t"]]]}, "a layer"),
    "what is required": ({"requires": [[">=", "t", 0]]}, "requires"),
    "the size": ({"size": "t"}, "size"),
    "the size of a tensor": ({"tensors": [{**scalar("t"), "shape": ["t"]}]}, "a size"),
    "the claim": ({"claim": {"name": "forbid", "pairs": ["<", "t", "k"]}}, "the claim"),
    "the invariant": ({"invariant": ["<", "k", ["+", "q", "t"]]}, "the invariant"),
    "the rank": ({"rank": "t"}, "rank"),
    "a witness": ({"between": [["t"]]}, "between"),
}


@pytest.mark.parametrize("place", SPOKEN)
def test_no_variable_is_called_as_a_tensor_is(place: str) -> None:
    """Nor does a solver that is asked again see one unknown where there are two."""
    fields, where = SPOKEN[place]
    solvers = {"proofs": None, "solvers": ["z3", "cvc5"], "tensors": [scalar("t")]}
    statement = claimed(**{**solvers, **fields}, instance={"tensors": {"t": 1}})
    said = f"{where} has a variable that is called as a tensor is"
    result = check_statement(statement)
    assert (result.valid, result.undecided, result.reason) == (False, False, said)
    with pytest.raises(InputError, match=said):
        agreed(statement["predicate"])


@pytest.mark.parametrize(
    ("name", "divided"), [("quotient0", ["//", "k", 2]), ("remainder0", ["%", "k", 2])]
)
def test_no_tensor_is_taken_for_a_quotient(name: str, divided: Any) -> None:
    """Solvers are asked about division by functions, of which the statement may not speak."""
    statement = claimed(
        layers=[["<=", ["+", "k", ["at", name, "k"]], ["+", "q", divided]]],
        tensors=[{**scalar(name), "shape": ["n"]}],
        proofs=None,
        solvers=["z3", "cvc5"],
        instance={"tensors": {name: [0, 0, 0]}},
    )
    with pytest.raises(InputError, match="a name is one that proofs use"):
        agreed(statement["predicate"])


def test_no_parameter_of_the_instance_is_called_as_a_tensor_is() -> None:
    """Not even one that nothing speaks of."""
    statement = claimed(
        tensors=[scalar("t")], instance={"parameters": {"t": 1}, "tensors": {"t": 1}}
    )
    assert check_statement(statement).reason == "a parameter is called as a tensor is"
