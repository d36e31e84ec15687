"""A merged task as one JSON document: numbers, rows, inputs, labels, maps, findings."""

from attnproof.symbolic.tasks.masks import each_head, row_texts
from attnproof.symbolic.tasks.merged import Merged
from attnproof.symbolic.tasks.quotient import Weights
from attnproof.symbolic.tasks.task import Position


def merged_json(merged: Merged) -> dict[str, object]:
    """The document; shares are numbers, and exact under ``density_exact``.

    ``rows`` unite the layers and heads; where there are several, ``layers`` lists each.
    """
    task, flow, density = merged.task, merged.flow, merged.density
    shares = {
        "positions": density.positions,
        "tokens": density.tokens,
        "context": density.context,
    }
    layers = each_head(task.mask, task.size)
    found: dict[str, object] = {
        "schema": "attnproof/merge/v1",
        "name": task.name,
        "mode": merged.mode.value,
        "verdict": merged.verdict.value,
        "minimal": merged.minimal.value,
        "positions": task.size,
        "classes": len(flow.classes),
        "covers": len(flow.covers),
        "height": flow.height,
        "width": flow.width(),
        "depth": flow.depth,
        "edges_off_diagonal": flow.edges_off_diagonal,
        "rows": row_texts(merged.mask),
        "inputs": [
            {"atoms": list(one.atoms), "pos": one.pos, "kind": one.kind, "segment": _segment(one)}
            for one in task.positions
        ],
        "labels": [
            {"position": one.position, "atom": one.atom, "head": one.head} for one in task.labels
        ],
        "maps": [list(mapped) for mapped in merged.maps],
        "density": {name: float(share) for name, share in shares.items()},
        "density_exact": {name: str(share) for name, share in shares.items()},
        "findings": [finding.to_json() for finding in merged.findings],
    }
    if len(layers) > 1 or any(len(heads) > 1 for heads in layers):
        found["layers"] = [[row_texts(mask) for mask in heads] for heads in layers]
    if merged.weights is not None:
        found["weights"] = _weights(merged.weights)
    if merged.quotient is not None:
        found["quotient"] = merged_json(merged.quotient)
    return found


def _weights(weights: Weights) -> object:
    """One table where there is one; else a table for each head of each layer."""
    if len(weights) == len(weights[0]) == 1:
        return [list(row) for row in weights[0][0]]
    return [[[list(row) for row in rows] for rows in heads] for heads in weights]


def _segment(position: Position) -> object:
    return list(position.segment) if isinstance(position.segment, tuple) else position.segment
