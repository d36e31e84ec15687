"""A merged task for people: counts, the mask with its inputs and labels, findings."""

from typing import TYPE_CHECKING

from attnproof.symbolic.tasks.quotient import Weights
from attnproof.symbolic.words import counted
from attnproof.values import CHECKED_IN_MEMORY

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.merged import Merged

_SHOWN = 64


def merged_text(merged: "Merged", grade: str | None) -> str:
    """Some lines of text.

    >>> from attnproof.symbolic.tasks.merge import merge
    >>> from attnproof.symbolic.tasks.task import Task
    >>> print(merged_text(merge([Task.build(["x1"], {0: "x2"}, "causal")]), None))
    merged: 1 position in 1 class, 0 covers, height 1, width 1
      from 1 task, 1 position in all (iso)
      predicted: 1/1 of positions, 1/2 of tokens; context 1/1
      minimal: proved
      0  x1 -> x2  #
    """
    counts, *facts = merged_facts(merged, grade)
    task = merged.task
    errors = [one for one in merged.findings if one.severity == "error"]
    notes = [one for one in merged.findings if one.severity != "error"]
    lines = [f"{task.name}: {counts}"]
    lines += [f"  error ({one.kind}): {one.message}" for one in errors]
    lines += [f"  {fact}" for fact in facts]
    _, *rows = repr(task).splitlines()
    lines += [f"  {row.strip()}" if task.size < 11 else f" {row}" for row in rows]
    if merged.weights is not None:
        lines += _weights(merged.weights)
    lines += [f"  note ({one.kind}): {one.message}" for one in notes]
    if merged.quotient is not None and merged.quotient.weights is not None:
        lines += ["  the weighted quotient:", *_weights(merged.quotient.weights)]
    return "\n".join(lines)


def merged_facts(merged: "Merged", grade: str | None) -> list[str]:
    """The counts of the merged task, then where it comes from, what it predicts, whether it is
    minimal; of a sparse mask, how many edges it has."""
    flow, task, density = merged.flow, merged.task, merged.density
    before = sum(one.size for one in merged.tasks)
    width = flow.width()
    edges = f"edges: {flow.edges_off_diagonal} off the diagonal; as few as so many layers allow is "
    edges += "asked of attnproof sparsify"
    bad = any(one.severity == "error" for one in merged.findings)
    return [
        f"{counted(task.size, 'position')} in {counted(len(flow.classes), 'class')}"
        f", {counted(len(flow.covers), 'cover')}, height {flow.height}"
        + ("" if width is None else f", width {width}"),
        f"from {counted(len(merged.tasks), 'task')}, {counted(before, 'position')} in all "
        f"({merged.mode.value})",
        "predicted: "
        f"{density.positions.numerator}/{density.positions.denominator} of positions, "
        f"{density.tokens.numerator}/{density.tokens.denominator} of tokens; "
        f"context {density.context.numerator}/{density.context.denominator}",
        f"minimal: {merged.minimal.value}"
        + (", but of a task with errors: read them before a model is trained on it" if bad else "")
        + checked_words(grade, before + task.size if merged.evidence else 0),
        *([] if flow.transitive else [edges]),
    ]


def checked_words(grade: str | None, size: int) -> str:
    """Whether the checker accepted the certificate; of long tasks it is asked when one is written.

    >>> checked_words(None, 10_000)
    '; not checked (long): --certificate writes and checks it'
    """
    if grade is not None:
        return "; certified: the checker accepted the certificate"
    return "; not checked (long): --certificate writes and checks it" * (size > CHECKED_IN_MEMORY)


def _weights(weights: Weights) -> list[str]:
    return [
        f"    {' '.join(map(str, row))}"
        for heads in weights
        for rows in heads
        for row in (rows if len(rows) <= _SHOWN else ())
    ]
