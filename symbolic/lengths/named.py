"""A named mask for every length: parameters that are not given are any integers, tensors any."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import Term, constant, n, substitute, variable, variables
from attnproof.symbolic.lengths.assumptions import Assumption
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.named.named import REQUIRED
from attnproof.symbolic.named.registry import get


def named_problem(
    name: str,
    *,
    symbolic: Iterable[str] = (),
    requires: Iterable[Term] = (),
    assume: Mapping[str, str | Sequence[str]] | None = None,
    laws: Iterable[Assumption] = (),
    residual: bool = True,
    about: Iterable[Term] = (),
    **params: Any,
) -> Problem:
    """The problem of a named mask: ``symbolic`` parameters are any integers of at least 1, the
    others have the values that are given; what its tensors hold is left open.

    >>> named_problem("window", symbolic=["keys"])
    for every n, keys >= 1: k <= q and q - k < keys
    >>> named_problem("block_diffusion", block=4).size
    2 * n

    Raises :class:`ParameterError` for a parameter that has no value and is not symbolic, one that
    is symbolic and no integer of the formula, and a size that is no formula.
    """
    mask = get(name)
    example = {key: value for key, value in mask.example.items() if key != "n"}
    formula = mask.formula(**{**example, **params})
    free = variables(formula)
    open_ = list(symbolic)
    for each in open_:
        if each not in free or each in ("n", "q", "k"):
            known = ", ".join(sorted(free - {"n", "q", "k"})) or "none"
            raise ParameterError(
                f"{each!r} is no integer of the formula of {name}; these are: {known}", name=each
            )
    values: dict[str, Term] = {}
    for parameter in mask.parameters:
        if parameter.name in open_ or parameter.name not in free:
            continue
        value = params.get(parameter.name, parameter.default)
        if value is None or value is REQUIRED:
            raise ParameterError(
                f"{name} needs {parameter.name} ({parameter.doc}): give it a value, or name it in "
                "symbolic",
                name=parameter.name,
            )
        values[parameter.name] = constant(mask.value(parameter, value))
    return Problem.of(
        substitute(formula, values),
        size=_size(name, values, open_),
        least=dict.fromkeys(open_, 1),
        requires=requires,
        assume=assume,
        laws=laws,
        residual=residual,
        about=about,
    )


def _size(name: str, values: Mapping[str, Term], symbolic: Sequence[str]) -> Term:
    mask = get(name)
    if mask.size is None:
        return n
    named = {x.name: x.default for x in mask.parameters if x.default is not REQUIRED}
    named |= {each: variable(each) for each in symbolic}
    try:
        return constant(mask.size(n, **{**named, **values}))
    except (TypeError, AttributeError, ParameterError):
        raise ParameterError(
            f"how many positions {name} has is no formula in n and its parameters; give the mask "
            "as a formula with its size",
            name=name,
        ) from None
