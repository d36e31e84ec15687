"""Laws of comparing two masks and of structural properties, against sets of pairs."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.evidence import Equal, Structure, Unequal
from attnproof.symbolic.order.compare import Comparison, judge_equal
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.structure import judge_structure
from attnproof.symbolic.verdict import Verdict
from tests.laws.strategies import Rows, executed, rows, schedules, setting_of, sizes
from tests.reference import (
    Pair,
    after,
    closed,
    first_depths,
    identity,
    intransitive,
    pairs_of_sets,
    settling,
)


@st.composite
def two_masks(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Two masks of one size, the second often the first with few pairs changed."""
    first = draw(sizes(7).flatmap(rows))
    n = len(first)
    if draw(st.booleans()):
        return first, draw(rows(n))
    flips = draw(st.dictionaries(st.integers(0, n - 1), st.integers(0, n - 1), max_size=2))
    return first, tuple(row ^ (1 << flips[q] if q in flips else 0) for q, row in enumerate(first))


def both(case: tuple[Rows, Rows]) -> Comparison:
    return Comparison(Flow(setting_of([case[0]])), Flow(setting_of([case[1]])))


def differing(a: frozenset[Pair], b: frozenset[Pair]) -> list[tuple[str, int, int]]:
    return [("a" if pair in a else "b", *pair) for pair in sorted(a ^ b)]


@given(two_masks())
def test_edges_and_flow_are_compared_pair_by_pair(case: tuple[Rows, Rows]) -> None:
    """Edges as given, edges off the diagonal, and reach: three answers of sets of pairs."""
    a, b = map(pairs_of_sets, case)
    n = len(case[0])
    compared = both(case)
    assert list(compared.edges.pairs()) == differing(a, b)
    assert list(compared.flow.pairs()) == differing(closed(a, n), closed(b, n))
    assert compared.edges_equal == (a == b)
    assert compared.equal_off_diagonal == (a | identity(n) == b | identity(n))
    assert compared.flow_equal == (closed(a, n) == closed(b, n))


@given(two_masks())
def test_evidence_of_a_comparison(case: tuple[Rows, Rows]) -> None:
    """``Equal`` holds the common reach; ``Unequal`` the first pair, and a path in its own mask."""
    a, b = map(pairs_of_sets, case)
    n = len(case[0])
    edges, flow = both(case).evidence()
    reach = {"a": closed(a, n), "b": closed(b, n)}
    if isinstance(edges, Unequal):
        assert (edges.only_in, edges.reader, edges.source) == differing(a, b)[0]
    else:
        assert a == b
    if isinstance(flow, Equal):
        assert isinstance(flow.relation, tuple)
        assert pairs_of_sets(flow.relation) == reach["a"] == reach["b"]
    else:
        assert (flow.only_in, flow.reader, flow.source) == differing(reach["a"], reach["b"])[0]
        assert flow.path is not None
        assert (flow.path[0], flow.path[-1]) == (flow.source, flow.reader)
        layer = {"a": a, "b": b}[flow.only_in]
        steps = pairwise(flow.path)
        assert all((reader, source) in layer for source, reader in steps)
        ((depth, _, _),) = first_depths([layer | identity(n)], [(flow.reader, flow.source)], n, n)
        assert len(flow.path) == depth + 1


@given(two_masks(), st.integers(1, 5))
def test_equality_as_a_property(case: tuple[Rows, Rows], most: int) -> None:
    """Fails with every differing pair counted, the first ones listed, the mask's own ones named."""
    a, b = map(pairs_of_sets, case)
    found = judge_equal(Flow(setting_of([case[0]])), Flow(setting_of([case[1]])), "it", most=most)
    expected = differing(a, b)
    assert found.total == len(expected)
    assert (found.verdict is Verdict.HOLDS) == (not expected)
    assert [
        ("a" if f.details["only_in"] == "mask" else "b", f.reader, f.source) for f in found.findings
    ] == expected[:most]


@given(schedules(5, layers=2).filter(lambda schedule: len(schedule) > 1))
def test_a_transitive_finding_is_least_and_names_its_layer(schedule: tuple[Rows, ...]) -> None:
    """One finding a layer, by (reader, source); the path lists tokens, as it is in one layer."""
    n = len(schedule[0])
    bad = [(i, intransitive(pairs_of_sets(one), n)) for i, one in enumerate(schedule, 1)]
    least = sorted((*min(found), layer) for layer, found in bad if found)
    found = judge_structure(Flow(setting_of(schedule)), "transitive").findings
    assert [(f.reader, f.source, f.depth) for f in found] == [(q, k, 2) for q, k, _, _ in least]
    named = {(f.path, f.details["layer"]) for f in found}
    assert named == {((k, m, q), layer) for q, k, m, layer in least}
    for f in found:
        assert f.message.startswith(f"in layer {f.details['layer']} query {f.reader} reads ")
    alone = judge_structure(Flow(setting_of(schedule[:1])), "transitive").findings
    assert all(f.message.startswith("query ") and not f.details for f in alone)


@given(schedules(5, layers=2), st.booleans())
def test_reflexive_no_empty_rows_antisymmetric_transitive(
    schedule: tuple[Rows, ...], residual: bool
) -> None:
    """Each property holds exactly when every layer has it; every counterexample is counted."""
    n = len(schedule[0])
    flow = Flow(setting_of(schedule, residual=residual))
    given_pairs = [pairs_of_sets(layer) for layer in schedule]
    unreflexive = {q for layer in given_pairs for q in range(n) if (q, q) not in layer}
    empty = {q for layer in given_pairs for q in range(n) if q not in {r for r, _ in layer}}
    mutual = {(q, k) for layer in given_pairs for q, k in layer if q < k and (k, q) in layer}
    bad = [layer for layer in given_pairs if intransitive(layer, n)]
    expected = {
        "reflexive": len(unreflexive),
        "no-empty-rows": len(empty),
        "antisymmetric": len(mutual),
        "transitive": len(bad),
    }
    for name, total in expected.items():
        found = judge_structure(flow, name)
        assert found.total == total == len(found.findings), name
        assert found.verdict is (Verdict.FAILS if total else Verdict.HOLDS)
        assert isinstance(found.evidence, Structure)
        assert found.evidence.holds == (not total)
    assert [f.reader for f in judge_structure(flow, "reflexive").findings] == sorted(unreflexive)
    assert [f.reader for f in judge_structure(flow, "no-empty-rows").findings] == sorted(empty)
    found_pairs = [(f.reader, f.source) for f in judge_structure(flow, "antisymmetric").findings]
    assert found_pairs == sorted(mutual)


@given(schedules(5, layers=2), st.booleans())
def test_witnesses_of_structure_are_counterexamples(
    schedule: tuple[Rows, ...], residual: bool
) -> None:
    """A row, a pair, or the tokens k, m, q of a path of two layers that is no pair."""
    flow = Flow(setting_of(schedule, residual=residual))
    layers = [executed(layer, residual) for layer in schedule]
    witness: dict[str, tuple[int, ...] | None] = {}
    for name in ("reflexive", "no-empty-rows", "antisymmetric", "transitive"):
        evidence = judge_structure(flow, name).evidence
        assert isinstance(evidence, Structure)
        assert (evidence.witness is None) == evidence.holds
        witness[name] = evidence.witness
    if witness["reflexive"] is not None:
        (q,) = witness["reflexive"]
        assert any((q, q) not in pairs_of_sets(layer) for layer in schedule)
    if witness["no-empty-rows"] is not None:
        (q,) = witness["no-empty-rows"]
        assert any(not layer[q] for layer in schedule)
    if witness["antisymmetric"] is not None:
        q, k = witness["antisymmetric"]
        assert any({(q, k), (k, q)} <= layer for layer in layers)
    if witness["transitive"] is not None:
        k, m, q = witness["transitive"]
        assert any({(q, m), (m, k)} <= layer and (q, k) not in layer for layer in layers)


@given(schedules(5, layers=2), st.integers(0, 5), st.integers(1, 9))
def test_bounded_depth(schedule: tuple[Rows, ...], bound: int, most: int) -> None:
    """``depth=c`` holds when c layers reach the limit; else the pairs that come later, by depth."""
    n = len(schedule[0])
    layers = [executed(layer) for layer in schedule]
    found = judge_structure(Flow(setting_of(schedule)), f"depth={bound}", most=most)
    assert (found.verdict is Verdict.HOLDS) == (settling(layers, n) <= bound)
    late = closed(frozenset().union(*layers), n) - after(layers, bound, n)
    assert found.total == len(late)
    expected = sorted(first_depths(layers, late, n, n * len(layers)))
    assert [(f.depth, f.reader, f.source) for f in found.findings] == expected[:most]
    assert all(depth > bound for depth, _, _ in expected)
