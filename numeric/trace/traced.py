"""What tracing a rule gives: one formula for every batch element, head, query, key and length.

Indices and parameters are unbounded integers; kernels compute them with 32 or 64 bits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.formula.terms import Term

if TYPE_CHECKING:
    from attnproof.symbolic.formula.obligations import Obligation
    from attnproof.symbolic.lengths.assumptions import Assumption


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A tensor that a rule reads: its name in formulas, its values and the sizes of its axes.

    An abstract tensor stands for every tensor that fulfils the assumptions; ``values`` are those
    of the user, for replay. Its sizes are variables where nothing fixes them.
    """

    name: str
    values: Any
    sizes: tuple[Term, ...]
    abstract: bool

    def __repr__(self) -> str:
        kind = "any" if self.abstract else "the given"
        return f"{self.name}: {kind} {self.values.dtype}[{', '.join(map(repr, self.sizes))}]"


@dataclass(frozen=True, slots=True)
class Path:
    """Where all ``conditions`` hold, in this order, the rule returns ``term``."""

    conditions: tuple[Term, ...]
    term: Term


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A rule as the formula ``term`` over b, h, q, k, n, parameters and captured tensors.

    ``requires`` says for which parameters, batch elements and heads it is asked. There
    ``obligations`` must hold: divisors are positive and indices in range. ``assumptions`` are facts
    on captured tensors; ``notes`` say what is taken for granted; ``agreed`` counts the points at
    which the formula was found equal to what torch computes.
    """

    name: str
    term: Term
    paths: tuple[Path, ...]
    requires: tuple[Term, ...]
    obligations: tuple["Obligation", ...]
    tensors: Mapping[str, Captured]
    parameters: tuple[str, ...]
    assumptions: tuple["Assumption", ...]
    notes: tuple[str, ...]
    agreed: int

    @property
    def values(self) -> dict[str, Any]:
        """The user's values of the captured tensors, and sizes of abstract ones by their names.

        With q, k, b, h, n and parameters added this is an environment for ``evaluate``.
        """
        return {**sizes_of(self.tensors), **{x.name: x.values for x in self.tensors.values()}}

    @property
    def shapes(self) -> dict[str, tuple[Term, ...]]:
        """The sizes of the axes of captured tensors."""
        return {x.name: x.sizes for x in self.tensors.values()}

    @property
    def abstract(self) -> tuple[str, ...]:
        """The names of tensors of which only the assumptions are known."""
        return tuple(x.name for x in self.tensors.values() if x.abstract)

    def __repr__(self) -> str:
        return f"{self.name}(b, h, q, k) = {self.term!r}"


def sizes_of(tensors: Mapping[str, Captured]) -> dict[str, int]:
    """The sizes that are variables, with their values for the user's tensors."""
    return {
        size.name: number
        for tensor in tensors.values()
        for size, number in zip(tensor.sizes, tensor.values.shape, strict=True)
        if size.op == "var"
    }
