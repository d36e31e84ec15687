"""Evidence: why a verdict should be believed, before it becomes a certificate.

``proofs.emit`` turns each of these values into one JSON statement; the checker re-checks it. One
value is one claim about one subject: a mask, a batch element of one, or a schedule of masks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.properties import Property
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Path
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from fractions import Fraction

    from attnproof.symbolic.formula import Term
    from attnproof.symbolic.interpolation.data import Data
    from attnproof.symbolic.interpolation.net import Net
    from attnproof.symbolic.lengths.problem import Problem
    from attnproof.symbolic.lengths.properties import Property as LengthProperty
    from attnproof.symbolic.tasks.task import Task
    from attnproof.symbolic.tasks.upstream import Node

#: Position to what it reads, or is reached from: as bit sets, or as runs.
Relation = tuple[int, ...] | Runs
#: What shows that nothing leaks: a closed relation, or the pairs that the property allows.
Closed = Relation | Literal["allowed"]


def _of(setting: Setting) -> str:
    names = " then ".join(mask.name or "a mask" for mask in setting.layers)
    depth = "at any depth" if setting.depth is None else f"in {counted(setting.depth, 'layer')}"
    return f"{names} on {counted(setting.size, 'position')} {depth}"


def _two(a: "Node", b: "Node", mode: str) -> str:
    names = (f"position {x.position} of {x.task.name or 'a task'}" for x in (a, b))
    return f"{' and '.join(names)}, {mode}"


def _run(net: "Net", data: "Data") -> str:
    return f"{counted(len(data.pairs), 'pair')}, T of {counted(len(net.blocks), 'block')}"


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
class Equivalent:
    """Two positions are equivalent in the sense of ``mode``: iso, wl or softmax.

    For iso ``map`` carries every position below ``a`` to one below ``b``; else it is None.
    """

    a: "Node"
    b: "Node"
    mode: str
    map: Mapping[int, int] | None

    def __repr__(self) -> str:
        return f"Equivalent: {_two(self.a, self.b, self.mode)}"


@dataclass(frozen=True, repr=False)
class Inequivalent:
    """Two positions are not equivalent in the sense of ``mode``.

    ``round`` is the first refinement round that separates them; None where, for iso, only an
    exhausted search does.
    """

    a: "Node"
    b: "Node"
    mode: str
    round: int | None

    def __repr__(self) -> str:
        return f"Inequivalent: {_two(self.a, self.b, self.mode)}"


@dataclass(frozen=True, repr=False)
class CommonSupergraph:
    """Every task is embedded in ``task`` with all that lies below each position, all of which come
    from some task. ``maps[t][p]`` is where position ``p`` of task ``t`` stands.

    ``minimal`` says that no two classes of ``task`` are equivalent, so that none is too many.
    """

    tasks: Sequence["Task"]
    task: "Task"
    maps: Sequence[Sequence[int]]
    minimal: bool

    def __repr__(self) -> str:
        tasks, size = counted(len(self.tasks), "task"), counted(self.task.size, "position")
        return f"CommonSupergraph: {tasks} in {size}"


@dataclass(frozen=True, repr=False)
class Conflict:
    """Two equivalent positions must predict two ``atoms``, in order, with one ``head``."""

    a: "Node"
    b: "Node"
    mode: str
    map: Mapping[int, int] | None
    head: int
    atoms: tuple[str, str]

    def __repr__(self) -> str:
        return f"Conflict: {' and '.join(self.atoms)} at {_two(self.a, self.b, self.mode)}"


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


#: Clauses that follow one after the other; one that begins with 0 is deleted.
Steps = Sequence[Sequence[int]]


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
class FewestMerged:
    """No common supergraph of dense tasks has fewer than ``fewest`` of what is ``counted``:
    "classes", "pairs" or "covers"; ``vertices[t][p]`` are those of one that has as many.

    ``injective`` says that each task keeps all its classes apart. ``steps`` refute one less.
    """

    tasks: Sequence["Task"]
    counted: str
    fewest: int
    vertices: Sequence[Sequence[int]]
    injective: bool
    steps: Steps

    def __repr__(self) -> str:
        return f"FewestMerged: {self.counted} of {len(self.tasks)} tasks, {self.fewest} or more"


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
class Interpolates:
    """The hardmax net maps every input of the data to its output, as sets."""

    net: "Net"
    data: "Data"

    def __repr__(self) -> str:
        return f"Interpolates: T(X) = Y for {_run(self.net, self.data)} with hardmax"


@dataclass(frozen=True, repr=False)
class InterpolatesSoftmax:
    """So does softmax at the temperature ``tau``, or with ``below`` at every one in ``(0, tau]``;
    ``tau`` None is every temperature. ``precision`` is how many bits enclosures need."""

    net: "Net"
    data: "Data"
    tau: "Fraction | None"
    below: bool
    precision: int

    def __repr__(self) -> str:
        told = f"temperature {self.tau}"
        if self.below:
            told = "every temperature" if self.tau is None else f"temperatures up to {self.tau}"
        return f"Interpolates: T(X) = Y for {_run(self.net, self.data)} with softmax at {told}"


@dataclass(frozen=True, repr=False)
class Infeasible:
    """No transformer without positions interpolates the data: an output is longer than its input
    (``at`` names the pair), or two equal inputs have different outputs (``at`` names both).

    With "prefix" no causal one does, positions or not: the first ``length`` tokens of the pair
    ``at`` also begin the inputs ``sharing``, so they become tokens that all these outputs hold.
    """

    data: "Data"
    because: Literal["longer-output", "conflicting-targets", "prefix"]
    at: tuple[int, ...]
    length: int = 0
    sharing: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"Infeasible: {self.because} at {self.at}, of {self.data!r}"


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
