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


@dataclass(frozen=True)
class Safe:
    """The property holds. ``relation`` contains every layer, is closed, and meets no forbidden
    pair; ``"allowed"`` names the pairs that the property allows, where these are closed. It is None
    when only the product of ``setting.depth`` layers is safe, which the checker computes itself."""

    setting: Setting
    property: Property
    relation: Closed | None


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Equal:
    """Two masks have the same pairs (``of = "edges"``) or the same reach relation (``"flow"``)."""

    a: Setting
    b: Setting
    of: Literal["edges", "flow"]
    relation: Relation | None = None


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Equivalent:
    """Two positions are equivalent in the sense of ``mode``: iso, wl or softmax.

    For iso ``map`` carries every position below ``a`` to one below ``b``; else it is None.
    """

    a: "Node"
    b: "Node"
    mode: str
    map: Mapping[int, int] | None


@dataclass(frozen=True)
class Inequivalent:
    """Two positions are not equivalent in the sense of ``mode``.

    ``round`` is the first refinement round that separates them; None where, for iso, only an
    exhausted search does.
    """

    a: "Node"
    b: "Node"
    mode: str
    round: int | None


@dataclass(frozen=True)
class CommonSupergraph:
    """Every task is embedded in ``task`` with all that lies below each position, all of which come
    from some task. ``maps[t][p]`` is where position ``p`` of task ``t`` stands.

    ``minimal`` says that no two classes of ``task`` are equivalent, so that none is too many.
    """

    tasks: Sequence["Task"]
    task: "Task"
    maps: Sequence[Sequence[int]]
    minimal: bool


@dataclass(frozen=True)
class Conflict:
    """Two equivalent positions must predict two ``atoms``, in order, with one ``head``."""

    a: "Node"
    b: "Node"
    mode: str
    map: Mapping[int, int] | None
    head: int
    atoms: tuple[str, str]


@dataclass(frozen=True)
class Spans:
    """The product of the layers of ``b`` is ``relation``, the flow of ``a``; ``edges`` counts the
    pairs off the diagonal of its masks."""

    a: Setting
    b: Setting
    relation: Relation
    edges: int


#: Clauses that follow one after the other; one that begins with 0 is deleted.
Steps = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Optimum:
    """Nothing spans ``spans.a`` in as many layers with fewer edges.

    ``by`` says why: "layer", "reduction", "refutation" (``steps``) or "path" (``lengths``: how many
    edges a path of 2, 3, ... positions needs, each with its refutation).
    """

    spans: Spans
    by: Literal["layer", "reduction", "refutation", "path"]
    steps: Steps | None = None
    lengths: Sequence[tuple[int, Steps]] | None = None


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Interpolates:
    """The hardmax net maps every input of the data to its output, as sets."""

    net: "Net"
    data: "Data"


@dataclass(frozen=True)
class InterpolatesSoftmax:
    """So does softmax at the temperature ``tau``, or with ``below`` at every one in ``(0, tau]``;
    ``tau`` None is every temperature. ``precision`` is how many bits enclosures need."""

    net: "Net"
    data: "Data"
    tau: "Fraction | None"
    below: bool
    precision: int


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
