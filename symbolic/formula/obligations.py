"""What must hold for a formula to mean the same to a solver, to Python and to torch.

A solver's division and remainder round as Python's do only for positive divisors, and its arrays
have no bounds. Each condition is a formula to prove, with the term that needs it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from attnproof.symbolic.formula.operators import MAX_SHIFT, TENSORS
from attnproof.symbolic.formula.rewriting import simplify
from attnproof.symbolic.formula.terms import Like, Term, constant, fold, variable


@dataclass(frozen=True, slots=True)
class Obligation:
    """``formula`` must hold wherever the mask is asked."""

    kind: Literal["divisor", "index", "shift"]
    formula: Term
    because: Term

    def __repr__(self) -> str:
        return f"{self.kind}: {self.formula!r} for `{self.because!r}`"


def obligations(
    term: Term, shapes: Mapping[str, Sequence[Like]] | None = None
) -> tuple[Obligation, ...]:
    """The conditions of a formula, each once; those that constants settle are left out.

    ``shapes`` gives captured tensors their axes; an axis without one is the variable
    ``NAME_size`` (``NAME_size1`` for axis 1, and so on).

    >>> from attnproof.symbolic.formula.terms import at, q
    >>> obligations((at("ids", q) // variable("block")).eq(0), {"ids": [variable("n")]})
    (index: q >= 0 and q < n for `ids[q]`, divisor: block > 0 for `ids[q] // block`)
    """
    found: dict[Obligation, None] = {}

    def need(kind: Literal["divisor", "index", "shift"], formula: Term, because: Term) -> None:
        formula = simplify(formula)
        if formula.value is not True:
            found[Obligation(kind, formula, because)] = None

    def combine(node: Term, parts: list[None]) -> None:
        if node.op in ("//", "%"):
            need("divisor", node.children[1] > 0, node)
        if node.op in ("<<", ">>"):
            places = node.children[1]
            need("shift", (places >= 0) & (places <= MAX_SHIFT), node)
        if node.op in TENSORS:
            given = (shapes or {}).get(node.name, ())
            for axis, index in enumerate(node.children):
                size = given[axis] if axis < len(given) else size_variable(node.name, axis)
                need("index", (index >= 0) & (index < constant(size)), node)

    fold(term, combine)
    return tuple(found)


def size_variable(tensor: str, axis: int) -> Term:
    """The variable that stands for the size of an axis."""
    return variable(f"{tensor}_size{axis or ''}")
