"""What must not be known where: labels and allowed atoms, brought to one form.

A label's own set of allowed atoms and its position's both hold; the task's set holds where neither
is given. A set that allows an item allows its arguments, and what they determine together.
"""

from dataclasses import dataclass

from attnproof.symbolic.tasks.task import Label, Task


@dataclass(frozen=True, slots=True)
class Target:
    """At ``position`` the item ``atom`` must stay unknown, and only ``allowed`` may arrive.

    ``exempt`` is true where a position of kind "keep" carries its own label. ``label`` is None
    for a position that has allowed atoms and predicts nothing; its ``atom`` is carried by nobody.
    """

    position: int
    atom: str
    head: int
    allowed: frozenset[str] | None
    exempt: bool
    label: Label | None


def targets(task: Task) -> tuple[Target, ...]:
    """The targets of a task, ordered by position and head."""
    found: list[Target] = []
    for p, position in enumerate(task.positions):
        labels = task.labelled.get(p, ())
        for label in labels:
            exempt = position.kind == "keep" and label.atom in task.carried[p]
            own = {label.atom} if exempt else set()
            allowed = _allowed(task, own, label.allowed_atoms, position.allowed_atoms)
            found.append(Target(p, label.atom, label.head, allowed, exempt, label))
        if not labels and position.allowed_atoms is not None:
            allowed = _allowed(task, set(), position.allowed_atoms)
            found.append(Target(p, nobody(task), 0, allowed, False, None))
    return tuple(found)


def nobody(task: Task) -> str:
    """A name that no atom of the task has."""
    name = "(none)"
    while name in task.carriers:
        name += "'"
    return name


def _allowed(task: Task, own: set[str], *sets: frozenset[str] | None) -> frozenset[str] | None:
    given = [part for part in sets if part is not None]
    if not given and task.allowed_atoms is not None:
        given = [task.allowed_atoms]
    if not given:
        return None
    items = task.items
    closed = (items.known(items.carried(part)) for part in given)
    return items.known(items.carried(frozenset.intersection(*closed) | own))
