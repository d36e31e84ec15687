"""Laws of judgements in runs: verdicts, findings, totals and evidence are those of bit sets."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.evidence import Evidence, Leak, Safe
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import run_arrays
from attnproof.symbolic.order.compare import Comparison, judge_equal
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import Judgement, judge
from attnproof.symbolic.order.properties import (
    Causal,
    Documents,
    Forbidden,
    NextToken,
    Property,
)
from attnproof.symbolic.order.run_flow import RunFlow
from attnproof.symbolic.order.run_judge import forbidden_rows
from attnproof.symbolic.order.run_witness import run_distance, run_path
from attnproof.symbolic.order.structure import judge_structure
from attnproof.symbolic.order.witness import distance, path
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Verdict
from tests.laws.run_masks import SHAPES, held, relations_in_runs, settings_in_runs, shaped
from tests.laws.strategies import Rows, forbidden, setting_of, with_diagonal


@st.composite
def properties(draw: st.DrawFn, n: int) -> Property:
    """Every kind of property on ``n`` positions, documents in pieces among them."""
    ids = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    return draw(
        st.one_of(
            st.just(Causal(n)),
            st.just(NextToken(n)),
            ids.map(tuple).map(Documents),
            ids.map(sorted).map(tuple).map(Documents),
            forbidden(n).map(lambda bad: Forbidden.from_pairs(sorted(bad), n)),
        )
    )


def plain(evidence: Evidence | None) -> "list[object] | None":
    """The fields of evidence, every relation as bit sets."""
    if evidence is None:
        return None
    found: list[object] = [type(evidence)]
    for field in fields(evidence):
        value = getattr(evidence, field.name)
        if isinstance(value, Runs):
            value = value.bits()
        elif value == "allowed" and isinstance(evidence, Safe):
            every = (1 << evidence.property.size) - 1
            bad = map(evidence.property.forbidden, range(evidence.property.size))
            value = tuple(every & ~row for row in bad)
        found.append(value)
    return found


def assert_same(found: Judgement, known: Judgement) -> None:
    """Two judgements that differ at most in how relations are held."""
    assert found.verdict is known.verdict
    assert (found.property, found.total) == (known.property, known.total)
    assert found.findings == known.findings
    assert found.invariant == known.invariant
    assert plain(found.evidence) == plain(known.evidence)


@given(st.integers(1, 12).flatmap(properties))
def test_forbidden_runs(property: Property) -> None:
    """Forbidden sources as runs are those as bit sets, one by one and all at once."""
    every = range(property.size)
    sets = tuple(property.forbidden(q) for q in every)
    assert Runs.from_rows(map(property.forbidden_runs, every), property.size) == held(sets)
    assert forbidden_rows(property) == held(sets)


@given(settings_in_runs(), st.data(), st.integers(1, 12))
def test_judge(setting: Setting, data: st.DataObject, most: int) -> None:
    """Any property, any depth, with and without a residual."""
    property = data.draw(properties(setting.size))
    found = judge(RunFlow(setting), property, most=most)
    assert_same(found, judge(Flow(setting), property, most=most))


@given(settings_in_runs(), st.integers(1, 12), st.integers(0, 6))
def test_judge_structure(setting: Setting, most: int, bound: int) -> None:
    """Every structural property."""
    found, known = RunFlow(setting), Flow(setting)
    for text in ("reflexive", "no-empty-rows", "transitive", "antisymmetric", f"depth={bound}"):
        judged = judge_structure(found, text, most=most)
        assert_same(judged, judge_structure(known, text, most=most))


@given(settings_in_runs(10, layers=1), st.data())
def test_compare(setting: Setting, data: st.DataObject) -> None:
    """Edges and flow of two masks of one shape, one of them perhaps still in bit sets."""
    (mask,) = setting.layers
    keys = st.integers(0, (1 << mask.keys) - 1)
    if data.draw(st.booleans()):
        rows = data.draw(st.lists(keys, min_size=mask.queries, max_size=mask.queries))
    else:
        rows = list(mask.rows.bits())
        rows[0] ^= data.draw(st.integers(0, 1))
    other = Mask.of(Runs.from_rows(held_runs(rows), mask.keys), offset=mask.offset)
    against = Setting((other,), None, setting.residual, setting.empty_row)
    found = Comparison(RunFlow(setting), RunFlow(against))
    known = Comparison(Flow(setting), Flow(against))
    assert list(map(plain, found.evidence())) == list(map(plain, known.evidence()))
    for name in ("edges", "flow"):
        ours, theirs = getattr(found, name), getattr(known, name)
        assert list(ours.pairs()) == list(theirs.pairs())
        for side in ("a", "b"):
            assert ours.count(side) == theirs.count(side)
            assert ours.count(side) == sum(where == side for where, _, _ in theirs.pairs())
    assert found.edges_equal == known.edges_equal
    assert found.equal_off_diagonal == known.equal_off_diagonal
    assert found.flow_equal == known.flow_equal
    judged = judge_equal(RunFlow(setting), RunFlow(against), "other", most=3)
    expected = judge_equal(Flow(setting), Flow(against), "other", most=3)
    assert_same(judged, expected)
    assert_same(judge_equal(RunFlow(setting), Flow(against), "other", most=3), expected)


def held_runs(rows: "list[int]") -> "list[tuple[tuple[int, int], ...]]":
    return [tuple(held((row,) * max(1, row.bit_length())).row_runs(0)) for row in rows]


@given(relations_in_runs(), st.data())
def test_paths(given_rows: Rows, data: st.DataObject) -> None:
    """Distances, and the least of the shortest paths."""
    place = st.integers(0, len(given_rows) - 1)
    q, k = data.draw(place), data.draw(place)
    known = distance(given_rows, q, k)
    assert run_distance(held(given_rows), q, k) == known
    if known is not None:
        expected = path([given_rows], k, q, known)
        assert run_path([held(given_rows)], k, q, known) == expected


@pytest.mark.parametrize("shape", SHAPES)
def test_judge_of_masks_people_hold(shape: str) -> None:
    """Leaks at all depths on larger masks."""
    rows = shaped(shape, 160, 7)
    setting = setting_of((rows,))
    found, known = RunFlow(setting), Flow(setting)
    documents = Documents(tuple(q // 40 for q in range(160)))
    far = Forbidden.from_pairs([(q, k) for q in (0, 80, 159) for k in (0, 80, 159)], 160)
    for property in (Causal(160), NextToken(160), documents, far):
        assert_same(judge(found, property), judge(known, property))
    for text in ("transitive", "antisymmetric", "depth=1", "depth=3"):
        assert_same(judge_structure(found, text), judge_structure(known, text))


def test_judgements_fall_back_to_bit_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where products fall into too many runs, bit sets answer."""
    rows = with_diagonal(shaped("sinks and both sides", 90, 2))
    setting = setting_of((rows,), depth=3)
    expected = judge(Flow(setting), Causal(90))
    late = judge_structure(Flow(setting), "depth=2")
    flow = RunFlow(setting)
    assert flow.closure.class_count == 1
    monkeypatch.setattr(run_arrays, "SMALL", 1)
    monkeypatch.setattr(run_arrays, "MOST_RUNS", 1)
    assert_same(judge(flow, Causal(90)), expected)
    assert_same(judge_structure(flow, "depth=2"), late)


def test_a_leak_at_a_great_distance() -> None:
    """One forbidden pair at 2^17 positions: its least depth, and a path of that many steps."""
    n = 1 << 17
    window = Runs.from_rows((((max(q - 16, 0), q + 1),) for q in range(n)), n)
    flow = RunFlow(Setting((Mask.of(window),)))
    found = judge(flow, Forbidden.from_pairs([(n - 1, 0)], n))
    assert found.verdict is Verdict.FAILS
    assert isinstance(found.evidence, Leak)
    steps = -(-(n - 1) // 16)
    assert found.evidence.depth == steps
    assert found.evidence.path[:3] == (0, 15, 31)
    assert len(found.evidence.path) == steps + 1
