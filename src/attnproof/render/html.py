"""Fragments of HTML for notebooks: a mask, a flow, a report, each with its picture."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from attnproof.render.figure import only
from attnproof.render.hasse import counts, hasse
from attnproof.render.labels import caption, class_label
from attnproof.render.of_report import drawn_mask, report_picture
from attnproof.render.palette import DARK, LIGHT
from attnproof.render.picture import Picture, picture
from attnproof.render.svg import svg, svg_of
from attnproof.render.words import evidence_words, flow_words, scope, what_was_read
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import LIMIT, Flow
from attnproof.symbolic.verdict import Finding

if TYPE_CHECKING:
    from attnproof.symbolic.order.run_flow import RunFlow
    from attnproof.values import Report

_SHOWN = 12
_ROLES = ("paper", "ink", "quiet", "hair", "leak", "good", "unsure")


def mask_html(mask: Mask) -> str:
    """The heat map of a mask, row = query.

    >>> mask_html(Mask.from_rows(["1.", "11"])).startswith("<svg")
    True
    """
    name = f"{mask.name or 'Mask'}, {mask.queries} × {mask.keys}"
    return svg(Picture(name, mask))


def flow_html(flow: "Flow | RunFlow") -> str:
    """The facts of a flow and its Hasse diagram; of a flow in runs its first classes instead."""
    if not isinstance(flow, Flow):
        facts = flow.to_json()
        listed = [] if facts["classes"] is None else [_first_classes(flow.classes)]
        return _box(_list([*flow_words(facts), *listed]))
    drawn = picture(drawn_mask(flow), flow)
    words = f"Hasse diagram: {counts(len(flow.classes), len(flow.covers))}; flow goes upward."
    diagram = svg_of(only(hasse(drawn)), "Hasse diagram of the flow", words)
    return _box(f"{_list(flow_words(flow.to_json()))}{diagram}")


def _first_classes(classes: Sequence[Sequence[int]]) -> str:
    first = ", ".join(map(class_label, classes[:_SHOWN]))
    more = len(classes) - _SHOWN
    return f"classes, sources first: {first}" + (f", … and {more} more" if more > 0 else "")


def report_html(report: "Report") -> str:
    """The verdict of a report, its findings, its flow, its evidence and, where one can be drawn,
    its picture."""
    values = report.told()
    verdict = "described" if report.verdict is None else report.verdict.value
    role = {"fails": "leak", "holds": "good", "unknown": "unsure"}.get(verdict, "quiet")
    asked = f"{', '.join(report.properties)}, {scope(values)}" if report.properties else ""
    head = (
        f'<p><span class="badge {role}">{verdict}</span> {escape(asked)}<br>'
        f'<span class="quiet">{escape(what_was_read(values))}</span></p>'
    )
    facts = _list([*report.comments, *flow_words(report.flow.to_json()), *evidence_words(values)])
    drawn = svg(report_picture(report)) if report.n <= LIMIT else ""
    return _box(f"{head}{_table(report.findings, report.findings_total)}{facts}{drawn}")


def _table(findings: Sequence[Finding], total: int) -> str:
    if not findings:
        return ""
    rows = "".join(
        f"<tr><td>{escape(finding.property or finding.kind)}</td>"
        f"<td>{escape(caption(finding))}</td></tr>"
        for finding in findings[:_SHOWN]
    )
    more = total - len(findings[:_SHOWN])
    rest = f'<tr><td></td><td class="quiet">… and {more} more</td></tr>' if more > 0 else ""
    return f"<table><tr><th>property</th><th>finding</th></tr>{rows}{rest}</table>"


def _list(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _box(content: str) -> str:
    def colours(palette: dict[str, str]) -> str:
        return " ".join(f"--box-{role}: {palette[role]};" for role in _ROLES)

    style = f"""\
.attnproof-box {{ {colours(LIGHT)} background: var(--box-paper); color: var(--box-ink);
  border: 1px solid var(--box-hair); border-radius: 8px; padding: 12px 18px; max-width: 1100px;
  font: 13px/1.5 system-ui, sans-serif; }}
@media (prefers-color-scheme: dark) {{ .attnproof-box {{ {colours(DARK)} }} }}
.attnproof-box .badge {{ font-weight: 600; border: 1.5px solid; border-radius: 5px;
  padding: 1px 8px; }}
.attnproof-box .leak {{ color: var(--box-leak); }}
.attnproof-box .good {{ color: var(--box-good); }}
.attnproof-box .unsure {{ color: var(--box-unsure); }}
.attnproof-box .quiet {{ color: var(--box-quiet); }}
.attnproof-box table {{ border-collapse: collapse; margin: 8px 0; color: inherit;
  font: inherit; }}
.attnproof-box th, .attnproof-box td {{ text-align: left; padding: 2px 14px 2px 0; color: inherit;
  background: none; border: 0; border-bottom: 1px solid var(--box-hair); }}
.attnproof-box ul {{ margin: 6px 0; padding-left: 18px; }}"""
    return f'<div class="attnproof-box"><style>{style}</style>{content}</div>'
