"""What may be assumed of a captured tensor: laws for all of its elements, by name.

A law is a formula over index variables ``i0``, ``i1``, ... that run over the tensor's last axis; of
the axes before it every index is the same. A proof uses finitely many instances of it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import (
    Like,
    Sort,
    Term,
    at,
    constant,
    evaluate,
    fold,
    holds,
    simplify,
    substitute,
    variable,
)
from attnproof.symbolic.formula.operators import TENSORS

#: Rounds in which instances of laws may name new elements.
ROUNDS = 2
i0, i1, i2 = variable("i0"), variable("i1"), variable("i2")


@dataclass(frozen=True, slots=True)
class Tensor:
    """A captured tensor: its name, the sizes of its axes, and whether it holds truth values."""

    name: str
    shape: tuple[Term, ...]
    boolean: bool = False

    def __getitem__(self, index: Like | tuple[Like, ...]) -> Term:
        """The element, as a term.

        >>> from attnproof.symbolic.formula import n, q
        >>> Tensor("ids", (n,))[q]
        ids[q]
        """
        indices = index if isinstance(index, tuple) else (index,)
        return (holds if self.boolean else at)(self.name, *indices)


@dataclass(frozen=True, slots=True)
class Assumption:
    """``law`` holds for all indices of ``tensor`` in range; ``indices`` counts its variables.

    ``rows`` are the variables ``r0``, ... of the axes before the last.

    >>> from attnproof.symbolic.formula import n
    >>> assumed("nondecreasing", Tensor("ids", (n,)))
    ids is nondecreasing: not i0 <= i1 or ids[i0] <= ids[i1]
    """

    schema: str
    tensor: Tensor
    law: Term
    indices: int

    def __repr__(self) -> str:
        return f"{self.tensor.name} is {self.schema}: {self.law!r}"

    def instance(self, rows: Sequence[Term], index: Sequence[Term]) -> Term:
        """The law at these indices, for indices in range.

        >>> from attnproof.symbolic.formula import k, n, q
        >>> assumed("nonnegative", Tensor("ids", (n,))).instance((), (q,))
        not (q >= 0 and q < n) or ids[q] >= 0
        """
        names = {f"i{place}": term for place, term in enumerate(index)}
        names |= {f"r{place}": term for place, term in enumerate(rows)}
        sizes = (*self.tensor.shape[:-1], *(self.tensor.shape[-1],) * len(index))
        within = [
            inside
            for term, size in zip((*rows, *index), sizes, strict=True)
            for inside in (term >= 0, term < size)
        ]
        return Term("and", tuple(within)).implies(substitute(self.law, names))

    def holds_on(self, env: Mapping[str, Any]) -> bool:
        """Whether concrete values satisfy the law, for every index in range.

        >>> from attnproof.symbolic.formula import n
        >>> assumed("injective", Tensor("rank", (n,))).holds_on({"n": 3, "rank": [2, 0, 2]})
        False
        """
        import numpy as np

        if self.schema in _BY_VALUE and len(self.tensor.shape) == 1:
            return bool(_BY_VALUE[self.schema](np.asarray(env[self.tensor.name])))
        sizes = [int(evaluate(size, env)) for size in self.tensor.shape]
        names = [f"r{place}" for place in range(len(sizes) - 1)]
        names += [f"i{place}" for place in range(self.indices)]
        axes = np.indices((*sizes[:-1], *(sizes[-1],) * self.indices))
        return bool(np.all(evaluate(self.law, {**env, **dict(zip(names, axes, strict=True))})))


def assumed(schema: str, tensor: Tensor, *bounds: Like) -> Assumption:
    """The assumption of this name about a tensor.

    ``nondecreasing``, ``increasing``, ``injective``, ``nonnegative``, ``contiguous`` (equal
    elements stand together), ``permutation`` (injective, and every element is an index), and
    ``bounded`` by ``bounds``: at least the first, less than the second.

    >>> from attnproof.symbolic.formula import n
    >>> assumed("bounded", Tensor("ids", (n,)), 0, n).law
    ids[i0] >= 0 and ids[i0] < n

    Raises :class:`ParameterError` for a name that is not known, and for bounds of anything else.
    """
    rows = tuple(variable(f"r{axis}") for axis in range(len(tensor.shape) - 1))
    a, b, c = (tensor[(*rows, index)] for index in (i0, i1, i2))
    if schema == "bounded":
        if len(bounds) != 2 or tensor.boolean:
            raise ParameterError(
                f"bounded takes a least value and one that is too large, for integers, and got "
                f"{bounds!r}; write bounded(0, n)",
                bounds=bounds,
            )
        return Assumption(schema, tensor, (a >= bounds[0]) & (a < bounds[1]), 1)
    if tensor.boolean:
        laws = {"nondecreasing": ((i0 <= i1).implies(a.implies(b)), 2)}
    else:
        laws = {
            "nondecreasing": ((i0 <= i1).implies(a <= b), 2),
            "increasing": ((i0 < i1).implies(a < b), 2),
            "injective": (a.eq(b).implies(i0.eq(i1)), 2),
            "nonnegative": (a >= 0, 1),
            "contiguous": (((i0 <= i1) & (i1 <= i2) & a.eq(c)).implies(a.eq(b)), 3),
            "permutation": (
                a.eq(b).implies(i0.eq(i1)) & (a >= 0) & (a < tensor.shape[-1]),
                2,
            ),
        }
    if schema not in laws:
        known = ", ".join([*laws, "bounded"]) if not tensor.boolean else ""
        raise ParameterError(
            f"{schema!r} is nothing that can be assumed of {tensor.name}; "
            + (f"give one of {known}" if known else "of truth values only nondecreasing can be")
            + ". A tensor keeps the values that it has at one length: give n (--n N) in place "
            "of all_n (--all-n)",
            name=schema,
        )
    if bounds:
        raise ParameterError(
            f"{schema} takes no bounds, and got {bounds!r}; leave them out", bounds=bounds
        )
    return Assumption(schema, tensor, *laws[schema])


def instances(
    assumptions: Sequence[Assumption], formulas: Iterable[Term], rounds: int = ROUNDS
) -> tuple[Term, ...]:
    """The instances of the laws at the elements that formulas, or instances before them, read.

    >>> from attnproof.symbolic.formula import at, n, q
    >>> instances([assumed("nonnegative", Tensor("ids", (n,)))], [at("ids", q) < 2])
    (not (q >= 0 and q < n) or ids[q] >= 0,)

    Sound for any number of rounds, since each is a consequence of its law.
    """
    found: dict[Term, None] = {}
    read: dict[str, dict[tuple[Term, ...], None]] = {}
    waiting = list(formulas)
    for _ in range(rounds):
        for formula in waiting:
            _elements(formula, read)
        waiting = [
            made
            for assumption in assumptions
            for made in _instances_of(assumption, read.get(assumption.tensor.name, {}))
            if made not in found
        ]
        found |= dict.fromkeys(waiting)
        if not waiting:
            break
    return tuple(found)


def _instances_of(assumption: Assumption, read: Mapping[tuple[Term, ...], None]) -> Iterator[Term]:
    by_row: dict[tuple[Term, ...], list[Term]] = {}
    for index in read:
        by_row.setdefault(index[:-1], []).append(index[-1])
    for rows, places in by_row.items():
        for index in product(places, repeat=assumption.indices):
            made = simplify(assumption.instance(rows, index))
            if made.value is not True:
                yield made


def _elements(formula: Term, read: dict[str, dict[tuple[Term, ...], None]]) -> None:
    def combine(node: Term, _: list[None]) -> None:
        if node.op in TENSORS and node.children:
            read.setdefault(node.name, {})[node.children] = None

    fold(formula, combine)


def law(name: str, tensor: Tensor, formula: Term, indices: int) -> Assumption:
    """An assumption in own words: ``formula`` over ``i0``, ... for all indices of a tensor.

    >>> from attnproof.symbolic.formula import at, n
    >>> law("a parent stands before", Tensor("up", (n,)), at("up", i0) <= i0, 1)
    up is a parent stands before: up[i0] <= i0

    Raises :class:`InputError` for a formula that is no truth value.
    """
    if formula.sort is not Sort.BOOL:
        raise InputError(f"`{formula!r}` is an integer; an assumption is a truth value")
    return Assumption(name, tensor, simplify(formula & constant(True)), indices)


def _contiguous(values: Any) -> bool:
    runs = 1 + sum(a != b for a, b in pairwise(values))
    return len(values) == 0 or len(set(values.tolist())) == runs


_BY_VALUE: dict[str, Callable[[Any], Any]] = {
    "nondecreasing": lambda values: (values[1:] >= values[:-1]).all(),
    "increasing": lambda values: (values[1:] > values[:-1]).all(),
    "injective": lambda values: len(set(values.tolist())) == len(values),
    "nonnegative": lambda values: (values >= 0).all(),
    "contiguous": _contiguous,
    "permutation": lambda values: sorted(values.tolist()) == list(range(len(values))),
}
