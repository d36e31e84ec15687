"""Atoms and what is known with them: a derived item is a function of its arguments.

A position that carries an item carries its arguments too, at every level; an item is known as soon
as all its arguments are. Atoms are data variables: two equal words are two atoms.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Items:
    """The atoms of a task and the items derived from them (item to arguments, without cycles).

    >>> items = Items(("x1", "x2", "x3"), {"y": ("x1", "x2"), "z": ("y", "x3")})
    >>> sorted(items.carried(["z"]))
    ['x1', 'x2', 'x3', 'y', 'z']
    >>> sorted(items.known(["x1", "x2"]))
    ['x1', 'x2', 'y']

    Laws: both are monotone and idempotent; ``known(carried(s))`` is closed under both.
    """

    atoms: tuple[str, ...]
    derived: Mapping[str, tuple[str, ...]]

    @cached_property
    def primitive(self) -> tuple[str, ...]:
        """The atoms that are not derived, in order."""
        return tuple(atom for atom in self.atoms if atom not in self.derived)

    @cached_property
    def _expanded(self) -> dict[str, frozenset[str]]:
        expanded = {atom: frozenset((atom,)) for atom in self.primitive}
        for item in arguments_first(self.derived):
            below = (expanded[argument] for argument in self.derived[item])
            expanded[item] = frozenset((item,)).union(*below)
        return expanded

    def expanded(self, item: str) -> frozenset[str]:
        """The item and, recursively, all its arguments."""
        return self._expanded[item]

    def primitives(self, item: str) -> frozenset[str]:
        """The atoms that determine the item."""
        return self._expanded[item] - self.derived.keys()

    def carried(self, items: Iterable[str]) -> frozenset[str]:
        """The items with all their arguments."""
        return frozenset().union(*(self._expanded[item] for item in items))

    def known(self, items: Iterable[str]) -> frozenset[str]:
        """What is known of the items together: every item whose arguments are all known."""
        known = set(items)
        for item in arguments_first(self.derived):
            if known.issuperset(self.derived[item]):
                known.add(item)
        return frozenset(known)


def arguments_first(derived: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The derived items, each after the derived items among its arguments.

    >>> list(arguments_first({"z": ["y", "x"], "y": ["x"]}))
    ['y', 'z']
    """
    waiting = {item: {a for a in derived[item] if a in derived} for item in derived}
    done: set[str] = set()
    while waiting:
        ready = [item for item, arguments in waiting.items() if arguments <= done]
        if not ready:
            raise ValueError(f"derived items that need each other: {', '.join(sorted(waiting))}")
        yield from ready
        done.update(ready)
        for item in ready:
            del waiting[item]
