"""Instances from z3 models: of any length, then of a fixed one with every law at every index.

Where tensors must satisfy laws that no random tensor does, or a counterexample takes rare values,
a model is an instance; it counts only after it was replayed.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod
from typing import Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import (
    Sort,
    Term,
    constant,
    k,
    n,
    q,
    simplify,
    substitute,
    to_z3,
    variable,
)
from attnproof.symbolic.lengths.assumptions import Tensor, instances
from attnproof.symbolic.lengths.bits import bitwise
from attnproof.symbolic.lengths.instances import Counterexample, Instance
from attnproof.symbolic.lengths.obligation import m
from attnproof.symbolic.lengths.problem import Problem, at_positions
from attnproof.symbolic.lengths.properties import (
    Depth,
    Equals,
    Flow,
    Property,
    no_empty_rows,
)
from attnproof.symbolic.lengths.replay import replayed
from attnproof.symbolic.lengths.search import example
from attnproof.symbolic.lengths.solvers import Opinion, Solvers

#: Lengths that are fixed, and what one may take.
LENGTHS, MODEL = (3, 4, 5, 6, 8), 300
#: Positions of a model of any length, with laws and without, and elements of an axis of one.
_LAWFUL, _LONGEST, _ELEMENTS = 88, 400, 400
#: Elements of an axis where one pair is enough, and of any tensor.
_FAR, _CELLS = 1 << 14, 160_000
#: Instances of a law at a fixed length.
_LAWS = 8000


def models(problem: Problem, property: Property | None, solvers: Solvers) -> Iterator[Instance]:
    """Instances at which the property fails within three layers; with None, any. There are none of
    masks with bit operations.

    >>> from attnproof.symbolic.formula import at
    >>> from attnproof.symbolic.lengths.assumptions import assumed
    >>> from attnproof.symbolic.lengths.budget import Budget
    >>> from attnproof.symbolic.lengths.properties import causal
    >>> rare = Problem.of((k <= q) | (at("ids", q).eq(977) & at("ids", k).eq(12)))
    >>> found = next(models(rare, causal, Solvers(Budget())))
    >>> found.failure(causal) is not None
    True
    """
    failing = _failing(problem, property)
    if failing is None or any(map(bitwise, problem.formulas)):
        return
    small = [
        size <= (_ELEMENTS if len(tensor.shape) == 1 else _LAWFUL)
        for tensor in problem.tensors
        for size in tensor.shape
        if size.op == "var" and size != n
    ]
    formulas = [*problem.domain(q, m, k), *small, *failing]
    short = problem.size <= (_LAWFUL if problem.assumptions else _LONGEST)
    laws = instances(problem.assumptions, formulas)
    opinion, model = solvers.model([*formulas, short, *laws], most=MODEL)
    if opinion is Opinion.CONTRADICTION:
        return
    lengths: tuple[int, ...] = LENGTHS
    if model is not None:
        lengths = (*LENGTHS, _value(n, model)) if problem.assumptions else LENGTHS
        yield from _instance(problem, _value(n, model), model)
    for length in lengths:
        values = {"n": length}
        try:
            everywhere = [*_everywhere(problem, values)]
        except InputError:
            continue
        asked = [simplify(substitute(each, values)) for each in (*formulas, *everywhere)]
        _, model = solvers.model(asked, most=MODEL)
        if model is not None:
            yield from _instance(problem, length, model)


def far_pair(problem: Problem, property: Property, solvers: Solvers) -> Counterexample | None:
    """A forbidden pair that one layer reads, or one in which two masks differ, at a length however
    large: nothing but that pair is replayed. None of several layers and of bit operations.

    >>> from attnproof.symbolic.lengths.budget import Budget
    >>> from attnproof.symbolic.lengths.properties import causal
    >>> far = Problem.of((k <= q) | (q.eq(70_000) & k.eq(80_000)))
    >>> far_pair(far, causal, Solvers(Budget()))
    causal fails at n=80001: (80000, 70000)
    """
    if isinstance(property, Flow):
        failing, depth = [problem.read, property.forbidden], 1
    elif isinstance(property, Equals):
        failing, depth = [problem.layers[0].ne(property.other)], None
    else:
        return None
    if len(problem.layers) > 1 or any(map(bitwise, problem.formulas)):
        return None
    formulas = [*problem.domain(q, k), *failing]
    laws = instances(problem.assumptions, formulas)
    _, model = solvers.model([*formulas, *laws], most=MODEL)
    if model is None:
        return None
    reader, source = _value(q, model), _value(k, model)
    for length in (max(reader, source) + 1, _value(n, model)):
        try:
            at = Instance(problem, _values(problem, length, model, _FAR))
        except (InputError, OverflowError):
            continue
        found = at.counterexample(property.name, reader, source, depth, (source, reader))
        if replayed(problem, property, found):
            return found
    return None


def check_satisfiable(problem: Problem, solvers: Solvers) -> None:
    """Raise :class:`InputError` where no instance was found: what is assumed may contradict itself.

    >>> from attnproof.symbolic.lengths.budget import Budget
    >>> check_satisfiable(Problem.of(k <= q, requires=[n >= 5]), Solvers(Budget()))
    """
    if (
        example(problem, solvers.budget) is None
        and next(models(problem, None, solvers), None) is None
    ):
        given = ", ".join(map(repr, (*problem.requires, *problem.assumptions)))
        raise InputError(
            f"no length from 3 to 12 was found that satisfies all that is assumed ({given}); where "
            "none does, anything follows: drop an assumption",
            problem=problem,
        )


def _failing(problem: Problem, property: Property | None) -> Sequence[Term] | None:
    """That q, m and k, or positions between, break the property; None where no few of them do."""
    if property is None:
        return ()
    if isinstance(property, Flow):
        return (*_chain(problem, 3), property.forbidden)
    if isinstance(property, Depth) or property == no_empty_rows:
        return None
    if isinstance(property, Equals):
        return (problem.layers[0].ne(property.other),)
    if property.name == "transitive":
        whole = problem.executed[0] | q.eq(k)
        return at_positions(whole, q, m), at_positions(whole, m, k), ~whole
    if property.name == "antisymmetric":
        return problem.read, at_positions(problem.read, k, q), q.ne(k)
    if property.name == "reflexive":
        return (~at_positions(problem.layers[0], q, q),)
    return None


def _chain(problem: Problem, layers: int) -> list[Term]:
    """That k reaches q through so many layers at most."""
    step = problem.read | q.eq(k)
    places = [q, *(variable(f"between{i}") for i in range(1, layers)), k]
    walked = (at_positions(step, a, b) for a, b in pairwise(places))
    return [*problem.inside(*places[1:-1]), *walked]


def _everywhere(problem: Problem, values: dict[str, int]) -> Iterator[Term]:
    """Every law at every index; raises :class:`InputError` where there are too many."""
    for assumption in problem.assumptions:
        shape = _shape(assumption.tensor, values)
        axes = [*shape[:-1], *[shape[-1]] * assumption.indices]
        if prod(axes) > _LAWS:
            raise InputError("there are too many instances for a model", axes=axes)
        for index in product(*(range(size) for size in axes)):
            terms = [constant(x) for x in index]
            rows = len(shape) - 1
            yield assumption.instance(terms[:rows], terms[rows:])


def _shape(tensor: Tensor, values: dict[str, Any], most: int = _ELEMENTS) -> list[int]:
    sizes = [simplify(substitute(size, values)).value for size in tensor.shape]
    if any(size is None for size in sizes):
        raise InputError(f"the shape of {tensor.name} depends on parameters", name=tensor.name)
    found = [int(size) for size in sizes if size is not None]
    if any(size > most for size in found) or prod(found) > _CELLS:
        raise InputError(f"{tensor.name} is too large for a model", name=tensor.name)
    return found


def _value(term: Term, model: Any) -> int:
    found = model.eval(to_z3(term).translate(model.ctx), model_completion=True)
    return int(str(found) == "True") if term.sort is Sort.BOOL else int(found.as_long())


def _instance(problem: Problem, length: int, model: Any) -> Iterator[Instance]:
    """The instance of a model, if it satisfies all that is assumed."""
    try:
        values = _values(problem, length, model, _ELEMENTS)
        found = Instance(problem, values)
        if problem.admits(values) and found.given:
            yield found
    except (InputError, OverflowError):
        return


def _values(problem: Problem, length: int, model: Any, most: int) -> dict[str, Any]:
    """The length, parameters and tensors of a model; no axis has more than ``most`` elements."""
    import numpy as np

    values: dict[str, Any] = {"n": length}
    values |= {name: _value(variable(name), model) for name in problem.parameters}
    for tensor in problem.tensors:
        shape = _shape(tensor, values, most)
        cells = [
            _value(tensor[tuple(constant(x) for x in index)], model)
            for index in product(*(range(size) for size in shape))
        ]
        kind = bool if tensor.boolean else np.int64
        values[tensor.name] = np.array(cells, dtype=kind).reshape(shape)
    return values
