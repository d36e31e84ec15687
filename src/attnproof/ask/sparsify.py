"""sparsify: the fewest edges whose flow through K layers is that of a mask at any depth."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from attnproof.ask.one import one_flow
from attnproof.certificate import Certificate
from attnproof.keywords import keywords
from attnproof.proofs import refute
from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.evidence import Optimum, Spans, Steps
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.sparse import bounds, explicit, maxsat, reduction
from attnproof.symbolic.words import counted

#: Positions of a path up to which it is searched itself, and up to which lengths are searched to
#: bound a longer one.
_SEARCHED, _BOUNDED = 32, 16
#: Rows that a schedule may have.
_ROWS = 1 << 18
#: Conflicts that a refutation may take where the checker is to replay it: about a minute.
_REPLAYED = 10_000

By = Literal["layer", "reduction", "path", "maxsat"]


@dataclass(frozen=True)
class Sparse:
    """The masks that were found, one or one for each layer; ``fewest`` edges are needed at least.

    ``by`` says where the lower bound is from.
    """

    source: str
    flow: Flow
    layers: int
    masks: tuple[Mask, ...]
    fewest: int
    by: By
    lengths: tuple[tuple[int, Steps], ...] = ()
    conflicts: int = 0

    @cached_property
    def edges_off_diagonal(self) -> int:
        """Pairs off the diagonal; those of one mask once, of a schedule in each layer."""
        return explicit.edges(tuple(mask.rows.bits() for mask in self.masks))

    @property
    def settled(self) -> bool:
        """Do the masks have as few edges as are needed, by a theorem or by the solver's word?"""
        return self.edges_off_diagonal == self.fewest

    @property
    def optimal(self) -> Literal["proved", "unknown"]:
        """Is it proved that fewer edges do not suffice? One solver alone proves nothing: its
        refutation must be one that the checker replays."""
        return "proved" if isinstance(self.evidence[0], Optimum) else "unknown"

    @property
    def certificate(self) -> Certificate:
        """The evidence as a certificate."""
        return Certificate.of(self.evidence)

    @cached_property
    def evidence(self) -> tuple[Spans | Optimum, ...]:
        """That the masks span the flow; and a refutation of one edge less, where one is known that
        the checker replays in about a minute."""
        rows = self.flow.closure.rows
        given = self.flow.setting
        there = Setting(self.masks, self.layers, origin={"source": f"sparsify {self.source}"})
        spans = Spans(given, there, rows, self.edges_off_diagonal)
        if not self.settled:
            return (spans,)
        if self.by in ("layer", "reduction"):
            return (Optimum(spans, self.by),)
        if self.by == "path" and self.lengths and self.conflicts <= _REPLAYED:
            return (Optimum(spans, "path", lengths=self.lengths),)
        schedule = len(self.masks) > 1
        steps = None
        if self.by == "maxsat":
            steps = refute.without(rows, self.layers, schedule, self.edges_off_diagonal, _REPLAYED)
        return (spans if steps is None else Optimum(spans, "refutation", steps),)

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object; ``bounds`` are what is needed and what was found."""
        drawn = [_drawn(mask) for mask in self.masks]
        return {
            "source": self.source,
            "n": self.flow.setting.size,
            "edges_off_diagonal": self.edges_off_diagonal,
            "dense_edges_off_diagonal": explicit.edges((self.flow.closure.rows,)),
            "optimal": self.optimal,
            "bounds": [self.fewest, self.edges_off_diagonal],
            "by": self.by,
            **({"rows": drawn[0]} if len(drawn) == 1 else {"layers": drawn}),
        }

    def __repr__(self) -> str:
        found = str(self.edges_off_diagonal)
        if not self.settled:
            found = f"{self.fewest} to {found}"
        what = "one mask" if len(self.masks) == 1 else f"{len(self.masks)} masks"
        return (
            f"{self.source}, n = {self.flow.setting.size}: {what}, "
            f"{counted(self.layers, 'layer')}, {found} edges, optimal: {self.optimal}"
        )

    def __str__(self) -> str:
        lines = [repr(self), *map(repr, self.masks)]
        if self.settled and self.optimal == "unknown":
            lines.append("one solver refutes fewer edges; that is too long to be replayed")
        return "\n".join(lines)


@keywords()
def sparsify(
    source: object,
    *,
    layers: int,
    per_layer: bool = False,
    n: int | None = None,
    params: Mapping[str, object] | None = None,
    encoding: str = "auto",
    q_offset: int | None = None,
    budget: int = 100_000,
) -> Sparse:
    """The fewest edges whose flow through exactly ``layers`` layers is the closure of a mask.

    One mask is used in every layer; with ``per_layer`` each layer has its own, and edges are those
    of all masks together. Edges are pairs off the diagonal; every mask found has the diagonal too.

    >>> import attnproof as ap
    >>> found = ap.sparsify("causal", n=8, layers=2)
    >>> found
    causal, n = 8: one mask, 2 layers, 13 edges, optimal: proved
    >>> ap.verify(*found.masks, layers=2, equals=found.masks[0]).flow.depth
    2

    Total orders are decided length by length, other masks by MaxSAT; both need the extra
    ``optimal`` (python-sat), and stop after ``budget`` conflicts of the solver. Then, and for large
    masks, ``optimal`` is "unknown", the masks are the best that is built, and ``fewest`` is a lower
    bound. Raises :class:`~attnproof.errors.InputError` unless ``layers`` is 1 or more.

    Laws: the product of the layers is the closure of the mask, and no layer exceeds it. A sparse
    mask shares the diagram and is another function: train and infer with the same one. Source: a
    sparse mask as a transitive-closure spanner, Raskhodnikova (2010); the rest ours.
    """
    if isinstance(layers, bool) or not isinstance(layers, int) or layers < 1:
        raise InputError(f"layers is {layers!r}; give 1 or more", layers=layers)
    if budget < 0:
        raise InputError(f"the budget is {budget}; give 0 or more conflicts", budget=budget)
    name, flow = one_flow(source, n=n, params=params, encoding=encoding, q_offset=q_offset)
    schedule = per_layer and layers > 1
    order = flow.closure
    size = len(order.rows)
    if schedule and layers * size > _ROWS:
        raise ShapeError(
            f"{layers} masks of {size} positions have {layers * size} rows; give fewer layers, at "
            f"most {_ROWS // size}",
            layers=layers,
            size=size,
        )
    # One mask reaches all it ever does in one layer less than there are positions.
    used = layers if schedule else min(layers, max(size - 1, 1))
    built = explicit.explicit(order, used, schedule)
    least = explicit.edges((order.rows,)) if layers == 1 else reduction.fewest(order)
    by: By = "layer" if layers == 1 else "reduction"
    found = Sparse(name, flow, layers, _masks(built, name), least, by)
    if found.settled:
        return found
    chain = explicit.chain_of(order.rows)
    if chain is not None:
        return _path(found, chain, used, budget)
    if not maxsat.is_small(order.rows, used):
        return found
    searched = maxsat.sparsest(order.rows, used, schedule, budget)
    masks = found.masks if searched.layers is None else _masks(searched.layers, name)
    return Sparse(name, flow, layers, masks, max(searched.fewest, least), "maxsat")


def _path(found: Sparse, chain: tuple[int, ...], layers: int, budget: int) -> Sparse:
    """A total order: its optimum, or bounds from those of shorter ones."""
    size, schedule = len(chain), len(found.masks) > 1

    def known(n: int) -> int:
        causal = closure([(2 << q) - 1 for q in range(n)])
        return explicit.edges(explicit.explicit(causal, layers, schedule))

    searched = min(size, _SEARCHED if size <= _SEARCHED else _BOUNDED)
    shown = refute.path_bounds(searched, layers, schedule, known, budget)
    fewest = [0, 0, *(edges for edges, _ in shown.lengths)]
    whole = len(fewest) == size + 1
    masks = found.masks
    if whole and shown.layers is not None:
        masks = _masks(explicit.placed(shown.layers, chain), found.source)
    least = bounds.at_least(size, layers, fewest)
    return Sparse(
        found.source,
        found.flow,
        found.layers,
        masks,
        max(least, found.fewest),
        "path",
        shown.lengths if whole else (),
        shown.conflicts,
    )


def _masks(layers: explicit.Layers, name: str) -> tuple[Mask, ...]:
    return tuple(Mask.of(Bits(rows, len(rows)), name=f"sparse {name}") for rows in layers)


def _drawn(mask: Mask) -> list[str]:
    return [
        "".join("1" if row >> k & 1 else "." for k in range(mask.keys)) for row in mask.rows.bits()
    ]
