"""Masked autoencoder: the hidden tokens from a set of visible ones, for one set or several.

Visible tokens read each other; masked positions read them and each other, or, in the variant
"cross", themselves alone. Different sets share nothing: merged, they stand side by side.
"""

from collections.abc import Sequence
from typing import Any

from attnproof.symbolic.families.family import (
    Builder,
    ClosedForm,
    Family,
    check_size,
    first,
    named,
    query,
    task,
    token,
    tokens_said,
)
from attnproof.symbolic.formula import Term, at, holds, k, q
from attnproof.symbolic.named.kinds import Kind, at_least, choice, integers
from attnproof.symbolic.named.named import Parameter
from attnproof.symbolic.tasks.task import Task

Sets = tuple[tuple[int, ...], ...]
same_sample = at("sample", k).eq(at("sample", q))


def make(n: int, visible: Sets, masked: str) -> Family:
    check_size("masked_autoencoder", n * len(visible))
    sets = tuple(tokens_said("masked_autoencoder: visible", one, n) for one in visible)
    tasks = tuple(_task(set(one), n, masked) for one in sets)
    places = [range(s * n, s * n + n) for s in range(len(sets))]
    if len(sets) == 1:
        seen = [i - 1 for i in sets[0]]
        closed = named("masked_autoencoder", places, n, visible=seen, masked=masked)
    else:
        closed = _side_by_side(sets, n, masked, places)
    return Family("masked_autoencoder", tasks, closed)


def _task(seen: set[int], n: int, masked: str) -> Task:
    encoder = sum(1 << (i - 1) for i in seen)
    tokens = range(1, n + 1)
    rows = [
        encoder if i in seen else first(n) if masked == "clique" else encoder | 1 << (i - 1)
        for i in tokens
    ]
    positions = [token(i) if i in seen else query(i) for i in tokens]
    name = "from " + ",".join(f"x{i}" for i in sorted(seen))
    return task(name, n, positions, {i - 1: i for i in tokens if i not in seen}, rows)


def _side_by_side(sets: Sets, n: int, masked: str, places: Sequence[range]) -> ClosedForm:
    seen = [i in one for one in sets for i in range(1, n + 1)]
    more: Term = ~holds("visible", q) if masked == "clique" else k.eq(q)
    return ClosedForm(
        "masked_autoencoders",
        same_sample & (holds("visible", k) | more),
        {"sample": tuple(s for s in range(len(sets)) for _ in range(n)), "visible": tuple(seen)},
        tuple(map(tuple, places)),
        "In each set, visible tokens are read by all, masked ones as said.",
        {"same_sample": same_sample},
    )


def read_sets(given: Any) -> Sets:
    """A list of token numbers, or a list of such lists.

    >>> read_sets([1, 4]), read_sets([[1, 4], [2]])
    (((1, 4),), ((1, 4), (2,)))
    """
    if not isinstance(given, list | tuple):
        raise ValueError(given)
    lists = given if given and all(isinstance(one, list | tuple) for one in given) else [given]
    return tuple(integers(0).read(one) for one in lists)


SETS = Kind("a list of token numbers, or a list of such lists", read_sets)

BUILDER = Builder(
    name="masked_autoencoder",
    doc="The hidden tokens are predicted from the visible ones.",
    source="He et al., Masked autoencoders, arXiv:2111.06377 (family ours)",
    parameters=(
        Parameter("n", "how many tokens", at_least(1)),
        Parameter("visible", "the tokens that are seen; several lists are several tasks", SETS),
        Parameter("masked", "what masked positions read too", choice("clique", "cross"), "clique"),
    ),
    make=make,
)
