"""Evidence on tasks and their positions; see :mod:`attnproof.symbolic.evidence`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.task import Task
    from attnproof.symbolic.tasks.upstream import Node

#: Clauses that follow one after the other; one that begins with 0 is deleted.
Steps = Sequence[Sequence[int]]


def _two(a: "Node", b: "Node", mode: str) -> str:
    names = (f"position {x.position} of {x.task.name or 'a task'}" for x in (a, b))
    return f"{' and '.join(names)}, {mode}"


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
