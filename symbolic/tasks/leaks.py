"""Leak depths: after how many layers a position knows what it must predict.

``depth`` of a label is the least number of layers after which its atom has arrived: 0 when the
position's own input holds it, None when it never arrives. A derived label has arrived when all its
arguments have.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import islice
from operator import or_

from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.earliest import arrivals, held, held_after
from attnproof.symbolic.tasks.targets import Target, targets
from attnproof.symbolic.tasks.task import Label, Task

#: Numbers of layers without a residual at which atoms are looked for together.
_LEVELS = 1 << 16


@dataclass(frozen=True, slots=True)
class LabelDepth:
    """A label, its leak depth, and the position that brings it (last, where several are needed).

    ``exempt`` is true where a position of kind "keep" carries its own label.
    """

    label: Label
    depth: int | None
    source: int | None
    exempt: bool = False

    def status(self, layers: int | None = None) -> str:
        """What it means for a model of so many layers with a residual; None is any number.

        >>> LabelDepth(Label(0, "x1"), 4, 2).status(3)
        'safe only by depth'
        """
        if self.depth is None:
            return "safe"
        if self.exempt:
            return "kept"
        if self.depth == 0:
            return "own input"
        deep = layers is None or self.depth <= layers
        return f"leaks at depth {self.depth}" if deep else "safe only by depth"


def label_depths(task: Task) -> tuple[LabelDepth, ...]:
    """The leak depth of every label, ordered by position and head.

    >>> task = Task.build(["x1", "x2", "x3"], {0: "x3"}, ["11.", ".11", "..1"])
    >>> [(found.depth, found.source) for found in label_depths(task)]
    [(2, 2)]

    Law: at depth 1 or more the position's own input does not hold the label.
    """
    found = []
    for seen, wanted in by_reader(task, Flow(task.setting())):
        for target in wanted:
            if target.label is not None:
                depth, source = seen.together(target.atom) or (None, None)
                found.append(LabelDepth(target.label, depth, source, target.exempt))
    return tuple(found)


class Seen:
    """What arrives at one reader, and when; ``now`` is what it sees after the layers that run."""

    def __init__(self, task: Task, flow: Flow, reader: int) -> None:
        self.task = task
        self.flow = flow
        self.reader = reader

    @cached_property
    def arrivals(self) -> tuple[int, ...]:
        """The positions seen first after 0, 1, 2, ... layers."""
        return tuple(arrivals(self.flow.layers, self.reader))

    @cached_property
    def ever(self) -> int:
        """The positions seen after some number of layers."""
        if self.flow.setting.residual:
            return self.flow.closure.rows[self.reader]
        return reduce(or_, self.arrivals)

    @cached_property
    def now(self) -> int:
        """The positions seen after as many layers as the setting has."""
        setting = self.flow.setting
        if setting.depth is None:
            return self.ever
        return held_after(self.flow.layers, self.reader, setting.depth)

    def knows(self, item: str) -> bool:
        """Is the item known after the layers of the setting?"""
        if self.flow.setting.depth is None:
            return self.together(item) is not None
        return all(self.task.carriers[atom] & self.now for atom in self.task.items.primitives(item))

    def nearest(self, positions: int) -> tuple[int, int] | None:
        """The depth at which one of some positions is seen first, and the first such position."""
        if positions & self.ever:
            for depth, seen in enumerate(self.arrivals):
                if seen & positions:
                    return depth, _first(seen & positions)
        return None

    def together(self, item: str) -> tuple[int, int] | None:
        """When all the atoms that determine an item are there at once for the first time, and from
        where the last arrives; without a residual any of them, as what is there may go again."""
        atoms = [self.task.carriers[atom] for atom in self.task.items.primitives(item)]
        if not self.flow.setting.residual:
            for depth, seen in enumerate(islice(held(self.flow.layers, self.reader), _LEVELS)):
                if all(positions & seen for positions in atoms):
                    parts = seen & reduce(or_, atoms)
                    others = parts & ~(1 << self.reader) or parts
                    return depth, _first(others & ~self.task.carriers[item] or others)
            return None
        met = [self.nearest(positions) for positions in atoms]
        depths = [found[0] for found in met if found is not None]
        if len(depths) < len(met):
            return None
        depth = max(depths)
        last = reduce(or_, (p for p, at in zip(atoms, depths, strict=True) if at == depth))
        seen = self.arrivals[depth]
        return depth, _first(seen & self.task.carriers[item] or seen & last)

    def first(self, item: str) -> tuple[int, int] | None:
        """Depth and source of a leak that the setting has: one carrier where one will do."""
        if not self.knows(item):
            return None
        alone = self.nearest(self.task.carriers[item] & self.now)
        together = self.together(item)
        if alone is None or together is None:
            return alone or together
        return alone if alone[0] <= together[0] else together


def _first(positions: int) -> int:
    return (positions & -positions).bit_length() - 1


def by_reader(task: Task, flow: Flow) -> Iterator[tuple[Seen, list[Target]]]:
    """Every position that has targets, with them, in order."""
    grouped: dict[int, list[Target]] = {}
    for target in targets(task):
        grouped.setdefault(target.position, []).append(target)
    for reader, wanted in grouped.items():
        yield Seen(task, flow, reader), wanted
