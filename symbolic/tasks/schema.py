"""Task files: TOML or JSON to a task and back, strictly.

Tables are ``[[position]]``, ``[[label]]`` (JSON may say ``positions``, ``labels``), ``[mask]`` and
``[derived]``; an unknown key is an error that names it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from attnproof.symbolic.errors import InputError, TaskError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.tasks.keys import Table, shown
from attnproof.symbolic.tasks.masks import Built, Heads, Layers, MaskSpec, Value
from attnproof.symbolic.tasks.parsing import json_data, read, toml_data
from attnproof.symbolic.tasks.task import Label, Position, PosMode, Segment, Task, usual_kind

TASK_KEYS = (
    *("name", "atoms", "derived", "position", "positions", "label", "labels", "mask", "residual"),
    *("empty_row", "depth", "pos_mode", "diag_in_softmax", "allowed_atoms"),
)
_POSITION = ("atoms", "pos", "kind", "segment", "allowed_atoms")
_LABEL = ("position", "atom", "head", "allowed_atoms")
_MASK = ("rows", "builder", "layers", "heads")


def load(path: str | Path, *, masked: bool = True) -> Task:
    """The task of a ``.toml`` or ``.json`` file, which may leave its mask out unless ``masked``."""
    return read(path, "a task file", lambda data: from_table(data, masked=masked))


def from_toml(text: str) -> Task:
    """A task written in TOML.

    >>> from_toml('''
    ... atoms = ["x1"]
    ... position = [{atoms = []}]
    ... label = [{position = 0, atom = "x1"}]
    ... mask = {rows = ["1"]}
    ... ''').labels
    (Label(position=0, atom='x1', head=0, allowed_atoms=None),)
    """
    return from_table(toml_data(text))


def from_json(text: str) -> Task:
    """A task written in JSON, with the same keys."""
    return from_table(json_data(text))


def from_table(data: object, where: str = "", *, masked: bool = True) -> Task:
    """A task from a parsed table that stands at the key path ``where``.

    Unless ``masked`` it may leave its mask out, and then no position reads another.
    """
    if isinstance(data, Mapping) and not where and ("task" in data or "family" in data):
        raise TaskError(
            "this file holds a family of tasks; name one of them by its index, as in "
            "family.toml:0, or give a file with one task, its [[position]], [[label]] and [mask] "
            "at the top",
            where="task" if "task" in data else "family",
        )
    table = Table(data, where, TASK_KEYS, TaskError)
    try:
        positions = table.each(spelling(table, "position"), read_position)
        return Task(
            atoms=_atoms(table),
            positions=positions,
            labels=table.each(spelling(table, "label"), read_label),
            mask=_mask(table) if masked or "mask" in table.data else _apart(len(positions)),
            name=table.text("name", ""),
            derived=_derived(table),
            residual=table.flag("residual", True),
            empty_row=table.choice("empty_row", EmptyRow.ZERO),
            depth=_depth(table),
            pos_mode=table.choice("pos_mode", PosMode.ABSOLUTE),
            diag_in_softmax=table.flag("diag_in_softmax", True),
            allowed_atoms=_allowed(table),
        )
    except TaskError as error:
        at = str(error.parts.get("where", ""))
        if not where or at.startswith(where):
            raise
        parts = {**error.parts, "where": f"{where}.{at}" if at else where}
        raise TaskError(f"{where}: {error}", **parts) from None


def _mask(table: Table) -> MaskSpec:
    return read_mask(table.need("mask", "[mask] with rows or a builder"), table.path("mask"))


def _apart(size: int) -> Mask:
    """Each position reads itself alone."""
    return Mask.from_rows(["." * q + "1" + "." * (size - 1 - q) for q in range(size)])


def spelling(table: Table, singular: str) -> str:
    """The key under which a list of tables is given: the one word or the other."""
    plural = f"{singular}s"
    if plural not in table.data:
        return singular
    if singular in table.data:
        raise table.fail(plural, f"and {singular} are both given; keep one of them")
    return plural


def _atoms(table: Table) -> tuple[str, ...]:
    table.need("atoms", "atoms = [...], the data variables of the task")
    return table.names("atoms")


def _derived(table: Table) -> dict[str, tuple[str, ...]]:
    if not table.has("derived"):
        return {}
    value = table.data["derived"]
    items = [str(key) for key in value] if isinstance(value, Mapping) else []
    derived = Table(value, table.path("derived"), items, TaskError)
    return {item: derived.names(item) for item in items}


def _depth(table: Table) -> int | None:
    if not table.has("depth") or table.data["depth"] == "any":
        return None
    return table.integer("depth", 'a number of layers, or "any"', least=0)


def _allowed(table: Table) -> frozenset[str] | None:
    return frozenset(table.names("allowed_atoms")) if table.has("allowed_atoms") else None


def read_position(data: object, where: str) -> Position:
    """A ``[[position]]`` table: atoms, pos, kind, segment, allowed_atoms.

    >>> read_position({"atoms": []}, "position[0]").kind
    'mask'
    """
    table = Table(data, where, _POSITION, TaskError)
    table.need("atoms", "atoms = [] for a position without a token")
    atoms = table.names("atoms")
    return Position(
        atoms=atoms,
        pos=table.integer("pos", "an integer, the position id") if table.has("pos") else None,
        kind=table.text("kind", usual_kind(atoms)),
        segment=_segment(table),
        allowed_atoms=_allowed(table),
    )


def _segment(table: Table) -> Segment | None:
    if not table.has("segment"):
        return None
    value = table.data["segment"]
    if isinstance(value, list):
        return tuple(_id(table, value, part) for part in value)
    return _id(table, value, value)


def _id(table: Table, value: object, part: object) -> int | str:
    if isinstance(part, int | str) and not isinstance(part, bool):
        return part
    raise table.wrong("segment", value, "an integer, a string, or a list of them")


def read_label(data: object, where: str) -> Label:
    """A ``[[label]]`` table: position, atom, head, allowed_atoms."""
    table = Table(data, where, _LABEL, TaskError)
    table.need("atom", "atom = the name of an atom")
    return Label(
        position=table.integer("position", "the index of a position"),
        atom=table.text("atom", ""),
        head=table.integer("head", least=0) if "head" in table.data else 0,
        allowed_atoms=_allowed(table),
    )


def read_mask(data: object, where: str) -> MaskSpec:
    """The ``[mask]`` table: rows, a builder with its parameters, layers, or heads.

    >>> read_mask({"builder": "window", "keys": 3}, "mask")
    Built(builder='window', parameters=(('keys', 3),))
    """
    if isinstance(data, str):
        raise TaskError(
            f'{where} is {data!r}; it must be a table: write mask = {{builder = "{data}"}}',
            where=where,
        )
    if isinstance(data, Mapping) and "builder" in data:
        table = Table(data, where, list(data), TaskError)
        rest = sorted(key for key in data if key != "builder")
        parameters = tuple((key, _value(table, key, data[key])) for key in rest)
        return Built(table.text("builder", ""), parameters)
    table = Table(data, where, _MASK, TaskError)
    given = [key for key in _MASK if key in table.data]
    if len(given) != 1:
        said = " and ".join(given) or "nothing"
        raise TaskError(
            f"{where} holds {said}; give one of rows, builder, layers, heads", where=where
        )
    if given[0] == "rows":
        return _rows(table)
    masks = table.each(given[0], read_mask)
    if not masks:
        raise table.fail(given[0], f"is empty; give one mask a {given[0][:-1]}")
    if given[0] == "heads":
        return Heads(tuple(_head(mask, f"{where}.heads[{h}]") for h, mask in enumerate(masks)))
    return Layers(tuple(_layer(mask, f"{where}.layers[{i}]") for i, mask in enumerate(masks)))


def _head(mask: MaskSpec, where: str) -> Mask | Built:
    if isinstance(mask, Mask | Built):
        return mask
    inner = "heads" if isinstance(mask, Heads) else "layers"
    raise TaskError(f"{where} holds {inner}; a head is rows or a builder", where=where)


def _layer(mask: MaskSpec, where: str) -> Mask | Built | Heads:
    if isinstance(mask, Layers):
        raise TaskError(f"{where} holds layers; a layer is rows, a builder, or heads", where=where)
    return mask


def _rows(table: Table) -> Mask:
    rows = table.names("rows")
    try:
        return Mask.from_rows(rows)
    except InputError as error:
        raise table.fail("rows", f"cannot be read: {error}") from None


def _value(table: Table, key: str, value: object) -> Value:
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Sequence):
        return tuple(_value(table, key, part) for part in value)
    raise table.fail(key, f"is {shown(value)}; give a number, a string, true, false or a list")
