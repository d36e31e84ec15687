"""What a model executes on a task: what each position is fed, which keys each head reads, and what
lies below a position, which is all that its state depends on.

Convention: bit ``k`` of a row ``q`` is set when query ``q`` has key ``k``. A query is among its own
keys exactly where the task says ``diag_in_softmax``; the mask's own diagonal is not looked at.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.relation import relations, union
from attnproof.symbolic.order.schedule import Relation
from attnproof.symbolic.setting import EmptyRow, Setting
from attnproof.symbolic.tasks.masks import each_head
from attnproof.symbolic.tasks.task import Position, PosMode, Task

#: The settings of a model in which tasks must agree before their positions are compared.
_MODEL = ("residual", "depth", "pos_mode", "empty_row", "diag_in_softmax")


@dataclass(frozen=True)
class Executed:
    """``setting`` holds the masks of all heads, layer after layer, ``heads`` of them a layer.

    ``inputs[p]`` is what position ``p`` is fed, its position id included only where ids are
    absolute. ``places`` are the ids where the model sees their differences, else None.
    """

    setting: Setting
    heads: int
    inputs: tuple[Hashable, ...]
    places: tuple[int, ...] | None
    own_key: bool

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self.inputs)

    @cached_property
    def _reach(self) -> tuple[Relation, ...]:
        return relations(self.setting)

    @cached_property
    def layers(self) -> tuple[tuple[Relation, ...], ...]:
        """The keys of every query: ``layers[layer][head][q]`` as a bit set.

        >>> task = Task.build(["x", "y"], {}, ["..", "1."], diag_in_softmax=False)
        >>> task.executed.layers
        (((0, 1),),)
        """
        rows = self._reach if self.own_key else tuple(map(_without_own, self._reach))
        return tuple(rows[i : i + self.heads] for i in range(0, len(rows), self.heads))

    @cached_property
    def below(self) -> Relation:
        """Position to the set of positions whose inputs can reach it, itself among them.

        >>> [bin(row) for row in Task.build([*"abc"], {}, ["1..", ".1.", "1.1"]).executed.below]
        ['0b1', '0b10', '0b101']
        """
        return closure(union(self._reach)).rows


@dataclass(frozen=True)
class Node:
    """A position of a task."""

    task: Task
    position: int

    @cached_property
    def upstream(self) -> tuple[int, ...]:
        """The positions below, in order, the node among them."""
        return tuple(members(self.task.executed.below[self.position]))

    def __str__(self) -> str:
        return f"{self.task.name}:{self.position}" if self.task.name else str(self.position)


def executed(task: Task) -> Executed:
    """What a model executes on a task, heads kept apart.

    A layer with one mask gives it to all its heads.

    Raises :class:`TaskError` where the task keeps no residual, where a query reads nothing and
    ``empty_row`` is not zero, where layers have different numbers of heads, or where differences of
    position ids are seen and an id is missing.
    """
    if not task.residual:
        raise TaskError(
            "residual is false; equivalence is defined for layers in which a position keeps its "
            "own state: set residual = true",
            where="residual",
        )
    layers = each_head(task.mask, task.size)
    heads = lcm(*map(len, layers))
    if {len(masks) for masks in layers} - {1, heads}:
        raise TaskError(
            f"mask has layers of {sorted({len(masks) for masks in layers})} heads; give every "
            "layer as many, or one mask for all of them",
            where="mask",
        )
    masks = tuple(mask for layer in layers for mask in layer * (heads // len(layer)))
    check_rows(task, masks)
    return Executed(
        Setting(masks, task.depth, task.residual, task.empty_row),
        heads,
        tuple(_input(position, task.pos_mode) for position in task.positions),
        _places(task) if task.pos_mode is PosMode.RELATIVE else None,
        task.diag_in_softmax,
    )


def check_rows(task: Task, masks: Sequence[Mask]) -> None:
    """Refuse queries without keys, their own aside where ``diag_in_softmax`` takes it away.

    Softmax over no keys returns something of its own where it does not return zero; with the own
    key added, or taken away, which of the two a model runs is not known.
    """
    if task.empty_row is EmptyRow.ZERO:
        return
    own = 0 if task.diag_in_softmax else 1
    empty = sorted(
        {q for mask in masks for q, row in enumerate(mask.rows.bits()) if not row & ~(own << q)}
    )
    if empty:
        raise TaskError(
            f"position {empty[0]} reads nothing, and empty_row is {task.empty_row.value}; give it "
            'the keys that the model runs with, or set empty_row = "zero"',
            where="empty_row",
            position=empty[0],
        )


def _without_own(rows: Relation) -> Relation:
    return tuple(row & ~(1 << q) for q, row in enumerate(rows))


def _input(position: Position, mode: PosMode) -> Hashable:
    atoms, pos, kind, segment = position.own_input
    return (atoms, pos, kind, segment) if mode is PosMode.ABSOLUTE else (atoms, kind, segment)


def _places(task: Task) -> tuple[int, ...]:
    found = []
    for p, position in enumerate(task.positions):
        if position.pos is None:
            raise TaskError(
                f'position[{p}] has no pos, and pos_mode = "relative" compares differences of '
                "position ids; give every position one",
                where=f"position[{p}].pos",
            )
        found.append(position.pos)
    return tuple(found)


def check_comparable(tasks: Sequence[Task]) -> None:
    """Raise :class:`TaskError` unless one model can run all tasks, and names mean one thing.

    They must agree in residual, depth, pos_mode, empty_row, diag_in_softmax and the number of
    heads, and no name may be derived in two ways.
    """
    heads = [max(len(layer) for layer in each_head(task.mask, task.size)) for task in tasks]
    for t, other in enumerate(tasks):
        for key in _MODEL:
            ours, theirs = getattr(tasks[0], key), getattr(other, key)
            if ours != theirs:
                raise _differing(key, tasks, t, _said(key, ours), _said(key, theirs))
        if heads[t] != heads[0]:
            raise _differing("heads", tasks, t, f"{heads[0]}", f"{heads[t]}")
    _check_names(tasks)


def _said(key: str, value: object) -> str:
    if value is None and key == "depth":
        return "any number"
    text = getattr(value, "value", value)
    return str(text).lower() if isinstance(text, bool) else str(text)


def name_of(tasks: Sequence[Task], t: int) -> str:
    """How a task is called."""
    return f"task {t} ({tasks[t].name})" if tasks[t].name else f"task {t}"


def _differing(key: str, tasks: Sequence[Task], t: int, ours: str, theirs: str) -> TaskError:
    return TaskError(
        f"{key} is {ours} in {name_of(tasks, 0)} and {theirs} in {name_of(tasks, t)}; positions "
        f"are equivalent under one model: give all tasks the same {key}",
        where=key,
        tasks=(0, t),
    )


def _check_names(tasks: Sequence[Task]) -> None:
    meanings: dict[str, tuple[str, ...]] = {}
    for task in tasks:
        for name in (*task.items.primitive, *task.derived):
            arguments = tuple(sorted(task.derived.get(name, ())))
            known = meanings.setdefault(name, arguments)
            if known != arguments:
                ways = " and ".join(sorted(map(_derivation, (known, arguments))))
                raise TaskError(
                    f"{name} is {ways} in two tasks; give one of the two another name",
                    where=f"derived.{name}",
                    atom=name,
                )


def _derivation(arguments: tuple[str, ...]) -> str:
    return f"derived from {', '.join(arguments)}" if arguments else "an atom"
