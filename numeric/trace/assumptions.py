"""Named facts on captured tensors, each true of the values that the user gave.

What a fact says for other values of the same name is in ``attnproof.symbolic.lengths.assumptions``.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import Term, constant, evaluate, fold, variable, variables
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.formula.rewriting import rebuilt
from attnproof.symbolic.lengths.assumptions import Assumption, Tensor, assumed

if TYPE_CHECKING:
    from attnproof.numeric.trace.traced import Captured

_CALL = re.compile(r"(?P<name>[a-z_]+)(?:\((?P<bounds>[^()]*)\))?")


def read_assumptions(
    given: Mapping[str, str | Sequence[str]],
    tensors: Mapping[str, "Captured"],
    sizes: Mapping[str, int],
) -> tuple[Assumption, ...]:
    """The assumptions by name; ``sizes`` gives the variables in sizes and bounds their values.

    Raises :class:`ParameterError` for an unknown tensor or fact, and where the tensor fails one.
    """
    found: list[Assumption] = []
    for name, facts in given.items():
        if name not in tensors:
            listing = ", ".join(tensors) or "no tensor"
            raise ParameterError(
                f"there is no captured tensor {name!r} to assume something of; the rule reads "
                f"{listing}",
                tensor=name,
                known=tuple(tensors),
            )
        for fact in (facts,) if isinstance(facts, str) else facts:
            found.append(_checked(tensors[name], fact, sizes))
    return tuple(dict.fromkeys(found))


def failure(
    assumption: Assumption, values: Any, sizes: Mapping[str, int]
) -> tuple[tuple[int, ...], ...] | None:
    """The first elements of an array, by their indices, at which it fails the assumption.

    >>> from attnproof.symbolic.formula import n
    >>> failure(assumed("nondecreasing", Tensor("ids", (n,))), [0, 1, 1, 0], {})
    ((2,), (3,))
    """
    import numpy as np

    array = np.asarray(values)
    for lead in np.ndindex(*array.shape[:-1]):
        found = _first(assumption, [int(x) for x in array[lead].tolist()], sizes)
        if found is not None:
            return tuple((*lead, i) for i in dict.fromkeys(found))
    return None


def _checked(tensor: "Captured", fact: str, sizes: Mapping[str, int]) -> Assumption:
    name = tensor.name
    if not tensor.sizes:
        raise ParameterError(
            f"{name} is a single value; {fact} speaks of a row of them", tensor=name, fact=fact
        )
    shape = Tensor(name, tensor.sizes, tensor.values.dtype.kind == "b")
    call = _CALL.fullmatch(fact)
    if call is None:
        raise ParameterError(
            f"{name} is assumed {fact!r}; write nondecreasing, or bounded(0, n)", fact=fact
        )
    bounds = [_bound(text) for text in (call["bounds"] or "").split(",") if text.strip()]
    unknown = sorted(frozenset().union(*map(variables, bounds)) - set(sizes))
    if unknown:
        raise ParameterError(
            f"{name} is assumed {fact}, and {unknown[0]} is no size; give integers, or one of "
            f"{', '.join(sizes)}",
            fact=fact,
        )
    assumption = assumed(call["name"].replace("_", ""), shape, *bounds)
    wrong = failure(assumption, tensor.values, sizes)
    if wrong is not None:
        shown = " and ".join(
            f"{name}[{', '.join(map(str, index))}] = {int(tensor.values[index])}" for index in wrong
        )
        raise ParameterError(
            f"{name} is assumed {fact}, but {shown}; drop the assumption or give other values",
            tensor=name,
            fact=fact,
            elements=wrong,
        )
    return assumption


def _bound(text: str) -> Term:
    text = text.strip()
    if not re.fullmatch(r"-?\d+", text):
        return variable(text)
    if len(text) > 20 or not -(1 << 63) <= int(text) < 1 << 63:
        raise ParameterError(
            f"the bound {text} does not fit 64 bits, as every element does; give a smaller one",
            bound=text,
        )
    return constant(int(text))


def _first(
    assumption: Assumption, row: list[int], sizes: Mapping[str, int]
) -> tuple[int, ...] | None:
    """The first positions of a row that fail; neighbours decide whether it is monotone."""
    order: dict[str, Callable[[int, int], bool]] = {
        "nondecreasing": lambda x, y: x <= y,
        "increasing": lambda x, y: x < y,
    }
    schema = assumption.schema
    if schema in order:
        right = order[schema]
        steps = range(len(row) - 1)
        return next(((i, i + 1) for i in steps if not right(row[i], row[i + 1])), None)
    if schema in ("injective", "permutation", "contiguous"):
        last: dict[int, int] = {}
        for i, value in enumerate(row):
            before = last.get(value, i - 1)
            if schema == "permutation" and not 0 <= value < len(row):
                return (i,)
            if schema == "contiguous" and before < i - 1:
                return before, i - 1, i
            if schema != "contiguous" and value in last:
                return before, i
            last[value] = i
        return None
    rows = {f"r{axis}": 0 for axis in range(len(assumption.tensor.shape) - 1)}
    for i, value in enumerate(row):
        read = _only_element(assumption, value)
        if not evaluate(read, {**sizes, **rows, "i0": i}):
            return (i,)
    return None


def _only_element(assumption: Assumption, value: int) -> Term:
    """A law on one element, with its value in the place of the element."""

    def combine(node: Term, parts: list[Term]) -> Term:
        if node.op in TENSORS and node.name == assumption.tensor.name:
            return constant(bool(value) if node.op == "holds" else value)
        return rebuilt(node, parts)

    return fold(assumption.law, combine)
