"""A task as a property: the pairs that its labels and allowed atoms forbid.

A derived label that no single position carries is known only through its arguments together; that
is no set of pairs, and ``leaks.label_depths`` speaks of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from attnproof.symbolic.masks.rows import RowRuns, runs_of
from attnproof.symbolic.tasks.targets import Target, nobody, targets
from attnproof.symbolic.tasks.task import Task


@dataclass(frozen=True)
class TaskProperty:
    """No labelled position is reached from one that carries its label, or an atom not allowed.

    >>> task = Task.build(["x1", "x2", "x3"], {0: "x2", 1: "x3"}, "causal")
    >>> [bin(TaskProperty(task).forbidden(q)) for q in range(3)]
    ['0b10', '0b100', '0b0']
    """

    task: Task
    name = "task"
    invariant = None

    @property
    def size(self) -> int:
        return self.task.size

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The labels with their allowed atoms, in one form."""
        return targets(self.task)

    @cached_property
    def _sets(self) -> dict[int, int]:
        sets: dict[int, int] = {}
        foreign: dict[frozenset[str], int] = {}
        for target in self.targets:
            row = 0 if target.exempt else self.task.carriers.get(target.atom, 0)
            if target.allowed is not None:
                if target.allowed not in foreign:
                    foreign[target.allowed] = self._foreign(target.allowed)
                row |= foreign[target.allowed]
            sets[target.position] = sets.get(target.position, 0) | row
        return sets

    def _foreign(self, allowed: frozenset[str]) -> int:
        carried = enumerate(self.task.carried)
        return sum(1 << u for u, items in carried if not items <= allowed)

    def forbidden(self, q: int) -> int:
        return self._sets.get(q, 0)

    def forbidden_runs(self, q: int) -> RowRuns:
        return runs_of(self.forbidden(q))

    def holds(self, rows: Sequence[int]) -> bool:
        """Does a relation meet no forbidden pair and let no derived label follow?"""
        task = self.task
        if any(row & self.forbidden(q) for q, row in enumerate(rows)):
            return False
        derived = (t for t in self.targets if not t.exempt and t.atom in task.derived)
        return not any(
            all(task.carriers[atom] & rows[t.position] for atom in task.items.primitives(t.atom))
            for t in derived
        )

    def to_json(self) -> dict[str, object]:
        task = self.task
        order = (*task.items.primitive, *task.derived)
        nameless = [nobody(task)] if any(t.label is None for t in self.targets) else []
        return {
            "name": self.name,
            "task": {
                "atoms": [*task.items.primitive, *nameless],
                "derived": {item: list(task.derived[item]) for item in task.derived},
                "positions": [
                    {"atoms": list(dict.fromkeys(position.atoms)), "kind": position.kind}
                    for position in task.positions
                ],
                "labels": [
                    {
                        "position": target.position,
                        "atom": target.atom,
                        "head": target.head,
                        "allowed_atoms": None
                        if target.allowed is None
                        else [item for item in order if item in target.allowed],
                    }
                    for target in self.targets
                ],
            },
        }
