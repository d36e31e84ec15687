"""Training-inference consistency: does a program compute at inference what a task has trained?

C1: each emitted atom is predicted by an equivalent position in training. C2: each reused state is
that of an equivalent position. C3: the atoms that a call carries are given, or emitted before. C4:
each label of the task is emitted. By C2 a kept state is the one that would be computed again, in
every layer, and by C1 it is read out as it was in training.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.evidence import Equivalent, Inequivalent
from attnproof.symbolic.tasks import consistency_findings as told
from attnproof.symbolic.tasks.building import choice
from attnproof.symbolic.tasks.equivalence import BUDGET, Equivalence, Mode, equivalent
from attnproof.symbolic.tasks.partition import Partition, partition
from attnproof.symbolic.tasks.program import Call, Emit, Program
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.verdict import Finding, Verdict
from attnproof.symbolic.words import counted

CONDITIONS = ("C1", "C2", "C3", "C4")


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst verdict; of none, that nothing is wrong."""
    found = Verdict.worst(verdicts)
    return Verdict.HOLDS if found is None else found


@dataclass(frozen=True, slots=True)
class Pairing:
    """A position of a call beside one of the task (``earlier`` None) or of an earlier call."""

    call: int
    position: int
    earlier: int | None
    other: int
    emit: Emit | None = None


@dataclass(frozen=True, repr=False)
class Consistency:
    """The verdict of each condition, and what was found.

    ``trained`` holds a training position for each emit that has one, ``kept`` the reused states
    that are right, ``failed`` the comparisons that are not, with their reasons.

    C4 is optional: labels that no call emits are notes, and leave ``verdict`` as it is.
    """

    task: Task
    program: Program
    mode: Mode
    verdicts: Mapping[str, Verdict]
    findings: tuple[Finding, ...]
    trained: tuple[Pairing, ...]
    kept: tuple[Pairing, ...]
    failed: tuple[Equivalence, ...]
    budget: int = BUDGET

    @property
    def verdict(self) -> Verdict:
        """The worst of C1, C2 and C3."""
        return worst(self.verdicts[name] for name in CONDITIONS[:3])

    @cached_property
    def evidence(self) -> tuple[Equivalent | Inequivalent, ...]:
        """That each emit and each reused state has its equivalent, or that it has not."""
        calls = [call.under(self.task) for call in self.program.calls]
        right = (
            equivalent(
                *(self.task if pair.earlier is None else calls[pair.earlier], pair.other),
                *(calls[pair.call], pair.position),
                self.mode,
                budget=self.budget,
            )
            for pair in (*self.trained, *self.kept)
        )
        return tuple(one.evidence for one in (*self.failed, *right) if one.evidence is not None)

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {self.verdicts[name].value}" for name in CONDITIONS)
        return f"Consistency of {counted(len(self.program.calls), 'call')}: {told}"


def consistent(
    task: Task, program: Program, mode: Mode | str = Mode.ISO, *, budget: int = BUDGET
) -> Consistency:
    """Is a program consistent with a task that was trained?

    The calls are run by the model of the task: its depth, its position ids, its conventions. Two
    positions are compared in the sense of ``mode``; ``budget`` is for each search.

    >>> from attnproof.symbolic.tasks.decoding import growing
    >>> causal = Task.build(["x1", "x2"], {0: "x2", 1: "x3"}, "causal")
    >>> consistent(causal, growing(causal, [[0], [1]], given=["x1"]))
    Consistency of 2 calls: C1 holds, C2 holds, C3 holds, C4 holds
    >>> consistent(causal, growing(causal, [[1], [0]], given=["x1"])).verdicts["C2"]
    <Verdict.FAILS: 'fails'>

    Raises :class:`TaskError` for atoms that the task lacks, and for calls that no one model runs.

    Law: where C1 and C2 hold in mode ISO, every network that runs the calls with the states they
    keep computes at each emit the state of a training position that predicts the atom. Source:
    training-inference consistency, the paper; the four conditions, ours.
    """
    kind = choice(Mode, mode, "mode")
    calls = [_under(task, c, call) for c, call in enumerate(program.calls)]
    _check_atoms(task, program)
    found = partition([task, *calls], kind, budget=budget)
    comparing = _Comparing(task, calls, found, kind, budget)
    findings: list[Finding] = []
    verdicts = {
        "C1": comparing.emits(program, findings),
        "C2": comparing.reuses(program, findings),
        "C3": _available(task, program, findings),
    }
    verdicts["C4"] = comparing.labels(program, findings)
    return Consistency(
        task,
        program,
        kind,
        verdicts,
        tuple(findings),
        tuple(comparing.trained),
        tuple(comparing.kept),
        tuple(comparing.failed),
        budget,
    )


def _under(task: Task, c: int, call: Call) -> Task:
    try:
        return call.under(task)
    except TaskError as error:
        at = f"call[{c}]"
        where = ".".join(part for part in (at, str(error.parts.get("where", ""))) if part)
        raise TaskError(f"{at}: {error}", **{**error.parts, "where": where}) from None


def _check_atoms(task: Task, program: Program) -> None:
    """Raise :class:`TaskError` for a given or emitted atom that the task does not know."""
    legal = {*task.atoms, *task.derived}
    said = [("given", atom) for atom in sorted(program.given)]
    said += [
        (f"call[{c}].emit", emit.atom)
        for c, call in enumerate(program.calls)
        for emit in call.emits
    ]
    for where, atom in said:
        if atom not in legal:
            raise TaskError(
                f"{where} names {atom!r}, which is no atom of the task; its atoms are "
                f"{', '.join(task.atoms)}",
                where=where,
                atom=atom,
            )


class _Comparing:
    """The positions of the task and of all calls, in classes; reasons where two differ."""

    def __init__(
        self, task: Task, calls: Sequence[Task], found: Partition, mode: Mode, budget: int
    ) -> None:
        self.task, self.calls, self.mode, self.budget = task, calls, mode, budget
        self.of_task, *self.of_call = found.of
        self.trained: list[Pairing] = []
        self.kept: list[Pairing] = []
        self.failed: list[Equivalence] = []

    def emits(self, program: Program, findings: list[Finding]) -> Verdict:
        """C1."""
        verdicts = []
        for c, call in enumerate(program.calls):
            for emit in call.emits:
                candidates = self._predicting(emit)
                same = [v for v in candidates if self._same(c, emit.position, v)]
                against = [
                    self._compared(self.task, v, c, emit.position) for v in candidates if not same
                ]
                same += [one.a.position for one in against if one.verdict is Verdict.HOLDS]
                if same:
                    self.trained.append(Pairing(c, emit.position, None, same[0], emit))
                    continue
                undecided = any(one.verdict is Verdict.UNKNOWN for one in against)
                verdict = Verdict.UNKNOWN if undecided else Verdict.FAILS
                self.failed += [one for one in against if one.verdict is Verdict.FAILS]
                verdicts.append(verdict)
                findings.append(told.not_trained(c, emit, against, verdict))
        return worst(verdicts)

    def reuses(self, program: Program, findings: list[Finding]) -> Verdict:
        """C2."""
        verdicts = []
        for c, call in enumerate(program.calls):
            for p, (earlier, at) in sorted(call.reuse.items()):
                alike = self.of_call[c][p] == self.of_call[earlier][at]
                found = None if alike else self._compared(self.calls[earlier], at, c, p)
                if found is None or found.verdict is Verdict.HOLDS:
                    self.kept.append(Pairing(c, p, earlier, at))
                    continue
                if found.verdict is Verdict.FAILS:
                    self.failed.append(found)
                verdicts.append(found.verdict)
                findings.append(told.stale_state(c, p, earlier, at, found))
        return worst(verdicts)

    def labels(self, program: Program, findings: list[Finding]) -> Verdict:
        """C4; unknown where a comparison that was not decided may be the one that is missing."""
        hit = {(pair.emit.atom, self.of_task[pair.other]) for pair in self.trained if pair.emit}
        undecided = {
            finding.details.get("atom")
            for finding in findings
            if finding.details.get("verdict") == Verdict.UNKNOWN.value
        }
        verdicts = []
        for v, labels in self.task.labelled.items():
            if any((label.atom, self.of_task[v]) in hit for label in labels):
                continue
            atoms = [label.atom for label in labels]
            verdicts.append(Verdict.UNKNOWN if undecided.intersection(atoms) else Verdict.FAILS)
            findings.append(told.unused_label(v, atoms, verdicts[-1]))
        return worst(verdicts)

    def _predicting(self, emit: Emit) -> list[int]:
        return [
            v
            for v, labels in self.task.labelled.items()
            if any(label.atom == emit.atom and emit.head in (None, label.head) for label in labels)
        ]

    def _same(self, c: int, p: int, v: int) -> bool:
        return self.of_call[c][p] == self.of_task[v]

    def _compared(self, other: Task, at: int, c: int, p: int) -> Equivalence:
        return equivalent(other, at, self.calls[c], p, self.mode, budget=self.budget)


def _available(task: Task, program: Program, findings: list[Finding]) -> Verdict:
    """C3: what is derived is available as soon as all its arguments are."""
    had = set(program.given)
    verdict = Verdict.HOLDS
    for c, call in enumerate(program.calls):
        known = task.items.known(task.items.carried(had))
        for p, atom in _missing(call, known):
            verdict = Verdict.FAILS
            findings.append(told.not_available(c, p, atom))
        had.update(emit.atom for emit in call.emits)
    return verdict


def _missing(call: Call, known: frozenset[str]) -> Iterator[tuple[int, str]]:
    return (
        (p, atom)
        for p, position in enumerate(call.positions)
        for atom in position.atoms
        if atom not in known
    )
