"""What a claim about every length speaks of: layers and positions as formulas, what is assumed, and
what is claimed of them.

Positions are ``0 <= q, k < size``. The layers are read one after the other, again and again; with
a residual a position also keeps what it holds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .envelope import Fields, Invalid, array, boolean, integer, need, record, string
from .formulas import RESERVED, Scope, Tensor, Term, inside, names_of, read_tensors, some
from .laws import Law, read_laws

FIELDS = {"layers", "size", "depth", "residual", "requires", "tensors", "assumptions"}
EVIDENCE = {"claim", "invariant", "between", "rank", "reader"}
_WITHOUT_POSITIONS = re.compile(rf"{RESERVED.pattern}|q|k")
_INDICES = re.compile(r"[ir]\d+")
_MOST_LAYERS = 64
#: Claims about flow, and others, each with the key of what it speaks of.
FLOW = {"causal": None, "next-token": None, "documents": "tensor", "forbid": "pairs"}
_OTHERS = {
    "reflexive": None,
    "transitive": None,
    "antisymmetric": None,
    "no-empty-rows": None,
    "depth": "layers",
    "equals": "other",
    "closure": "relation",
}
DIAGONAL: Term = ("==", "q", "k")


@dataclass(frozen=True)
class Obligation:
    """Wherever the premises hold the goal does."""

    name: str
    premises: tuple[Term, ...]
    goal: Term


@dataclass(frozen=True)
class Setting:
    """Layers, positions, and what is assumed."""

    layers: tuple[Term, ...]
    size: Term
    depth: int | None
    residual: bool
    requires: tuple[Term, ...]
    tensors: Mapping[str, Tensor]
    laws: tuple[Law, ...]

    @property
    def scope(self) -> Scope:
        """What lemmas and witnesses may speak of."""
        return Scope(self.tensors, _INDICES)

    @property
    def executed(self) -> list[Term]:
        """Each layer, with the diagonal where there is a residual."""
        return [some([one, DIAGONAL]) if self.residual else one for one in self.layers]

    @property
    def read(self) -> Term:
        """What some layer reads, with the diagonal where there is a residual."""
        return some([*self.layers, *([DIAGONAL] if self.residual else [])])

    @property
    def domain(self) -> list[Term]:
        """What is assumed of n and of parameters."""
        return [(">=", "n", 1), *self.requires]

    def obligation(
        self, name: str, positions: Sequence[Term], premises: Sequence[Term], goal: Term
    ) -> Obligation:
        """An implication at positions in range."""
        within = [bound for x in positions for bound in inside(x, self.size)]
        return Obligation(name, (*self.domain, *within, *premises), goal)


@dataclass(frozen=True)
class Claim:
    """What is claimed: ``formula`` says which pairs are forbidden, the other mask, or what is
    reached; ``count`` is the c of ``depth``. The rest is evidence."""

    name: str
    formula: Term | None
    count: int
    invariant: Term | None
    between: tuple[tuple[Term, ...], ...]
    rank: Term | None
    reader: bool


def read_setting(fields: Fields) -> Setting:
    """Layers and assumptions of a predicate."""
    plain = Scope({}, _WITHOUT_POSITIONS)
    tensors = read_tensors(fields["tensors"], plain)
    layers = Scope(tensors).formulas(fields["layers"], "a layer")
    need(0 < len(layers) <= _MOST_LAYERS, "there is no layer, or too many")
    depth = fields["depth"]
    size = plain.integer(fields["size"], "size")
    need(not tensors.keys() & names_of(size), "size has a variable that is called as a tensor is")
    return Setting(
        layers,
        size,
        None if depth == "any" else integer(depth, _MOST_LAYERS, "depth"),
        boolean(fields["residual"], "residual"),
        Scope(tensors, _WITHOUT_POSITIONS).formulas(fields["requires"], "requires"),
        tensors,
        read_laws(fields["assumptions"], tensors),
    )


def read_claim(fields: Fields, setting: Setting) -> Claim:
    """The claim of a predicate, with its evidence."""
    claim = fields["claim"]
    if not isinstance(claim, dict):
        raise Invalid("the claim is not an object")
    name = string(claim.get("name"), "the name of the claim")
    known: Mapping[str, str | None] = {**FLOW, **_OTHERS}
    need(name in known, "the claim is none for every length")
    of = known[name]
    record(claim, {"name", of} if of else {"name"}, "the claim")
    need(name in FLOW or setting.depth is None, "only flow has a depth")
    scope = Scope(setting.tensors)
    formula: Term | None = None
    count = 0
    if name == "causal":
        formula = (">", "k", "q")
    elif name == "next-token":
        formula = ("==", "k", ("+", "q", 1))
    elif name == "documents":
        tensor = claim["tensor"]
        at_q, at_k = (scope.integer(["at", tensor, x], "documents") for x in "qk")
        formula = ("!=", at_q, at_k)
    elif name == "depth":
        count = integer(claim["layers"], _MOST_LAYERS, "layers")
        need(count > 0, "there are no layers")
    elif of:
        formula = scope.formula(claim[of], "the claim")
    invariant = fields["invariant"]
    return Claim(
        name,
        formula,
        count,
        None if invariant is None else scope.formula(invariant, "the invariant"),
        tuple(
            setting.scope.integers(one, "between") for one in array(fields["between"], "between")
        ),
        None if fields["rank"] is None else setting.scope.integer(fields["rank"], "rank"),
        boolean(fields["reader"], "reader"),
    )
