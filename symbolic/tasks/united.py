"""The labels, inputs and allowed atoms of several tasks, united position by position.

What a position of the result must predict is all that the positions mapped to it must; what may
arrive there is what may arrive at each of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from attnproof.symbolic.tasks.atoms import Items
from attnproof.symbolic.tasks.partition import Partition, Place
from attnproof.symbolic.tasks.task import Label, Position, Task


@dataclass(frozen=True)
class LabelConflict:
    """Equivalent positions that must predict different atoms with one head: ``told`` lists each
    atom with the (task, position) that names it first."""

    head: int
    told: tuple[tuple[str, tuple[int, int]], ...]

    @property
    def atoms(self) -> tuple[str, ...]:
        """The atoms."""
        return tuple(atom for atom, _ in self.told)


def vocabulary(tasks: Sequence[Task]) -> Items:
    """The atoms and derived items of all tasks, in order of first mention."""
    derived = {item: args for task in tasks for item, args in task.derived.items()}
    atoms = dict.fromkeys(atom for task in tasks for atom in task.items.primitive)
    return Items(tuple(atoms), derived)


def conflicts(tasks: Sequence[Task], found: Partition) -> tuple[LabelConflict, ...]:
    """The label conflicts: no state can be read out as two atoms by one head.

    >>> from attnproof.symbolic.tasks.partition import partition
    >>> tasks = [Task.build([None], {0: atom}, ["1"], pos_mode="none") for atom in "xy"]
    >>> [conflict.atoms for conflict in conflicts(tasks, partition(tasks))]
    [('x', 'y')]
    """
    told: dict[tuple[int, int], dict[str, Place]] = defaultdict(dict)
    for t, task in enumerate(tasks):
        for label in task.labels:
            key = found.of[t][label.position], label.head
            told[key].setdefault(label.atom, (t, label.position))
    return tuple(
        LabelConflict(head, tuple(atoms.items()))
        for (_, head), atoms in sorted(told.items())
        if len(atoms) > 1
    )


def labels(tasks: Sequence[Task], maps: Sequence[Sequence[int]], items: Items) -> tuple[Label, ...]:
    """The labels of all tasks at the positions of the result; a second atom for a head that is
    taken gets a head of its own."""
    sets: dict[tuple[int, int, str], list[frozenset[str] | None]] = defaultdict(list)
    for task, mapped in zip(tasks, maps, strict=True):
        for label in task.labels:
            own = label.allowed_atoms
            if own is None and task.positions[label.position].allowed_atoms is None:
                own = task.allowed_atoms
            sets[mapped[label.position], label.head, label.atom].append(own)
    taken = {(slot, head) for slot, head, _ in sets}
    placed: dict[tuple[int, int], Label] = {}
    for (slot, head, atom), given in sorted(sets.items(), key=lambda entry: entry[0][:2]):
        at = slot, head
        if at in placed:
            at = slot, 1 + max(h for s, h in taken if s == slot)
            taken.add(at)
        placed[at] = Label(*at[:1], atom, at[1], common(given, items))
    return tuple(placed[at] for at in sorted(placed))


def positions(
    tasks: Sequence[Task],
    maps: Sequence[Sequence[int]],
    first: Sequence[Place],
    places: Sequence[int | None],
    items: Items,
) -> tuple[Position, ...]:
    """The positions of the result: each the first that is mapped there, under all allowed sets."""
    allowed: dict[int, list[frozenset[str] | None]] = defaultdict(list)
    for task, mapped in zip(tasks, maps, strict=True):
        for position, slot in zip(task.positions, mapped, strict=True):
            allowed[slot].append(position.allowed_atoms)
    return tuple(
        replace(tasks[t].positions[p], pos=places[slot], allowed_atoms=common(allowed[slot], items))
        for slot, (t, p) in enumerate(first)
    )


def common(given: Iterable[frozenset[str] | None], items: Items) -> frozenset[str] | None:
    """What all sets allow; None where there is none.

    >>> items = Items(("a", "b", "c"), {})
    >>> sorted(common([frozenset("ab"), None, frozenset("bc")], items) or ())
    ['b']
    """
    sets = {one for one in given if one is not None}
    if len(sets) < 2:
        return next(iter(sets), None)
    return frozenset.intersection(*(items.known(items.carried(one)) for one in sets))
