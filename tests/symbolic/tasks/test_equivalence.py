"""Node equivalence: pairs with known answers, numbers, families, and what is refused."""

import json
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.equivalence import Grounds, Mode, equivalent
from attnproof.symbolic.tasks.masks import Heads, Layers
from attnproof.symbolic.tasks.partition import partition
from attnproof.symbolic.tasks.task import Position, Task
from attnproof.symbolic.verdict import Verdict
from tests.nodes import side_of
from tests.reference import closed, identity
from tests.symbolic.tasks.networks import difference

DATA = json.loads(Path(__file__).with_name("node_pairs.json").read_text())
PAIRS: list[dict[str, Any]] = DATA["pairs"]
SEEDS = range(6)


def task_of(drawn: dict[str, Any], *, dense: bool, own_key: bool = True, **model: Any) -> Task:
    """A poset with labelled elements as a task: what is below is read, or only what is covered."""
    n = len(drawn["labels"])
    pairs = frozenset((reader, source) for source, reader in drawn["covers"])
    pairs = closed(pairs, n) if dense else pairs | identity(n)
    rows = ["".join("#" if (q, k) in pairs else "." for k in range(n)) for q in range(n)]
    positions = [Position((), kind=label) for label in drawn["labels"]]
    return Task.build(positions, {}, rows, pos_mode="none", diag_in_softmax=own_key, **model)


def tops(pair: dict[str, Any], **how: Any) -> tuple[Task, int, Task, int]:
    """The top elements of a pair."""
    a, b = task_of(pair["a"], **how), task_of(pair["b"], **how)
    return a, a.size - 1, b, b.size - 1


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
@pytest.mark.parametrize("dense", [True, False], ids=["dense", "Hasse"])
@pytest.mark.parametrize("mode", Mode)
def test_known_pairs(pair: dict[str, Any], dense: bool, mode: Mode) -> None:
    """The table of the pairs that separate the notions."""
    found = equivalent(*tops(pair, dense=dense), mode)
    known = pair["dense" if dense else "hasse"][mode.value]
    assert found.verdict is (Verdict.HOLDS if known else Verdict.FAILS)
    assert found.round == pair["dense" if dense else "hasse"]["round"].get(mode.value)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_one_layer_sees_no_order(pair: dict[str, Any]) -> None:
    """At one layer only the multiset of what is below counts; without its own key a query sees
    shares alone."""
    one = equivalent(*tops(pair, dense=True, depth=1), "wl").verdict
    assert (one is Verdict.HOLDS) == pair["one_layer"]
    shares = equivalent(*tops(pair, dense=True, own_key=False), "softmax").verdict
    assert (shares is Verdict.HOLDS) == pair["shares_without_own_key"]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
@pytest.mark.parametrize("dense", [True, False], ids=["dense", "Hasse"])
def test_softmax_networks_agree_with_the_table(pair: dict[str, Any], dense: bool) -> None:
    """Three layers of softmax attention in float64: a difference of 1e-9 at most, or one above
    1e-6 that is seen at every seed but a few."""
    a, v, b, w = tops(pair, dense=dense)
    apart = [difference(side_of(a, v), side_of(b, w), 3, s, shares=True) for s in SEEDS]
    if pair["dense" if dense else "hasse"]["softmax"]:
        assert max(apart) < 1e-9
    else:
        assert sum(d > 1e-6 for d in apart) >= len(SEEDS) - 1


def test_what_separates_the_notions_in_numbers() -> None:
    """The diamond and the tree are one thing under the sparse mask, two under the dense one; the
    five-node pair is one thing under the dense mask though no isomorphism joins it; copies in
    equal shares are one thing for softmax exactly where the query does not read itself."""
    named = {pair["name"]: pair for pair in PAIRS}

    def apart(name: str, *, dense: bool, own_key: bool = True) -> float:
        a, v, b, w = tops(named[name], dense=dense, own_key=own_key)
        sides = side_of(a, v), side_of(b, w)
        return max(difference(*sides, 3, seed, shares=True) for seed in SEEDS)

    assert (
        apart("diamond and tree", dense=False)
        < 1e-12
        < 1e-2
        < apart("diamond and tree", dense=True)
    )
    assert apart("five nodes", dense=True) < 1e-12 < 1e-3 < apart("five nodes", dense=False)
    assert equivalent(*tops(named["five nodes"], dense=True)).grounds is Grounds.SEARCH
    assert apart("two and two of each", dense=True, own_key=False) < 1e-12
    assert apart("two and two of each", dense=True) > 1e-2


def words(n: int, order: tuple[int, ...] | None = None) -> list[Task]:
    """The tasks of a permutation language model: content in order, then a query of the next."""
    found = []
    for k in range(1, n + 1):
        z = order or tuple(range(n))
        content = [Position((f"x{i}",), i) for i in z[: k - 1]]
        found.append(Task.build([*content, Position((), z[k - 1], "mask")], {}, "causal"))
    return found


def blocks(m: int, b: int) -> list[Task]:
    """Clean blocks, each reading itself and those before, then one block of mask tokens."""
    found = []
    for j in range(m):
        n = (j + 1) * b
        mask = Mask.from_rows(
            ["#" * (q // b * b + b) + "." * (n - q // b * b - b) for q in range(n)]
        )
        clean = [Position((f"x{i}",), i) for i in range(n - b)]
        noise = [Position((), i, "mask") for i in range(n - b, n)]
        found.append(Task.build([*clean, *noise], {}, mask))
    return found  # fmt: skip


def prefixes(n: int) -> list[Task]:
    """Every prefix of an autoregressive sequence."""
    return [Task.build([f"x{i}" for i in range(k)], {}, "causal") for k in range(1, n)]


def every_order(n: int) -> list[Task]:
    """A permutation language model under all orders."""
    return [task for z in permutations(range(n)) for task in words(n, z)]


@pytest.mark.parametrize(
    ("family", "classes"),
    [
        (prefixes(64), 63),
        (words(8), 15),
        (every_order(2), 6),
        (every_order(3), 24),
        (every_order(4), 104),
        (blocks(3, 2), 10),
        (blocks(16, 8), 31 * 8),
    ],
    ids=["prefixes", "one order", "two", "three", "four", "blocks", "many blocks"],
)
def test_families(family: list[Task], classes: int) -> None:
    """The numbers of types are known; all notions agree where what is below has distinct inputs."""
    for mode in Mode:
        found = partition(family, mode)
        assert len(found) == classes
        assert found.of == partition(family).of


def test_a_query_without_its_position() -> None:
    """Orders 012 and 021 share the empty prefix and its query, and, where mask tokens have no
    position, also the queries after the first token: 7 classes instead of 8."""
    family = [task for z in ((0, 1, 2), (0, 2, 1)) for task in words(3, z)[:2]]
    family += [words(3, (0, 1, 2))[2], words(3, (0, 2, 1))[2]]
    bare = [
        replace(task, positions=(*task.positions[:-1], replace(task.positions[-1], pos=None)))
        for task in family
    ]
    assert (len(partition(family)), len(partition(bare))) == (8, 7)


def test_opposite_orders() -> None:
    """x1 before x2 and x2 before x1 have four classes: own inputs alone would give two."""
    a = Task.build(["x1", "x2"], {}, ["1.", "11"])
    b = Task.build(["x1", "x2"], {}, ["11", ".1"])
    assert partition([a, b]).of == ((0, 1), (2, 3))


def test_twins() -> None:
    """Two tasks of two kinds of position: two classes, each twice in either task."""
    a = Task.build([*"sstt"], {}, ["1...", ".1..", "1.1.", "1..1"], pos_mode="none")
    b = Task.build([*"sstt"], {}, ["1...", ".1..", "1.1.", ".1.1"], pos_mode="none")
    found = partition([a, b])
    assert found.of == ((0, 0, 1, 1), (0, 0, 1, 1))
    assert Counter(map(len, found.members)) == {4: 2}


def test_a_class_keeps_its_multiplicity() -> None:
    """Three mask tokens that read each other are not two."""
    two, three = (Task.build([None] * n, {}, "full", pos_mode="none") for n in (2, 3))
    for mode in (Mode.ISO, Mode.WL):
        assert equivalent(two, 0, three, 0, mode).round is not None
    assert equivalent(two, 0, three, 0, "softmax").verdict is Verdict.HOLDS
    assert equivalent(two, 0, two, 1).map == {0: 1, 1: 0}


def test_position_ids() -> None:
    """A shifted context is the same only where differences of ids are seen, and only as a whole;
    where none are seen order alone counts."""

    def pair(*places: int, mode: str) -> Task:
        inputs = [Position((atom,), pos) for atom, pos in zip("xy", places, strict=True)]
        return Task.build(inputs, {}, "causal", pos_mode=mode)

    for mode, shifted, stretched in (
        ("absolute", False, False),
        ("relative", True, False),
        ("none", True, True),
    ):
        one = pair(0, 1, mode=mode)
        for notion in Mode:
            same = equivalent(one, 1, pair(5, 6, mode=mode), 1, notion).verdict
            assert (same is Verdict.HOLDS) == shifted
            same = equivalent(one, 1, pair(5, 7, mode=mode), 1, notion).verdict
            assert (same is Verdict.HOLDS) == stretched


def test_equal_tokens_at_different_distances_are_told_apart() -> None:
    """Two mask tokens of one look below a node are no twins where they stand at other distances."""

    def three(*places: int) -> Task:
        inputs = [Position((), place) for place in places]
        return Task.build(inputs, {}, ["1..", ".1.", "111"], pos_mode="relative")

    assert equivalent(three(0, 1, 2), 2, three(4, 3, 5), 2).map == {0: 1, 1: 0, 2: 2}
    assert equivalent(three(0, 1, 2), 2, three(0, 0, 2), 2).round == 0
    assert equivalent(three(0, 1, 2), 2, three(0, 0, 2), 2, "wl").round == 1


def test_heads_are_told_apart_and_layers_run_in_order() -> None:
    """Exchanging the masks of two heads, or of two layers, is another network; a schedule written
    twice is the same one."""
    own, both = Mask.from_rows(["1.", ".1"]), Mask.from_rows(["1.", "11"])
    first, second = (
        Task.build(["x", "y"], {}, Heads(masks)) for masks in ((own, both), (both, own))
    )
    assert equivalent(first, 1, second, 1).verdict is Verdict.FAILS
    assert equivalent(first, 0, second, 0).verdict is Verdict.HOLDS
    late, early, twice = (
        Task.build(["x", "y"], {}, Layers(masks), depth=1)
        for masks in ((own, both), (both, own), (own, both, own, both))
    )
    assert equivalent(late, 1, early, 1, "wl").round == 1
    assert equivalent(late, 1, twice, 1).map == {0: 0, 1: 1}
    alone = Task.build(["x", "y"], {}, own, depth=1)
    assert equivalent(late, 1, alone, 1, "wl").verdict is Verdict.HOLDS


@pytest.mark.parametrize("empty_row", ["uniform", "nan"])
@pytest.mark.parametrize("own", [False, True])
def test_an_empty_row_is_compared_only_where_it_returns_zero(empty_row: str, own: bool) -> None:
    """The mean of every key, its own among them, is not what a row without its own key reads."""
    rows = ["1..", "...", "..1"]
    other = Task.build(
        [None, None, None], {}, rows, empty_row=empty_row, diag_in_softmax=own, pos_mode="none"
    )
    first = 1 if own else 0  # without its own key position 0 reads nothing either
    told = f"position {first} reads nothing, and empty_row is {empty_row}"
    with pytest.raises(TaskError, match=told):
        equivalent(other, 0, other, 2)
    zero = Task.build([None, None, None], {}, rows)
    assert equivalent(zero, 1, zero, 1).map == {1: 1}


def test_a_depth_without_end() -> None:
    """Colours are stable long before so many layers."""
    task = Task.build(["x", None, None], {}, "causal", depth=10**100)
    assert equivalent(task, 2, task, 2, "wl").verdict is Verdict.HOLDS
    assert len(partition([task], "softmax")) == 3


def test_the_cached_prefix_of_a_window_is_another_node() -> None:
    """A window keeps the diagram of the causal mask and is another function."""
    inputs = ["x", None, None, None]
    causal = Task.build(inputs, {}, "causal", pos_mode="none")
    window = Task.build(inputs, {}, {"builder": "window", "keys": 2}, pos_mode="none")
    for mode in Mode:
        assert equivalent(causal, 3, window, 3, mode).verdict is Verdict.FAILS
        assert equivalent(causal, 1, window, 1, mode).verdict is Verdict.HOLDS


X = Task.build(["x"], {}, ["1"])
REFUSED: list[tuple[Task, Task, str, str]] = [
    (X, replace(X, depth=2), "depth", "depth is any number in task 0 and 2 in task 1"),
    (X, replace(X, residual=False), "residual", "give all tasks the same residual"),
    (replace(X, residual=False), replace(X, residual=False), "residual", "set residual = true"),
    (X, Task.build(["x"], {}, ["1"], pos_mode="none"), "pos_mode", "is absolute in task 0"),
    (X, Task.build(["x"], {}, ["1"], empty_row="nan"), "empty_row", "empty_row is zero"),
    (X, replace(X, diag_in_softmax=False), "diag_in_softmax", "diag_in_softmax is true"),
    (
        X,
        Task.build(["x"], {}, {"heads": [{"rows": ["1"]}, {"rows": ["1"]}]}),
        "heads",
        "heads is 1 in task 0 and 2 in task 1",
    ),
    (
        Task.build([("y",)], {}, ["1"], derived={"y": ["x"]}),
        Task.build([("y",)], {}, ["1"], derived={"y": ["z", "x"]}),
        "derived.y",
        "y is derived from x and derived from x, z in two tasks; give one of the two another name",
    ),
    (
        X,
        Task.build([("x",)], {}, ["1"], derived={"x": ["z"]}),
        "derived.x",
        "x is an atom and derived from z",
    ),
]


@pytest.mark.parametrize(("a", "b", "where", "told"), REFUSED, ids=lambda case: str(case)[:30])
def test_tasks_that_no_one_model_runs_are_refused(a: Task, b: Task, where: str, told: str) -> None:
    """The message names what differs and what to do; a partition refuses the same."""
    for ask in (lambda: equivalent(a, 0, b, 0), lambda: partition([a, b])):
        with pytest.raises(TaskError) as raised:
            ask()
        assert told in str(raised.value)
        assert raised.value.parts["where"] == where


def test_a_missing_id_is_refused_where_differences_are_seen() -> None:
    """Every position needs one then."""
    task = Task.build([Position(("x",))], {}, ["1"], pos_mode="relative")
    with pytest.raises(TaskError, match=r'position\[0\] has no pos, and pos_mode = "relative"'):
        equivalent(task, 0, task, 0)


def test_layers_of_unlike_numbers_of_heads_are_refused() -> None:
    """One mask is given to all heads; two masks to three heads are not."""
    one, two, three = ({"heads": [{"rows": ["1"]}] * n} for n in (1, 2, 3))
    task = Task.build(["x"], {}, {"layers": [one, two]})
    assert equivalent(task, 0, task, 0).map == {0: 0}
    task = Task.build(["x"], {}, {"layers": [two, three]})
    with pytest.raises(TaskError, match=r"mask has layers of \[2, 3\] heads; give every layer"):
        equivalent(task, 0, task, 0)


@pytest.mark.parametrize("node", [-1, 1, "0", None])
def test_a_node_is_a_position(node: Any) -> None:
    """An index in range."""
    with pytest.raises(TaskError, match=rf"node {node} is no position of the task; give an index"):
        equivalent(X, node, X, 0)


def test_a_mode_is_one_of_three() -> None:
    """The message lists them."""
    with pytest.raises(TaskError, match="mode is 'isomorphism'; known: iso, wl, softmax"):
        equivalent(X, 0, X, 0, "isomorphism")


def test_no_tasks() -> None:
    """Nothing has no classes."""
    assert partition([]).members == ()


def test_they_are_shown_as_mathematics() -> None:
    """One line each, with the names of the tasks."""
    a = Task.build(["x", None], {}, "causal", name="prefix", pos_mode="none")
    b = Task.build(["y", None], {}, "causal", pos_mode="none")
    assert repr(equivalent(a, 1, a, 1)) == "prefix:1 ≡ prefix:1 (iso: isomorphism)"
    assert repr(equivalent(a, 1, b, 1, "wl")) == "prefix:1 ≢ 1 (wl: round 1)"
    assert repr(partition([a, b])) == "Partition of 4 positions: 4 classes (iso)"
