"""How few classes, order pairs or covers a common supergraph of tasks can have, by search.

A common supergraph holds the order of each task by a map that carries what lies below each class,
one to one and with labels, onto what lies below the image. Nothing here knows of equivalence: that
the merged task is least is found again.

Lemma. The images of all classes read nothing outside themselves, so they are a common supergraph by
themselves; its pairs and covers are among those of the whole. Hence a least one, of whatever size,
is an identification of classes of the tasks. In it an image has as many classes below it, and
covers as many, as each class that it is the image of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec
from itertools import combinations
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import MissingExtra, TaskError
from attnproof.symbolic.tasks.task import PosMode, Task
from attnproof.symbolic.tasks.types import Type, classes_of, is_dense
from attnproof.symbolic.tasks.upstream import check_comparable

if TYPE_CHECKING:
    from collections.abc import Hashable


class Counted(Enum):
    """What is to be few: classes, pairs of a class and one strictly below it, or covers."""

    CLASSES = "classes"
    PAIRS = "pairs"
    COVERS = "covers"


@dataclass(frozen=True)
class Order:
    """The classes of a task: ``labels[c]`` says what the positions of class ``c`` are fed,
    ``below[c]`` lists the classes strictly below it. Those below come first."""

    labels: tuple[Type, ...]
    below: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """How many classes there are."""
        return len(self.labels)

    def weight(self, c: int, counted: Counted) -> int:
        """What a class adds: itself, the pairs with it on top, or its lower covers."""
        if counted is Counted.CLASSES:
            return 1
        inside = {d for e in self.below[c] for d in self.below[e]}
        strictly = set(self.below[c])
        return len(strictly if counted is Counted.PAIRS else strictly - inside)

    def apart(self, injective: bool) -> set[tuple[int, int]]:
        """Pairs of classes with different images: those below one class, or all."""
        if injective:
            return set(combinations(range(self.size), 2))
        tops = ((*below, c) for c, below in enumerate(self.below))
        return {pair for top in tops for pair in combinations(sorted(top), 2)}


def orders(tasks: Sequence[Task]) -> tuple[Order, ...]:
    """The orders of some tasks, with equal labels for equal inputs.

    >>> orders([Task.build(["x1", "x2"], {}, "causal")])
    (Order(labels=((0,), (1,)), below=((), (0,))),)

    Raises :class:`TaskError` for tasks that no one model runs, that are not dense, or whose
    position ids are seen as differences: these are no labelled orders.
    """
    check_comparable(tasks)
    numbers: dict[Hashable, int] = {}
    found = []
    for task in tasks:
        if not is_dense(task) or task.pos_mode is PosMode.RELATIVE:
            raise TaskError(
                f"{task.name or 'a task'} is no labelled order: "
                + ("its mask is sparse" if not is_dense(task) else "it sees differences of ids")
                + "; give dense tasks with absolute position ids, or none",
                where="mask" if not is_dense(task) else "pos_mode",
            )
        fed = [numbers.setdefault(one, len(numbers)) for one in task.executed.inputs]
        classes = classes_of(task, fed)
        below = tuple(tuple(classes.below(c))[:-1] for c in range(len(classes.members)))
        found.append(Order(classes.types, below))
    return tuple(found)


def is_there(
    tasks: Sequence[Task],
    most: int,
    counted: Counted = Counted.CLASSES,
    *,
    injective: bool = False,
) -> bool:
    """Is there a common supergraph with at most so many classes, pairs or covers? By SAT.

    ``injective`` asks that each task keeps all its classes apart, not only those below one.

    >>> tasks = [Task.build([f"x{i}" for i in range(k)], {}, "causal") for k in (1, 2, 3)]
    >>> [is_there(tasks, most) for most in (2, 3)]
    [False, True]

    Raises :class:`MissingExtra` without python-sat.
    """
    return most >= 0 and _by_identification(orders(tasks), most, counted, injective)


def fewest(
    tasks: Sequence[Task], counted: Counted = Counted.CLASSES, *, injective: bool = False
) -> int:
    """How many classes, pairs or covers a common supergraph has at least, by SAT.

    >>> fewest([Task.build([f"x{i}" for i in range(k)], {}, "causal") for k in (1, 2, 3)])
    3
    """
    given = orders(tasks)
    most = sum(order.weight(c, counted) for order in given for c in range(order.size))
    return next(k for k in range(most + 1) if _by_identification(given, k, counted, injective))


def _by_identification(
    given: Sequence[Order], most: int, counted: Counted, injective: bool
) -> bool:
    """Variables say which classes are identified; see the lemma."""
    if find_spec("pysat") is None:
        raise MissingExtra("the least common supergraph", "optimal")
    from pysat.card import CardEnc
    from pysat.formula import CNF, IDPool
    from pysat.solvers import Cadical153

    places = [(t, c) for t, order in enumerate(given) for c in range(order.size)]
    number = {place: e for e, place in enumerate(places)}
    pool, formula = IDPool(), CNF()
    apart = [order.apart(injective) for order in given]

    def same(d: int, e: int) -> int | None:
        """The variable of two classes in order; None where they differ in any case."""
        (t, c), (s, b) = places[d], places[e]
        if given[t].labels[c] != given[s].labels[b] or (t == s and (c, b) in apart[t]):
            return None
        return int(pool.id((d, e)))

    everything = range(len(places))
    for d, e, f in combinations(everything, 3):
        sides = same(d, e), same(e, f), same(d, f)
        for i in range(3):
            a, b, third = sides[i], sides[i - 1], sides[i - 2]
            if a is not None and b is not None:
                formula.append([-a, -b, *([] if third is None else [third])])
    for d, e in combinations(everything, 2):
        variable = same(d, e)
        if variable is not None:
            for here, there in ((d, e), (e, d)):
                others = _under(given, places[there], number)
                for u in sorted(set(_under(given, places[here], number)).difference(others)):
                    ways = (same(min(u, w), max(u, w)) for w in others)
                    formula.append([-variable, *(way for way in ways if way is not None)])
    heads = []
    for e, (t, c) in enumerate(places):
        head = int(pool.id(("first", e)))
        ways = (same(d, e) for d in range(e))
        formula.append([head, *(way for way in ways if way is not None)])
        heads += [head] * given[t].weight(c, counted)
    if most < len(heads):
        formula.extend(CardEnc.atmost(heads, most, vpool=pool).clauses)
    with Cadical153(bootstrap_with=formula.clauses) as solver:
        return bool(solver.solve())


def _under(
    given: Sequence[Order], place: tuple[int, int], number: "dict[tuple[int, int], int]"
) -> list[int]:
    t, c = place
    return [number[t, d] for d in given[t].below[c]]
