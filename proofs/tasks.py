"""Tasks and their positions to predicates: equivalence, merging, and what stands in its way."""

from typing import TYPE_CHECKING

from attnproof.proofs.setting import setting_json
from attnproof.symbolic.evidence import (
    CommonSupergraph,
    Conflict,
    Equivalent,
    FewestMerged,
    Inequivalent,
)

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.task import Task
    from attnproof.symbolic.tasks.upstream import Node

Json = dict[str, object]


def equivalent(found: Equivalent | Conflict) -> Json:
    """The two nodes and the isomorphism."""
    shown = found.map
    return {
        "a": _node(found.a),
        "b": _node(found.b),
        "mode": found.mode,
        "map": None if shown is None else [list(pair) for pair in sorted(shown.items())],
    }


def inequivalent(found: Inequivalent) -> Json:
    """The two nodes and the round of refinement that tells them apart."""
    return {
        "a": _node(found.a),
        "b": _node(found.b),
        "mode": found.mode,
        "round": found.round,
    }


def merged(found: CommonSupergraph) -> Json:
    """The single tasks, the merged one, and where each position goes."""
    return {
        "tasks": [_model(task) for task in found.tasks],
        "merged": _model(found.task),
        "maps": [list(mapped) for mapped in found.maps],
        "minimal": found.minimal,
    }


def conflict(found: Conflict) -> Json:
    """Two nodes that are equivalent and are asked for different tokens."""
    return {
        **equivalent(found),
        "labels": [_labels(found.a.task), _labels(found.b.task)],
        "head": found.head,
        "atoms": list(found.atoms),
    }


def fewest_merged(found: FewestMerged) -> Json:
    """The tasks, and the refutation of one vertex less than it takes."""
    return {
        "of": "merged",
        "tasks": [_model(task) for task in found.tasks],
        "counted": found.counted,
        "injective": found.injective,
        "fewest": found.fewest,
        "vertices": [list(one) for one in found.vertices],
        "least": {"by": "refutation", "steps": found.steps},
    }


def _node(node: "Node") -> Json:
    """A position, its task and the masks of all heads, layer after layer."""
    return {**_fed(node.task), "node": node.position}


def _model(task: "Task") -> Json:
    """A task with its labels."""
    return {**_fed(task), "labels": _labels(task)}


def _fed(task: "Task") -> Json:
    return {
        **setting_json(task.executed.setting),
        "heads": task.executed.heads,
        "pos_mode": task.pos_mode.value,
        "diag_in_softmax": task.diag_in_softmax,
        "positions": [
            {
                "atoms": sorted(position.atoms),
                "pos": position.pos,
                "kind": position.kind,
                "segment": position.segment,
            }
            for position in task.positions
        ],
    }


def _labels(task: "Task") -> list[Json]:
    return [
        {"position": label.position, "atom": label.atom, "head": label.head}
        for label in task.labels
    ]
