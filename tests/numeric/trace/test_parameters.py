"""Symbolic parameters: a factory makes the formula for every value at once."""

from typing import Any

import pytest

pytest.importorskip("torch", reason="rules are traced with torch")

from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.numeric.trace import TraceError, trace
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import evaluate, n
from tests.numeric.trace import masks


def checked(keys: Any) -> Any:
    if keys < 1:
        raise ValueError("no keys")
    return masks.sliding_window(keys)


def capped(keys: Any) -> Any:
    if keys > 4:
        raise ValueError("too many keys")
    return masks.sliding_window(keys)


def by_kind(keys: Any, wide: bool = False) -> Any:
    return masks.sliding_window(2 * keys if wide else keys)


def test_a_parameter_is_a_variable_of_the_formula() -> None:
    """The formula holds the parameter by its name, which is at least 1."""
    traced = trace(masks.sliding_window, symbolic=["keys"])
    assert repr(traced) == "sliding_window(b, h, q, k) = q - k < keys and q >= k"
    assert traced.parameters == ("keys",)
    assert repr(traced.requires) == "(keys >= 1,)"


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 9), st.integers(1, 6), st.integers(0, 30), st.integers(0, 30))
def test_substituting_a_value_is_making_the_rule_for_it(t: int, size: int, q: int, k: int) -> None:
    """The formula at a value of the parameters is the formula of the rule made for them."""
    general = _BLOCKS.term
    special = trace(masks.block_diffusion(t, size)).term
    env = {"q": q, "k": k}
    assert evaluate(general, {**env, "tokens": t, "block": size}) == evaluate(special, env)


_BLOCKS = trace(masks.block_diffusion, symbolic=["tokens", "block"])


def test_a_parameter_may_be_a_formula_of_the_length() -> None:
    """Half of the tokens are the noisy copy: the parameter is n // 2."""
    traced = trace(masks.block_diffusion, symbolic={"tokens": n // 2}, params={"block": 2})
    assert traced.parameters == ()
    assert evaluate(traced.term, {"q": 1, "k": 5, "n": 10}) is False
    assert evaluate(traced.term, {"q": 3, "k": 5, "n": 10}) is True


def test_a_check_that_every_parameter_passes_is_no_branch() -> None:
    """A factory may refuse windows of no keys; what it does not refuse is decided."""
    assert repr(trace(checked, symbolic=["keys"]).term) == "q - k < keys and q >= k"
    assert repr(trace(by_kind, symbolic=["keys"], params={"wide": True}).term).startswith(
        "q - k < 2 * keys"
    )


MISTAKES: dict[str, tuple[Any, dict[str, Any], type[InputError], str]] = {
    "branch": (capped, {"symbolic": ["keys"]}, TraceError, "`if keys > 4:` needs the truth value"),
    "raised": (
        capped,
        {"symbolic": ["keys"], "split": True},
        InputError,
        "capped raised ValueError: too many keys",
    ),
    "both": (
        capped,
        {"symbolic": ["keys"], "params": {"keys": 2}},
        ParameterError,
        "the parameter keys is symbolic and has a value; choose one",
    ),
    "unknown": (capped, {"symbolic": ["w"]}, ParameterError, "no parameter 'w'; its parameters"),
    "missing": (
        masks.natten,
        {"symbolic": ["width"]},
        ParameterError,
        "natten also needs kernel",
    ),
    "no rule": (lambda keys: 3, {"symbolic": ["keys"]}, InputError, "returned a int"),
    "score": (lambda s, b, h, q, k: s, {}, InputError, "is a score_mod; only a mask_mod has a"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_with_parameters_are_told(name: str) -> None:
    """What a factory does not take, or returns, is told before anything is traced."""
    function, options, kind, told = MISTAKES[name]
    with pytest.raises(kind) as error:
        trace(function, **options)
    assert told in str(error.value)
