"""Instances drawn at random: small parameters, and tensors that satisfy what is assumed of them.

The same problem, length and seed always draw the same instances.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, product
from math import prod
from random import Random
from typing import Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import evaluate, fold
from attnproof.symbolic.lengths.assumptions import Tensor
from attnproof.symbolic.lengths.instances import Instance
from attnproof.symbolic.lengths.problem import Problem

#: How many values are drawn in vain before a length is given up.
TRIES = 60


def constants(problem: Problem) -> tuple[int, ...]:
    """The integers that a problem's formulas name, 2 or more, in order.

    >>> from attnproof.symbolic.formula import k, q
    >>> constants(Problem.of((q // 4).eq(k // 4) | (k < 7)))
    (4, 7)
    """
    found: set[int] = set()
    for term in (*problem.layers, problem.size, *problem.requires):
        fold(term, lambda node, _: found.add(abs(node.value or 0)))
    return tuple(sorted(value for value in found if value > 1))


def drawn(
    problem: Problem, n: int, count: int, seed: int = 0, *, valued: bool = True
) -> Iterator[Instance]:
    """Up to ``count`` instances of a length, all of them admitted and, if ``valued``, with a value
    at every pair.

    >>> from attnproof.symbolic.formula import k, q, variable
    >>> few = Problem.of((k <= q) & (q - k < variable("keys")), least={"keys": 1})
    >>> [each.values["keys"] for each in drawn(few, 5, 3)]
    [1, 2, 4]
    """
    random = Random(f"{seed} {n}")
    seen: set[str] = set()
    settings = _parameters(problem, n, count, random)
    if not problem.parameters:
        settings = settings[:1] * (count if problem.tensors else 1)
    for parameters in settings:
        for _ in range(8 if problem.tensors else 1):
            values: dict[str, Any] = {"n": n, **parameters}
            try:
                for tensor in _in_order(problem):
                    values[tensor.name] = _tensor(problem, tensor, values, random)
                key = repr([*map(repr, values.values())])
                if key in seen or not problem.admits(values):
                    continue
                instance = Instance(problem, values)
                if valued:
                    _ = instance.given
            except InputError:
                continue
            seen.add(key)
            yield instance
            break


def with_tensors(
    problem: Problem, n: int, count: int, given: Mapping[str, Any], seed: int = 0
) -> Iterator[Instance]:
    """Up to ``count`` instances with the values of every tensor as given, of the length that they
    say, or else of ``n``; none where they do not fulfil what is assumed.

    >>> from attnproof.symbolic.formula import at, k, q
    >>> packed = Problem.of((k <= q) & at("ids", q).eq(at("ids", k)))
    >>> [each.values["n"] for each in with_tensors(packed, 8, 1, {"ids": [0, 0, 1]})]
    [3]
    """
    import numpy as np

    sizes: dict[str, int] = {}
    tensors: dict[str, Any] = {}
    for tensor in problem.tensors:
        if tensor.name not in given:
            return
        found = np.asarray(given[tensor.name])
        tensors[tensor.name] = found.astype(bool if tensor.boolean else np.int64)
        sizes |= {
            size.name: length
            for size, length in zip(tensor.shape, found.shape, strict=False)
            if size.op == "var"
        }
    n = sizes.setdefault("n", n)
    for parameters in _parameters(problem, n, count, Random(f"{seed} {n}")):
        values = {**parameters, **sizes, **tensors}
        try:
            shapes = (tuple(evaluate(x, values) for x in each.shape) for each in problem.tensors)
            same = all(a == b.shape for a, b in zip(shapes, tensors.values(), strict=True))
            instance = Instance(problem, values)
            if same and problem.admits(values) and instance.given:
                yield instance
        except InputError:
            continue


def _parameters(problem: Problem, n: int, count: int, random: Random) -> list[dict[str, int]]:
    """Values of the parameters that satisfy what is required: some small, some like n."""
    names, required = problem.parameters, problem.domain()
    small = list(product(range(4), repeat=len(names))) if len(names) <= 3 else []
    near = sorted(
        {0, 1, 2, 3, 4, 5, 7, n // 3, n // 2, n - 2, n - 1, n, n + 1, *constants(problem)}
    )
    found: dict[tuple[int, ...], dict[str, int]] = {}

    def take(values: tuple[int, ...]) -> None:
        env = {"n": n, **dict(zip(names, values, strict=True))}
        if values not in found and all(evaluate(each, env) for each in required):
            found[values] = env

    for values in random.sample(small, min(len(small), 4 * count)):
        take(values)
    for tried in range(TRIES * count):
        if tried >= 2 * count and found:
            break
        take(tuple(random.choice(near) for _ in names))
    kept = sorted(found)
    if len(kept) > count:
        kept = sorted(random.sample(kept, count))
    return [found[values] for values in kept]


def _in_order(problem: Problem) -> list[Tensor]:
    """Tensors whose shape speaks of no other first."""
    return sorted(problem.tensors, key=lambda tensor: (len(tensor.shape), tensor.name))


def _tensor(problem: Problem, tensor: Tensor, values: dict[str, Any], random: Random) -> Any:
    import numpy as np

    shape = [max(0, int(evaluate(size, values))) for size in tensor.shape]
    assumed = {a.schema: a for a in problem.assumptions if a.tensor.name == tensor.name}
    rows = prod(shape[:-1])
    last = shape[-1] if shape else 1
    made = [_row(assumed, last, values, tensor.boolean, random) for _ in range(rows)]
    return np.array(made, dtype=bool if tensor.boolean else np.int64).reshape(shape)


def _row(
    assumed: dict[str, Any], size: int, values: dict[str, Any], boolean: bool, random: Random
) -> list[int]:
    """One row of values that suit the named assumptions."""
    if boolean:
        if "nondecreasing" in assumed:
            start = random.randint(0, size)
            return [int(i >= start) for i in range(size)]
        share = random.choice((0.15, 0.5, 0.85))
        return [int(random.random() < share) for _ in range(size)]
    low, high = -1, 3
    if "bounded" in assumed:
        law = assumed["bounded"].law
        low = int(evaluate(law.children[0].children[1], values))
        high = max(low, int(evaluate(law.children[1].children[1], values)) - 1)
    elif "nonnegative" in assumed:
        low = 0
    if "permutation" in assumed or ("injective" in assumed and "nondecreasing" not in assumed):
        return random.sample(range(size), size)
    if assumed.keys() & {"increasing", "injective"}:
        return _sums((random.choice((1, 1, 2)) for _ in range(size - 1)), size)
    if "nondecreasing" in assumed:
        share = random.choice((0.15, 0.35, 0.7))
        steps = (int(random.random() < share) for _ in range(size - 1))
        sums = _sums(steps, size)
        return [min(high, low + x) for x in sums] if "bounded" in assumed else sums
    if "contiguous" in assumed:
        share = random.choice((0.2, 0.4))
        runs = _sums((int(random.random() < share) for _ in range(size)), size)
        names = random.sample(range(size + 1), size + 1)
        return [names[run] for run in runs]
    if not assumed and random.random() < 0.5:
        return _sums((int(random.random() < 0.3) for _ in range(size - 1)), size)
    return [random.randint(low, min(high, low + 4 + size)) for _ in range(size)]


def _sums(steps: Iterable[int], size: int) -> list[int]:
    return list(accumulate(steps, initial=0))[:size]
