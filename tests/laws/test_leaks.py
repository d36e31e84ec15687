"""Laws of leaks: least depth, order, paths and verdicts, against enumeration."""

from itertools import pairwise

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.evidence import Leak, Safe
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge
from attnproof.symbolic.order.properties import (
    Causal,
    Documents,
    Forbidden,
    NextToken,
    Property,
)
from attnproof.symbolic.order.witness import distance, first_leaks, path, tokens
from attnproof.symbolic.verdict import Verdict
from tests.laws.strategies import Rows, executed, forbidden, relations, rows, schedules, setting_of
from tests.reference import (
    Pair,
    after,
    closed,
    first_depths,
    graph,
    identity,
    least_walk,
    multiplied,
    pairs_of_sets,
    sets_of_pairs,
)

Schedule = tuple[Rows, ...]
Case = tuple[Schedule, frozenset[Pair]]


def with_pairs(schedule: Schedule) -> st.SearchStrategy[Case]:
    return st.tuples(st.just(schedule), forbidden(len(schedule[0])))


cases = schedules().flatmap(with_pairs)
single = schedules(7, layers=1).flatmap(with_pairs)


def expected_leaks(case: Case) -> list[tuple[int, int, int]]:
    """Every leak at any depth as (least depth, reader, source), sorted."""
    schedule, bad = case
    n = len(schedule[0])
    layers = [executed(given_rows) for given_rows in schedule]
    return sorted(first_depths(layers, bad, n, n * len(layers)))


@given(st.one_of(cases, single), st.integers(1, 30))
def test_first_leaks_are_the_first_by_depth_reader_source(case: Case, most: int) -> None:
    """The forbidden pairs that are reached, by (least depth, reader, source), cut at ``most``."""
    schedule, bad = case
    flow = Flow(setting_of(schedule))
    sets = sets_of_pairs(bad, len(schedule[0]))
    found = first_leaks(flow.layers, sets.__getitem__, flow.closure.rows, most)
    assert found == expected_leaks(case)[:most]


@given(st.one_of(cases, single), st.integers(1, 30))
def test_judge_at_any_depth(case: Case, most: int) -> None:
    """Fails exactly when a forbidden pair is in the limit; every such pair is counted."""
    schedule, bad = case
    n = len(schedule[0])
    property_ = Forbidden.from_pairs(sorted(bad), n)
    found = judge(Flow(setting_of(schedule)), property_, most=most)
    expected = expected_leaks(case)
    limit = closed(frozenset().union(*map(executed, schedule)), n)
    assert found.total == len(expected) == len(limit & bad)
    assert (found.verdict is Verdict.FAILS) == bool(expected)
    assert [(f.depth, f.reader, f.source) for f in found.findings] == expected[:most]
    if expected:
        assert isinstance(found.evidence, Leak)
        evidence = found.evidence
        assert (evidence.depth, evidence.reader, evidence.source) == expected[0]
        assert evidence.path == found.findings[0].path


@given(st.one_of(cases, single), st.integers(0, 7), st.booleans())
def test_judge_at_a_given_depth(case: Case, depth: int, residual: bool) -> None:
    """Fails exactly when a forbidden pair is in the product of exactly that many layers."""
    schedule, bad = case
    n = len(schedule[0])
    layers = [executed(given_rows, residual) for given_rows in schedule]
    held = after(layers, depth, n)
    flow = Flow(setting_of(schedule, depth=depth, residual=residual))
    found = judge(flow, Forbidden.from_pairs(sorted(bad), n), most=99)
    assert found.total == len(held & bad)
    assert (found.verdict is Verdict.FAILS) == bool(held & bad)
    leaks = [(f.depth, f.reader, f.source) for f in found.findings]
    assert leaks == sorted(first_depths(layers, held & bad, n, depth))


@given(single)
def test_judge_without_residual_at_any_depth(case: Case) -> None:
    """One mask at any number of layers reaches the union of all its powers."""
    schedule, bad = case
    n = len(schedule[0])
    layers = [executed(schedule[0], residual=False)]
    flow = Flow(setting_of(schedule, residual=False))
    found = judge(flow, Forbidden.from_pairs(sorted(bad), n), most=99)
    leaks = [(f.depth, f.reader, f.source) for f in found.findings]
    assert leaks == sorted(first_depths(layers, bad, n, n))
    assert found.total == len(leaks)


@given(cases)
def test_judge_a_schedule_without_residual_at_any_depth(case: Case) -> None:
    """Fails exactly when some number of layers leaks; where none does and the closure of the
    layers would, it is unknown."""
    schedule, bad = case
    n, period = len(schedule[0]), len(schedule)
    layers = [executed(given_rows, residual=False) for given_rows in schedule]
    seen: list[tuple[int, frozenset[Pair]]] = []
    held = identity(n)
    while (len(seen) % period, held) not in seen:
        seen.append((len(seen) % period, held))
        held = multiplied(layers[(len(seen) - 1) % period], held)
    expected = sorted(first_depths(layers, bad, n, len(seen)))
    found = judge(
        Flow(setting_of(schedule, residual=False)), Forbidden.from_pairs(sorted(bad), n), most=99
    )
    assert [(f.depth, f.reader, f.source) for f in found.findings] == expected
    assert found.total == len(expected)
    if expected:
        assert found.verdict is Verdict.FAILS
    elif closed(frozenset().union(*layers), n) & bad:
        assert found.verdict is Verdict.UNKNOWN
        assert found.evidence is None
    else:
        assert found.verdict is Verdict.HOLDS


@st.composite
def properties(draw: st.DrawFn, n: int) -> Property:
    """Every kind of property on ``n`` positions."""
    ids = st.lists(st.integers(0, 2), min_size=n, max_size=n).map(tuple)
    return draw(
        st.one_of(
            st.just(Causal(n)),
            st.just(NextToken(n)),
            ids.map(Documents),
            forbidden(n).map(lambda bad: Forbidden.from_pairs(sorted(bad), n)),
        )
    )


def naively_forbidden(property_: Property, q: int, k: int) -> bool:
    """The definition of each property, word by word."""
    match property_:
        case Causal():
            return k > q
        case NextToken():
            return k == q + 1
        case Documents(ids):
            return ids[k] != ids[q]
        case _:
            return bool(property_.forbidden(q) & 2**k)


@settings(max_examples=200)
@given(
    schedules().flatmap(lambda s: st.tuples(st.just(s), properties(len(s[0])))),
    st.one_of(st.none(), st.integers(0, 6)),
    st.booleans(),
)
def test_evidence_of_safety_shows_it(
    case: tuple[Schedule, Property], depth: int | None, residual: bool
) -> None:
    """The relation of ``Safe`` contains every layer, is a preorder, meets no forbidden pair; a
    relation is withheld only when the layers at some other depth do leak."""
    schedule, property_ = case
    n = len(schedule[0])
    flow = Flow(setting_of(schedule, depth=depth, residual=residual))
    found = judge(flow, property_)
    bad = {(q, k) for q in range(n) for k in range(n) if naively_forbidden(property_, q, k)}
    assert pairs_of_sets([property_.forbidden(q) for q in range(n)]) == bad
    if found.verdict is not Verdict.HOLDS:
        return
    assert isinstance(found.evidence, Safe)
    layers = [executed(given_rows, residual) for given_rows in schedule]
    limit = closed(frozenset().union(*layers), n)
    if found.evidence.relation is None:
        assert depth is not None
        assert limit & bad
        assert found.invariant is None
    else:
        every = frozenset((q, k) for q in range(n) for k in range(n))
        shown = found.evidence.relation
        relation = pairs_of_sets(shown) if isinstance(shown, tuple) else every - bad
        assert isinstance(shown, tuple) or shown == "allowed"
        assert all(layer <= relation for layer in layers)
        assert multiplied(relation, relation) == relation == relation | closed(frozenset(), n)
        assert not relation & bad
        assert found.invariant is not None


@given(relations(6))
def test_paths_of_one_mask_are_the_least_shortest_paths(given_rows: Rows) -> None:
    """Among all shortest paths of networkx the lexicographically least, for every pair."""
    n = len(given_rows)
    drawn = graph(pairs_of_sets(given_rows), n)
    flow = Flow(setting_of([given_rows]))
    for k in range(n):
        for q in range(n):
            steps = distance(flow.layers[0], q, k)
            if steps is None:
                assert not nx.has_path(drawn, k, q)
                continue
            shortest = [tuple(walk) for walk in nx.all_shortest_paths(drawn, k, q)]
            assert path(flow.layers, k, q, steps) == min(shortest)
            assert steps == len(shortest[0]) - 1


@given(schedules(5), st.integers(0, 4), st.booleans())
def test_walks_of_a_schedule_are_least_layer_by_layer(
    schedule: Schedule, depth: int, residual: bool
) -> None:
    """One token a layer, every step in the layer that runs there, lexicographically least."""
    n = len(schedule[0])
    layers = [executed(given_rows, residual) for given_rows in schedule]
    flow = Flow(setting_of(schedule, residual=residual))
    for q, k in after(layers, depth, n):
        assert tokens(flow.layers, k, q, depth) == least_walk(layers, k, q, depth, n)


@given(cases)
def test_paths_of_findings_replay(case: Case) -> None:
    """Every path starts at the source, ends at the reader, and steps through the right layers."""
    schedule, bad = case
    n = len(schedule[0])
    layers = [executed(given_rows) for given_rows in schedule]
    found = judge(Flow(setting_of(schedule)), Forbidden.from_pairs(sorted(bad), n), most=99)
    for finding in found.findings:
        assert finding.path is not None
        if len(layers) == 1:
            steps = [(token, level) for level, token in enumerate(finding.path)]
        else:
            steps = [step for step in finding.path if not isinstance(step, int)]
        assert steps[0] == (finding.source, 0)
        token, at = steps[-1]
        assert (token, at) == (finding.reader, finding.depth)
        for (source, start), (reader, stop) in pairwise(steps):
            assert start < stop
            assert (reader, source) in layers[(stop - 1) % len(layers)]


@given(schedules(5))
def test_unrolled_graph_has_the_paths_of_the_product(schedule: Schedule) -> None:
    """Source k reaches reader q after L layers when (q, L) is reached from (k, 0)."""
    n = len(schedule[0])
    layers = [executed(given_rows) for given_rows in schedule]
    flow = Flow(setting_of(schedule))
    for depth in (0, 1, len(layers), len(layers) + 1):
        drawn = flow.unrolled(depth)
        assert len(drawn) == n * (depth + 1)
        reached = {
            (q, k)
            for k in range(n)
            for q, level in nx.descendants(drawn, (k, 0)) | {(k, 0)}
            if level == depth
        }
        assert reached == after(layers, depth, n)
    for number, layer in enumerate(layers):
        assert {(q, k) for k, q in flow.layer_graph(number).edges} == layer


@given(st.integers(1, 6).flatmap(rows), st.data())
def test_reaches_is_the_closure(given_rows: Rows, data: st.DataObject) -> None:
    """``reaches(source, reader)`` asks the limit, source first."""
    n = len(given_rows)
    k, q = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    flow = Flow(setting_of([given_rows]))
    assert flow.reaches(k, q) == ((q, k) in closed(pairs_of_sets(given_rows), n))
