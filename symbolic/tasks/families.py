"""Families of tasks from files: ``[[task]]`` tables, or a ``[family]`` with a builder, strictly."""

from collections.abc import Mapping
from pathlib import Path

from attnproof.symbolic.errors import ParameterError, TaskError
from attnproof.symbolic.families.family import Family
from attnproof.symbolic.families.registry import get
from attnproof.symbolic.tasks.keys import Table
from attnproof.symbolic.tasks.parsing import read, toml_data
from attnproof.symbolic.tasks.schema import from_table as task_from_table

_WAY_OUT = "give [[task]] tables, or a [family] with a builder"


def load(path: str | Path) -> Family:
    """The family of a ``.toml`` or ``.json`` file."""
    return read(path, "a file with a family of tasks", from_table)


def from_toml(text: str) -> Family:
    """A family written in TOML.

    >>> from_toml('family = {builder = "block", m = 3, b = 2}')
    Family block: 3 tasks, 12 positions
    """
    return from_table(toml_data(text))


def from_table(data: object) -> Family:
    """A family from a parsed table.

    Raises :class:`TaskError`, which names the key, for what is no family.
    """
    if isinstance(data, Mapping) and "mask" in data and not {"task", "family"} & data.keys():
        raise TaskError(f"the file holds one task; {_WAY_OUT}", where="mask")
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
