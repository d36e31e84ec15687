"""A check of verdicts for every length that shares no code with what decides: formulas as Python
runs the text of them, sets of pairs, small lengths, values drawn here."""

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from typing import Any

from attnproof.symbolic.formula import Term, evaluate, text
from attnproof.symbolic.lengths.answer import Answer
from attnproof.symbolic.lengths.assumptions import Assumption
from attnproof.symbolic.lengths.closure import Closure
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Depth, Equals, Flow, Property
from attnproof.symbolic.verdict import Verdict

Pairs = set[tuple[int, int]]
Values = Mapping[str, Any]
#: Lengths that are checked, and how many values of parameters and tensors of each.
LENGTHS, DRAWN = (1, 2, 3, 5, 8, 12), 2


def agrees(problem: Problem, asked: Property | Closure, answer: Answer | None) -> bool:
    """Whether no small length contradicts an answer, or a relation that is said to be reached.

    What fails must fail at the values it names; what holds, at all values drawn here.
    """
    if isinstance(asked, Closure):
        return all(_right_relation(asked, values) for values in drawn(problem))
    if answer is None or answer.verdict is Verdict.UNKNOWN:
        return True
    if isinstance(asked, Flow):
        problem = problem.speaking_of(asked.forbidden)
    if answer.counterexample is not None:
        found = answer.counterexample
        values = {"n": found.n, **found.parameters, **found.tensors}
        return admitted(problem, values) and breaks(problem, asked, values)
    return not any(breaks(problem, asked, values) for values in drawn(problem))


def breaks(problem: Problem, asked: Property, values: Values) -> bool:
    """Whether a property fails at concrete values, by sets of pairs."""
    size = int(evaluate(problem.size, values))
    layers = [pairs(layer, size, values) for layer in problem.layers]
    diagonal = {(x, x) for x in range(size)}
    executed = [layer | diagonal if problem.residual else layer for layer in layers]
    if isinstance(asked, Flow):
        return bool(flow(executed, size) & pairs(asked.forbidden, size, values))
    if isinstance(asked, Equals):
        return layers[0] != pairs(asked.other, size, values)
    if isinstance(asked, Depth):
        held = diagonal
        for layer in (executed * asked.layers)[: asked.layers]:
            held = compose(layer, held)
        return held != flow(executed, size)
    if asked.name == "reflexive":
        return any(not diagonal <= layer for layer in layers)
    if asked.name == "no-empty-rows":
        return any({q for q, _ in layer} != set(range(size)) for layer in layers)
    if asked.name == "antisymmetric":
        return any(q != k and (k, q) in layer for layer in executed for q, k in layer)
    return any(not compose(layer, layer) <= layer | diagonal for layer in executed)


def flow(layers: list[Pairs], size: int) -> Pairs:
    """What is reached after some number of layers, run in turn."""
    start = {(x, x) for x in range(size)}
    reached, seen = set(start), set()
    held, phase = frozenset(start), 0
    while (held, phase) not in seen:
        seen.add((held, phase))
        held = frozenset(compose(layers[phase], held))
        phase = (phase + 1) % len(layers)
        reached |= held
    return reached


def compose(upper: Pairs, lower: Pairs | frozenset[tuple[int, int]]) -> Pairs:
    """What the upper layer reads of what the lower one holds."""
    below: dict[int, set[int]] = {}
    for m, k in lower:
        below.setdefault(m, set()).add(k)
    return {(q, k) for q, m in upper for k in below.get(m, ())}


def pairs(term: Term, size: int, values: Values) -> Pairs:
    """The pairs at which a formula is true, as Python evaluates its text at each."""
    line = compile(text(term), "formula", "eval")
    env = {name: _Elements.of(value) for name, value in values.items()}
    every = product(range(size), repeat=2)
    return {(q, k) for q, k in every if eval(line, {**env, "q": q, "k": k})}


class _Elements(tuple[Any, ...]):
    """A tensor, which has no elements from its end."""

    @staticmethod
    def of(value: Any) -> Any:
        """A tensor of nested lists; a number as it is."""
        if isinstance(value, (list, tuple)):
            return _Elements(map(_Elements.of, value))
        return value

    def __getitem__(self, index: Any) -> Any:
        axis, rest = (index[0], index[1:]) if isinstance(index, tuple) else (index, ())
        if axis < 0:
            raise IndexError(index)
        found = super().__getitem__(axis)
        return found[rest[0] if len(rest) == 1 else rest] if rest else found


def admitted(problem: Problem, values: Values) -> bool:
    """Whether values satisfy all that is assumed, law by law and index by index."""
    return all(evaluate(each, values) for each in problem.domain()) and all(
        _obeys(each, values) for each in problem.assumptions
    )


def drawn(problem: Problem, seed: int = 0) -> Iterator[Values]:
    """Small lengths with values that are admitted, by trial."""
    random = Random(seed)
    wanted = DRAWN if problem.parameters or problem.tensors else 1
    for n in LENGTHS:
        found = 0
        for _ in range(80):
            values: dict[str, Any] = {"n": n}
            values |= {name: random.randint(0, 5) for name in problem.parameters}
            size = int(evaluate(problem.size, values))
            if not 0 < size <= 24:
                continue
            for tensor in problem.tensors:
                shape = [int(evaluate(each, values)) for each in tensor.shape]
                values[tensor.name] = _nested(shape, _row(problem, tensor.name, random), random)
            try:
                if admitted(problem, values):
                    for layer in problem.layers:
                        pairs(layer, size, values)
                    yield values
                    found += 1
            except IndexError:
                continue
            if found == wanted:
                break


def _obeys(assumption: Assumption, values: Values) -> bool:
    shape = [int(evaluate(each, values)) for each in assumption.tensor.shape]
    names = [f"r{x}" for x in range(len(shape) - 1)] + [f"i{x}" for x in range(assumption.indices)]
    axes = [*shape[:-1], *[shape[-1]] * assumption.indices]
    line = compile(text(assumption.law), "law", "eval")
    env = {name: _Elements.of(value) for name, value in values.items()}
    every = product(*map(range, axes))
    return all(eval(line, {**env, **dict(zip(names, index, strict=True))}) for index in every)


def _nested(shape: list[int], row: Any, random: Random) -> Any:
    if len(shape) == 1:
        return row(shape[0])
    return [_nested(shape[1:], row, random) for _ in range(shape[0])]


def _row(problem: Problem, tensor: str, random: Random) -> Any:
    assumed = {each.schema for each in problem.assumptions if each.tensor.name == tensor}

    def make(size: int) -> list[int]:
        if assumed & {"injective", "permutation", "increasing"}:
            found = random.sample(range(size), size)
        else:
            found = [random.randint(0, 3) for _ in range(size)]
        return sorted(found) if assumed & {"nondecreasing", "increasing", "contiguous"} else found

    return make


def _right_relation(found: Closure, values: Values) -> bool:
    if found.relation is None:
        return True
    problem = found.problem
    size = int(evaluate(problem.size, values))
    diagonal = {(x, x) for x in range(size)}
    layers = [pairs(layer, size, values) for layer in problem.layers]
    reached = flow([x | diagonal if problem.residual else x for x in layers], size)
    said = pairs(found.relation, size, values)
    return said == reached if found.is_exact else reached <= said
