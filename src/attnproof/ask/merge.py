"""merge: several tasks as one, with every position shared that can be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path

from attnproof.ask import intent
from attnproof.certificate import Certificate
from attnproof.keywords import keywords
from attnproof.proofs.refute import fewest_merged
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.evidence import FewestMerged
from attnproof.symbolic.families.family import Family
from attnproof.symbolic.families.registry import build, names
from attnproof.symbolic.files import write_atomically
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.density import Density
from attnproof.symbolic.tasks.equivalence import BUDGET
from attnproof.symbolic.tasks.families import load, load_task, load_tasks, split_index
from attnproof.symbolic.tasks.merge import merge as glue
from attnproof.symbolic.tasks.merge_json import merged_json
from attnproof.symbolic.tasks.merged import Merged, Minimal
from attnproof.symbolic.tasks.minimal import Counted
from attnproof.symbolic.tasks.quotient import Weights
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.tasks.writing import to_toml
from attnproof.symbolic.verdict import Finding, Grade, Verdict
from attnproof.symbolic.words import suggestion
from attnproof.values import CHECKED_IN_MEMORY

#: Conflicts of each search for a refutation.
REFUTING = 10_000


@dataclass(frozen=True, repr=False)
class MergeReport:
    """The merged task, the maps of all tasks into it, and what was found.

    >>> import attnproof as ap
    >>> causal = [ap.Task.build(["x1", "x2"][:k], {k - 1: f"x{k + 1}"}, "causal") for k in (1, 2)]
    >>> ap.merge(causal).maps
    ((0,), (0, 1))
    """

    source: str
    found: Merged
    certificate_file: str | None = None
    refuted: tuple[FewestMerged, ...] = ()

    @property
    def task(self) -> Task:
        """The merged task."""
        return self.found.task

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The single tasks as they are embedded; under a sparse mask, with its part of it."""
        return self.found.tasks

    @property
    def mask(self) -> Mask:
        """Its mask; of several layers or heads, their union."""
        return self.found.mask

    @property
    def flow(self) -> Flow:
        """Its order, with the Hasse diagram."""
        return self.found.flow

    @property
    def maps(self) -> tuple[tuple[int, ...], ...]:
        """``maps[t][p]`` is where position ``p`` of task ``t`` stands in the merged task."""
        return self.found.maps

    @property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The positions that reach each other, sources first."""
        return self.found.classes

    @property
    def density(self) -> Density:
        """How much is predicted."""
        return self.found.density

    @property
    def minimal(self) -> Minimal:
        """Whether it is proved that no common supergraph has fewer classes."""
        return self.found.minimal

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Errors, then notes."""
        return self.found.findings

    @property
    def verdict(self) -> Verdict:
        """FAILS with an error among the findings, else UNKNOWN where minimality is not shown."""
        return self.found.verdict

    @property
    def weights(self) -> Weights | None:
        """``weights[layer][head][q][k]``: how many keys position ``k`` stands for at ``q``; a model
        adds the logarithm to its logits. None where every position stands for itself."""
        return self.found.weights

    @property
    def quotient(self) -> "MergeReport | None":
        """The weighted quotient, where the tasks are not locally rigid."""
        found = self.found.quotient
        return None if found is None else MergeReport(self.source, found)

    @cached_property
    def certificate(self) -> Certificate:
        """That the maps embed the tasks and none has fewer classes; and each label conflict. Where
        it was asked for, refutations of fewer classes, order pairs and covers follow."""
        return Certificate.of((*self.found.evidence, *self.refuted))

    @cached_property
    def grade(self) -> Grade | None:
        """``certified`` when the checker accepted the certificate; None when it did not, or was not
        asked because the tasks are long and no certificate was written."""
        size = sum(task.size for task in (*self.tasks, self.task))
        wanted = self.certificate_file is not None or size <= CHECKED_IN_MEMORY
        return self.certificate.grade if wanted else None

    @property
    def exit_code(self) -> int:
        """0 merged, 1 an error among the findings, 3 not shown to be minimal."""
        return self.verdict.exit_code

    def written(self, path: str) -> "MergeReport":
        """The same answer, its certificate written to ``path``."""
        self.certificate.save(path)
        return replace(self, certificate_file=path)

    def mask_mod_source(self) -> str:
        """The text of a module with the mask as a FlexAttention ``mask_mod``: in closed form where
        a builder has one and it is the mask that was derived, else a table."""
        return self.found.mask_mod_source()

    def task_source(self) -> str:
        """The merged task as a task file."""
        return to_toml(self.task)

    def save_mask_mod(self, path: str) -> None:
        """Write :meth:`mask_mod_source`."""
        write_atomically(path, self.mask_mod_source())

    def save_task(self, path: str) -> None:
        """Write :meth:`task_source`."""
        write_atomically(path, self.task_source())

    def draw(self, path: str) -> None:
        """Draw the mask and the Hasse diagram; the suffix says the kind."""
        from attnproof.render.draw import draw
        from attnproof.render.of_report import drawn_mask
        from attnproof.render.picture import picture

        title = f"{self.task.name}, {self.task.size} positions"
        draw(path, picture(drawn_mask(self.flow), self.flow, title=title))

    def page(self, path: str) -> None:
        """Write a page to look at, as :meth:`attnproof.Report.page` does, with the inputs and the
        labels of the positions, and where each single task stands.

        Raises :class:`InputError` for more than 2048 positions, before anything is written.
        """
        from attnproof.render.page.content import merge_content
        from attnproof.render.page.document import write_page

        write_page(path, merge_content(self), str(self))

    def draw_tasks(self, path: str) -> None:
        """Draw the Hasse diagram of every single task, as .svg or .png."""
        from attnproof.render.derivation import Step, draw_steps

        draw_steps(path, self.found, Step.TASKS)

    def draw_derivation(self, path: str) -> None:
        """Draw every single task beside the merged task, as .svg or .png: equal classes have one
        letter, shared ones are tinted."""
        from attnproof.render.derivation import Step, draw_steps

        draw_steps(path, self.found, Step.MERGED)

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object."""
        return {
            **merged_json(self.found),
            "source": self.source,
            "evidence": {"grade": self.grade},
            "certificate": self.certificate_file,
        }

    def __repr__(self) -> str:
        return repr(self.found)

    def __str__(self) -> str:
        from attnproof.render.merged import merged_text

        return merged_text(self.found, self.grade)


@keywords()
def merge(
    tasks: object,
    *,
    params: Mapping[str, object] | None = None,
    mode: str = "iso",
    labels: str = "error",
    layers: int | None = None,
    budget: int = BUDGET,
    refute: bool = False,
) -> MergeReport:
    """The minimal merged task: the least task that holds all of some tasks.

    ``tasks`` are :class:`attnproof.Task` values or paths of files with one task or several, or the
    path of a family file, of which ``family.toml:1`` is one task, or the name of a builder, such as
    ``"block"``, with its ``params``. ``mode`` says which positions are
    the same: ``"iso"`` (all that lies below them is isomorphic, the paper's notion), ``"wl"`` or
    ``"softmax"`` (no network, no softmax network tells them apart). ``labels="multi"`` makes
    different labels for one head of one state a note. ``layers`` asks for a sparse mask that needs
    so many layers. ``budget`` is for each search for an isomorphism. ``refute`` also refutes, by
    SAT and for small families, that any common supergraph of whatever size has fewer classes, order
    pairs or covers (needs the extra optimal).

    >>> import attnproof as ap
    >>> pair = [ap.Task.build([x, None], {1: y}, ["1.", "11"]) for x, y in ("ab", "ac")]
    >>> ap.merge(pair).findings[0].kind
    'label_conflict'
    >>> ap.merge("block", params={"m": 3, "b": 2}).density
    Density(positions=Fraction(3, 5), tokens=Fraction(1, 1), context=Fraction(2, 5))

    Raises :class:`~attnproof.errors.TaskError` for no task and for tasks that no one model runs.
    Theorem, laws and source: :func:`attnproof.symbolic.tasks.merge.merge`.
    """
    if budget < 0:
        raise InputError(f"the budget is {budget}; give 0 steps or more", budget=budget)
    found = glue(_family(tasks, params or {}), mode, labels=labels, layers=layers, budget=budget)
    refuted = _refuted(found) if refute else ()
    return MergeReport(_source(tasks) or found.task.name, found, refuted=refuted)


def _source(given: object) -> str | None:
    """The file or the files that were given; None for tasks."""
    if isinstance(given, str | PathLike):
        return str(given)
    if isinstance(given, Sequence) and all(isinstance(one, str | PathLike) for one in given):
        return ", ".join(map(str, given))
    return None


def _refuted(found: Merged) -> tuple[FewestMerged, ...]:
    """That fewer do not suffice, by a solver's refutation, for each thing that is counted."""
    least = [
        fewest_merged(found.tasks, counted, conflicts=REFUTING)
        for counted in (Counted.CLASSES, Counted.PAIRS, Counted.COVERS)
    ]
    refuted = tuple(one for one in least if one is not None)
    if len(refuted) < len(least):
        raise InputError(
            f"{REFUTING} conflicts do not refute that fewer would do; leave out refute (--refute): "
            "the certificate shows minimality by the theorem"
        )
    return refuted


def _family(given: object, params: Mapping[str, object]) -> Family:
    if isinstance(given, str) and given in names():
        return build(given, **params)
    if params:
        raise InputError(
            f"params are those of a builder, and {given!r:.40} is none; give one of "
            f"{', '.join(names())}, or leave params out"
        )
    if isinstance(given, Family):
        return given
    if isinstance(given, str | PathLike):
        if isinstance(given, str) and not Path(given).exists() and given.isidentifier():
            raise InputError(
                f"{given!r} is no file and no builder; {suggestion(given, names())}", given=given
            )
        one = split_index(given)[1] is not None
        return Family("", (load_task(given),)) if one else load(Path(given))
    if isinstance(given, Task):
        return Family("", (given,))
    if not isinstance(given, Iterable):
        raise InputError(
            f"{type(given).__name__} is no family of tasks; give a list of tasks, or the path of a "
            "family file"
        )
    return Family("", tuple(task for one in given for task in _tasks(one)))


def _tasks(given: object) -> tuple[Task, ...]:
    """A task, or those of a file."""
    if isinstance(given, str | PathLike) and Path(given).exists():
        return load_tasks(Path(given))
    return (intent.task(given),)
