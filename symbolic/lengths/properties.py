"""What may be asked of a mask for every length.

A flow property forbids pairs: query ``q`` must not be reached from key ``k``, however many layers
there are. A structural property speaks of the layers as they are read.
"""

from dataclasses import dataclass

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import Term, at, k, q
from attnproof.symbolic.lengths.problem import Problem


@dataclass(frozen=True, slots=True)
class Flow:
    """No query is reached from a key where ``forbidden``, a formula over q and k, holds."""

    name: str
    forbidden: Term

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Structural:
    """``reflexive``, ``transitive``, ``antisymmetric`` or ``no-empty-rows``, of every layer."""

    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Depth:
    """The flow settles within ``layers`` layers."""

    layers: int

    @property
    def name(self) -> str:
        return f"depth={self.layers}"

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Equals:
    """The mask, as given, has the pairs of ``other``."""

    other: Term

    @property
    def name(self) -> str:
        return "equals"

    def __repr__(self) -> str:
        return f"equals {self.other!r}"


Property = Flow | Structural | Depth | Equals

#: No query is reached from a later key.
causal = Flow("causal", k > q)
#: Query q, which predicts token q + 1, is not reached from it.
next_token = Flow("next-token", k.eq(q + 1))
reflexive, transitive = Structural("reflexive"), Structural("transitive")
antisymmetric, no_empty_rows = Structural("antisymmetric"), Structural("no-empty-rows")


def documents(tensor: str) -> Flow:
    """No flow between positions whose element of a captured tensor differs.

    >>> documents("ids").forbidden
    ids[q] != ids[k]
    """
    return Flow("documents", at(tensor, q).ne(at(tensor, k)))


def forbid(pairs: Term) -> Flow:
    """No flow from k to q where a formula holds.

    >>> forbid(k.eq(q + 2)).forbidden
    k == q + 2
    """
    return Flow("forbid", pairs)


def named(text: str, problem: Problem) -> Property:
    """The property of a name: causal, next-token, documents@TENSOR, reflexive, ..., depth=c.

    >>> named("depth=2", Problem.of(k <= q))
    depth=2

    Raises :class:`ParameterError` for a name that is not known, or a tensor that is not captured.
    """
    plain = (causal, next_token, reflexive, transitive, antisymmetric, no_empty_rows)
    known: dict[str, Property] = {each.name: each for each in plain}
    if text in known:
        return known[text]
    name, _, rest = text.partition("=")
    if name == "depth" and rest.isdecimal() and int(rest) >= 1:
        return Depth(int(rest))
    name, _, rest = text.partition("@")
    captured = [tensor.name for tensor in problem.tensors]
    if name == "documents" and rest in captured:
        return documents(rest)
    if name == "documents" and rest:
        raise ParameterError(
            f"the mask captures no tensor {rest!r}; it captures {', '.join(captured) or 'none'}",
            name=rest,
        )
    raise ParameterError(
        f"{text!r} is no property for every length; give one of {', '.join(known)}, "
        "documents@TENSOR, depth=c",
        given=text,
    )
