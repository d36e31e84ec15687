"""The picture of a report: its mask, its flow, its first leak and the property that it breaks."""

from typing import TYPE_CHECKING

from attnproof.render.picture import Picture, picture
from attnproof.symbolic.evidence import Leak, Safe
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow

if TYPE_CHECKING:
    from attnproof.values import Report


def report_picture(report: "Report") -> Picture:
    """What ``--draw`` shows: the first finding that has a path, else the whole flow."""
    finding = next((f for f in report.findings if f.reader is not None), None)
    claims = [
        judgement.evidence
        for judgement in report.judgements
        if isinstance(judgement.evidence, Leak | Safe)
        and (finding is None or judgement.property == finding.property)
    ]
    flow = report.flow
    if not isinstance(flow, Flow):
        flow = flow.in_bits("masks are drawn")
    mask = drawn_mask(flow)
    shape = f"{mask.queries} × {mask.keys}"
    return picture(
        mask,
        flow,
        finding,
        claims[0].property if claims else None,
        title=f"{report.source}, {shape}",
    )


def drawn_mask(flow: Flow) -> Mask:
    """The mask of one layer; of a schedule, the union of its masks on all positions.

    >>> from attnproof.symbolic.order.flow import Flow
    >>> from attnproof.symbolic.setting import Setting
    >>> a, b = Mask.from_rows(["1.", ".."]), Mask.from_rows(["..", "1."])
    >>> drawn_mask(Flow(Setting((a, b))))
    Mask 2×2 (row = query)
    #·
    #·
    """
    first, *others = flow.setting.layers
    if not others:
        return first
    rows = [0] * flow.setting.size
    for mask in (first, *others):
        for q, row in enumerate(mask.rows.bits()):
            rows[mask.offset + q] |= row
    return Mask.of(Bits(tuple(rows), flow.setting.size))
