"""Laws of node equivalence, each against the definition or against random networks."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.proofs.checker import check_statement
from attnproof.proofs.emit import state
from attnproof.symbolic.tasks.equivalence import Equivalence, Grounds, Mode, equivalent
from attnproof.symbolic.tasks.partition import partition
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.verdict import Verdict
from tests.nodes import are_equivalent, first_round, is_isomorphism, isomorphic, side_of
from tests.symbolic.tasks.networks import difference
from tests.symbolic.tasks.random_nodes import (
    Placed,
    models,
    nodes,
    pairs,
    renumberings,
    tasks,
)

MODES = st.sampled_from(Mode)
SAME, DIFFERENT = 1e-9, 1e-6


def decided(a: Placed, b: Placed, mode: Mode) -> Equivalence:
    """The answer of the package."""
    return equivalent(*a, *b, mode)


@given(pairs(), MODES)
@settings(max_examples=100)
def test_the_answer_is_that_of_the_definition(pair: tuple[Placed, Placed], mode: Mode) -> None:
    """Isomorphism as networkx finds it; colours as a relation between positions, round by round."""
    found = decided(*pair, mode)
    a, b = (side_of(*placed) for placed in pair)
    depth = pair[0][0].depth
    assert (found.verdict is Verdict.HOLDS) == are_equivalent(a, b, mode.value, depth)
    assert found.round == first_round(a, b, mode.value, depth)


@given(pairs())
def test_an_isomorphism_replays(pair: tuple[Placed, Placed]) -> None:
    """The map keeps root, inputs, keys and differences of ids, pair by pair."""
    found = decided(*pair, Mode.ISO)
    assert (found.map is None) == (found.grounds is not Grounds.MAP)
    if found.map is not None:
        a, b = (side_of(*placed) for placed in pair)
        assert is_isomorphism(a, b, dict(found.map))


@given(pairs())
def test_iso_implies_wl_implies_softmax(pair: tuple[Placed, Placed]) -> None:
    """Each notion is coarser than the one before."""
    iso, wl, softmax = (decided(*pair, mode).verdict is Verdict.HOLDS for mode in Mode)
    assert iso <= wl <= softmax


@given(st.data(), MODES)
def test_it_is_an_equivalence_relation(data: st.DataObject, mode: Mode) -> None:
    """Reflexive, symmetric, transitive."""
    model = data.draw(models())
    family = [data.draw(tasks(model, 3)) for _ in range(3)]
    u, v, w = ((task, data.draw(nodes(task))) for task in family)
    assert decided(u, u, mode).verdict is Verdict.HOLDS
    assert decided(u, v, mode).verdict is decided(v, u, mode).verdict
    if decided(u, v, mode).verdict is decided(v, w, mode).verdict is Verdict.HOLDS:
        assert decided(u, w, mode).verdict is Verdict.HOLDS


@given(st.data(), MODES)
def test_renumbering_positions_changes_nothing(data: st.DataObject, mode: Mode) -> None:
    """A node is equivalent to itself under another number, and to the same nodes as before."""
    task = data.draw(models().flatmap(tasks))
    other, to = data.draw(renumberings(task))
    for p in range(task.size):
        assert decided((task, p), (other, to[p]), mode).verdict is Verdict.HOLDS
    v, w = data.draw(nodes(task)), data.draw(nodes(task))
    before, after = decided((task, v), (task, w), mode), decided((task, v), (other, to[w]), mode)
    assert (before.verdict, before.round) == (after.verdict, after.round)


@given(st.data(), MODES)
@settings(max_examples=20)
def test_a_partition_says_the_same_of_every_pair(data: st.DataObject, mode: Mode) -> None:
    """One class exactly for equivalent positions, over all tasks together."""
    model = data.draw(models())
    family = data.draw(st.lists(tasks(model, 4), min_size=1, max_size=3))
    found = partition(family, mode)
    places = [(t, p) for t, task in enumerate(family) for p in range(task.size)]
    assert sorted(place for members in found.members for place in members) == places
    assert not found.undecided
    for t, p in places:
        assert (t, p) in found.members[found.of[t][p]]
        for s, q in places:
            one = found.of[t][p] == found.of[s][q]
            a, b = side_of(family[t], p), side_of(family[s], q)
            assert one == are_equivalent(a, b, mode.value, model["depth"])
    firsts = [members[0] for members in found.members]
    assert firsts == sorted(firsts)


@given(pairs(), st.sampled_from([Mode.WL, Mode.SOFTMAX]))
@settings(max_examples=50)
def test_colours_are_what_networks_tell_apart(pair: tuple[Placed, Placed], mode: Mode) -> None:
    """Equal colours: every random network agrees, at every seed. Colours that differ after r
    rounds: some random network of r layers differs."""
    found = decided(*pair, mode)
    a, b = (side_of(*placed) for placed in pair)
    shares = mode is Mode.SOFTMAX
    if found.round is None:
        depth = found.rounds if pair[0][0].depth is None else pair[0][0].depth
        assert all(difference(a, b, depth, seed, shares=shares) < SAME for seed in range(2))
    else:
        seeds = range(6)
        assert any(difference(a, b, found.round, s, shares=shares) > DIFFERENT for s in seeds)


@given(pairs(), MODES)
def test_every_answer_has_a_certificate(pair: tuple[Placed, Placed], mode: Mode) -> None:
    """The checker accepts it, read from its text."""
    evidence = decided(*pair, mode).evidence
    assert evidence is not None
    assert check_statement(json.loads(state(evidence).canonical_json())).reason == ""


def graph(edges: Sequence[tuple[int, int]], n: int) -> Task:
    """An undirected graph of like positions, and a root that reads them all."""
    rows = [["."] * n for _ in range(n)] + [["#"] * n]
    for a, b in edges:
        rows[a][b] = rows[b][a] = "#"
    inputs: list[None] = [None] * (n + 1)
    return Task.build(inputs, {}, ["".join(row) + "." for row in rows], pos_mode="none")


def rook(n: int) -> list[tuple[int, int]]:
    """Cells of a board of side n, joined along rows and columns."""
    cells = range(n * n)
    return [(a, b) for a in cells for b in cells if a < b and (a // n == b // n or a % n == b % n)]


def shrikhande() -> list[tuple[int, int]]:
    """The other strongly regular graph with the parameters of the rook's graph of side 4."""
    steps = [(0, 1), (1, 0), (1, 1)]
    return [
        (4 * x + y, 4 * ((x + dx) % 4) + (y + dy) % 4)
        for x in range(4)
        for y in range(4)
        for dx, dy in steps
    ]


def ring(*sizes: int) -> list[tuple[int, int]]:
    """Disjoint cycles."""
    found, start = [], 0
    for size in sizes:
        found += [(start + i, start + (i + 1) % size) for i in range(size)]
        start += size
    return found


@pytest.mark.parametrize(
    ("ours", "theirs", "n"),
    [
        (ring(6), ring(3, 3), 6),
        (ring(20), ring(9, 11), 20),
        (rook(4), shrikhande(), 16),
    ],
    ids=["hexagon and triangles", "long cycles", "rook and Shrikhande"],
)
def test_regular_graphs_take_a_search(
    ours: list[tuple[int, int]], theirs: list[tuple[int, int]], n: int
) -> None:
    """No colour tells them apart and no isomorphism joins them; the search is exhausted, and the
    checker repeats it. Each is isomorphic to itself."""
    a, b = graph(ours, n), graph(theirs, n)
    found = equivalent(a, n, b, n)
    assert (found.grounds, found.round) == (Grounds.SEARCH, None)
    assert found.evidence is not None
    assert check_statement(json.loads(state(found.evidence).canonical_json())).reason == ""
    assert not isomorphic(side_of(a, n), side_of(b, n))
    assert equivalent(a, n, b, n, "wl").verdict is Verdict.HOLDS
    turned = graph([((5 * u + 2) % n, (5 * v + 2) % n) for u, v in ours] if n % 5 else ours, n)
    assert equivalent(a, n, turned, n).grounds is Grounds.MAP


def test_a_search_ends_with_its_budget() -> None:
    """Too few steps make the answer unknown, and a partition names the pair that is open."""
    a, b = graph(rook(4), 16), graph(shrikhande(), 16)
    assert equivalent(a, 16, b, 16, budget=1000).verdict is Verdict.UNKNOWN
    found = partition([a, b], budget=1000)
    assert ((0, 16), (1, 16)) in found.undecided
    assert found.of[0][16] != found.of[1][16]


def test_many_interchangeable_positions_take_no_search() -> None:
    """Three hundred twins below one node: any bijection of them will do, so no step is needed."""
    twins = Task.build([None] * 300 + ["x"], {}, ["." * 301] * 300 + ["#" * 301], pos_mode="none")
    assert equivalent(twins, 300, twins, 300, budget=0).grounds is Grounds.MAP
    assert len(partition([twins, twins], budget=0)) == 2
