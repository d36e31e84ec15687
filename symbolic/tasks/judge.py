"""Judgement of a task: no position learns what it must predict, nor what it may not know."""

from attnproof.symbolic.evidence import Leak, Safe
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.tasks.findings import findings
from attnproof.symbolic.tasks.property import TaskProperty
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.verdict import Finding, Verdict


def judge_task(flow: Flow, task: Task, *, most: int = 100) -> Judgement:
    """Judge a task at the depth of the flow's setting; the flow's masks replace the task's.

    >>> task = Task.build(["x1", "x2", "x3"], {0: "x3"}, ["11.", ".11", "..1"])
    >>> judge_task(Flow(task.setting()), task).findings[0].path
    (2, 1, 0)

    Law: the verdict fails exactly when a label is known where it is predicted, or an atom that is
    not allowed has arrived, after the layers in question. It is unknown only for a schedule
    without residual, at any depth, whose closure forbids what its products were not seen to do.
    """
    found = findings(task, flow)
    errors = [finding for finding in found if finding.severity == "error"]
    notes = [finding for finding in found if finding.severity != "error"]
    listed = (*errors[:most], *notes[:most])
    wanted = TaskProperty(task)
    if errors:
        evidence = _leak(flow, wanted, errors[0])
        return Judgement("task", Verdict.FAILS, listed, len(found), evidence)
    rows = flow.closure.rows
    always = wanted.holds(rows)
    if not always and flow.setting.depth is None:
        return Judgement("task", Verdict.UNKNOWN, listed, len(found))
    safe = Safe(flow.setting, wanted, rows if always else None)
    return Judgement(
        "task", Verdict.HOLDS, listed, len(found), safe, "the closure" if always else None
    )


def _leak(flow: Flow, wanted: TaskProperty, finding: Finding) -> Leak:
    atom, head = finding.details.get("atom"), finding.details.get("head")
    if finding.reader is None or finding.source is None or finding.depth is None:
        raise ValueError("a leak has a reader, a source and a depth")
    return Leak(
        flow.setting,
        wanted,
        finding.reader,
        finding.source,
        finding.depth,
        finding.path or (finding.source,),
        atom if isinstance(atom, str) else None,
        head if isinstance(head, int) else None,
    )
