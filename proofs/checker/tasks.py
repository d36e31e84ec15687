"""A task: what positions carry, and which labels must not reach the positions that bear them.

A position that carries a derived name carries its arguments; a position that knows all arguments
of a derived name knows the name. A label must never be known where it is to be predicted, and
where ``allowed_atoms`` is given, nothing else may arrive.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from .envelope import array, integer, need, record, string


@dataclass(frozen=True)
class Label:
    """The name to be predicted at a position by a head, and all that may arrive there."""

    position: int
    atom: str
    head: int
    allowed: frozenset[str] | None


@dataclass(frozen=True)
class Task:
    """``carriers[name]`` is the set of positions that carry it; ``arguments`` of derived names."""

    arguments: Mapping[str, tuple[str, ...]]
    carriers: Mapping[str, int]
    kept: int
    labels: tuple[Label, ...]

    def knows(self, name: str, row: int) -> bool:
        """Is ``name`` known from what the positions in ``row`` carry?"""
        names = self.with_arguments(name)
        return self.follows(name, {one for one in names if self.carriers[one] & row})

    def follows(self, name: str, arrived: Set[str]) -> bool:
        """Is ``name`` among the names that arrived, or do all its arguments follow from them?"""
        known: set[str] = set()
        for one in self.with_arguments(name):
            arguments = self.arguments.get(one)
            if one in arrived or (arguments and known.issuperset(arguments)):
                known.add(one)
        return name in known

    def with_arguments(self, name: str) -> list[str]:
        """Its arguments, recursively, each after its own; then the name."""
        return _with_arguments(self.arguments, [name])

    def is_exempt(self, label: Label) -> bool:
        """Does a position of kind "keep" carry its own label by design?"""
        return bool((self.kept & self.carriers[label.atom]) >> label.position & 1)

    def strange(self, label: Label) -> int:
        """The positions that carry something that may not arrive at the label."""
        found = 0
        if label.allowed is not None:
            for name, positions in self.carriers.items():
                if not self.may_arrive(label, name):
                    found |= positions
        return found

    def may_arrive(self, label: Label, name: str) -> bool:
        """Is ``name`` allowed at a label, or part of a label that is kept by design?"""
        return (
            label.allowed is None
            or name in label.allowed
            or (self.is_exempt(label) and name in self.with_arguments(label.atom))
        )

    @cached_property
    def forbidden(self) -> Mapping[int, int]:
        """Position to the set of positions that must not reach it."""
        found: dict[int, int] = {}
        for label in self.labels:
            sources = self.strange(label)
            if not self.is_exempt(label):
                sources |= self.carriers[label.atom]
            found[label.position] = found.get(label.position, 0) | sources
        return found

    def derives(self, row: Callable[[int], int]) -> bool:
        """Is some label known from its arguments together, ``row`` giving what reaches it?"""
        return any(
            label.atom in self.arguments
            and not self.is_exempt(label)
            and self.knows(label.atom, row(label.position))
            for label in self.labels
        )


def _with_arguments(arguments: Mapping[str, tuple[str, ...]], names: Sequence[str]) -> list[str]:
    """Depth-first over an acyclic table of arguments."""
    found: dict[str, None] = {}
    stack = [(name, False) for name in reversed(names)]
    while stack:
        name, ready = stack.pop()
        if ready:
            found[name] = None
        elif name not in found:
            stack.append((name, True))
            stack += [(argument, False) for argument in arguments.get(name, ())]
    return list(found)


def read_task(value: object, size: int) -> Task:
    """A task on ``size`` positions."""
    found = record(value, {"atoms", "derived", "positions", "labels"}, "the task")
    atoms = _strings(found["atoms"], "atoms")
    arguments = _read_derived(found["derived"], atoms)
    names = frozenset(atoms) | arguments.keys()
    positions = array(found["positions"], "positions")
    need(len(positions) == size, "the task has another number of positions than the mask")
    carriers = dict.fromkeys(sorted(names), 0)
    kept = 0
    for p, position in enumerate(positions):
        own = record(position, {"atoms", "kind"}, "a position")
        for name in _with_arguments(arguments, _names(own["atoms"], names)):
            carriers[name] |= 1 << p
        if string(own["kind"], "kind") == "keep":
            kept |= 1 << p
    labels = tuple(
        _read_label(label, size, names, arguments) for label in array(found["labels"], "labels")
    )
    places = {(label.position, label.head) for label in labels}
    need(len(places) == len(labels), "two labels stand at one position and head")
    return Task(arguments, carriers, kept, labels)


def _read_derived(value: object, atoms: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The table of arguments; every order of evaluation must end."""
    need(isinstance(value, dict), "derived is not an object")
    found = {
        name: _strings(arguments, f"the arguments of {name}")
        for name, arguments in (value.items() if isinstance(value, dict) else ())
    }
    need(not found.keys() & set(atoms), "a derived name is also an atom")
    known, open_ = set(atoms), dict(found)
    while open_:
        ready = [name for name, names in open_.items() if names and known.issuperset(names)]
        need(bool(ready), "the arguments of derived names are missing, unknown or circular")
        known.update(ready)
        for name in ready:
            del open_[name]
    return found


def _read_label(
    value: object,
    size: int,
    names: frozenset[str],
    arguments: Mapping[str, tuple[str, ...]],
) -> Label:
    found = record(value, {"position", "atom", "head", "allowed_atoms"}, "a label")
    position = integer(found["position"], size, "the position of a label")
    (atom,) = _names([found["atom"]], names)
    head = integer(found["head"], None, "head")
    allowed = None
    if found["allowed_atoms"] is not None:
        allowed = frozenset(_with_arguments(arguments, _names(found["allowed_atoms"], names)))
    return Label(position, atom, head, allowed)


def _names(value: object, names: frozenset[str]) -> tuple[str, ...]:
    found = _strings(value, "a list of names")
    need(names.issuperset(found), "a name is neither an atom nor derived")
    return found


def _strings(value: object, where: str) -> tuple[str, ...]:
    found = tuple(string(one, where) for one in array(value, where))
    need(len(set(found)) == len(found), f"{where} holds a name twice")
    return found
