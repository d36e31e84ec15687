"""Masks that went wrong in public: each small input gets the verdict written down for it."""

import json
from pathlib import Path
from typing import Any

import pytest

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.compare import Comparison, judge_equal
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import Judgement, judge
from attnproof.symbolic.order.properties import Forbidden
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Verdict
from tests.reference import Pairs

Case = dict[str, Any]

CASES: list[Case] = json.loads(Path(__file__).with_name("mask_bugs.json").read_text())["cases"]
JUDGED = [case for case in CASES if "forbid" in case]
COMPARED = [case for case in CASES if "intended_rows" in case]


def named(case: Case) -> str:
    return str(case["case"])


def flow_of(rows: list[str], depth: int | None = None) -> Flow:
    return Flow(Setting((Mask.from_rows(rows),), depth=depth))


def judged(case: Case, depth: int | None = None) -> Judgement:
    pairs = [(q, k) for q, k in case["forbid"]]
    return judge(flow_of(case["rows"], depth), Forbidden.from_pairs(pairs, case["n"]), most=1000)


def leaks(found: Judgement) -> list[list[int | None]]:
    return sorted([finding.reader, finding.source] for finding in found.findings)


def compared(case: Case) -> Comparison:
    return Comparison(flow_of(case["rows"]), flow_of(case["intended_rows"]))


def test_the_table_is_whole() -> None:
    """42 inputs, all with distinct names; 36 say what is forbidden, 25 what was intended."""
    assert len({named(case) for case in CASES}) == len(CASES) == 42
    assert (len(JUDGED), len(COMPARED)) == (36, 25)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_flow(case: Case) -> None:
    """Size, depth of convergence, empty rows, and whether no two tokens reach each other."""
    flow = flow_of(case["rows"])
    assert flow.setting.size == case["n"]
    assert flow.depth == case["convergence_depth"]
    assert list(flow.empty_rows) == case["empty_rows"]
    assert flow.antisymmetric == case["partial_order"]


@pytest.mark.parametrize("case", JUDGED, ids=named)
def test_leaks(case: Case) -> None:
    """The leaks of one layer, those of any number of layers, and the verdict."""
    found = judged(case)
    assert found.verdict is Verdict(case["verdict"])
    assert (found.verdict is Verdict.FAILS) == (case["exit"] == 1)
    assert leaks(judged(case, depth=1)) == case["direct_leaks"]
    assert leaks(found) == case["leaks_at_convergence"]
    assert found.total == len(case["leaks_at_convergence"])


@pytest.mark.parametrize("case", JUDGED, ids=named)
def test_first_leak_depth(case: Case) -> None:
    """The table counts from one layer on; a position's own input leaks before any layer runs."""
    depths = [f.depth for f in judged(case).findings if f.depth is not None]
    own = bool(depths) and all(q == k for q, k in case["leaks_at_convergence"])
    assert min(depths, default=None) == (0 if own else case.get("first_leak_depth"))


@pytest.mark.parametrize("case", COMPARED, ids=named)
def test_against_the_intended_mask(case: Case) -> None:
    """The pairs too many and the pairs missing, as given, and whether both let the same through."""
    found = compared(case)
    only: dict[str, Pairs] = {
        side: frozenset((q, k) for at, q, k in found.edges.pairs() if at == side)
        for side in ("a", "b")
    }
    assert sorted(map(list, only["a"])) == case["extra_vs_intended"]
    assert sorted(map(list, only["b"])) == case["missing_vs_intended"]
    assert found.flow_equal == case["same_reach_at_convergence"]
    equal = judge_equal(found.a, found.b, "the intended mask")
    assert (equal.verdict is Verdict.HOLDS) == (only["a"] == only["b"] == frozenset())


def test_the_canonical_case() -> None:
    """Passes every one-layer check, leaks at depth two: noisy block 1 reads clean block 0, which
    reads clean block 1."""
    case = next(case for case in CASES if case["case"] == "B17")
    assert judged(case, depth=1).verdict is Verdict.HOLDS
    found = judged(case)
    assert [finding.depth for finding in found.findings] == [2, 2, 2, 2]
    assert str(found.findings[0]) == "token 6 reaches query 2 in 2 layers: 6 -> 4 -> 2"


def test_layers_that_alternate() -> None:
    """Chunks of 3 and a window of 2: no layer lets 3 read 0, two layers do; all settles after 3."""
    chunk = Mask.from_rows(["1.....", "11....", "111...", "...1..", "...11.", "...111"])
    window = Mask.from_rows(["1.....", "11....", ".11...", "..11..", "...11.", "....11"])
    flow = Flow(Setting((chunk, window)))
    assert flow.depth == 3
    found = judge(flow, Forbidden.from_pairs([(3, 0), (3, 1), (3, 2)], 6))
    assert [(f.depth, f.source, f.path) for f in found.findings] == [
        (2, 0, ((0, 0), (2, 1), (3, 2))),
        (2, 1, ((1, 0), (2, 1), (3, 2))),
        (2, 2, ((2, 0), (3, 2))),
    ]
