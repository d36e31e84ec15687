"""Every mask with a zero diagonal on up to four positions, counted against known numbers."""

import json
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.setting import Setting

KNOWN = json.loads(Path(__file__).with_name("orders.json").read_text())


def every_flow(n: int) -> list[Flow]:
    """The flow of each of the 2^(n(n-1)) masks."""
    pairs = [(q, k) for q in range(n) for k in range(n) if q != k]
    flows = []
    for chosen in product((0, 1), repeat=len(pairs)):
        rows = [0] * n
        for (q, k), there in zip(pairs, chosen, strict=True):
            rows[q] |= there << k
        flows.append(Flow(Setting((Mask.of(Bits(tuple(rows), n)),))))
    return flows


@pytest.mark.parametrize(
    ("n", "preorders", "strong"), [(1, 1, 1), (2, 4, 1), (3, 29, 18), (4, 355, 1606)]
)
def test_exhaustive_counts(n: int, preorders: int, strong: int) -> None:
    """The limits are the labelled preorders (OEIS A000798); strongly connected ones are A003030;
    histograms of depth, classes, covers, width and height are those of the table."""
    flows = every_flow(n)
    known = KNOWN["exhaustive_masks_zero_diagonal"][str(n)]

    def histogram(values: list[int | None]) -> dict[str, int]:
        return {str(value): count for value, count in Counter(values).items()}

    assert len(flows) == known["masks"] == 2 ** (n * (n - 1))
    assert len({flow.closure.rows for flow in flows}) == known["distinct_limits"] == preorders
    assert sum(len(flow.classes) == 1 for flow in flows) == known["strongly_connected"] == strong
    assert sum(flow.transitive for flow in flows) == known["dense"] == preorders
    assert histogram([flow.depth for flow in flows]) == known["L_star_hist"]
    assert histogram([len(flow.classes) for flow in flows]) == known["classes_hist"]
    assert histogram([len(flow.covers) for flow in flows]) == known["cover_hist"]
    assert histogram([flow.width() for flow in flows]) == known["width_hist"]
    assert histogram([flow.height for flow in flows]) == known["height_hist"]
