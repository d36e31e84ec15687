"""What must hold of a task before anything is said about it."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.tasks.atoms import arguments_first
from attnproof.symbolic.tasks.keys import shown
from attnproof.symbolic.words import suggestion

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.task import Task

#: How a mask token is often written.
_MASK_TOKENS = ("[mask]", "<mask>")


def check(task: "Task") -> None:
    """Raise :class:`TaskError`, naming the key path, unless the task fits together."""
    if not task.positions:
        raise TaskError(
            "position is empty; a task needs at least one position", where="position", positions=0
        )
    if task.depth is not None and task.depth < 0:
        raise TaskError(
            f"depth is {task.depth}; give 0 or more layers, or leave it out for any number",
            where="depth",
            depth=task.depth,
        )
    _vocabulary(task)
    legal = dict.fromkeys((*task.atoms, *task.derived))
    _declared(task.allowed_atoms or (), legal, "allowed_atoms")
    for p, position in enumerate(task.positions):
        _declared(position.atoms, legal, f"position[{p}].atoms")
        _declared(position.allowed_atoms or (), legal, f"position[{p}].allowed_atoms")
    _labels(task, legal)
    _ = task.layers


def _vocabulary(task: "Task") -> None:
    seen: set[str] = set()
    for i, atom in enumerate(task.atoms):
        if not atom:
            raise TaskError(f"atoms[{i}] is empty; give it a name", where=f"atoms[{i}]")
        if atom in seen:
            raise TaskError(
                f"atoms[{i}] repeats {atom!r}; name every data variable once (two equal words are "
                "two atoms)",
                where=f"atoms[{i}]",
                atom=atom,
            )
        _no_mask_token(atom, f"atoms[{i}]")
        seen.add(atom)
    for item, arguments in task.derived.items():
        where = f"derived.{item}"
        if not arguments:
            raise TaskError(
                f"{where} has no arguments; name the atoms that determine it", where=where
            )
        _declared(arguments, dict.fromkeys((*task.atoms, *task.derived)), where)
    try:
        list(arguments_first(task.derived))
    except ValueError as error:
        raise TaskError(
            f"derived has {error}; let every item be a function of atoms in the end",
            where="derived",
        ) from None


def _no_mask_token(item: str, where: str) -> None:
    """An atom is a data variable; the text of a mask token is none."""
    if item.lower() in _MASK_TOKENS:
        raise TaskError(
            f"{where} holds {item!r}, and a mask token carries no data variable: a mask token is "
            "atoms = [] (None in Python)",
            where=where,
            atom=item,
        )


def _declared(items: Iterable[str], legal: Collection[str], where: str) -> None:
    for item in items:
        if item not in legal:
            _no_mask_token(item, where)
            raise TaskError(
                f"{where} holds {item!r}, which is neither in atoms nor derived; "
                f"{suggestion(item, legal) if legal else 'declare it in atoms'}",
                where=where,
                atom=item,
            )


def _labels(task: "Task", legal: Collection[str]) -> None:
    seen: dict[tuple[int, int], int] = {}
    for i, label in enumerate(task.labels):
        where = f"label[{i}]"
        for key, value, kind in (
            ("position", label.position, int),
            ("atom", label.atom, str),
            ("head", label.head, int),
        ):
            if not isinstance(value, kind):
                wanted = "a name" if kind is str else "an integer"
                raise TaskError(
                    f"{where}.{key} is {shown(value)}; it must be {wanted}", where=f"{where}.{key}"
                )
        if not 0 <= label.position < task.size:
            raise TaskError(
                f"{where}.position is {label.position}; the task has positions "
                f"0..{task.size - 1}; give the index of one of them",
                where=f"{where}.position",
                position=label.position,
                positions=task.size,
            )
        if label.head < 0:
            raise TaskError(f"{where}.head is {label.head}; give 0 or more", where=f"{where}.head")
        _declared((label.atom,), legal, f"{where}.atom")
        _declared(label.allowed_atoms or (), legal, f"{where}.allowed_atoms")
        pair = (label.position, label.head)
        if pair in seen:
            raise TaskError(
                f"{where} is a second label of position {label.position} at head {label.head} "
                f"(the first is label[{seen[pair]}]); give it another head",
                where=where,
                position=label.position,
                head=label.head,
                first=seen[pair],
            )
        seen[pair] = i
