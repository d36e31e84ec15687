"""Messages about tasks: the key path, what was given, what is needed, the way out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnproof.symbolic.errors import FileError, TaskError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.findings import findings
from attnproof.symbolic.tasks.program import Call
from attnproof.symbolic.tasks.schema import from_json, from_table, from_toml, load
from attnproof.symbolic.tasks.task import Label, Position, Task

GOOD: dict[str, object] = {
    "atoms": ["x1", "x2", "x3"],
    "position": [{"atoms": ["x1"]}, {"atoms": []}],
    "label": [{"position": 0, "atom": "x2"}, {"position": 1, "atom": "x3"}],
    "mask": {"rows": ["1.", "11"]},
}

BAD = [
    ({"lables": []}, "lables", "the file has the unknown key 'lables'; did you mean"),
    ({"zzz": 1}, "zzz", "known: name, atoms,"),
    ({"position": [{"atom": ["x1"]}]}, "position[0].atom", "did you mean 'atoms'"),
    ({"position": [{}]}, "position[0].atoms", "is missing; write atoms = []"),
    ({"position": []}, "position", "a task needs at least one position"),
    ({"position": {"atoms": []}}, "position", "must be a list of tables, [[position]]"),
    ({"position": ["x1"]}, "position[0]", "is 'x1'; it must be a table"),
    ({"position": [{"atoms": "x1"}]}, "position[0].atoms", "must be a list of strings"),
    ({"position": [{"atoms": [1]}]}, "position[0].atoms[0]", "is 1; it must be a string"),
    ({"position": [{"atoms": ["x9"]}]}, "position[0].atoms", "holds 'x9', which is neither"),
    ({"position": [{"atoms": [], "pos": 1.5}]}, "position[0].pos", "is 1.5; it must be an integer"),
    ({"position": [{"atoms": [], "pos": True}]}, "position[0].pos", "is true; it must be"),
    ({"position": [{"atoms": [], "kind": 1}]}, "position[0].kind", "it must be a string"),
    ({"position": [{"atoms": [], "segment": 0.5}]}, "position[0].segment", "or a list of them"),
    ({"positions": []}, "positions", "and position are both given; keep one"),
    (
        {"label": [{"position": 7, "atom": "x1"}]},
        "label[0].position",
        "the task has positions 0..1",
    ),
    ({"label": [{"position": -1, "atom": "x1"}]}, "label[0].position", "is -1; the task has"),
    ({"label": [{"position": 0}]}, "label[0].atom", "is missing; write atom ="),
    ({"label": [{"atom": "x1"}]}, "label[0].position", "is missing; write the index"),
    ({"label": [{"position": 0, "atom": "x11"}]}, "label[0].atom", "did you mean 'x1'"),
    (
        {"label": [{"position": 0, "atom": "x1", "head": -1}]},
        "label[0].head",
        "it must be 0 or more",
    ),
    ({"label": [{"position": 0, "atom": "x1"}] * 2}, "label[1]", "give it another head"),
    (
        {"label": [{"position": 0, "atom": "x1", "allowed_atoms": ["q"]}]},
        "label[0].allowed_atoms",
        "'q'",
    ),
    ({"atoms": ["x1", "x1"]}, "atoms[1]", "name every data variable once"),
    ({"atoms": ["x1", ""]}, "atoms[1]", "is empty; give it a name"),
    ({"atoms": None}, "atoms", "is null; it must be a list of strings"),
    ({"allowed_atoms": ["x9"]}, "allowed_atoms", "nor derived; known: x1, x2, x3"),
    ({"derived": {"y": []}}, "derived.y", "has no arguments"),
    ({"derived": {"y": ["x9"]}}, "derived.y", "holds 'x9'"),
    ({"derived": {"y": ["z"], "z": ["y"]}}, "derived", "need each other: y, z"),
    ({"derived": [1]}, "derived", "is [1]; it must be a table"),
    ({"mask": {"rows": ["1"]}}, "mask.rows", "has 1 row of 1 key; the task has 2 positions"),
    ({"mask": {"rows": ["1.", "1"]}}, "mask.rows", "row 1 has 1 entry, row 0 has 2"),
    ({"mask": {"rows": ["1x", "11"]}}, "mask.rows", "row 0 holds 'x'"),
    ({"mask": "causal"}, "mask", 'write mask = {builder = "causal"}'),
    ({"position": [{"atoms": ["[mask]"]}]}, "position[0].atoms", "a mask token is atoms = []"),
    ({"mask": {}}, "mask", "holds nothing; give one of rows, builder, layers, heads"),
    ({"mask": {"bilder": "causal"}}, "mask.bilder", "did you mean 'builder'"),
    ({"mask": {"rows": ["1.", "11"], "heads": []}}, "mask", "holds rows and heads; give one"),
    ({"mask": {"builder": "causl"}}, "mask.builder", "did you mean causal"),
    ({"mask": {"builder": "window"}}, "mask", "window needs keys"),
    ({"mask": {"builder": "causal", "n": 3}}, "mask", "has 3 rows of 3 keys; the task has 2"),
    ({"mask": {"builder": "window", "keys": {}}}, "mask.keys", "give a number, a string"),
    ({"mask": {"layers": []}}, "mask.layers", "is empty; give one mask a layer"),
    ({"mask": {"heads": [{"layers": [{"rows": ["1"]}]}]}}, "mask.heads[0]", "a head is rows or"),
    ({"mask": {"layers": [{"layers": [{"rows": ["1"]}]}]}}, "mask.layers[0]", "a layer is rows"),
    (
        {"mask": {"layers": [{"rows": ["1."] * 3}]}},
        "mask.layers[0].rows",
        "the task has 2 positions",
    ),
    ({"residual": 1}, "residual", "is 1; it must be true or false"),
    ({"empty_row": "none"}, "empty_row", "must be one of zero, uniform, nan"),
    ({"empty_row": []}, "empty_row", "must be one of zero, uniform, nan"),
    ({"pos_mode": "rope"}, "pos_mode", "must be one of absolute, relative, none"),
    ({"depth": -1}, "depth", "is -1; it must be 0 or more"),
    ({"depth": "deep"}, "depth", 'a number of layers, or "any"'),
    ({"name": 3}, "name", "is 3; it must be a string"),
    ({"task": []}, "task", "this file holds a family of tasks"),
    ({"family": {"builder": "block"}}, "family", "this file holds a family of tasks"),
]


@pytest.mark.parametrize(("change", "where", "said"), BAD, ids=[where for _, where, _ in BAD])
def test_mistake_in_a_task_names_its_key(change: dict[str, object], where: str, said: str) -> None:
    """One message: the path of the key, what stands there and what should."""
    with pytest.raises(TaskError) as caught:
        from_table(GOOD | change)
    assert said in str(caught.value)
    assert caught.value.parts["where"] == where


@pytest.mark.parametrize("key", ["atoms", "mask"])
def test_missing_table_is_named(key: str) -> None:
    """What a task cannot do without is asked for by name."""
    data = {name: value for name, value in GOOD.items() if name != key}
    with pytest.raises(TaskError, match=f"{key} is missing; write"):
        from_table(data)


def test_task_inside_a_family_is_named_by_its_path() -> None:
    """A reader of families gets the whole key path."""
    with pytest.raises(TaskError) as caught:
        from_table(GOOD | {"label": [{"position": 9, "atom": "x1"}]}, "task[2]")
    assert caught.value.parts["where"] == "task[2].label[0].position"


def test_file_is_named_first(tmp_path: Path) -> None:
    """A message about a file begins with its path."""
    path = tmp_path / "task.toml"
    path.write_text("atoms = []\nposition = [{atoms = []}]\nmask = {rows = ['..']}\n")
    with pytest.raises(TaskError, match=r"task\.toml: mask\.rows has 1 row of 2 keys"):
        load(path)


def test_unreadable_files(tmp_path: Path) -> None:
    """Missing, binary and broken files: one line each."""
    with pytest.raises(FileError, match="No such file or directory; give a task file"):
        load(tmp_path / "none.toml")
    with pytest.raises(FileError, match="Is a directory"):
        load(tmp_path)
    binary = tmp_path / "b.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="is not UTF-8 text"):
        load(binary)
    with pytest.raises(TaskError, match="not valid TOML"):
        from_toml("a = [")
    with pytest.raises(TaskError, match="not valid JSON"):
        from_json("{")
    with pytest.raises(TaskError, match=r"the file is \[\]; it must be a table"):
        from_json("[]")


def test_mistakes_in_python() -> None:
    """Short forms fail with the same kind of message."""
    numbers: Any = np.ones((1, 1), dtype=np.int64)
    with pytest.raises(TaskError, match=r"mask is an array of int64 with 2 axes; give Booleans"):
        Task.build(["a"], {}, 2 * numbers)
    with pytest.raises(TaskError, match=r"mask is an array of bool with 1 axis; give Booleans"):
        Task.build(["a"], {}, np.ones(1, dtype=bool))
    with pytest.raises(TaskError, match="empty_row is 'zeros'; did you mean 'zero'"):
        Task.build(["a"], {}, ["1"], empty_row="zeros")
    with pytest.raises(TaskError, match="mask: row 0 holds 'x'"):
        Task.build(["a"], {}, ["x"])
    with pytest.raises(TaskError, match="the task has 1 position and the mask has 2"):
        Task.build(["a"], {}, ["1"]).with_layers([Mask.from_rows(["1.", "11"])])
    for key, value in (("atoms", "x1 x2"), ("allowed_atoms", 3), ("derived", {"y": "x1"})):
        given: Any = {key: value}
        with pytest.raises(TaskError, match=rf"{key}.* is .*; give a list of names, as in"):
            Task.build(["a"], {}, ["1"], **given)
    with pytest.raises(TaskError, match="depth is -1; give 0 or more layers"):
        Task.build(["a"], {}, ["1"], depth=-1)


NAME: Any = "x1"
FORMS: list[tuple[Any, Any, Any, str]] = [
    ("x1 x2", {}, "causal", 'inputs is \'x1 x2\'; give a list with an atom, .*as in ["x1", "x2"]'),
    ({"x1": 1}, {}, "causal", "inputs is {'x1': 1}; give a list with an atom"),
    (3, {}, "causal", "inputs is 3; give a list"),
    ([1], {}, "causal", "inputs[0] is 1; give an atom, several atoms, None, a Position or a table"),
    ([["x1", 2]], {}, "causal", 'inputs[0] is 2; give the name of an atom, as in "x1"'),
    ([{"atom": ["x1"]}], {}, "causal", "position[0] has the unknown key 'atom'"),
    (["x1"], ["x2", "x3"], "causal", "labels[0] is 'x2'; give a mapping as in {1: \"x3\"}"),
    (["x1"], {"x1": "x2"}, "causal", "labels has the key 'x1'; a key is the index of a position"),
    (["x1"], {True: "x2"}, "causal", "labels has the key true; a key is the index"),
    (["x1"], [(2, "x3")], "causal", "labels[0] is (2, 'x3'); give a mapping"),
    (["x1"], ("x1", 1), "causal", "labels[0] is 'x1'; give a mapping"),
    (["x1"], "x1", "causal", "labels is 'x1'; give a mapping"),
    (["x1"], {0: None}, "causal", "labels[0] is null; give an atom, or several, one a head"),
    (["x1"], {0: ["x1", 2]}, "causal", "labels[0] is 2; give an atom, or several, one a head"),
    (["x1"], [Label(NAME, "x1")], "causal", "label[0].position is 'x1'; it must be an integer"),
    (["x1"], {}, lambda b, h, q, k: q >= k, "mask is a rule; give the mask that it is at this"),
    (["x1"], {}, None, "mask is null; give rows of text"),
    (["x1"], {}, [[1], ["1", 2]], "mask is [[1], ['1', 2]]; give rows of text"),
    (["x1"], {}, [[2]], "mask is an array of int64 with 2 axes; give Booleans"),
    (["x1", "[MASK]"], {}, "causal", "atoms[1] holds '[MASK]', and a mask token carries no data"),
]


@pytest.mark.parametrize(("inputs", "labels", "mask", "said"), FORMS, ids=[f[3] for f in FORMS])
def test_forms_that_make_no_task(inputs: Any, labels: Any, mask: Any, said: str) -> None:
    """What is no short form is refused with the form that is wanted."""
    with pytest.raises(TaskError) as caught:
        Task.build(inputs, labels, mask)
    for part in said.split(".*"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("emit", "said"),
    [
        ({0: None}, "emit[0] is null; give an atom, or several, one a head"),
        ({"x1": "x2"}, "emit has the key 'x1'; a key is the index of a position"),
        ([(0, "x2")], "emit is [(0, 'x2')]; give a mapping from a position"),
        ("x2", "emit is 'x2'; give a mapping"),
        (3, "emit is 3; give a mapping"),
    ],
)
def test_forms_that_make_no_call(emit: Any, said: str) -> None:
    """What a call emits is refused in the same way."""
    with pytest.raises(TaskError) as caught:
        Call.build(["x1"], ["1"], emit=emit)
    assert said in str(caught.value)


def test_short_forms() -> None:
    """A table stands for a position or a label, as in a file; 0 and 1 or Booleans for a mask."""
    tables = Task.build(
        [{"atoms": ["x1"], "pos": 1}, {"atoms": []}], [{"position": 1, "atom": "x2"}], "causal"
    )
    assert tables.positions == (Position(("x1",), 1), Position((), None, "mask"))
    assert tables.labels == (Label(1, "x2"),)
    for rows in ([[1, 0], [1, 1]], [[True, False], [True, True]], np.tri(2, dtype=np.int64)):
        mask: Any = rows
        assert (
            Task.build(["x1", None], {}, mask).layers
            == Task.build(["x1", None], {}, "causal").layers
        )


def test_findings_read_like_sentences() -> None:
    """A leak says what is predicted, where its atom comes from, and the way."""
    keep = Position(("x1",), 1, "keep")
    task = Task.build(
        [None, keep, "x2", "x3"],
        {0: "y", 1: "x1", 2: "x2", 3: "x1"},
        ["11..", ".11.", "...1", "11.1"],
        derived={"y": ["x1", "x2"]},
    )
    assert [str(found) for found in findings(task)] == [
        "query 2 predicts x2 and holds it as its own input",
        "query 3 predicts x1, but token 1 reaches query 3 in 1 layer: 1 -> 3",
        "query 0 predicts y, which follows from what it learns: at last token 2 reaches query 0 "
        "in 2 layers: 2 -> 1 -> 0",
        'query 1 predicts x1 and keeps it as its own input, by design (kind "keep")',
    ]
    details = findings(task)[2].to_json()
    assert (details["atom"], details["head"], details["property"]) == ("y", 0, "task")


def test_stranger_is_named() -> None:
    """An atom that is not allowed is named with the way it took."""
    own = Position(("b",), 1, allowed_atoms=frozenset("b"))
    task = Task.build(["a", own], {}, "causal")
    (found,) = findings(task)
    assert (
        str(found) == "a is not allowed at query 1, but token 0 reaches query 1 in 1 layer: 0 -> 1"
    )
