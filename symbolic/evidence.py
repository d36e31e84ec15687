"""Evidence: why a verdict should be believed, before it becomes a certificate.

``proofs.emit`` turns each of these values into one JSON statement; the checker re-checks it. One
value is one claim about one subject: a mask, a batch element of one, or a schedule of masks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from attnproof.symbolic.evidence_nets import Infeasible as Infeasible
from attnproof.symbolic.evidence_nets import Interpolates as Interpolates
from attnproof.symbolic.evidence_nets import InterpolatesSoftmax as InterpolatesSoftmax
from attnproof.symbolic.evidence_tasks import CommonSupergraph as CommonSupergraph
from attnproof.symbolic.evidence_tasks import Conflict as Conflict
from attnproof.symbolic.evidence_tasks import Equivalent as Equivalent
from attnproof.symbolic.evidence_tasks import FewestMerged as FewestMerged
from attnproof.symbolic.evidence_tasks import Inequivalent as Inequivalent
from attnproof.symbolic.evidence_tasks import Steps as Steps
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.properties import Property
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Path
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.formula import Term
    from attnproof.symbolic.lengths.problem import Problem
    from attnproof.symbolic.lengths.properties import Property as LengthProperty

#: Position to what it reads, or is reached from: as bit sets, or as runs.
Relation = tuple[int, ...] | Runs
#: What shows that nothing leaks: a closed relation, or the pairs that the property allows.
Closed = Relation | Literal["allowed"]


def _of(setting: Setting) -> str:
    names = " then ".join(mask.name or "a mask" for mask in setting.layers)
    depth = "at any depth" if setting.depth is None else f"in {counted(setting.depth, 'layer')}"
    return f"{names} on {counted(setting.size, 'position')} {depth}"


@dataclass(frozen=True, repr=False)
class Safe:
    """The property holds. ``relation`` contains every layer, is closed, and meets no forbidden
    pair; ``"allowed"`` names the pairs that the property allows, where these are closed. It is None
    when only the product of ``setting.depth`` layers is safe, which the checker computes itself."""

    setting: Setting
    property: Property
    relation: Closed | None

    def __repr__(self) -> str:
        return f"Safe: {self.property.name}, of {_of(self.setting)}"


@dataclass(frozen=True, repr=False)
class Leak:
    """The property fails: ``source`` reaches ``reader`` after ``depth`` layers, along ``path``.

    For a task ``atom`` is what the reader learns there and ``head`` names the label it spoils.
    """

    setting: Setting
    property: Property
    reader: int
    source: int
    depth: int
    path: Path
    atom: str | None = None
    head: int | None = None

    def __repr__(self) -> str:
        told = f"{self.source} reaches {self.reader}"
        return f"Leak: {told}, {self.property.name}, of {_of(self.setting)}"


@dataclass(frozen=True, repr=False)
class FlowFacts:
    """The limit: closure, classes (sources first), covers (source class, reader class), depth.

    ``depth`` is None when the powers never settle, which takes ``residual = False``.
    ``antichain`` and ``chains`` hold classes and witness the width; None when not computed.
    """

    setting: Setting
    relation: Relation
    classes: Sequence[tuple[int, ...]]
    covers: Sequence[tuple[int, int]]
    transitive: bool
    antisymmetric: bool
    depth: int | None
    height: int
    antichain: Sequence[int] | None = None
    chains: Sequence[Sequence[int]] | None = None

    def __repr__(self) -> str:
        return f"FlowFacts: {counted(len(self.classes), 'class')}, of {_of(self.setting)}"


@dataclass(frozen=True, repr=False)
class Structure:
    """A structural property of the layers as read: ``name`` is reflexive, transitive,
    antisymmetric, no-empty-rows or depth (then ``bound`` is c of ``depth=c``).

    When it fails, ``witness`` is the first counterexample: ``(q,)`` for a row, ``(q, k)`` for a
    pair, or the tokens of a path from k to q.
    """

    setting: Setting
    name: str
    holds: bool
    bound: int | None = None
    witness: tuple[int, ...] | None = None

    def __repr__(self) -> str:
        state = "holds" if self.holds else f"fails at {self.witness}"
        return f"Structure: {self.name} {state}, of {_of(self.setting)}"


@dataclass(frozen=True, repr=False)
class Equal:
    """Two masks have the same pairs (``of = "edges"``) or the same reach relation (``"flow"``)."""

    a: Setting
    b: Setting
    of: Literal["edges", "flow"]
    relation: Relation | None = None

    def __repr__(self) -> str:
        return f"Equal: {self.of} of {_of(self.a)} and of {_of(self.b)}"


@dataclass(frozen=True, repr=False)
class Unequal:
    """Pair ``(reader, source)`` is in one of two masks, or flows, and not in the other.

    ``only_in`` names the one that has it; for flows ``path`` is how it reaches there.
    """

    a: Setting
    b: Setting
    of: Literal["edges", "flow"]
    only_in: Literal["a", "b"]
    reader: int
    source: int
    path: tuple[int, ...] | None = None

    def __repr__(self) -> str:
        told = f"({self.reader}, {self.source}) only in {self.only_in}"
        return f"Unequal: {self.of} of {_of(self.a)} and of {_of(self.b)}: {told}"


@dataclass(frozen=True, repr=False)
class Spans:
    """The product of the layers of ``b`` is ``relation``, the flow of ``a``; ``edges`` counts the
    pairs off the diagonal of its masks."""

    a: Setting
    b: Setting
    relation: Relation
    edges: int

    def __repr__(self) -> str:
        return f"Spans: {counted(self.edges, 'edge')}, {_of(self.b)}, flow of {_of(self.a)}"


@dataclass(frozen=True, repr=False)
class Optimum:
    """Nothing spans ``spans.a`` in as many layers with fewer edges.

    ``by`` says why: "layer", "reduction", "refutation" (``steps``) or "path" (``lengths``: how many
    edges a path of 2, 3, ... positions needs, each with its refutation).
    """

    spans: Spans
    by: Literal["layer", "reduction", "refutation", "path"]
    steps: Steps | None = None
    lengths: Sequence[tuple[int, Steps]] | None = None

    def __repr__(self) -> str:
        return f"Optimum: no fewer, by {self.by}; {self.spans!r}"


@dataclass(frozen=True, repr=False)
class Scanned:
    """Scans realise the flow: reader ``q`` sees the first ``reads[q]`` of the ``writes`` of each.

    ``least`` shows that fewer do not suffice: pairs (reader, source) of which every two need two
    scans ("pairs"), an odd cycle of such ("cycle"), or, under the rule "gated", an "antichain" of
    sources; None where that is not known.
    """

    setting: Setting
    relation: Relation
    rule: Literal["sum", "gated"]
    tier: str
    chains: Sequence[tuple[Sequence[int], Sequence[int]]]
    least: tuple[str, Sequence[object]] | None

    def __repr__(self) -> str:
        return f"Scanned: {counted(len(self.chains), 'scan')}, {self.tier}, of {_of(self.setting)}"


@dataclass(frozen=True, repr=False)
class EveryLength:
    """The claim holds at every length: a property, or that what is reached is a relation.

    The rest is why. ``invariant`` is a closed relation that contains every layer; ``between`` are
    positions of paths, or keys, one list each; ``rank`` is what decreases, where the reader
    (``reader``) or the source reads the position between. ``instance`` satisfies what is assumed.
    ``proofs`` hold lemmas and steps for each obligation that the checker derives; None where only
    the ``solvers`` say so, about positions and values ``below`` a number if it is given.
    ``origin`` tells how the mask was read.
    """

    problem: "Problem"
    claim: "LengthProperty | Term"
    instance: Mapping[str, object]
    depth: int | None = None
    invariant: "Term | None" = None
    between: Sequence[Sequence["Term"]] = ()
    rank: "Term | None" = None
    reader: bool = True
    proofs: Sequence[Mapping[str, object]] | None = None
    solvers: Sequence[str] = ()
    below: int | None = None
    origin: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"EveryLength: {self.claim!r}, {self.problem!r}"


Evidence = (
    Safe
    | Leak
    | FlowFacts
    | Structure
    | Equal
    | Unequal
    | Equivalent
    | Inequivalent
    | CommonSupergraph
    | Conflict
    | Spans
    | Optimum
    | FewestMerged
    | Scanned
    | Interpolates
    | InterpolatesSoftmax
    | Infeasible
    | EveryLength
)
