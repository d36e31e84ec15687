"""Gluing: one vertex for each type, with the maps of all tasks into the result.

Convention: a slot is a position of the result; ``maps[t][p]`` is the slot of position ``p`` of
task ``t``. A class of ``s`` positions has ``s`` slots, equal inputs or not. What a slot reads is
what its first position does, so each map carries the keys of a query to the keys of its slot.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice, permutations, product
from math import lcm
from operator import or_

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.progress import tick
from attnproof.symbolic.tasks.partition import Partition
from attnproof.symbolic.tasks.task import PosMode, Task
from attnproof.symbolic.tasks.types import Classes

#: How many ways to match the equal positions of a class are tried.
_WAYS = 5040

Keys = tuple[tuple[int, ...], ...]


class Clash(Exception):
    """A task that cannot share what its types say it shares: the equal positions of a class of it
    have no match, or, where ``positions`` is None, its position ids do not fit."""

    def __init__(self, task: int, positions: tuple[int, ...] | None = None) -> None:
        super().__init__(task, positions)
        self.task = task
        self.positions = positions


@dataclass
class Glued:
    """The result: ``first[slot]`` is the (task, position) it comes from, ``keys[slot]`` the slots
    that it reads, ``keys[slot][layer][head]``, as a bit set; ``places[slot]`` its position id."""

    period: int
    first: list[tuple[int, int]] = field(default_factory=list)
    keys: list[Keys] = field(default_factory=list)
    maps: list[tuple[int, ...]] = field(default_factory=list)
    places: list[int | None] = field(default_factory=list)


def glue(
    tasks: Sequence[Task], classes: Sequence[Classes], found: Partition, apart: frozenset[int]
) -> Glued:
    """The types of all tasks as one; tasks in ``apart`` share nothing.

    Raises :class:`Clash` where equal positions of a class cannot be matched so that all keys are
    kept, and where differences of position ids contradict each other. Law: under local rigidity
    and for dense masks without relative positions there is no clash.
    """
    glued = Glued(lcm(*(len(task.executed.layers) for task in tasks)))
    vertices: dict[object, tuple[int, ...]] = {}
    for t, task in enumerate(tasks):
        tick(t, len(tasks))
        mapped: list[int] = [-1] * task.size
        for c, (positions, kind) in enumerate(
            zip(classes[t].members, classes[t].types, strict=True)
        ):
            key = ("apart", t, c) if t in apart else kind
            if key not in vertices:
                vertices[key] = _new(glued, task, t, positions, mapped)
            else:
                _match(glued, task, t, positions, vertices[key], mapped, found)
        glued.maps.append(tuple(mapped))
    _place(glued, tasks)
    return glued


def _new(
    glued: Glued, task: Task, t: int, positions: Sequence[int], mapped: list[int]
) -> tuple[int, ...]:
    slots = tuple(range(len(glued.first), len(glued.first) + len(positions)))
    for p, slot in zip(positions, slots, strict=True):
        mapped[p] = slot
        glued.first.append((t, p))
    glued.keys += [carried(task, p, mapped, glued.period) for p in positions]
    return slots


def carried(task: Task, p: int, mapped: Sequence[int], period: int) -> Keys:
    """The slots of the keys of a position, in every head of every layer."""
    layers = task.executed.layers
    return tuple(
        tuple(_image(rows[p], mapped) for rows in layers[level % len(layers)])
        for level in range(period)
    )


def _image(row: int, mapped: Sequence[int]) -> int:
    image = 0
    for k in members(row):
        image |= 1 << mapped[k]
    return image


def _match(
    glued: Glued,
    task: Task,
    t: int,
    positions: Sequence[int],
    slots: Sequence[int],
    mapped: list[int],
    found: Partition,
) -> None:
    """Map the positions of a class to the slots of its type, so that all keys are kept."""
    alike: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for p in positions:
        alike[found.of[t][p]][0].append(p)
    for slot in slots:
        s, p = glued.first[slot]
        alike[found.of[s][p]][1].append(slot)
    for way in islice(_ways(list(alike.values())), _WAYS):
        for p, slot in way:
            mapped[p] = slot
        if all(carried(task, p, mapped, glued.period) == glued.keys[slot] for p, slot in way):
            return
    raise Clash(t, tuple(positions))


def _ways(groups: list[tuple[list[int], list[int]]]) -> Iterator[list[tuple[int, int]]]:
    for chosen in product(*(permutations(slots) for _, slots in groups)):
        yield [
            pair
            for (own, _), slots in zip(groups, chosen, strict=True)
            for pair in zip(own, slots, strict=True)
        ]


def _place(glued: Glued, tasks: Sequence[Task]) -> None:
    """Position ids: those of the first positions; where differences are seen, such ids that every
    query has its keys at the distances that it has in its task."""
    ids = [tasks[t].positions[p].pos for t, p in glued.first]
    if tasks[0].pos_mode is PosMode.RELATIVE:
        ids = _potentials(glued, tasks, [0 if place is None else place for place in ids])
    glued.places = list(ids)


def _potentials(glued: Glued, tasks: Sequence[Task], ids: list[int]) -> list[int | None]:
    """Slots joined by differences move together: ``ids[slot] - ids[root]`` is what is known."""
    group = [[slot] for slot in range(len(ids))]
    held = list(ids)
    for t, task in enumerate(tasks):
        places = task.executed.places or ()
        for q in range(task.size):
            for heads in task.executed.layers:
                for k in members(reduce(or_, (rows[q] for rows in heads))):
                    a, b = glued.maps[t][q], glued.maps[t][k]
                    wanted = held[b] + places[q] - places[k]
                    if group[a] is not group[b]:
                        _join(group, held, a, b, wanted - held[a])
                    elif held[a] != wanted:
                        raise Clash(t)
    return list(held)


def _join(group: list[list[int]], held: list[int], a: int, b: int, shift: int) -> None:
    """Move the group of ``a`` by ``shift`` and unite it with that of ``b``."""
    moved = group[a]
    for slot in moved:
        held[slot] += shift
        group[slot] = group[b]
    group[b] += moved
