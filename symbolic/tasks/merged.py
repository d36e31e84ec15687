"""Merged: the task that does several at once, with the maps that embed them in it."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property, reduce
from operator import or_

from attnproof.symbolic.evidence import CommonSupergraph, Conflict
from attnproof.symbolic.families.family import ClosedForm
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.density import Density
from attnproof.symbolic.tasks.equivalence import Mode
from attnproof.symbolic.tasks.mask_mod import table_source
from attnproof.symbolic.tasks.quotient import Weights
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.verdict import Finding, Verdict


class Minimal(Enum):
    """Is it shown that no task with fewer classes does?"""

    PROVED = "proved"
    UNKNOWN = "unknown"


@dataclass(frozen=True, repr=False)
class Merged:
    """``maps[t][p]`` is the position of ``task`` at which position ``p`` of ``tasks[t]`` stands.

    ``weights`` are given where positions stand for several: a model adds their logarithm to its
    logits. ``quotient`` is the repair where the tasks are not locally rigid. ``closed`` is the
    mask in closed form, where a builder knew it and it is the mask that was derived. ``evidence``
    shows that the maps embed the tasks, and each label conflict.
    """

    tasks: tuple[Task, ...]
    task: Task
    maps: tuple[tuple[int, ...], ...]
    mode: Mode
    minimal: Minimal
    findings: tuple[Finding, ...] = ()
    weights: Weights | None = None
    quotient: "Merged | None" = None
    closed: ClosedForm | None = None
    evidence: tuple[CommonSupergraph | Conflict, ...] = ()

    @property
    def mask(self) -> Mask:
        """The mask of the merged task; of several layers or heads, their union."""
        return reduce(or_, self.task.layers)

    @cached_property
    def flow(self) -> Flow:
        """The order of the merged task."""
        return Flow(self.task.setting())

    @property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The positions that reach each other, sources first: the vertices of the minimum."""
        return self.flow.classes

    @cached_property
    def density(self) -> Density:
        """How much of the merged task is predicted."""
        return self.task.density()

    @property
    def verdict(self) -> Verdict:
        """FAILS with an error among the findings, else UNKNOWN where minimality is not shown."""
        if any(finding.severity == "error" for finding in self.findings):
            return Verdict.FAILS
        return Verdict.HOLDS if self.minimal is Minimal.PROVED else Verdict.UNKNOWN

    def mask_mod_source(self) -> str:
        """The text of a module with the mask as a FlexAttention ``mask_mod``.

        In closed form where it is known; else a table. Its attribute ``n`` is the number of
        positions that it is for.
        """
        errors = sorted({one.kind for one in self.findings if one.severity == "error"})
        told = f"# The merged task has errors: {', '.join(errors)}.\n" if errors else ""
        if self.closed is None:
            return told + table_source(self.task, self.weights)
        length = f"\n\n{self.closed.name}.n = {self.task.size}\n"
        return told + self.closed.mask_mod_source() + length

    def __repr__(self) -> str:
        errors = sum(finding.severity == "error" for finding in self.findings)
        told = [
            f"tasks {len(self.tasks)}, positions {self.task.size}, classes {len(self.classes)}, "
            f"covers {len(self.flow.covers)}",
            f"{self.mode.value}, minimal: {self.minimal.value}",
            *([f"errors {errors}"] if errors else []),
        ]
        return f"<Merged: {'; '.join(told)}>"
