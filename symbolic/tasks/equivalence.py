"""Equivalence of positions: does a model compute the same there, whatever its weights?

Three notions, each implied by the one before: the labelled structures below two positions are
isomorphic; no network with layers ``h' = F(h, {{h_k}})`` tells them apart; no softmax network does.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from operator import index
from typing import SupportsIndex

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.evidence import Equivalent, Inequivalent
from attnproof.symbolic.tasks.building import choice
from attnproof.symbolic.tasks.isomorphism import Budget, OutOfBudget, Side, cells, isomorphism
from attnproof.symbolic.tasks.refinement import Bag, Colours, Nodes, rounds, side_by_side
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.tasks.upstream import Node, check_comparable
from attnproof.symbolic.verdict import Verdict

#: How many keys a search for an isomorphism looks at before it gives up.
BUDGET = 1 << 23


class Mode(Enum):
    """What two positions must have in common.

    ``ISO``: what lies below them, up to isomorphism. ``WL``: their colours, from multisets of key
    states, after as many rounds as the tasks have layers. ``SOFTMAX``: the same with multisets up
    to a common factor.
    """

    ISO = "iso"
    WL = "wl"
    SOFTMAX = "softmax"

    @property
    def bag(self) -> Bag:
        """What colours are made from."""
        return Bag.SHARES if self is Mode.SOFTMAX else Bag.MULTISET


class Grounds(Enum):
    """What an answer rests on."""

    MAP = "isomorphism"
    COLOURS = "equal colours"
    ROUND = "different colours"
    SEARCH = "exhausted search"
    BUDGET = "budget spent"


@dataclass(frozen=True, repr=False)
class Equivalence:
    """Whether two positions are equivalent, and why.

    ``map`` carries every position below ``a`` to one below ``b``; ``round`` is the first
    refinement round that separates the two; both are None where the grounds are others. ``rounds``
    is how many rounds were compared.
    """

    a: Node
    b: Node
    mode: Mode
    grounds: Grounds
    map: Mapping[int, int] | None = None
    round: int | None = None
    rounds: int = 0

    @property
    def verdict(self) -> Verdict:
        """HOLDS equivalent, FAILS not, UNKNOWN where the search ran out of its budget."""
        if self.grounds is Grounds.BUDGET:
            return Verdict.UNKNOWN
        same = self.grounds in (Grounds.MAP, Grounds.COLOURS)
        return Verdict.HOLDS if same else Verdict.FAILS

    @property
    def evidence(self) -> Equivalent | Inequivalent | None:
        """What a certificate holds; None where nothing was decided."""
        if self.verdict is Verdict.HOLDS:
            return Equivalent(self.a, self.b, self.mode.value, self.map)
        if self.verdict is Verdict.FAILS:
            return Inequivalent(self.a, self.b, self.mode.value, self.round)
        return None

    def __repr__(self) -> str:
        relation = {Verdict.HOLDS: "≡", Verdict.FAILS: "≢", Verdict.UNKNOWN: "≟"}[self.verdict]
        said = self.grounds.value if self.round is None else f"round {self.round}"
        return f"{self.a} {relation} {self.b} ({self.mode.value}: {said})"


def equivalent(
    task_a: Task,
    node_a: SupportsIndex,
    task_b: Task,
    node_b: SupportsIndex,
    mode: Mode | str = Mode.ISO,
    *,
    budget: int = BUDGET,
) -> Equivalence:
    """Are a position of one task and a position of another equivalent?

    ``ISO`` asks for a bijection of all that lies below them that keeps own inputs and, in every
    head of every layer, which query has which keys; for a dense mask that is the order below them.
    Differences of position ids are kept where ``pos_mode`` is relative. ``WL`` and ``SOFTMAX``
    compare colours after ``depth`` rounds, or stable ones where the tasks have any depth.
    ``budget`` is how many keys a search for an isomorphism may look at.

    >>> causal = Task.build(["x1", "x2", "x3"], {}, "causal")
    >>> equivalent(causal, 1, Task.build(["x1", "x2"], {}, "causal"), 1)
    1 ≡ 1 (iso: isomorphism)
    >>> equivalent(causal, 1, Task.build(["x2", "x1"], {}, ["11", ".1"]), 0)
    1 ≢ 0 (iso: round 0)

    Raises :class:`TaskError` for a node out of range, and for tasks that no one model runs.

    Laws: an equivalence relation in each mode; ISO implies WL implies SOFTMAX; renumbering the
    positions of a task changes nothing. Source: node equivalence, the paper; the modes, the
    treatment of sparse masks and the algorithm, ours.
    """
    kind = choice(Mode, mode, "mode")
    check_comparable([task_a, task_b])
    pair = _node(task_a, node_a), _node(task_b, node_b)
    own, others = (node.upstream for node in pair)
    nodes = side_by_side([(node.task.executed, node.upstream) for node in pair])
    one, two = range(len(own)), range(len(own), len(own) + len(others))
    roots = one[own.index(pair[0].position)], two[others.index(pair[1].position)]
    sides = ((one, roots[0]), (two, roots[1]))
    last = None if kind is Mode.ISO else task_a.depth
    level = 0
    stable: Colours = ()
    for level, colours in enumerate(rounds(nodes, kind.bag)):
        if not _agree(nodes, colours, kind, sides):
            return Equivalence(*pair, kind, Grounds.ROUND, round=level, rounds=level)
        stable = colours
        if level == last:
            break
    if kind is not Mode.ISO:
        return Equivalence(*pair, kind, Grounds.COLOURS, rounds=level)
    try:
        found = isomorphism(nodes, *sides, stable, Budget(budget))
    except OutOfBudget:
        return Equivalence(*pair, kind, Grounds.BUDGET, rounds=level)
    if found is None:
        return Equivalence(*pair, kind, Grounds.SEARCH, rounds=level)
    named = {own[v]: others[w - len(own)] for v, w in found.items()}
    return Equivalence(*pair, kind, Grounds.MAP, named, rounds=level)


def _agree(nodes: Nodes, colours: Colours, mode: Mode, sides: tuple[Side, Side]) -> bool:
    """Have the roots one colour and, for ISO, the two sides as many nodes of each cell?"""
    (_, root), (_, other) = sides
    if colours[root] != colours[other] or mode is not Mode.ISO:
        return colours[root] == colours[other]
    ours, theirs = (Counter(cells(nodes, colours, *side)) for side in sides)
    return ours == theirs


def _node(task: Task, position: SupportsIndex) -> Node:
    if not isinstance(position, SupportsIndex) or not 0 <= index(position) < task.size:
        raise TaskError(
            f"node {position} is no position of {task.name or 'the task'}; give an index from 0 to "
            f"{task.size - 1}",
            where="node",
            node=position,
            positions=task.size,
        )
    return Node(task, index(position))
