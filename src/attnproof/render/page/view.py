"""View: one mask, or schedule of masks, as the values that a page shows.

Convention: row = query. Positions are numbered from 0; a step of a path is [token, layer after
which it holds].
"""

from collections.abc import Mapping, Sequence

from attnproof.render.diagram import Limits, diagram
from attnproof.render.labels import caption
from attnproof.render.layout import Layout, layout
from attnproof.render.page.packed import Relations
from attnproof.symbolic.masks.rows import bits_of, runs_of
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.properties import Property
from attnproof.symbolic.tasks.property import TaskProperty
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.verdict import Finding, Path

Json = dict[str, object]

LIMITS = Limits(most=200, tallest=64, widest=24)


def flow_view(
    flow: Flow,
    properties: Sequence[Property],
    findings: Sequence[Finding],
    relations: Relations,
) -> Json:
    """The grid, the layers, the forbidden pairs, the Hasse diagram and the findings of a flow.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> from attnproof.symbolic.setting import Setting
    >>> flow = Flow(Setting((Mask.from_rows(["1.", "11"]),)))
    >>> shown = flow_view(flow, [], [], Relations())
    >>> shown["n"], shown["rows"], shown["depth"], shown["names"]
    (2, [0, 2], None, None)
    """
    setting = flow.setting
    size = setting.size
    queries = [(mask.offset, mask.offset + mask.queries) for mask in setting.layers]
    tasks = [one.task for one in properties if isinstance(one, TaskProperty)]
    return {
        "n": size,
        "rows": [min(start for start, _ in queries), max(stop for _, stop in queries)],
        "depth": setting.depth,
        "residual": setting.residual,
        "names": position_names(tasks[0]) if tasks else None,
        "given": relations.number(flow.given, size),
        "layers": [relations.number(rows, size) for rows in flow.layers],
        "forbidden": [
            {
                "property": one.name,
                "pairs": relations.number([one.forbidden(q) for q in range(size)], size),
            }
            for one in properties
        ],
        "findings": [_finding(finding) for finding in findings],
        "diagram": _diagram(flow),
    }


def position_names(task: Task) -> list[str]:
    """What each position carries and predicts.

    >>> position_names(Task.build(["x1", None], {1: "x2"}, ["1.", "11"]))
    ['x1', 'mask → x2']
    """
    names = []
    for p, position in enumerate(task.positions):
        own = "+".join(position.atoms) or position.kind
        told = ", ".join(label.atom for label in task.labelled.get(p, ()))
        names.append(f"{own} → {told}" if told else own)
    return names


def _finding(finding: Finding) -> Json:
    return {
        "text": caption(finding).replace(" -> ", "\u00a0→ "),
        "severity": finding.severity,
        "property": finding.property or finding.kind.replace("_", " "),
        "reader": finding.reader,
        "source": finding.source,
        "depth": finding.depth,
        "path": None if finding.path is None else _steps(finding.path),
    }


def _steps(path: Path) -> list[tuple[int, int]]:
    """One form for both kinds of path.

    >>> _steps((5, 7)), _steps(((5, 0), (7, 2)))
    ([(5, 0), (7, 1)], [(5, 0), (7, 2)])
    """
    steps: Sequence[int | tuple[int, int]] = path
    return [(step, layer) if isinstance(step, int) else step for layer, step in enumerate(steps)]


def _diagram(flow: Flow) -> Json:
    drawn = diagram(flow.classes, flow.covers, LIMITS)
    placed = layout(drawn)
    covers = len(drawn.covers)
    return {
        "classes": len(flow.classes),
        "covers": len(flow.covers),
        "width": placed.width,
        "height": placed.height,
        "nodes": [_node(placed, i, flow.classes) for i in range(len(drawn.labels))],
        "lines": [
            {"ends": list(ends), "route": [list(point) for point in route], "dashed": i >= covers}
            for i, (ends, route) in enumerate(
                zip((*drawn.covers, *drawn.links), placed.routes, strict=True)
            )
        ],
        "note": drawn.note,
    }


def _node(placed: Layout, i: int, classes: Sequence[Sequence[int]]) -> Mapping[str, object]:
    """One class, or the classes that a node of an abridged diagram stands for."""
    drawn = placed.diagram
    members = bits_of((p, p + 1) for c in drawn.holds[i] for p in classes[c])
    return {
        "label": drawn.labels[i],
        "x": placed.x[i],
        "rank": placed.rank[i],
        "classes": len(drawn.holds[i]),
        "positions": [list(run) for run in runs_of(members)],
    }
