"""equivalent: does a model compute the same at two positions, whatever its weights?"""

from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import SupportsIndex

from attnproof.ask import intent
from attnproof.certificate import Certificate
from attnproof.keywords import keywords
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.tasks.differing import differing, only_below, own_words
from attnproof.symbolic.tasks.equivalence import BUDGET, Equivalence, Grounds
from attnproof.symbolic.tasks.equivalence import equivalent as decide
from attnproof.symbolic.verdict import Grade, Verdict
from attnproof.values import CHECKED_IN_MEMORY


@dataclass(frozen=True, repr=False)
class Related:
    """Whether two positions are equivalent; ``found`` says why.

    >>> import attnproof as ap
    >>> causal = ap.Task.build(["x1", "x2", "x3"], {}, "causal")
    >>> ap.equivalent(causal, 1, ap.Task.build(["x1", "x2"], {}, "causal"), 1).map
    {0: 0, 1: 1}
    """

    a: str
    b: str
    found: Equivalence
    certificate_file: str | None = None

    @property
    def verdict(self) -> Verdict:
        """HOLDS equivalent, FAILS not, UNKNOWN where the budget is spent."""
        return self.found.verdict

    @property
    def map(self) -> dict[int, int] | None:
        """Where an isomorphism carries every position below the first node."""
        return None if self.found.map is None else dict(self.found.map)

    @property
    def round(self) -> int | None:
        """The first refinement round that separates the two."""
        return self.found.round

    @cached_property
    def certificate(self) -> Certificate:
        """The claim, with what shows it; empty where nothing was decided."""
        evidence = self.found.evidence
        return Certificate.of([] if evidence is None else [evidence])

    @cached_property
    def grade(self) -> Grade | None:
        """``certified`` when the checker accepted the certificate; None when it did not, or was not
        asked because the tasks are long and no certificate was written."""
        sizes = (self.found.a.task.size, self.found.b.task.size)
        wanted = self.certificate_file is not None or sum(sizes) <= CHECKED_IN_MEMORY
        return self.certificate.grade if wanted else None

    @property
    def exit_code(self) -> int:
        """0 equivalent, 1 not, 3 unknown."""
        return self.verdict.exit_code

    def written(self, path: str) -> "Related":
        """The same answer, its certificate written to ``path``."""
        self.certificate.save(path)
        return replace(self, certificate_file=path)

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object; ``map`` and ``round`` are null where the grounds are
        others, ``equivalent`` is null where it is unknown."""
        same = {Verdict.HOLDS: True, Verdict.FAILS: False}.get(self.verdict)
        mapped = self.map
        return {
            "a": self.a,
            "b": self.b,
            "mode": self.found.mode.value,
            "verdict": self.verdict.value,
            "equivalent": same,
            "map": None if mapped is None else {str(p): w for p, w in mapped.items()},
            "round": self.round,
            "rounds": self.found.rounds,
            "grounds": self.found.grounds.value,
            "grade": self.grade,
            "certificate": self.certificate_file,
        }

    def __repr__(self) -> str:
        said = {
            Verdict.HOLDS: "equivalent",
            Verdict.FAILS: "not equivalent",
            Verdict.UNKNOWN: "unknown",
        }
        return f"{self.a} and {self.b} ({self.found.mode.value}): {said[self.verdict]}"

    def __str__(self) -> str:
        from attnproof.render.merged import checked_words

        decided = self.verdict is not Verdict.UNKNOWN
        size = self.found.a.task.size + self.found.b.task.size if decided else 0
        grade = checked_words(self.grade, size).replace("; ", "\n  ", 1)
        return f"{self!r}\n  {_why(self.found)}{grade}"


def _why(found: Equivalence) -> str:
    if found.map is not None:
        pairs = [f"{p} -> {w}" for p, w in sorted(found.map.items())]
        more = f", and {len(pairs) - 12} more" if len(pairs) > 12 else ""
        return f"isomorphism: {', '.join(pairs[:12])}{more}"
    if found.round == 0:
        return _inputs(found)
    counted = "1 round" if found.rounds == 1 else f"{found.rounds} rounds"
    return {
        Grounds.COLOURS: f"one colour after {counted} of refinement, and more would split nothing",
        Grounds.ROUND: f"separated after {counted} of refinement",
        Grounds.SEARCH: "no round separates the two; an exhausted search finds no isomorphism",
        Grounds.BUDGET: "no round separates the two; the search for an isomorphism spent its "
        "budget (give more with --budget)",
    }[found.grounds]


@keywords()
def _inputs(found: Equivalence) -> str:
    """How the own inputs of two positions, or those below them, differ."""
    keys = differing(found.a, found.b)
    if keys:
        said = f"{own_words(found.a)} and {own_words(found.b)}"
        return f"their own inputs differ in {' and '.join(keys)}: {said}"
    first, second = only_below(found.a, found.b)
    return (
        f"the inputs below them differ: {first or 'nothing'} below the first alone, "
        f"{second or 'nothing'} below the second alone"
    )


def equivalent(
    task_a: object,
    node_a: object,
    task_b: object = None,
    node_b: int | None = None,
    *,
    mode: str = "iso",
    budget: int = BUDGET,
) -> Related:
    """Are position ``node_a`` of one task and ``node_b`` of another equivalent?

    A task is an :class:`attnproof.Task` or the path of a task file; two texts alone, such as
    ``"task.toml:3"`` and ``"family.toml:1:0"``, name the files and the positions at once. ``mode``
    is ``"iso"`` (what lies below them is isomorphic, the paper's notion), ``"wl"`` (no network
    whose layers see the multiset of key states tells them apart) or ``"softmax"`` (no softmax
    network does). ``budget`` counts the keys that a search for an isomorphism may look at; where it
    is spent the verdict is unknown.

    >>> import attnproof as ap
    >>> pair = ap.Task.build(["a", "b", None], {}, ["1..", ".1.", "111"], pos_mode="none")
    >>> chain = ap.Task.build(["a", "b", None], {}, ["1..", "11.", "111"], pos_mode="none")
    >>> ap.equivalent(pair, 2, chain, 2, mode="wl").round
    2

    Raises :class:`~attnproof.errors.TaskError` for a node out of range and for tasks that no one
    model runs. Laws and sources: :func:`attnproof.symbolic.tasks.equivalence.equivalent`.
    """
    if budget < 0:
        raise InputError(f"the budget is {budget}; give 0 steps or more", budget=budget)
    if isinstance(task_a, str) and isinstance(node_a, str) and task_b is None:
        other = place(node_a)
        (task_a, node_a), (task_b, node_b) = place(task_a), other
    if not isinstance(node_a, SupportsIndex) or node_b is None:
        raise InputError(
            "give two tasks, each followed by the index of a position, or two texts as in "
            '"task.toml:3", "family.toml:1:0"'
        )
    ours, theirs = intent.task(task_a), intent.task(task_b)
    found = decide(ours, node_a, theirs, node_b, mode, budget=budget)
    return Related(
        f"{_name(task_a, ours.name)}:{node_a}", f"{_name(task_b, theirs.name)}:{node_b}", found
    )


def _name(given: object, name: str) -> str:
    return str(given) if isinstance(given, str | PathLike) else name or "task"


def place(text: str) -> tuple[str, int]:
    """The file and the position of ``task.toml:3``.

    >>> place("task.toml:3")
    ('task.toml', 3)
    """
    file, colon, node = text.rpartition(":")
    digits = node.removeprefix("-")
    if not colon or not file or not (digits.isascii() and digits.isdecimal()) or len(digits) > 15:
        raise InputError(
            f"{text!r} names no position; write the task file, a colon and the index of a "
            "position, as in task.toml:3",
            given=text,
        )
    return file, int(node)
