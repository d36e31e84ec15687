"""Prediction in an order of the tokens, or in all orders: XLNet's two streams.

Task ``k`` of the order ``z`` reads ``z_1 .. z_{k-1}`` causally in that order and predicts ``z_k``
from its place. Merged, one order is the two-stream mask; all orders are a trie of prefixes with
``sum of n!/(n-k)!`` contents and as many queries as a prefix can go on in ways.
"""

from itertools import permutations
from math import factorial
from typing import Any

from attnproof.symbolic.families.family import (
    Builder,
    Family,
    check_size,
    first,
    named,
    query,
    task,
    token,
)
from attnproof.symbolic.named import kinds
from attnproof.symbolic.named.named import Parameter, require
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.words import counted


def make(n: int | None, order: tuple[int, ...] | str | None) -> Family:
    if isinstance(order, tuple):
        require(
            n in (None, len(order)),
            f"permutation: n is {n} and order holds {counted(len(order), 'token')}; make them "
            "agree",
            n=n,
        )
        n = len(order)
    require(n is not None, "permutation needs n, the number of tokens, or an order of them")
    tokens = range(1, (n or 0) + 1)
    all_of_them = 3 * factorial(min(len(tokens), 20)) if order == "all" else 1
    check_size("permutation", len(tokens) * max(all_of_them, len(tokens)))
    if order == "all":
        prefixes = {z[:k] for z in permutations(tokens) for k in tokens}
        ordered = sorted(prefixes, key=lambda z: (len(z), z))
        return Family("permutation", tuple(_task(z, len(tokens)) for z in ordered))
    z = tuple(tokens) if order is None else tuple(int(i) + 1 for i in order)
    tasks = tuple(_task(z[:k], len(z)) for k in tokens)
    content = {i: place for place, i in enumerate(i for i in tokens if i != z[-1])}
    places = [[*(content[i] for i in z[: k - 1]), len(content) + z[k - 1] - 1] for k in tokens]
    closed = named("two_stream", places, len(z), order=tuple(i - 1 for i in z))
    return Family("permutation", tasks, closed)


def _task(z: tuple[int, ...], n: int) -> Task:
    """The last token of ``z`` from those before it, in their order."""
    *past, target = z
    positions = [*map(token, past), query(target)]
    name = "x" + ".".join(map(str, z))
    return task(name, n, positions, {len(past): target}, map(first, range(1, len(z) + 1)))


def _read(given: Any) -> tuple[int, ...] | str:
    if given == "all":
        return "all"
    found: tuple[int, ...] = kinds.permutation.read(given)
    return found


BUILDER = Builder(
    name="permutation",
    doc="Each token is predicted from those before it in an order.",
    source="Yang et al., XLNet, arXiv:1906.08237 (family ours)",
    parameters=(
        Parameter("n", "how many tokens; follows from the order", kinds.at_least(1), None),
        Parameter(
            "order",
            "the order of prediction",
            kinds.Kind(f'"all", or {kinds.permutation.words}', _read),
            None,
        ),
    ),
    make=make,
)
