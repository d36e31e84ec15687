"""Types: the classes of positions of several tasks, up to equivalence.

A class holds the positions of one task that reach each other. Two classes have one type when their
positions are equivalent, each as often; then what lies below the one carries over to the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from attnproof.symbolic.tasks.partition import Partition
from attnproof.symbolic.tasks.task import Task

#: The equivalence classes of the positions of a class, in order.
Type = tuple[int, ...]


@dataclass(frozen=True)
class Classes:
    """The classes of one task, each after those below it, and their types."""

    members: tuple[tuple[int, ...], ...]
    types: tuple[Type, ...]
    of: tuple[int, ...]
    rows: tuple[int, ...]

    def below(self, c: int) -> Iterator[int]:
        """The classes at or below class ``c``, itself last."""
        row = self.rows[self.members[c][0]]
        return (d for d in range(c + 1) if row >> self.members[d][0] & 1)

    @cached_property
    def twins(self) -> tuple[int, int] | None:
        """Two classes of one type; None where there are none (task rigidity)."""
        return _repeated(self.types, range(len(self.types)))

    @cached_property
    def twins_below(self) -> tuple[int, int, int] | None:
        """A class, and two of one type at or below it; None where there is none (local rigidity).

        >>> from attnproof.symbolic.tasks.partition import partition
        >>> task = Task.build(["s", "s", None], {}, ["1..", ".1.", "111"], pos_mode="none")
        >>> classes_of(task, partition([task]).of[0]).twins_below
        (2, 0, 1)
        """
        if self.twins is None:
            return None
        for c in range(len(self.types)):
            found = _repeated(self.types, self.below(c))
            if found is not None:
                return c, *found
        return None


def _repeated(types: Sequence[Type], chosen: "Iterator[int] | range") -> tuple[int, int] | None:
    first: dict[Type, int] = {}
    for c in chosen:
        if first.setdefault(types[c], c) != c:
            return first[types[c]], c
    return None


def classes_of(task: Task, numbers: Sequence[int]) -> Classes:
    """The classes of a task whose positions have these equivalence classes."""
    rows = task.executed.below
    grouped: dict[int, list[int]] = {}
    for p, row in enumerate(rows):
        grouped.setdefault(row, []).append(p)
    ordered = sorted(grouped.items(), key=lambda entry: (entry[0].bit_count(), entry[1]))
    of = [0] * task.size
    for c, (_, positions) in enumerate(ordered):
        for p in positions:
            of[p] = c
    return Classes(
        tuple(tuple(positions) for _, positions in ordered),
        tuple(tuple(sorted(numbers[p] for p in positions)) for _, positions in ordered),
        tuple(of),
        rows,
    )


def all_classes(tasks: Sequence[Task], found: Partition) -> tuple[Classes, ...]:
    """The classes of every task."""
    return tuple(classes_of(task, of) for task, of in zip(tasks, found.of, strict=True))


def is_dense(task: Task) -> bool:
    """Does every head of every layer read all that is below, a query's own key aside?

    >>> is_dense(Task.build([*"abc"], {}, "causal"))
    True
    >>> is_dense(Task.build([*"abc"], {}, ["#..", "##.", ".##"]))
    False
    """
    below = task.executed.below
    return all(
        row | 1 << q == below[q]
        for heads in task.executed.layers
        for rows in heads
        for q, row in enumerate(rows)
    )
