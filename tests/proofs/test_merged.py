"""What the kernels of merged tasks and of label conflicts refuse, and how they say so."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from attnproof.proofs.checker import check_statement
from attnproof.proofs.emit import emit
from attnproof.symbolic.evidence import CommonSupergraph, Conflict, Evidence
from attnproof.symbolic.families.registry import build
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.merged import Minimal
from attnproof.symbolic.tasks.task import Position, Task
from attnproof.symbolic.tasks.upstream import Node

PAIR, CHAIN = (
    Task.build([*"abc"[:n]], {n - 1: "abcd"[n]}, "causal", atoms=[*"abcd"]) for n in (2, 3)
)
BOTH = replace(CHAIN, labels=(*PAIR.labels, *CHAIN.labels))
NEAR, FAR = (
    Task.build([Position(("x",), 0), Position((), far)], {}, "causal", pos_mode="relative")
    for far in (1, 2)
)
TWICE = Task.build(["a", Position(("a",), 0)], {}, ["1.", ".1"])
ONE = Task.build(["a"], {}, ["1"])
SUM = Task.build(["a", None], {}, ["1.", "11"], pos_mode="none")
SPLIT = Task.build(["a", Position(("a",), 0), None], {}, ["1..", ".1.", "111"], pos_mode="none")


def claim(
    tasks: Sequence[Task], task: Task, *maps: Sequence[int], minimal: bool = True
) -> Evidence:
    """The claim that some maps embed some tasks in one."""
    return CommonSupergraph(tuple(tasks), task, maps, minimal)


def reason(evidence: Evidence) -> str:
    """Why the statement of some evidence is not valid, read as from a file."""
    return check_statement(json.loads(json.dumps(emit(evidence)))).reason


def test_a_right_claim_is_accepted() -> None:
    """Two prefixes in one chain; two copies of one task where no minimum is claimed."""
    assert reason(claim([PAIR, CHAIN], BOTH, [0, 1], [0, 1, 2])) == ""
    assert reason(claim([ONE, ONE], TWICE, [0], [1], minimal=False)) == ""


REFUSED: list[tuple[Evidence, str]] = [
    (claim([PAIR, CHAIN], BOTH, [0, 1]), "there is not one map a task"),
    (claim([PAIR, CHAIN], BOTH, [0], [0, 1, 2]), "a map has another length than its task"),
    (claim([PAIR, CHAIN], BOTH, [0, 2], [0, 1, 2]), "a map changes an input"),
    (claim([SPLIT], SUM, [0, 0, 1]), "a map is not one to one below a position"),
    (claim([SUM], SPLIT, [0, 2]), "a map changes the keys of a query"),
    (claim([CHAIN], CHAIN, [0, 1, 7]), "a map is out of range"),
    (claim([NEAR], FAR, [0, 1]), "a map changes a difference of positions"),
    (claim([PAIR], BOTH, [0, 1]), "a position comes from no task"),
    (claim([PAIR, CHAIN], CHAIN, [0, 1], [0, 1, 2]), "the labels are not those of the tasks"),
    (claim([CHAIN], BOTH, [0, 1, 2]), "the labels are not those of the tasks"),
    (claim([ONE, ONE], TWICE, [0], [1]), "two classes are equivalent"),
    (claim([replace(ONE, depth=2)], ONE, [0]), "no one model runs all tasks"),
    (claim([], ONE), "there is no task"),
]


@pytest.mark.parametrize(("evidence", "told"), REFUSED, ids=lambda case: str(case)[:40])
def test_refused(evidence: Evidence, told: str) -> None:
    """A map that is no embedding, a label too many or too few, a class too many."""
    assert told in reason(evidence)


def rings() -> list[Task]:
    """The prism and the complete bipartite graph: six positions that each read three others, of one
    colour and not isomorphic."""
    prism = {(p, q) for p in range(6) for q in range(6) if p != q and (p // 3 == q // 3)}
    prism |= {(p, (p + 3) % 6) for p in range(6)}
    bipartite = {(p, q) for p in range(6) for q in range(6) if p % 2 != q % 2}
    return [
        Task.build(
            [None] * 6,
            {},
            ["".join("#" if (q, k) in pairs else "." for k in range(6)) for q in range(6)],
            pos_mode="none",
        )
        for pairs in (prism, bipartite)
    ]


def test_classes_of_one_colour_are_searched() -> None:
    """Where refinement tells two classes not apart, the search does; where they are isomorphic, the
    claim is refused."""
    merged = merge(rings())
    assert (merged.task.size, len(merged.classes)) == (12, 2)
    assert merged.minimal is Minimal.PROVED
    (evidence,) = merged.evidence
    assert reason(evidence) == ""
    prism = rings()[0]
    mask = Mask.block_diagonal([prism.layers[0]] * 2)
    twice = Task.build([None] * 12, {}, mask, pos_mode="none")
    both = claim([prism, prism], twice, range(6), range(6, 12))
    assert reason(both) == "two classes are equivalent"


ASK = Task.build([None], {0: "x"}, ["1"], atoms=[*"xyz"], pos_mode="none")
ASK_Y = Task.build([None], {0: "y"}, ["1"], atoms=[*"xyz"], pos_mode="none")
TOLD = Task.build(["z"], {0: "y"}, ["1"], atoms=[*"xyz"], pos_mode="none")


def conflict(a: Task, b: Task, **fields: Any) -> Evidence:
    """The claim that the first positions of two tasks are one and must predict two atoms."""
    given = {"mode": "iso", "map": {0: 0}, "head": 0, "atoms": ("x", "y"), **fields}
    return Conflict(Node(a, 0), Node(b, 0), **given)


def test_conflicts() -> None:
    """Accepted for equivalent positions with two labels; refused else."""
    assert reason(conflict(ASK, ASK_Y)) == ""
    assert reason(conflict(ASK, ASK_Y, mode="softmax", map=None)) == ""
    assert reason(conflict(ASK, TOLD)) == "map changes an input"
    assert reason(conflict(ASK, ASK_Y, head=1)) == "x is no label of the node of a with head 1"
    assert reason(conflict(ASK, ASK, atoms=("x", "x"))) == "the two atoms are one"
    assert reason(conflict(ASK, ASK)) == "y is no label of the node of b with head 0"


@pytest.mark.parametrize("layers", [None, 2])
@pytest.mark.parametrize(
    ("builder", "parameters"),
    [
        ("autoregressive", {"n": 5}),
        ("permutation", {"n": 3, "order": "all"}),
        ("block", {"m": 3, "b": 2}),
        ("butterfly", {"n": 4}),
        ("mae_ladder", {"n": 6, "visible": [[1, 4], [2], [3, 6]]}),
    ],
)
def test_case_studies_are_certified(
    builder: str, parameters: dict[str, Any], layers: int | None
) -> None:
    """Dense, and sparse with the sparse tasks."""
    (evidence,) = merge(build(builder, **parameters), layers=layers).evidence
    assert isinstance(evidence, CommonSupergraph)
    assert evidence.minimal
    assert reason(evidence) == ""
