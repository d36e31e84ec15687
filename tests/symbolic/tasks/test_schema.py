"""Task files: what is written reads back, every key of the schema, every short form."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.tasks.masks import Built, Heads, Layers
from attnproof.symbolic.tasks.schema import from_json, from_toml, load, read_mask
from attnproof.symbolic.tasks.task import Label, Position, PosMode, Task
from attnproof.symbolic.tasks.writing import to_toml, written_mask
from tests.symbolic.tasks.random_tasks import tasks

WHOLE = """
name = "everything"
atoms = ["x1", "x2", "x3"]
residual = false
empty_row = "uniform"
depth = 4
pos_mode = "relative"
diag_in_softmax = false
allowed_atoms = ["x1", "y"]

[derived]
y = ["x1", "x2"]

[[position]]
atoms = ["x1", "y"]
pos = 1
kind = "tok"
segment = [0, "b"]
allowed_atoms = ["x1"]

[[position]]
atoms = []
pos = -2
kind = "mask"
segment = 1

[[label]]
position = 1
atom = "x3"
head = 2
allowed_atoms = ["x1", "x2"]

[[label]]
position = 1
atom = "y"

[[mask.layers]]
rows = ["1.", "#1"]

[[mask.layers]]
heads = [{ builder = "window", keys = 1 }, { builder = "causal" }]
"""


@given(tasks())
@settings(max_examples=30)
def test_written_task_reads_back(task: Task) -> None:
    """``from_toml(to_toml(task)) == task``, and the text is the same again."""
    text = to_toml(task)
    assert from_toml(text) == task
    assert to_toml(from_toml(text)) == text


@given(
    st.dictionaries(
        st.sampled_from(["ids", "keys", "a key", "ü"]),
        st.recursive(
            st.booleans() | st.integers(-9, 9) | st.text(max_size=4) | st.floats(allow_nan=False),
            lambda inner: st.lists(inner, max_size=3).map(tuple),
            max_leaves=4,
        ),
    )
)
@settings(max_examples=30)
def test_parameters_of_builders_read_back(parameters: dict[str, object]) -> None:
    """Parameters of a builder survive whatever their type."""
    spec = read_mask({"builder": "window", **parameters}, "mask")
    assert read_mask(tomllib.loads(written_mask(spec)), "mask") == spec


def test_every_key_of_the_schema() -> None:
    """Each key of a task file arrives where it belongs."""
    task = from_toml(WHOLE)
    assert task.derived == {"y": ("x1", "x2")}
    assert (task.residual, task.empty_row, task.depth) == (False, EmptyRow.UNIFORM, 4)
    assert (task.pos_mode, task.diag_in_softmax) == (PosMode.RELATIVE, False)
    assert task.allowed_atoms == frozenset(["x1", "y"])
    assert task.positions == (
        Position(("x1", "y"), 1, "tok", (0, "b"), frozenset(["x1"])),
        Position((), -2, "mask", 1),
    )
    assert task.labels == (Label(1, "x3", 2, frozenset(["x1", "x2"])), Label(1, "y"))
    heads = Heads((Built("window", (("keys", 1),)), Built("causal")))
    assert task.mask == Layers((Mask.from_rows(["1.", "11"]), heads))
    assert from_toml(to_toml(task)) == task


def test_contract_example_reads() -> None:
    """The task of the interface page: two positions, one label, drawn or built."""
    text = """
    name = "predict-3"
    atoms = ["x1", "x2", "x3"]           # data variables, not values
    position = [{atoms = ["x1"], pos = 1, kind = "tok"}, {atoms = ["x2"], pos = 2, kind = "tok"}]
    label = [{position = 1, atom = "x3"}]
    mask = {MASK}
    """
    drawn = from_toml(text.replace("MASK", 'rows = ["1.", "11"]'))
    built = from_toml(text.replace("MASK", 'builder = "causal"'))
    assert drawn.layers == built.layers == (Mask.from_rows(["1.", "11"]),)


def test_json_has_the_same_keys(tmp_path: Path) -> None:
    """A .json file may say positions and labels, and null for what is not given."""
    data = {
        "name": "j",
        "atoms": ["a"],
        "positions": [{"atoms": ["a"], "pos": None}],
        "labels": [{"position": 0, "atom": "a"}],
        "mask": {"rows": ["1"]},
        "depth": None,
        "allowed_atoms": None,
    }
    path = tmp_path / "task.json"
    path.write_text(json.dumps(data))
    assert load(path) == Task.build([Position(("a",))], {0: "a"}, ["1"], name="j")
    assert from_json(json.dumps(data)) == load(path)


def test_task_without_labels_and_one_position() -> None:
    """One position, no label and no atom are legal."""
    task = from_toml('atoms = []\nposition = [{atoms = []}]\nmask = {rows = ["."]}')
    assert (task.size, task.labels, task.atoms) == (1, (), ())


def test_kind_of_a_position_that_names_none() -> None:
    """Without atoms a mask token, as None is in Python; what is written stays, and reads back."""
    fed = "position = [{atoms = []}, {atoms = ['a']}, {atoms = [], kind = 'tok'}]"
    task = from_toml(f"atoms = ['a']\n{fed}\nmask = {{builder = 'causal'}}")
    assert [position.kind for position in task.positions] == ["mask", "tok", "tok"]
    assert from_toml(to_toml(task)) == task
    read, none = task.positions[0], Task.build([None], {}, ["1"]).positions[0]
    assert (read.own_input, read.pos) == ((none.atoms, None, none.kind, None), None)


def test_heads_of_a_layer_are_united_and_a_uniform_row_reads_all() -> None:
    """Each head's empty row becomes what its convention says before heads are united."""
    heads = {"heads": [{"rows": ["1.", ".."]}, {"rows": ["1.", ".1"]}]}
    inputs = ["a", "b"]
    zero = Task.build(inputs, {}, heads)
    uniform = Task.build(inputs, {}, heads, empty_row="uniform")
    assert zero.layers == (Mask.from_rows(["1.", ".1"]),)
    assert uniform.layers == (Mask.from_rows(["1.", "11"]),)


@pytest.mark.parametrize(
    ("mask", "size"),
    [
        ({"builder": "block_two_stream", "m": 3, "b": 2}, 10),
        ({"builder": "two_stream"}, 9),
        ({"builder": "crown", "n": 3}, 6),
        ({"builder": "butterfly"}, 10),
        ({"builder": "documents", "ids": [0, 0, 1]}, 3),
    ],
)
def test_builder_finds_its_length(mask: dict[str, object], size: int) -> None:
    """A builder without n takes the length that gives the task's number of positions."""
    assert Task.build([None] * size, {}, mask).layers[0].size == size


def test_short_forms_in_python() -> None:
    """Atoms, tuples, None, positions; labels by head; masks as rows, array, name or value."""
    task = Task.build(["a", ("b", "c"), None], {2: ["a", "d"]}, "causal")
    assert [position.atoms for position in task.positions] == [("a",), ("b", "c"), ()]
    assert [position.kind for position in task.positions] == ["tok", "tok", "mask"]
    assert task.labels == (Label(2, "a", 0), Label(2, "d", 1))
    assert task.atoms == ("a", "b", "c", "d")
    rows = ["1..", "11.", "111"]
    array = np.tril(np.ones((3, 3), dtype=bool))
    for mask in (rows, array, Mask.from_rows(rows), {"rows": rows}, Built("causal")):
        assert Task.build(["a", ("b", "c"), None], {}, mask).layers == task.layers


def test_other_layers_replace_the_mask() -> None:
    """The same inputs and labels under another mask; sizes must agree."""
    task = Task.build(["a", "b"], {0: "b"}, "causal")
    other = task.with_layers([Mask.from_rows(["11", "11"])])
    assert (other.labels, other.layers) == (task.labels, (Mask.from_rows(["11", "11"]),))


def test_tasks_are_hashable_and_show_themselves() -> None:
    """Equal tasks hash equal; the text shows inputs, labels and the mask, row = query."""
    one, two = (Task.build(["a"], {0: "b"}, ["1"], name="t") for _ in range(2))
    assert len({one, two}) == 1
    assert repr(one) == "Task t: 1 position, 1 label, 2 atoms\n  0  a -> b  #"
