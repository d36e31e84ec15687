"""Replay: a counterexample checked by evaluating the formula at single pairs.

Nothing of what found it is used, neither bit sets nor arrays.
"""

from collections.abc import Callable
from itertools import pairwise

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import Term, evaluate
from attnproof.symbolic.lengths.instances import Counterexample
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Depth, Equals, Flow, Property

Reads = Callable[[Term, int, int], bool]


def replayed(problem: Problem, property: Property, found: Counterexample) -> bool:
    """Whether the counterexample stands.

    The values satisfy all that is assumed, and what the property excludes is there: for a leak
    each hop of the path is read by the layer it is in, and the pair at its ends is forbidden.

    >>> from attnproof.symbolic.formula import k, q
    >>> from attnproof.symbolic.lengths.instances import Instance
    >>> from attnproof.symbolic.lengths.properties import causal
    >>> problem = Problem.of(k <= q + 1)
    >>> replayed(problem, causal, Instance(problem, {"n": 4}).failure(causal))
    True
    """
    values = {"n": found.n, **found.parameters, **found.tensors}

    def reads(term: Term, q: int, k: int) -> bool:
        return bool(evaluate(term, {**values, "q": q, "k": k}))

    try:
        size = problem.positions(values)
        if not problem.admits(values) or not all(0 <= x < size for x in _tokens(found)):
            return False
        return _stands(problem, property, found, reads, size)
    except InputError:
        return False


def _tokens(found: Counterexample) -> list[int]:
    return [step if isinstance(step, int) else step[0] for step in found.path]


def _stands(
    problem: Problem, property: Property, found: Counterexample, reads: Reads, size: int
) -> bool:
    q, k, walked = found.reader, found.source, _tokens(found)
    given, executed = problem.layers, problem.executed
    if isinstance(property, Flow):
        return k is not None and reads(property.forbidden, q, k) and _walks(problem, found, reads)
    if isinstance(property, Equals):
        return k is not None and reads(given[0], q, k) != reads(property.other, q, k)
    if isinstance(property, Depth):
        return (
            k is not None
            and k not in _held(problem, q, property.layers, reads, size)
            and _walks(problem, found, reads)
        )
    if property.name == "reflexive":
        return any(not reads(layer, q, q) for layer in given)
    if property.name == "no-empty-rows":
        return any(not any(reads(layer, q, x) for x in range(size)) for layer in given)
    if property.name == "antisymmetric":
        return k is not None and q != k and any(
            reads(layer, q, k) and reads(layer, k, q) for layer in executed
        )  # fmt: skip
    source, middle, reader = walked
    return source != reader and any(
        reads(layer, reader, middle)
        and reads(layer, middle, source)
        and not reads(layer, reader, source)
        for layer in executed
    )


def _walks(problem: Problem, found: Counterexample, reads: Reads) -> bool:
    """The path goes from the source to the reader, each step read by the layer it is in."""
    steps = [
        step if isinstance(step, tuple) else (step, level) for level, step in enumerate(found.path)
    ]
    if steps[0] != (found.source, 0) or steps[-1][0] != found.reader:
        return False
    layers = problem.executed
    for (x, before), (y, after) in pairwise(steps):
        waits = [(layers[(level - 1) % len(layers)], x) for level in range(before + 1, after)]
        if not all(reads(layer, at, at) for layer, at in waits):
            return False
        if not reads(layers[(after - 1) % len(layers)], y, x):
            return False
    return True


def _held(problem: Problem, reader: int, layers: int, reads: Reads, size: int) -> set[int]:
    """The sources of a reader after exactly so many layers."""
    held = {reader}
    for level in range(layers, 0, -1):
        layer = problem.executed[(level - 1) % len(problem.executed)]
        held = {x for x in range(size) if any(reads(layer, y, x) for y in held)}
    return held
