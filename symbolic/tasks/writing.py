"""A task as TOML text that reads back as the same task."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.masks import Built, Heads, MaskSpec, row_texts
from attnproof.symbolic.tasks.task import Label, Position, Task, usual_kind


def to_toml(task: Task) -> str:
    """The task file of a task; what has its default value is left out.

    >>> print(to_toml(Task.build(["x1"], {}, ["1"], name="one")), end="")
    name = "one"
    atoms = ["x1"]
    <BLANKLINE>
    [[position]]
    atoms = ["x1"]
    pos = 0
    <BLANKLINE>
    [mask]
    rows = [
      "1",
    ]

    Law: ``from_toml(to_toml(task)) == task``.
    """
    blocks = [_keys(_top(task))]
    if task.derived:
        derived = {item: list(arguments) for item, arguments in sorted(task.derived.items())}
        blocks.append("[derived]\n" + _keys(derived))
    blocks += ["[[position]]\n" + _keys(_position(task, position)) for position in task.positions]
    blocks += ["[[label]]\n" + _keys(_label(task, label)) for label in task.labels]
    blocks.append("[mask]\n" + written_mask(task.mask))
    return "\n".join(blocks)


def _top(task: Task) -> dict[str, object]:
    written: dict[str, object] = {"name": task.name, "atoms": task.atoms}
    defaults = {field.name: field.default for field in fields(Task)}
    for key in ("residual", "empty_row", "depth", "pos_mode", "diag_in_softmax"):
        value = getattr(task, key)
        if value != defaults[key]:
            written[key] = getattr(value, "value", value)
    return written | _allowed(task, task.allowed_atoms)


def _allowed(task: Task, allowed: frozenset[str] | None) -> dict[str, object]:
    if allowed is None:
        return {}
    order = dict.fromkeys((*task.atoms, *sorted(task.derived)))
    return {"allowed_atoms": [item for item in order if item in allowed]}


def _position(task: Task, position: Position) -> dict[str, object]:
    written: dict[str, object] = {"atoms": position.atoms}
    if position.pos is not None:
        written["pos"] = position.pos
    if position.kind != usual_kind(position.atoms):
        written["kind"] = position.kind
    if position.segment is not None:
        written["segment"] = position.segment
    return written | _allowed(task, position.allowed_atoms)


def _label(task: Task, label: Label) -> dict[str, object]:
    written: dict[str, object] = {"position": label.position, "atom": label.atom}
    if label.head:
        written["head"] = label.head
    return written | _allowed(task, label.allowed_atoms)


def written_mask(spec: MaskSpec) -> str:
    """The keys of the ``[mask]`` table.

    >>> print(written_mask(Built("window", (("keys", 3),))), end="")
    builder = "window"
    keys = 3
    """
    if isinstance(spec, Mask):
        return "rows = [\n" + "".join(f'  "{row}",\n' for row in row_texts(spec)) + "]\n"
    return _keys(_table(spec))


def _table(spec: MaskSpec) -> dict[str, object]:
    if isinstance(spec, Mask):
        return {"rows": row_texts(spec)}
    if isinstance(spec, Built):
        return {"builder": spec.builder, **dict(spec.parameters)}
    key = "heads" if isinstance(spec, Heads) else "layers"
    return {key: [_table(mask) for mask in spec.masks]}


def _keys(table: Mapping[str, object]) -> str:
    return "".join(f"{_name(key)} = {_text(value)}\n" for key, value in table.items())


def _name(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_name(k)} = {_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(_text, value)) + "]"
    return str(value)
