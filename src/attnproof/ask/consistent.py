"""consistent: does an inference program compute what a task has trained?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path

from attnproof.ask import intent
from attnproof.certificate import Certificate
from attnproof.keywords import keywords
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.tasks.consistency import CONDITIONS, Consistency
from attnproof.symbolic.tasks.consistency import consistent as decide
from attnproof.symbolic.tasks.equivalence import BUDGET
from attnproof.symbolic.tasks.program import Program
from attnproof.symbolic.tasks.program_file import ProgramFile, from_table, load
from attnproof.symbolic.verdict import Finding, Verdict
from attnproof.symbolic.words import counted

_ASKED = {
    "C1": "emitted atoms are trained",
    "C2": "reused states are right",
    "C3": "atoms are available",
    "C4": "labels are used",
}


@dataclass(frozen=True, repr=False)
class ProgramReport:
    """The verdict of each condition; ``found`` says which position stands for which.

    ``files`` are those that the program's file names.

    >>> import attnproof as ap
    >>> task = ap.Task.build(["x1", "x2"], {0: "x2", 1: "x3"}, "causal")
    >>> call = {"position": [{"atoms": ["x1"], "pos": 0}], "mask": {"rows": ["1"]}}
    >>> report = ap.consistent(task, {"given": ["x1"], "call": [{**call, "emit": {"0": "x2"}}]})
    >>> report.verdicts["C1"], report.verdicts["C4"]
    (<Verdict.HOLDS: 'holds'>, <Verdict.FAILS: 'fails'>)
    """

    source: str
    found: Consistency
    most: int = 100
    files: tuple[str, ...] = ()
    certificate_file: str | None = None

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """The verdicts of C1, C2, C3 and C4."""
        return self.found.verdicts

    @property
    def verdict(self) -> Verdict:
        """The worst of C1, C2 and C3; C4 is optional."""
        return self.found.verdict

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, errors first, then by condition; at most ``most``."""
        ordered = sorted(self.found.findings, key=lambda one: one.severity != "error")
        return tuple(ordered[: self.most])

    @property
    def exit_code(self) -> int:
        """0 consistent, 1 not, 3 unknown."""
        return self.verdict.exit_code

    @cached_property
    def certificate(self) -> Certificate:
        """For each emit and each reused state, that it is equivalent to what it stands for, or that
        it is not."""
        return Certificate.of(self.found.evidence)

    def written(self, path: str) -> "ProgramReport":
        """The same answer, its certificate written to ``path``."""
        self.certificate.save(path)
        return replace(self, certificate_file=path)

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object."""
        return {
            "source": self.source,
            **{name: self.verdicts[name].value for name in CONDITIONS},
            "verdict": self.verdict.value,
            "mode": self.found.mode.value,
            "calls": len(self.found.program.calls),
            "findings": [finding.to_json() for finding in self.findings],
            "findings_total": len(self.found.findings),
            "certificate": self.certificate_file,
        }

    def __repr__(self) -> str:
        calls = counted(len(self.found.program.calls), "call")
        return f"{self.source}, {calls} ({self.found.mode.value}): {self.verdict.value}"

    def _said(self, name: str) -> str:
        if name == "C4" and self.verdicts[name] is Verdict.FAILS:
            unused = {
                one.details["position"] for one in self.found.findings if one.property == name
            }
            number = sum(len(self.found.task.labelled[p]) for p in unused if isinstance(p, int))
            return f"C4 (optional): {counted(number, 'label')} not used"
        return f"{name} {_ASKED[name]}: {self.verdicts[name].value}"

    def __str__(self) -> str:
        lines = [repr(self)]
        for name in CONDITIONS:
            lines.append(f"  {self._said(name)}")
            lines += [f"     {one}" for one in self.findings if one.property == name]
        return "\n".join(lines)


@keywords()
def consistent(
    task: object, program: object, *, mode: str = "iso", budget: int = BUDGET
) -> ProgramReport:
    """Is an inference program consistent with the task that was trained?

    ``task`` is an :class:`attnproof.Task`, the path of a task file, or None where the program's
    file names its task, which a task given here replaces. ``program`` is the path of a program
    file, its table as a mapping, or a :class:`~attnproof.symbolic.tasks.program.Program`.

    C1: each emitted atom is predicted by an equivalent position in training. C2: each reused state
    is that of an equivalent position. C3: the atoms of a call are given, or emitted before. C4,
    which is optional: each label is emitted. Positions are compared in the sense of ``mode``:
    "iso", "wl" or "softmax"; ``budget`` counts the keys that a search for an isomorphism may look
    at, and where it is spent a verdict is unknown.

    >>> import attnproof as ap
    >>> from attnproof.symbolic.tasks.decoding import growing
    >>> causal = ap.Task.build(["x1", "x2"], {0: "x2", 1: "x3"}, "causal")
    >>> ap.consistent(causal, growing(causal, [[0], [1]], given=["x1"])).verdict
    <Verdict.HOLDS: 'holds'>

    Raises :class:`~attnproof.errors.TaskError`, which names the key, for what is no program of the
    task. Laws and sources: :func:`attnproof.symbolic.tasks.consistency.consistent`.
    """
    if budget < 0:
        raise InputError(f"the budget is {budget}; give 0 steps or more", budget=budget)
    name, file = _program(program)
    trained = intent.task(task) if task is not None else file.task
    if trained is None:
        raise InputError(
            f'{name} names no task; write task = "task.toml" in it, or give the task', source=name
        )
    found = decide(trained, file.program, mode, budget=budget)
    return ProgramReport(name, found, files=file.others)


def _program(given: object) -> tuple[str, ProgramFile]:
    if isinstance(given, Program):
        return given.name or "program", ProgramFile(given, None)
    if isinstance(given, str | PathLike):
        return str(given), load(Path(given))
    if isinstance(given, Mapping):
        file = from_table(given)
        return file.program.name or "program", file
    raise InputError(
        f"a program is a file, a table with calls, or a Program; {type(given).__name__} given"
    )
