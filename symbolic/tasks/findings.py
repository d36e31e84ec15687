"""What a task forbids and the layers do, as findings: leaks, own inputs, notes.

A position of kind "keep" may carry its own label; that is a note and changes no verdict.
"""

from collections.abc import Iterator

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import leak_message
from attnproof.symbolic.order.witness import path
from attnproof.symbolic.tasks.leaks import Seen, by_reader
from attnproof.symbolic.tasks.targets import Target
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.verdict import Finding


def findings(task: Task, flow: Flow | None = None) -> tuple[Finding, ...]:
    """The findings of a task in report order; without ``flow`` its own layers run.

    >>> findings(Task.build(["x1", "x2"], {0: "x2"}, ["11", "11"]))[0]
    Finding: query 0 predicts x2, but token 1 reaches query 0 in 1 layer: 1 -> 0
    """
    found: list[Finding] = []
    for seen, wanted in by_reader(task, flow or Flow(task.setting())):
        reported: set[str] = set()
        for target in wanted:
            found += _of_label(seen, target)
            found += _not_allowed(seen, target, reported)
    return tuple(sorted(found, key=Finding.rank))


def _of_label(seen: Seen, target: Target) -> Iterator[Finding]:
    first = seen.first(target.atom) if target.label is not None else None
    if first is None:
        return
    depth, source = first
    here = f"query {seen.reader} predicts {target.atom}"
    if target.exempt:
        kept = f'{here} and keeps it as its own input, by design (kind "keep")'
        yield _finding(seen, "own_input", kept, target, target.atom, 0, seen.reader)
    elif depth == 0:
        own = f"{here} and holds it as its own input"
        yield _finding(seen, "own_input", own, target, target.atom, 0, source)
    else:
        alone = seen.task.carriers[target.atom] >> source & 1
        how = "but" if alone else "which follows from what it learns: at last"
        said = f"{here}, {how} {_arrival(seen, depth, source)}"
        yield _finding(seen, "leak", said, target, target.atom, depth, source)


def _not_allowed(seen: Seen, target: Target, reported: set[str]) -> Iterator[Finding]:
    if target.allowed is None:
        return
    read = (item for u in members(seen.now) for item in seen.task.positions[u].atoms)
    for item in dict.fromkeys(read):
        if item in target.allowed or item == target.atom or item in reported:
            continue
        first = seen.nearest(seen.task.carriers[item] & seen.now)
        if first is None:
            continue
        reported.add(item)
        depth, source = first
        said = f"{item} is not allowed at query {seen.reader}, but "
        said += _arrival(seen, depth, source) if depth else "is its own input"
        yield _finding(seen, "leak", said, target, item, depth, source)


def _arrival(seen: Seen, depth: int, source: int) -> str:
    walked = path(seen.flow.layers, source, seen.reader, depth)
    return leak_message(depth, seen.reader, source, walked)


def _finding(
    seen: Seen, kind: str, message: str, target: Target, atom: str, depth: int, source: int
) -> Finding:
    return Finding(
        kind,
        message,
        severity="note" if target.exempt and kind == "own_input" else "error",
        property="task",
        reader=seen.reader,
        source=source,
        depth=depth,
        path=path(seen.flow.layers, source, seen.reader, depth),
        details={"atom": atom, "head": target.head},
    )
