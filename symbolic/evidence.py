"""Evidence: why a verdict should be believed, before it becomes a certificate.

``proofs.emit`` turns each of these values into one JSON statement; the checker re-checks it. One
value is one claim about one subject: a mask, a batch element of one, or a schedule of masks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.properties import Property
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Path

#: Position to what it reads, or is reached from: as bit sets, or as runs.
Relation = tuple[int, ...] | Runs


@dataclass(frozen=True)
class Safe:
    """The property holds. ``relation`` contains every layer, is closed, and meets no forbidden
    pair; ``"allowed"`` names the pairs that the property allows, where these are closed. It is None
    when only the product of ``setting.depth`` layers is safe, which the checker computes itself."""

    setting: Setting
    property: Property
    relation: Relation | Literal["allowed"] | None


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


Evidence = Safe | Leak | FlowFacts | Structure | Equal | Unequal
