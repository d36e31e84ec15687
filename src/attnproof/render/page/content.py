"""The content of a page: of a report one view for each distinct mask, of a merged task one."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from attnproof.render.merged import merged_facts
from attnproof.render.page.packed import Relations
from attnproof.render.page.size import ROOM, check_size, layers_room
from attnproof.render.page.view import Json, flow_view
from attnproof.render.ranges import spans
from attnproof.render.words import (
    evidence_words,
    flow_words,
    not_checked,
    reach_words,
    scope,
    tried_words,
    what_was_read,
)
from attnproof.symbolic.evidence import Leak, Safe
from attnproof.symbolic.masks.rows import bits_of, runs_of
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.property import TaskProperty

if TYPE_CHECKING:
    from attnproof.ask.length_report import LengthReport
    from attnproof.ask.merge import MergeReport
    from attnproof.values import Report

_FAMILY = 200


def report_content(report: "Report") -> Json:
    """The worst mask of a report, then the others of its batch as far as there is room.

    Raises :class:`InputError` for a mask that a page cannot hold.
    """
    check_size(report.flow.setting)
    relations = Relations()
    room = ROOM
    views: list[Json] = []
    left_out = 0
    for one in (report, *report.others):
        room -= layers_room(one.flow.setting)
        if views and room < 0:
            left_out += 1
        else:
            views.append(_report_view(one, relations))
    notes = [f"{left_out} more masks of the batch have no room here"] if left_out else []
    return _content(report.source, views, notes, relations)


def _report_view(report: "Report", relations: Relations) -> Json:
    values = report.told()
    claims = [judgement.evidence for judgement in report.judgements]
    properties = [claim.property for claim in claims if isinstance(claim, Leak | Safe)]
    flow = _in_bits(report)
    several = f"batch {spans(report.batch)}" if report.others or len(report.batch) > 1 else ""
    return {
        "name": several,
        "verdict": None if report.verdict is None else report.verdict.value,
        "badge": "described" if report.verdict is None else report.verdict.value,
        "verdicts": values["verdicts"],
        "asked": scope(values) if report.properties else "no property was asked for",
        "read": what_was_read(values).removeprefix(f"{report.source}: "),
        "comments": values["comments"],
        "found": report.findings_total,
        "facts": {
            "Flow": flow_words(report.flow.to_json()),
            "Evidence": [*evidence_words(values), *not_checked(values)],
        },
        "tasks": [],
        **flow_view(flow, properties, report.findings, relations),
    }


def length_content(report: "LengthReport", example: "Report", at: str) -> Json:
    """What is said of every length, with the mask at one of them, which ``at`` tells."""
    values: dict[str, Any] = report.to_json()
    content: dict[str, Any] = {**report_content(example)}
    view = content["views"][0]
    verdict = values["verdict"]
    told = {
        "verdict": verdict,
        "badge": verdict or "described",
        "verdicts": values["verdicts"],
        "asked": scope(values) if report.properties else "no property was asked for",
        "read": what_was_read(values).removeprefix(f"{report.source}, "),
        "comments": [at, *report.comments],
        "facts": {
            **({"Reach": reach_words(values["flow"])} if report.reach is not None else {}),
            "Evidence": [*tried_words(values), *evidence_words(values), *not_checked(values)],
            f"Flow at n = {example.n}": view["facts"]["Flow"],
        },
    }
    return {**content, "title": report.source, "views": [{**view, **told}]}


def _in_bits(report: "Report") -> Flow:
    flow = report.flow
    return flow if isinstance(flow, Flow) else flow.in_bits("pages are written")


def merge_content(merged: "MergeReport") -> Json:
    """The merged task, the forbidden pairs of its labels, and where its tasks stand in it.

    Raises :class:`InputError` for a task that a page cannot hold.
    """
    flow, task = merged.flow, merged.task
    check_size(flow.setting)
    relations = Relations()
    counts, *facts = merged_facts(merged.found, merged.grade)
    tasks = [
        {"name": one.name or f"task {t}", "positions": _runs(places)}
        for t, (one, places) in enumerate(
            zip(merged.tasks[:_FAMILY], merged.maps[:_FAMILY], strict=True)
        )
    ]
    left_out = len(merged.tasks) - len(tasks)
    view: Json = {
        "name": "",
        "verdict": merged.verdict.value,
        "badge": {"holds": "minimal", "fails": "fails", "unknown": "unknown"}[merged.verdict.value],
        "verdicts": {},
        "asked": f"{len(merged.tasks)} tasks as one" if len(merged.tasks) > 1 else "one task",
        "read": counts,
        "comments": [],
        "found": len(merged.findings),
        "facts": {"Merged task": facts, "Flow": flow_words(flow.to_json())},
        "tasks": tasks,
        **flow_view(flow, [TaskProperty(task)], merged.findings, relations),
    }
    notes = [f"{left_out} more tasks are not listed"] if left_out else []
    return _content(task.name or "merged task", [view], notes, relations)


def _runs(places: Iterable[int]) -> list[list[int]]:
    """Positions as runs [start, stop).

    >>> _runs([4, 0, 1])
    [[0, 2], [4, 5]]
    """
    return [list(run) for run in runs_of(bits_of((p, p + 1) for p in places))]


def _content(title: str, views: list[Json], notes: list[str], relations: Relations) -> Json:
    return {
        "title": title,
        "views": views,
        "notes": notes,
        "relations": relations.texts,
    }
