"""The equivalence classes of all positions of several tasks."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.progress import tick
from attnproof.symbolic.tasks.building import choice
from attnproof.symbolic.tasks.equivalence import BUDGET, Grounds, Mode, equivalent
from attnproof.symbolic.tasks.isomorphism import cells, divided
from attnproof.symbolic.tasks.refinement import Colours, Nodes, after, side_by_side
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.tasks.upstream import Executed, check_comparable
from attnproof.symbolic.words import counted

#: (task, position)
Place = tuple[int, int]


@dataclass(frozen=True, repr=False)
class Partition:
    """``of[task][position]`` is the number of a class, ``members[number]`` its (task, position).

    Classes are numbered, and members listed, in order of first occurrence. ``undecided`` holds
    pairs for which a search ran out of its budget; they are in different classes.
    """

    mode: Mode
    of: tuple[tuple[int, ...], ...]
    members: tuple[tuple[Place, ...], ...]
    undecided: tuple[tuple[Place, Place], ...] = ()

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        positions = counted(sum(map(len, self.of)), "position")
        open_ = f", {counted(len(self.undecided), 'pair')} undecided" if self.undecided else ""
        found = f"{counted(len(self), 'class')} ({self.mode.value}{open_})"
        return f"Partition of {positions}: {found}"


def partition(
    tasks: Sequence[Task], mode: Mode | str = Mode.ISO, *, budget: int = BUDGET
) -> Partition:
    """The classes of equivalent positions, over all tasks together.

    Positions of one colour whose isomorphism a stable colouring decides need no search, so that
    where what lies below a position has distinct inputs, or only interchangeable positions, the
    cost is that of listing the keys. ``budget`` is for each search that is needed.

    >>> tasks = [Task.build([f"x{i}" for i in range(k)], {}, "causal") for k in (1, 2, 3)]
    >>> partition(tasks)
    Partition of 6 positions: 3 classes (iso)
    >>> partition(tasks).of
    ((0,), (0, 1), (0, 1, 2))

    Raises :class:`TaskError` for tasks that no one model runs.

    Laws: two positions are in one class exactly when :func:`equivalent` says so; the classes for
    ISO refine those for WL, and these those for SOFTMAX. Source: types of nodes, the paper; the
    algorithm, ours.
    """
    kind = choice(Mode, mode, "mode")
    check_comparable(tasks)
    if not tasks:
        return Partition(kind, (), ())
    parts = [task.executed for task in tasks]
    nodes = side_by_side([(part, range(part.size)) for part in parts])
    depth = None if kind is Mode.ISO else tasks[0].depth
    colours = after(nodes, kind.bag, depth)
    places = [(t, p) for t, task in enumerate(tasks) for p in range(task.size)]
    if kind is not Mode.ISO:
        return _collected(kind, places, colours, ())
    return _isomorphic(tasks, nodes, places, _keys(parts, nodes, colours), budget)


def _keys(
    parts: Sequence[Executed], nodes: Nodes, colours: Colours
) -> Iterator[tuple[Hashable, bool]]:
    """For each node what isomorphic nodes have in common, and whether this is all they need."""
    decided: dict[Hashable, bool] = {}
    start = 0
    for part in parts:
        for p, below in enumerate(part.below):
            own = [start + k for k in members(below)]
            found = cells(nodes, colours, own, start + p)
            key = colours[start + p], tuple(sorted(found))  # type: ignore[type-var]
            if key not in decided:
                decided[key] = not divided(nodes, own, found)
            yield key, decided[key]
        start += part.size


def _isomorphic(
    tasks: Sequence[Task],
    nodes: Nodes,
    places: Sequence[Place],
    keys: Iterator[tuple[Hashable, bool]],
    budget: int,
) -> Partition:
    known: dict[Hashable, list[Place]] = {}
    classes: list[Place] = []
    undecided: list[tuple[Place, Place]] = []
    for done, ((t, p), (key, decided)) in enumerate(zip(places, keys, strict=True)):
        if not done % 256:
            tick(done, len(places))
        representatives = known.setdefault(key, [])
        for s, q in representatives:
            grounds = (
                Grounds.MAP
                if decided
                else equivalent(tasks[s], q, tasks[t], p, budget=budget).grounds
            )
            if grounds is Grounds.BUDGET:
                undecided.append(((s, q), (t, p)))
            if grounds is Grounds.MAP:
                classes.append((s, q))
                break
        else:
            representatives.append((t, p))
            classes.append((t, p))
    return _collected(Mode.ISO, places, classes, undecided)


def _collected(
    mode: Mode,
    places: Sequence[Place],
    names: Sequence[Hashable],
    undecided: Sequence[tuple[Place, Place]],
) -> Partition:
    found: dict[Hashable, list[Place]] = {}
    for place, name in zip(places, names, strict=True):
        found.setdefault(name, []).append(place)
    of: list[list[int]] = [[] for _ in range(1 + max(t for t, _ in places))]
    number = {name: i for i, name in enumerate(found)}
    for (t, _), name in zip(places, names, strict=True):
        of[t].append(number[name])
    return Partition(
        mode,
        tuple(map(tuple, of)),
        tuple(map(tuple, found.values())),
        tuple(undecided),
    )
