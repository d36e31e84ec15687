"""Supervision densities: how much of a task is predicted, and from how much.

What counts are the atoms and the derived items that are labels. Context is taken from the limit:
everything that reaches a position through any number of layers.
"""

from dataclasses import dataclass
from fractions import Fraction

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.task import Task


@dataclass(frozen=True, slots=True)
class Density:
    """Three shares: positions with a label, items that are labels, items seen at a label.

    ``context`` is the mean over labelled positions of what they know except their labels, over
    all items but one. Without a label it is 0.
    """

    positions: Fraction
    tokens: Fraction
    context: Fraction


def density(task: Task, flow: Flow | None = None) -> Density:
    """The densities of a task, exact. A position counts once however many labels it has.

    >>> density(Task.build(["x1", "x2"], {0: "x2", 1: "x3"}, "causal"))
    Density(positions=Fraction(1, 1), tokens=Fraction(2, 3), context=Fraction(3, 4))

    Law: each is between 0 and 1.
    """
    flow = flow or Flow(task.setting())
    told = {label.atom for label in task.labels}
    universe = {*task.items.primitive, *told}
    shares = [
        len(context(task, flow, v) & universe - {label.atom for label in labels})
        for v, labels in task.labelled.items()
    ]
    others = len(shares) * (len(universe) - 1)
    return Density(
        Fraction(len(task.labelled), task.size),
        Fraction(len(told), len(universe)) if universe else Fraction(0),
        Fraction(sum(shares), others) if others else Fraction(0),
    )


def context(task: Task, flow: Flow, v: int) -> frozenset[str]:
    """Everything known at position ``v`` after any number of layers.

    >>> task = Task.build(["x1", "x2"], {}, "causal", derived={"y": ["x1", "x2"]})
    >>> sorted(context(task, Flow(task.setting()), 1))
    ['x1', 'x2', 'y']
    """
    reached = members(flow.closure.rows[v])
    return task.items.known(frozenset().union(*(task.carried[u] for u in reached)))
