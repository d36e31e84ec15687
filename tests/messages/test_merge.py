"""What merging says when it goes wrong, or not as one may expect; and what families it refuses."""

from collections.abc import Sequence
from typing import Any

import pytest

from attnproof.symbolic.errors import ParameterError, TaskError
from attnproof.symbolic.families.registry import build
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.tasks.families import from_table, from_toml
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.merged import Merged, Minimal
from attnproof.symbolic.tasks.quotient import quotient
from attnproof.symbolic.tasks.task import Label, Position, Task
from attnproof.symbolic.verdict import Finding, Verdict

V = ["1..", ".1.", "111"]


def bare(inputs: str, rows: Sequence[str], labels: Any = (), **more: Any) -> Task:
    """A task of one letter a position, ``_`` for none, without position ids."""
    fed = [Position((), kind="mask") if one == "_" else Position((one,)) for one in inputs]
    return Task.build(fed, labels, rows, **{"pos_mode": "none", **more})


def told(merged: Merged, kind: str) -> Finding:
    """The one finding of a kind."""
    (found,) = [finding for finding in merged.findings if finding.kind == kind]
    return found


def test_duplicates_below_one_position() -> None:
    """F1: the error, a correct result that shares nothing with the task, and as repair the weighted
    quotient with its integers."""
    twins = bare("ss_", V, {2: "y"}, name="twins")
    merged = merge([twins, bare("s", ["1"])])
    found = told(merged, "not_locally_rigid")
    assert found.severity == "error"
    assert found.message == (
        "task 0 (twins): positions [0] and [1] are equivalent and both below [2]; one vertex for "
        "both would count them once in softmax, so the task keeps positions of its own; or take "
        "the weighted quotient, which adds the logarithm of how often each is read to the logits"
    )
    assert (merged.verdict, merged.minimal) == (Verdict.FAILS, Minimal.UNKNOWN)
    assert merged.maps == ((0, 1, 2), (3,))
    assert merged.quotient is not None
    assert merged.quotient.weights == ((((1, 0), (2, 1)),),)
    assert merged.quotient.maps == ((0, 0, 1), (0,))
    assert told(merged.quotient, "weighted").severity == "note"


def test_twins_that_nothing_joins() -> None:
    """F2: two equivalent positions with nothing above both share a vertex; a note says that the
    task as a whole is not embedded one to one."""
    apart = bare("sstt", ["1...", ".1..", "1.1.", "1..1"])
    joined = bare("sstt", ["1...", ".1..", "1.1.", ".1.1"])
    merged = merge([apart, joined])
    assert (len(merged.classes), merged.verdict) == (2, Verdict.HOLDS)
    notes = [finding for finding in merged.findings if finding.kind == "twins"]
    assert [note.severity for note in notes] == ["note", "note"]
    assert notes[0].message == (
        "task 0: positions [0] and [1] are equivalent and share one vertex; what lies below each "
        "position is kept, the task as a whole is not embedded one to one (that may take more "
        "vertices than there are types)"
    )


def orders(*, placed: bool) -> list[Task]:
    """Two orders of three tokens; the query has its place, or not."""
    tasks = []
    for z in ((1, 2, 3), (1, 3, 2)):
        for k in range(3):
            query = Position((), z[k] if placed else None, "mask")
            rows = ["#" * (p + 1) + "." * (k - p) for p in range(k + 1)]
            inputs = [*(Position((f"x{i}",), i) for i in z[:k]), query]
            tasks.append(Task.build(inputs, {k: f"x{z[k]}"}, rows, name=f"{z[: k + 1]}"))
    return tasks


def test_one_state_with_two_labels() -> None:
    """F3: queries without a place conflict, 7 types; with a place they do not, 8 types. Both labels
    are kept, the second with a head of its own."""
    merged = merge(orders(placed=False))
    found = told(merged, "label_conflict")
    assert found.severity == "error"
    assert found.message == (
        "one state must predict x2 and x3 with head 0: x2 (task 1 ((1, 2)), position 1), x3 "
        "(task 4 ((1, 3)), position 1); these positions are equivalent; give them different "
        "inputs, such as the place of the token that is asked for (pos = 3), or different heads "
        "(head = 1), or take both labels, the second with a head of its own (--labels multi, "
        'labels="multi")'
    )
    assert (len(merged.classes), merged.verdict) == (7, Verdict.FAILS)
    assert [label for label in merged.task.labels if label.position == merged.maps[1][1]] == [
        Label(merged.maps[1][1], "x2", 0),
        Label(merged.maps[1][1], "x3", 1),
    ]
    allowed = merge(orders(placed=False), labels="multi")
    assert (told(allowed, "label_conflict").severity, allowed.verdict) == ("note", Verdict.HOLDS)
    assert told(allowed, "label_conflict").message.endswith(
        "are equivalent; both labels are kept, the second with a head of its own"
    )
    assert len(merge(orders(placed=True)).classes) == 8
    assert not merge(orders(placed=True)).findings


def test_opposite_orders_stay_apart() -> None:
    """F4: x1 then x2, and x2 then x1, are 4 types and 2 edges; united by input alone they would be
    one class."""
    one = Task.build(["x1", "x2"], {1: "x3"}, "causal")
    two = Task.build([Position(("x2",), 1), Position(("x1",), 0)], {1: "x3"}, "causal")
    merged = merge([one, two])
    assert (len(merged.classes), len(merged.flow.covers)) == (4, 2)
    assert told(merged, "kept_apart").message.startswith(
        "x1 and x2 read each other in different tasks; united by input alone they would be one "
        "class and leak"
    )
    assert len(closure((0b11, 0b11)).classes) == 1


def test_sparse_masks_are_compared_as_masks() -> None:
    """F5: one Hasse diagram, two masks: nothing above the difference is shared, and a note says
    why; under --layers the tasks get the sparse mask too."""
    dense = Task.build(["x1", "x2", "x3"], {}, ["1..", "11.", "111"])
    window = Task.build(["x1", "x2", "x3"], {}, ["1..", "11.", ".11"])
    merged = merge([dense, window])
    assert len(merged.classes) == 4
    assert told(merged, "sparse_mask").message == (
        "task 1 does not read all that is below each position; equal Hasse diagrams are not "
        "enough there, so positions are shared where their masks are isomorphic; or make the masks "
        "dense, merge, and ask for layers"
    )
    sparse = merge([dense], layers=2)
    assert sparse.tasks[0].layers == sparse.task.layers != dense.layers
    assert told(sparse, "another_function").message == (
        "the sparse mask has the Hasse diagram of the dense one, reached in 2 layers, but position "
        "2 of task 0 has other keys there than under its own mask: run the single tasks with the "
        "same sparse mask too"
    )


def test_equal_inputs_of_a_class_are_kept() -> None:
    """F6: two mask tokens without ids are two positions, and a note says so."""
    merged = merge([bare("x__", ["1..", "111", "111"])] * 2)
    assert (merged.task.size, len(merged.classes)) == (3, 2)
    assert told(merged, "equal_inputs").message == (
        "task 0: 2 positions of the class [1, 2] have equal inputs; all are kept, since softmax "
        "counts each"
    )


@pytest.mark.parametrize(
    ("key", "ours", "theirs", "said"),
    [
        ("depth", 2, 3, "depth is 2 in task 0 and 3 in task 1"),
        ("pos_mode", "none", "absolute", "pos_mode is none in task 0 and absolute in task 1"),
        ("diag_in_softmax", True, False, "diag_in_softmax is true in task 0 and false"),
        ("empty_row", "zero", "uniform", "empty_row is zero in task 0 and uniform in task 1"),
        ("mask", ["1"], {"heads": [{"rows": ["1"]}] * 2}, "heads is 1 in task 0 and 2 in task 1"),
    ],
)
def test_tasks_of_different_models_are_refused(
    key: str, ours: object, theirs: object, said: str
) -> None:
    """F7: no one model runs both."""
    settings = [{"mask": ["1"], key: value} for value in (ours, theirs)]
    with pytest.raises(TaskError, match=said) as caught:
        merge([Task.build(["x"], {}, **given) for given in settings])  # type: ignore[arg-type]
    assert "give all tasks the same" in str(caught.value)


def test_a_sparse_class_that_is_read_in_two_ways() -> None:
    """Equal positions on a ring, told apart by what is above them in one task and not in the other,
    cannot be one ring."""
    ring = ["1.1...", "11....", ".11...", "1..1.."]
    same, other = (bare("cccdef", [*ring, row, "...111"]) for row in ("1...1.", ".1..1."))
    merged = merge([same, other])
    found = told(merged, "not_locally_rigid")
    assert "no match was found that keeps the keys of all" in found.message
    assert merged.maps == ((0, 1, 2, 3, 4, 5), (6, 7, 8, 9, 10, 11))


def test_differences_of_ids_that_contradict() -> None:
    """x and w at one place, and three places apart: no ids for both, so they stay apart, and no
    minimum is claimed."""

    def pair(place: int, last: str) -> Task:
        fed = [Position(("x",), 0), Position(("w",), place), Position((last,), 1)]
        return Task.build(fed, {}, V, pos_mode="relative")

    merged = merge([pair(0, "y"), pair(3, "z")])
    assert told(merged, "positions_clash").message == (
        "task 1: no position ids keep the differences that it and other tasks see; the task keeps "
        "positions of its own, so there may be fewer classes"
    )
    assert (merged.minimal, merged.verdict) == (Minimal.UNKNOWN, Verdict.UNKNOWN)


def test_an_undecided_search_is_told() -> None:
    """Positions that a spent search left open stay apart, and no minimum is claimed."""
    hexagon = {(p, (p + d) % 6) for p in range(6) for d in (1, 5)}
    triangles = {(p, p // 3 * 3 + (p + d) % 3) for p in range(6) for d in (1, 2)}
    tasks = [
        bare(
            "_______",
            ["".join("#" if (q, k) in ring or q == 6 else "." for k in range(7)) for q in range(7)],
        )
        for ring in (hexagon, triangles)
    ]
    found = merge(tasks, budget=0)
    assert "may be equivalent: the search for an isomorphism spent its budget" in (
        told(found, "undecided").message
    )
    assert found.minimal is Minimal.UNKNOWN


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mode": "hash"}, "mode is 'hash'; known: iso, wl, softmax"),
        ({"labels": "first"}, "labels is 'first'; known: error, multi"),
        ({"layers": 0}, "layers is 0; give 1 or more"),
        ({"mode": "wl", "layers": 2}, 'layers goes with mode = "iso"'),
    ],
)
def test_options_that_make_no_sense(given: dict[str, Any], said: str) -> None:
    """What was given, what was needed."""
    with pytest.raises(TaskError, match=said):
        merge([bare("ss_", V)], **given)


def test_more_layers_than_run() -> None:
    """A task of two layers has no use for a mask that needs three."""
    with pytest.raises(TaskError, match="the tasks run 2 layers, and a mask for 3 was asked for"):
        merge([Task.build([*"abc"], {}, "causal", depth=2)], layers=3)
    heads = Task.build([*"ab"], {}, {"heads": [{"builder": "causal"}, {"builder": "full"}]})
    with pytest.raises(TaskError, match="the tasks have several heads or layers"):
        merge([heads], layers=2)


def test_quotients_that_no_mask_says() -> None:
    """Differences of ids, and a position without its own key that reads its like."""
    relative = Task.build(["a", "b"], {}, ["1.", "11"], pos_mode="relative")
    with pytest.raises(TaskError, match="a quotient has no differences of position ids"):
        quotient([relative])
    with pytest.raises(TaskError, match="reads others of its own colour"):
        quotient([bare("__", ["11", "11"], diag_in_softmax=False)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file holds neither task nor family; give [[task]] tables, or a [family]"),
        ("task = []", "task is empty; give [[task]] tables"),
        ('mask = {rows = ["1"]}', "atoms is missing; write atoms = [...]"),
        ("family = 3", "family is no table; write [family] with a builder"),
        ("[family]", 'family.builder is missing; write builder = "block" or another one'),
        ('family = {builder = "blok"}', "named 'blok'; did you mean 'block'?"),
        ('family = {builder = "block", m = 2}', "family: block needs b = an integer of at least 1"),
        ('family = {builder = "block", b = 2}', "block needs m, the number of blocks, or n"),
        ('family = {builder = "block", m = 2, b = 2, n = 7}', "7 tokens are 4 blocks of 2, and m"),
        ('family = {builder = "block", m = 2, b = 2, c = 7}', "block has no parameter 'c'"),
        ('family = {builder = "block", m = 2, b = 1.5}', "block: b is 1.5; give b = an integer"),
        ('family = {builder = "autoregressive", n = 1}', "give n = an integer of at least 2"),
        ('family = {builder = "autoregressive", n = 99999}', "at most 1048576 are built"),
        ('family = {builder = "permutation"}', "permutation needs n, the number of tokens, or an"),
        ('family = {builder = "permutation", n = 2, order = [1, 2, 3]}', "order holds 3 tokens"),
        ('family = {builder = "permutation", n = 2, order = "some"}', 'give order = "all", or a'),
        ('family = {builder = "permutation", n = 12, order = "all"}', "give fewer tokens"),
        ('family = {builder = "comb", n = 10, cyclic = true}', "10 tokens are no multiple of 2r"),
        ('family = {builder = "masked_autoencoder", n = 3, visible = [4]}', "1 to 3 as in x1"),
        ('family = {builder = "masked_autoencoder", n = 3, visible = "x"}', "a list of token"),
        ('family = {builder = "mae_ladder", n = 3, visible = [[1, 2], [2]]}', "give disjoint"),
        ('family = {builder = "mae_ladder", n = 3, visible = [[1], []]}', "holds an empty step"),
        ("task = [{}]\nfamily = {}", "the file holds both task and family"),
        ("task = [{}]", "task[0].atoms is missing"),
        ("tasks = []", "the file has the unknown key 'tasks'; did you mean 'task'?"),
        ("task =", "not valid TOML"),
    ],
)
def test_files_that_hold_no_family(text: str, said: str) -> None:
    """Each is refused in one line that names the key."""
    with pytest.raises(TaskError) as caught:
        from_toml(text)
    assert said in str(caught.value)
    assert "where" in caught.value.parts


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        (
            Position(("x1",), 0),
            Position(("x1",), 1),
            "x1 is at pos 0 in task 0 and at pos 1 in task 1; give one token one pos in all",
        ),
        (
            Position(("x1",)),
            Position(("x1",), 1),
            "x1 is without pos in task 0 and at pos 1 in task 1; give one token one pos in all",
        ),
        (
            Position(("x1",), 1),
            Position(("x1",), 1, "word"),
            "x1 is of kind tok in task 0 and word in task 1; kind is part of the input",
        ),
        (
            Position(("x1",), 1),
            Position(("x1", "x2"), 1),
            "x1 is fed as x1 pos 1 tok in task 0 and as x1+x2 pos 1 tok in task 1",
        ),
        (Position(("x1",), 1), Position(("x3",), 1), ""),
    ],
)
def test_why_nothing_is_shared(one: Position, two: Position, said: str) -> None:
    """A note names the key in which one atom of both differs; tasks without a common atom share
    nothing, and nothing is said."""
    tasks = [
        Task.build([fed], {0: "x9"}, ["1"], atoms=["x1", "x2", "x3", "x9"]) for fed in (one, two)
    ]
    merged = merge(tasks)
    notes = [found for found in merged.findings if found.kind == "nothing_shared"]
    assert [note.severity for note in notes] == (["note"] if said else [])
    assert all(said in note.message for note in notes)
    assert merged.verdict is Verdict.HOLDS


def test_what_lies_below_an_atom_differs() -> None:
    """Equal inputs, of which one reads more."""
    causal, both = (Task.build(["x1", "x2"], {}, mask) for mask in ("causal", "full"))
    assert told(merge([causal, both]), "nothing_shared").message == (
        "task 0 shares no position with another task, though it is fed atoms of task 1: what lies "
        "below x1 differs: x1 in task 0, x1 x2 in task 1; only what reads the same is shared"
    )


def test_one_task_is_a_family() -> None:
    """The table of one task."""
    family = from_toml('atoms = ["x"]\nposition = [{atoms = ["x"]}]\nmask = {rows = ["1"]}')
    assert [task.size for task in family.tasks] == [1]


def test_families_written_out() -> None:
    """[[task]] tables, read strictly, are what a builder builds."""
    table = {
        "name": "prefixes",
        "task": [
            {
                "name": f"x{k + 1}",
                "atoms": ["x1", "x2", "x3"],
                "position": [{"atoms": [f"x{i}"], "pos": i} for i in range(1, k + 1)],
                "label": [{"position": k - 1, "atom": f"x{k + 1}"}],
                "mask": {"builder": "causal"},
            }
            for k in (1, 2)
        ],
    }
    family = from_table(table)
    assert family.tasks == build("autoregressive", n=3).tasks
    assert merge(family).task.name == "prefixes"


def test_no_task_and_no_builder() -> None:
    """Nothing to merge; no builder of that name."""
    with pytest.raises(TaskError, match="there is no task to merge; give one or more"):
        merge([])
    with pytest.raises(ParameterError, match="no builder of families named 'xlnet'"):
        build("xlnet", n=3)
