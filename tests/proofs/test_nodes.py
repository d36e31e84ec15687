"""What the kernels of nodes refuse, and how they say so."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from attnproof.proofs.checker import check_statement
from attnproof.proofs.checker.limits import Steps
from attnproof.proofs.emit import emit
from attnproof.symbolic.evidence import Equivalent, Evidence, Inequivalent
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.equivalence import equivalent
from attnproof.symbolic.tasks.masks import Heads
from attnproof.symbolic.tasks.task import Position, Task
from attnproof.symbolic.tasks.upstream import Node

V = ["1..", ".1.", "111"]
CHAIN = ["1..", "11.", "111"]
AB, BA = (Task.build([*word, None], {}, CHAIN, pos_mode="none") for word in ("ab", "ba"))
PAIR = Task.build([*"ab", None], {}, V, pos_mode="none")
TWINS = Task.build([*"aa", None], {}, V, pos_mode="none")
NEAR, FAR = (
    Task.build([Position((), place) for place in (0, 1, far)], {}, V, pos_mode="relative")
    for far in (2, 3)
)
WIDE = Task.build([Position(("a",), p) for p in range(4)], {}, ["#..."] * 4, pos_mode="none")


def same(a: Task, b: Task, **fields: Any) -> Evidence:
    """The claim that the last positions of two tasks are equivalent."""
    found = {"mode": "iso", "map": {p: p for p in range(a.size)}, **fields}
    return Equivalent(Node(a, a.size - 1), Node(b, b.size - 1), **found)


def unlike(a: Task, b: Task, mode: str, level: int | None) -> Evidence:
    """The claim that they are not."""
    return Inequivalent(Node(a, a.size - 1), Node(b, b.size - 1), mode, level)


REFUSED: list[tuple[Evidence, str]] = [
    (same(AB, AB, map={0: 0, 2: 2}), "map does not start from all that is below the node"),
    (same(WIDE, WIDE), "map does not start from all that is below the node"),
    (same(AB, AB, map={0: 0, 1: 0, 2: 2}), "map does not end at all that is below the node"),
    (same(AB, PAIR, map={0: 0, 1: 7, 2: 2}), "map does not end at all that is below the node"),
    (same(TWINS, TWINS, map={0: 2, 1: 0, 2: 1}), "map does not carry the one node to the other"),
    (same(AB, BA), "map changes an input"),
    (same(AB, PAIR), "map changes the keys of a query"),
    (same(NEAR, FAR), "map changes a difference of positions"),
    (same(AB, AB, mode="wl"), "only iso has a map"),
    (same(AB, BA, mode="wl", map=None), "round 2 separates the two"),
    (same(AB, AB, mode="hash", map=None), "mode is neither iso nor wl nor softmax"),
    (unlike(AB, BA, "wl", 1), "round is not the first that separates the two"),
    (unlike(AB, BA, "wl", 3), "round is not the first that separates the two"),
    (unlike(AB, BA, "iso", None), "round is not the first that separates the two"),
    (unlike(AB, AB, "wl", None), "no round separates the two"),
    (unlike(AB, AB, "iso", 5), "no round separates the two"),
    (unlike(AB, AB, "iso", None), "the two are isomorphic"),
    (unlike(TWINS, TWINS, "iso", None), "the two are isomorphic"),
]


def reason(statement: Any) -> str:
    """Why a statement is not valid, read as from a file."""
    return check_statement(json.loads(json.dumps(statement))).reason


@pytest.mark.parametrize(("evidence", "told"), REFUSED, ids=lambda case: str(case)[:50])
def test_refused(evidence: Evidence, told: str) -> None:
    """Evidence that does not show its claim is refused, and the reason is named."""
    assert told in reason(emit(evidence))


def edited(change: Callable[[dict[str, Any]], object]) -> Any:
    """A true statement after a change of what it says of ``b``."""
    statement = json.loads(json.dumps(emit(same(AB, AB))))
    change(statement["predicate"]["b"])
    return statement


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda b: b.update(depth=3), "the two tasks are not run by one model"),
        (lambda b: b.update(residual=False), "without a residual nothing is said of nodes"),
        (lambda b: b.update(pos_mode="rope"), "pos_mode is neither absolute nor relative nor none"),
        (lambda b: b.update(diag_in_softmax=1), "diag_in_softmax is neither true nor false"),
        (lambda b: b.update(heads=0), "heads does not divide the masks"),
        (lambda b: b.update(node=3), "node is out of range"),
        (lambda b: b["positions"].pop(), "another number of positions than the mask"),
        (lambda b: b["positions"][0].update(pos=True), "pos is not an integer"),
        (lambda b: b["positions"][0].update(segment=[None]), "segment holds what is neither"),
        (lambda b: b["positions"][0].update(atoms=[1]), "an atom is not a string"),
        (lambda b: b.pop("node"), "b has a key too many or too few: node"),
    ],
)
def test_a_side_is_read_strictly(change: Callable[[dict[str, Any]], object], told: str) -> None:
    """What describes the model, the task and the node has its type and its range."""
    assert reason(edited(lambda b: None)) == ""
    assert told in reason(edited(change))


def test_what_is_no_query_is_not_compared_with_a_query() -> None:
    """A cached key keeps its state; a query that reads itself alone computes something of it."""
    statement: Any = emit(same(TWINS, TWINS))
    cached = {"queries": 1, "keys": 3, "offset": 2, "rows": [[[0, 3]]]}
    text = json.dumps([[1, 3], 2, cached["rows"]], separators=(",", ":"))
    for side, subject in zip("ab", statement["subject"], strict=True):
        statement["predicate"][side]["layers"] = [cached]
        subject["digest"]["sha256"] = sha256(text.encode()).hexdigest()
    assert reason(statement) == "some position is no query, or no key"


def test_a_missing_id_is_refused_where_differences_are_seen() -> None:
    """Nothing stands in for it."""
    statement = json.loads(json.dumps(emit(same(NEAR, NEAR))))
    statement["predicate"]["b"]["positions"][1]["pos"] = None
    assert reason(statement) == "a position has no pos, and differences are seen"


def test_rounds_beyond_the_layers_that_run_separate_nothing() -> None:
    """At one layer the two orders are one thing for networks; no round after it counts."""
    one, other = (
        Task.build([*word, None], {}, CHAIN, pos_mode="none", depth=1) for word in ("ab", "ba")
    )
    assert reason(emit(unlike(one, other, "wl", 2))) == "fewer layers run than rounds"
    assert reason(emit(same(one, other, mode="wl", map=None))) == ""
    assert reason(emit(unlike(one, other, "iso", 1))) == ""


def test_heads_are_not_united() -> None:
    """A map must keep the keys of every head by itself."""
    own, both = Mask.from_rows(["1.", ".1"]), Mask.from_rows(["1.", "11"])
    first, second = (Task.build([*"ab"], {}, Heads(m)) for m in ((own, both), (both, own)))
    assert reason(emit(same(first, first))) == ""
    assert reason(emit(same(first, second))) == "map changes the keys of a query"


def test_a_search_that_takes_too_long_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker repeats it only so far; it says that it gave up, not that it is so."""
    ring = ["".join(".#"[abs(q - k) in (1, 5)] for k in range(6)) + "." for q in range(6)]
    cut = ["".join(".#"[q // 3 == k // 3 and q != k] for k in range(6)) + "." for q in range(6)]
    a, b = (Task.build([None] * 7, {}, [*rows, "#######"], pos_mode="none") for rows in (ring, cut))
    found = equivalent(a, 6, b, 6).evidence
    assert isinstance(found, Inequivalent)
    assert found.round is None
    assert reason(emit(found)) == ""
    made = Steps.__init__

    def few(self: Steps) -> None:
        made(self)
        self.left = 300

    monkeypatch.setattr(Steps, "__init__", few)
    assert "too many steps" in reason(emit(found))
