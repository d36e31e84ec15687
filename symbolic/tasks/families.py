"""Families of tasks from files: ``[[task]]`` tables, or a ``[family]`` with a builder, strictly."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from attnproof.symbolic.errors import ParameterError, TaskError
from attnproof.symbolic.families.family import Family
from attnproof.symbolic.families.registry import get
from attnproof.symbolic.tasks.keys import Table
from attnproof.symbolic.tasks.parsing import read, toml_data
from attnproof.symbolic.tasks.schema import from_table as task_from_table
from attnproof.symbolic.tasks.schema import load as load_one
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.words import counted

#: What a file with a family holds, and one with a single task does not.
_KINDS = frozenset({"task", "family"})
_ONE = frozenset({"atoms", "mask", "position", "positions"})
_WAY_OUT = "give [[task]] tables, or a [family] with a builder"


def load(path: str | Path) -> Family:
    """The family of a ``.toml`` or ``.json`` file."""
    return read(path, "a file with a family of tasks", from_table)


def load_tasks(path: str | Path) -> tuple[Task, ...]:
    """The tasks of a file, be it one or a family of them."""

    return read(path, "a file with tasks", from_table).tasks


def load_task(place: str | PathLike[str], *, masked: bool = True) -> Task:
    """The task of a file; ``family.toml:1`` is the task with index 1 of a family.

    Unless ``masked`` the one task of a file may leave its mask out.

    Raises :class:`TaskError` for a family without an index, and for an index that it has not.
    """
    file, index = split_index(place)
    if index is None:
        return load_one(Path(place), masked=masked)
    tasks = load_tasks(file)
    if len(index) > 15 or int(index) >= len(tasks):
        raise TaskError(
            f"{file} holds {counted(len(tasks), 'task')}, counted from 0; "
            f"there is no task {index[:20]}",
            path=file,
        )
    return tasks[int(index)]


def split_index(place: str | PathLike[str]) -> tuple[str, str | None]:
    """The file and the index of ``family.toml:1``; None where no task is named.

    >>> split_index("family.toml:1"), split_index("task.toml")
    (('family.toml', '1'), ('task.toml', None))
    """
    file, colon, index = str(place).rpartition(":")
    if not colon or not index.isascii() or not index.isdecimal() or Path(place).exists():
        return str(place), None
    return file, index


def from_toml(text: str) -> Family:
    """A family written in TOML.

    >>> from_toml('family = {builder = "block", m = 3, b = 2}')
    Family block: 3 tasks, 12 positions
    """
    return from_table(toml_data(text))


def from_table(data: object) -> Family:
    """A family from a parsed table; the table of one task is a family of one.

    Raises :class:`TaskError`, which names the key, for what is no family.
    """
    if isinstance(data, Mapping) and _ONE & data.keys() and not _KINDS & data.keys():
        return Family("", (task_from_table(data),))
    table = Table(data, "", ("name", "task", "family"), TaskError)
    if ("task" in table.data) == ("family" in table.data):
        said = "both task and family" if "task" in table.data else "neither task nor family"
        raise TaskError(f"the file holds {said}; {_WAY_OUT}", where="family")
    if "family" in table.data:
        return _built(table.data["family"])
    tasks = table.each("task", task_from_table)
    if not tasks:
        raise TaskError(f"task is empty; {_WAY_OUT}", where="task")
    return Family(table.text("name", ""), tasks)


def _built(data: object) -> Family:
    if not isinstance(data, Mapping):
        raise TaskError("family is no table; write [family] with a builder", where="family")
    table = Table(data, "family", list(data), TaskError)
    table.need("builder", 'builder = "block" or another one')
    parameters = {key: value for key, value in data.items() if key != "builder"}
    try:
        return get(table.text("builder", "")).build(parameters)
    except ParameterError as error:
        raise TaskError(f"family: {error}", **{"where": "family", **error.parts}) from None
